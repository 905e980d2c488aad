//! The one queue of messages between the machines of the hub.
//!
//! What a message leads to comes before what waited behind it, in the order in which it was returned: a trace reads
//! like an outline, each line followed by its own consequences.

use super::message::Message;

#[derive(Debug, Default)]
pub struct Queue {
    /// The next one last, each with how many causes it has.
    waiting: Vec<(usize, Message)>,
    depth: usize,
}

impl Queue {
    /// These come next, before whatever waits.
    pub fn put(&mut self, messages: Vec<Message>) {
        let depth = self.depth;
        self.waiting.extend(messages.into_iter().rev().map(|message| (depth, message)));
    }

    /// The next message, and how deep it stands in the outline.
    pub fn take(&mut self) -> Option<(usize, Message)> {
        let Some((depth, message)) = self.waiting.pop() else {
            self.depth = 0;
            return None;
        };
        self.depth = depth + 1;
        Some((depth, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::lifecycle::message::ToLifecycle;
    use crate::session::message::AgentKey;

    fn message(number: u64) -> Message {
        Message::Life(ToLifecycle::Remove(AgentKey(number)))
    }

    #[test]
    fn what_a_message_leads_to_comes_before_what_waited_behind_it() {
        let mut queue = Queue::default();
        queue.put(vec![message(1), message(2)]);
        let mut order = Vec::new();
        while let Some((depth, message)) = queue.take() {
            let Message::Life(ToLifecycle::Remove(AgentKey(number))) = message else { panic!("{message:?}") };
            order.push((depth, number));
            if number == 1 {
                queue.put(vec![self::message(11), self::message(12)]);
            }
        }
        assert_eq!(order, [(0, 1), (1, 11), (1, 12), (0, 2)]);
    }
}
