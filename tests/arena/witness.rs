//! What a field learns from the agents' own records while it plays, and how things stand where a run hangs.

use std::cmp::Reverse;
use std::fs;

use counsel::wire::message::ReadMode;
use counsel::wire::{Reply, Request};

use super::agent::truth_of;
use super::field::{Act, Field};
use super::ground::SIZE;
use super::script::Trouble;
use super::truth::{Record, now_us};

impl Field {
    /// What stands where, for a run that hangs.
    pub fn picture(&mut self) -> String {
        let questions = self.request(Request::Questions { all: false });
        let mut text = format!("{questions:?}\n");
        let names: Vec<String> = self.agents.keys().cloned().collect();
        for name in names {
            let state = &self.agents[&name];
            if state.ended {
                continue;
            }
            text.push_str(&format!("{name}: {state:?}\n"));
            if let Some(Reply::Explained { text: explained, .. }) =
                self.request(Request::Explain { name: name.clone() })
            {
                text.push_str(&explained);
            }
            let life = self.script.agents.iter().find(|life| life.name == name).unwrap();
            let round = self.agents[&name].shown.as_ref().map(|(round, _)| *round);
            text.push_str(&format!("trouble: {:?}\n", round.map(|round| life.troubles[round])));
            let screen = Request::Read {
                name,
                since: None,
                tail: None,
                wait_ms: 0,
                mode: ReadMode::Screen,
                seen: None,
            };
            text.push_str(&format!("{:?}\n", self.request(screen)));
        }
        text
    }

    /// Reads on in the agents' truths; whether there was anything new.
    pub(super) fn follow_truth(&mut self) -> bool {
        if now_us() < self.last_us + 5_000 {
            return false;
        }
        self.last_us = now_us();
        let names: Vec<String> = self.agents.keys().cloned().collect();
        let mut any = false;
        for name in names {
            let text = fs::read_to_string(truth_of(self.folder.path(), &name)).unwrap_or_default();
            let whole = text.rfind('\n').map_or(0, |end| end + 1);
            let from = self.agents[&name].read;
            if whole <= from {
                continue;
            }
            any = true;
            self.agents.get_mut(&name).unwrap().read = whole;
            for line in text[from..whole].lines() {
                self.happened(&name, &serde_json::from_str(line).unwrap());
            }
        }
        any
    }

    fn happened(&mut self, name: &str, record: &Record) {
        let life = self.script.agents.iter().find(|life| life.name == name).unwrap();
        let trouble = match record {
            Record::Shown { round, .. } => life.troubles[*round],
            _ => Trouble::None,
        };
        let state = self.agents.get_mut(name).unwrap();
        let at = now_us();
        match record {
            Record::Shown { round, page, .. } => {
                let first = state.shown.as_ref().is_none_or(|(before, _)| before != round);
                state.shown = Some((*round, page.clone()));
                state.tries = 0;
                let agent = name.to_owned();
                match trouble {
                    Trouble::ByHand { after_ms } if first => {
                        let act = Act::ByHand { agent, round: *round };
                        self.acts.push(Reverse((at + 1_000 * after_ms, act)));
                    }
                    Trouble::Resize { after_ms, cols, rows, for_ms } if first => {
                        let begin = at + 1_000 * after_ms;
                        let there = Act::Resize { agent: agent.clone(), cols, rows };
                        let back = Act::Resize { agent, cols: SIZE.cols, rows: SIZE.rows };
                        self.acts.push(Reverse((begin, there)));
                        self.acts.push(Reverse((begin + 1_000 * for_ms, back)));
                    }
                    Trouble::None
                    | Trouble::Typing { .. }
                    | Trouble::ByHand { .. }
                    | Trouble::Resize { .. } => {}
                }
            }
            Record::Given { .. } | Record::Cancelled { .. } => state.shown = None,
            Record::End { .. } => state.ended = true,
            Record::Begun { .. } | Record::Heard { .. } | Record::Printed { .. } => {}
        }
    }
}
