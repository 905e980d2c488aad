//! The heap beside a plain map, whatever is set, moved, taken back and let pass.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Act {
    Set(u8, Option<u64>),
    Pass(u64),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => (0_u8..6, proptest::option::of(0_u64..200)).prop_map(|(key, at)| Act::Set(key, at)),
        1 => (0_u64..40).prop_map(Act::Pass),
    ]
}

proptest! {
    #[test]
    fn none_is_missed_and_none_comes_early_or_twice(acts in proptest::collection::vec(act(), 1..200)) {
        let (mut heap, mut plain) = (Deadlines::new(), BTreeMap::new());
        let mut now = 0;
        for act in acts {
            match act {
                Act::Set(key, at) => {
                    let at = at.map(|ms| now + ms);
                    heap.set(key, at);
                    match at {
                        Some(ms) => { plain.insert(key, ms); }
                        None => { plain.remove(&key); }
                    }
                }
                Act::Pass(ms) => {
                    now += ms;
                    let mut due = heap.due(now);
                    due.sort_unstable();
                    let wanted: Vec<u8> =
                        plain.iter().filter(|(_, at)| **at <= now).map(|(key, _)| *key).collect();
                    prop_assert_eq!(due, wanted);
                    plain.retain(|_, at| *at > now);
                }
            }
            prop_assert_eq!(heap.next(), plain.values().min().copied());
        }
    }
}
