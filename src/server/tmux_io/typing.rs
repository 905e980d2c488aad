//! Typing into a pane: what was handed over, unless a person types there, and whether the pane has taken it.

use crate::core::tmux::{Reply, command};
use crate::session::port::FromTerminal;

use super::Task;
use super::control_client::Purpose;

impl Task {
    pub(super) async fn write(&mut self, bytes: Vec<u8>) {
        let taken = self.control.as_ref().is_some_and(|tmux| self.queue.take(bytes, tmux.unsent()));
        if taken {
            self.type_or_look();
        } else {
            self.tell(FromTerminal::WriteRefused).await;
        }
    }

    pub(super) async fn confirm(&mut self) {
        if self.control.is_none() {
            return self.tell(FromTerminal::Confirmed { taken: false }).await;
        }
        self.queue.confirm();
        self.type_or_look();
    }

    fn type_or_look(&mut self) {
        if self.queue.people() {
            // Typed once it is known that no person is typing.
            self.look_for_people();
        } else {
            self.type_all();
        }
    }

    pub(super) fn look_for_people(&mut self) {
        if let Some(control) = self.control.as_mut().filter(|control| !control.awaits(Purpose::Clients)) {
            control.send(&command::ask_clients(), Purpose::Clients);
        }
    }

    pub(super) fn type_all(&mut self) {
        let pane = self.seat.pane;
        if let Some(control) = &mut self.control {
            for (line, purpose) in self.queue.lines(pane) {
                control.send(&line, purpose);
            }
        }
    }

    pub(super) async fn looked(&mut self, reply: Option<&Reply>) {
        let Some(reply) = reply.filter(|reply| reply.ok) else { return };
        let seen = self.queue.look(reply, self.seat.pane);
        if seen.came && self.supervisor.is_keeper() {
            let line = command::follow_clients(self.seat.pane);
            self.control.iter_mut().for_each(|control| control.send(&line, Purpose::Nothing));
        }
        if seen.typed {
            self.tell(FromTerminal::PersonTyped).await;
            let dropped = self.queue.drop_all();
            for _ in 0..dropped.confirmations {
                self.tell(FromTerminal::Confirmed { taken: false }).await;
            }
            if dropped.bytes && dropped.confirmations == 0 {
                self.tell(FromTerminal::WriteRefused).await;
            }
        }
    }

    /// Nothing will be told any more of what was handed over to tmux.
    pub(super) async fn drop_unconfirmed(&mut self) {
        for _ in 0..self.queue.drop_unconfirmed() {
            self.tell(FromTerminal::Confirmed { taken: false }).await;
        }
    }
}
