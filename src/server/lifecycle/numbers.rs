//! The numbers by which people know agents: a digit leads to the same one in every dashboard.
//!
//! `server/lifecycle` gives them out. An agent keeps its own for as long as it is on the list, and has it again when it
//! comes back, unless somebody else has it by then. Once all have left, numbers begin anew. Pure.

use std::collections::BTreeMap;

/// So long a number rests after its agent has left: the digit that somebody is about to type does not come to mean
/// another one.
const REST_MS: u64 = 60_000;
/// The same where no digit is left but those that rest: a number without a digit would lead nowhere.
const SHORT_REST_MS: u64 = 5_000;
/// The numbers that are a digit.
const DIGITS: std::ops::RangeInclusive<u16> = 1..=9;

#[derive(Debug, Default)]
pub struct Numbers {
    holders: BTreeMap<u16, Holder>,
}

/// Who has a number, or had it last.
#[derive(Debug)]
struct Holder {
    name: String,
    /// When it left the list.
    left_ms: Option<u64>,
}

impl Numbers {
    /// The number of the agent of this name: its own, else the one it is to have, else the lowest that is free.
    pub fn give(&mut self, name: &str, wish: Option<u16>, now_ms: u64) -> u16 {
        self.begin_anew(now_ms);
        let own = self.holders.iter().find(|(_, holder)| holder.name == name).map(|(number, _)| *number);
        let rested = |holder: &Holder| holder.left_ms.is_some_and(|left| now_ms >= left + REST_MS);
        let free = |number: &u16| self.holders.get(number).is_none_or(rested);
        let wished = wish.filter(|number| *number > 0 && free(number));
        let lowest = || DIGITS.into_iter().find(free).or_else(|| self.rested_longest(now_ms));
        let number = own.or(wished).or_else(lowest).or_else(|| (1..=u16::MAX).find(free));
        let number = number.unwrap_or(u16::MAX);
        self.holders.insert(number, Holder { name: name.to_owned(), left_ms: None });
        number
    }

    /// Where everybody has left, and is not just being started again, no digit means anybody: the next team has the low ones.
    fn begin_anew(&mut self, now_ms: u64) {
        let over = |holder: &Holder| holder.left_ms.is_some_and(|left| now_ms >= left + SHORT_REST_MS);
        if self.holders.values().all(over) {
            self.holders.clear();
        }
    }

    /// Of the digits that rest the one that has rested longest, if that is long enough.
    fn rested_longest(&self, now_ms: u64) -> Option<u16> {
        let rest = |(number, holder): (&u16, &Holder)| Some((holder.left_ms?, *number));
        let (left_ms, number) = self.holders.range(DIGITS).filter_map(rest).min()?;
        (now_ms >= left_ms + SHORT_REST_MS).then_some(number)
    }

    /// The agent of this name has left the list.
    pub fn leave(&mut self, name: &str, now_ms: u64) {
        if let Some(holder) = self.holders.values_mut().find(|holder| holder.name == name) {
            holder.left_ms = Some(now_ms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ctrl-a 2` was meant for an agent that had just been stopped, and led to the one started in its place.
    #[test]
    fn a_number_rests_before_somebody_else_has_it() {
        let mut numbers = Numbers::default();
        assert_eq!(["a", "b", "c"].map(|name| numbers.give(name, None, 0)), [1, 2, 3]);
        numbers.leave("b", 1_000);
        assert_eq!(numbers.give("d", None, 2_000), 4);
        assert_eq!(numbers.give("b", None, 2_000), 2, "who comes back has its own");
        numbers.leave("b", 3_000);
        assert_eq!(numbers.give("e", None, 63_000), 2);
        assert_eq!(numbers.give("b", None, 63_000), 5, "it was given away");
        assert_eq!(numbers.give("a", Some(9), 63_000), 1, "who is there keeps its own");
    }

    /// Where agents were often started and stopped within a minute, two of them had the numbers 10 and 11: no key led
    /// there.
    #[test]
    fn a_digit_is_given_again_before_a_number_that_is_none() {
        let mut numbers = Numbers::default();
        for number in 1..=9 {
            let name = format!("a{number}");
            assert_eq!(numbers.give(&name, None, 0), number);
        }
        assert_eq!(numbers.give("tenth", None, 0), 10, "all of them are there");
        numbers.leave("a7", 1_000);
        numbers.leave("a2", 2_000);
        assert_eq!(numbers.give("early", None, 5_999), 11, "a digit just left is not another agent's");
        assert_eq!(numbers.give("next", None, 6_000), 7, "it has rested longest");
        assert_eq!(numbers.give("after", None, 6_999), 12);
    }

    /// Where nobody was left, a new team had 1, 8 and 5, after agents that had long been stopped.
    #[test]
    fn numbers_begin_anew_once_everybody_has_left() {
        let mut numbers = Numbers::default();
        assert_eq!(["a", "b", "c"].map(|name| numbers.give(name, None, 0)), [1, 2, 3]);
        ["a", "b"].iter().for_each(|name| numbers.leave(name, 1_000));
        numbers.leave("c", 2_000);
        assert_eq!(numbers.give("c", None, 6_999), 3, "the last of them is only started again");
        numbers.leave("c", 7_000);
        let team = [("c", 2), ("d", 1), ("e", 3)].map(|(name, wish)| numbers.give(name, Some(wish), 12_000));
        assert_eq!(team, [2, 1, 3]);
        assert_eq!(numbers.give("b", None, 12_000), 4, "who lives has its own");
    }

    #[test]
    fn a_number_that_is_wished_for_is_given_where_it_is_free() {
        let mut numbers = Numbers::default();
        assert_eq!(numbers.give("advisor", Some(3), 0), 3);
        assert_eq!(numbers.give("api", Some(1), 0), 1);
        assert_eq!(numbers.give("web", Some(3), 0), 2);
        assert_eq!(numbers.give("docs", Some(0), 0), 4);
    }
}
