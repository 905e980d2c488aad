//! One agent's session under anything that may reach it, in any order: output, keys, reads, orders to answer, looks at
//! the reader, a keeper's words, viewers that come and go, and time.
//!
//! What must hold whatever comes: nothing panics, every request that has a reply gets one and no more, what is due does
//! not stay due, and an answer that was ordered ends one way. `tests/session.rs` plays random lives, and so does the
//! fuzz target of the same name, which finds them by what they reach.

use std::collections::{BTreeMap, VecDeque};

use counsel::core::agent::Host;
use counsel::core::detect::front::Front;
use counsel::core::detect::witness::{Blind, Reader, Wait, Witness};
use counsel::core::profile::Profiles;
use counsel::core::question::Answer;
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::keys;
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::sizing::Sizing;
use counsel::session::message::{
    AskKey, ClientKey, DeliverOrder, DeliveryOutcome, Input, News, Now, Order, Output, Sight, Started,
};
use counsel::session::{Session, Setup};
use counsel::wire::keeper::{Exit, FromKeeper, ToKeeper};
use counsel::wire::message::{ReadMode, Request};

/// Acts of one input: each may classify a whole screen.
const MAX_ACTS: usize = 64;
/// How often a session may want to be woken at one moment before it is said to spin.
const MAX_WAKES: usize = 16;
/// Far more than one input leads to.
const MAX_DONE: usize = 10_000;
/// Clients that look on.
const CLIENTS: u64 = 3;

struct World {
    session: Session,
    now: u64,
    witness: Witness,
    front: Front,
    sight: Option<Sight>,
    next: u64,
    /// Requests that wait for their reply, by client.
    asked: BTreeMap<u64, ClientKey>,
    /// The same of clients that have left: an answer may be on its way.
    left: BTreeMap<u64, ClientKey>,
    /// What was ordered, and whether it has ended.
    ordered: BTreeMap<AskKey, bool>,
    /// Whether the hub lets the first prompt be typed, or is not there to.
    releases: bool,
}

impl World {
    fn new(profile: u8) -> World {
        let profiles = Profiles::builtin();
        let names: Vec<_> = profiles.names().map(|name| name.to_string()).collect();
        let name = &names[usize::from(profile) % names.len()];
        let setup = Setup {
            name: "a".to_owned(),
            command: vec!["sh".to_owned()],
            host: Host::Pty,
            adopted_pane: false,
            profile: profiles.get(name).expect("it is listed"),
            identity: TerminalIdentity::default(),
            size: Size::new(60, 15),
            scrollback: 100,
            whole_output: false,
            prompt: (profile & 0x80 != 0).then(|| "begin".to_owned()),
            history: None,
            record_bytes: None,
            sizing: Sizing::Latest,
            title: None,
            typed_line: None,
            asked: None,
            recording: None,
            life_id: None,
            call: None,
        };
        let now = 1_000;
        World {
            session: Session::new(setup, Now { ms: now, unix_ms: now }),
            now,
            witness: Witness::unknown(Blind::Unsupported),
            front: Front::Unseen,
            sight: None,
            next: 1,
            asked: BTreeMap::new(),
            left: BTreeMap::new(),
            ordered: BTreeMap::new(),
            releases: profile & 0x40 == 0,
        }
    }

    fn time(&self) -> Now {
        Now { ms: self.now, unix_ms: self.now }
    }

    fn input(&mut self, input: Input) {
        let outputs = self.session.on(input, self.time());
        self.perform(outputs);
    }

    fn printed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (taken, outputs) = self.session.feed(bytes, self.time());
            assert!(taken > 0 && taken <= bytes.len(), "{taken} of {}", bytes.len());
            bytes = &bytes[taken..];
            self.perform(outputs);
        }
    }

    /// As the session's task does.
    fn perform(&mut self, outputs: Vec<Output>) {
        let mut queue = VecDeque::from(outputs);
        let mut done = 0;
        while let Some(output) = queue.pop_front() {
            done += 1;
            assert!(done < MAX_DONE, "one thing leads to another without end");
            let more = match output {
                Output::Drain => {
                    let mut outputs = self.session.on(Input::InFront(self.front.clone()), self.time());
                    let canonical = self.witness.canonical;
                    outputs.extend(self.session.on(Input::Drained { canonical }, self.time()));
                    outputs
                }
                Output::LookAtReader => self.session.on(Input::Witnessed(self.witness.clone()), self.time()),
                Output::Reply { id, .. } | Output::News(News::Reply { id, .. }) => {
                    let asker = self.asked.remove(&id).or_else(|| self.left.remove(&id));
                    assert!(asker.is_some(), "request {id} was answered twice");
                    Vec::new()
                }
                Output::News(News::Looked(sight)) => {
                    self.sight = Some(*sight);
                    Vec::new()
                }
                Output::News(News::FirstPromptReady) if self.releases => {
                    self.session.on(Input::Order(Order::FirstPrompt), self.time())
                }
                // A question goes with its program, and the hub has its answer withdrawn.
                Output::News(News::Exited { .. }) => {
                    let open = self.ordered.iter().filter(|(_, ended)| !**ended).map(|(ask, _)| *ask);
                    let orders: Vec<Order> =
                        open.map(|ask| Order::Withdraw { ask, untouched: false }).collect();
                    orders
                        .into_iter()
                        .flat_map(|order| self.session.on(Input::Order(order), self.time()))
                        .collect()
                }
                Output::News(News::Delivery { ask, outcome, .. }) => {
                    let open = matches!(outcome, DeliveryOutcome::Begun | DeliveryOutcome::Touched);
                    let ended = self.ordered.get_mut(&ask).expect("it was ordered");
                    assert!(!*ended, "{ask:?} ended twice");
                    *ended = !open;
                    Vec::new()
                }
                _ => Vec::new(),
            };
            queue.extend(more);
        }
    }

    fn pass(&mut self, ms: u64) {
        let until = self.now + ms;
        let mut at_once = 0;
        while let Some(wake) = self.session.next_wake().filter(|wake| *wake <= until) {
            at_once = if wake <= self.now { at_once + 1 } else { 0 };
            assert!(at_once < MAX_WAKES, "it wants to be woken again and again");
            self.now = self.now.max(wake);
            self.input(Input::Wake);
        }
        self.now = until;
    }

    fn request(&mut self, client: u8, request: Request) {
        let (client, id) = (ClientKey(u64::from(client) % CLIENTS), self.next);
        self.next += 1;
        // Keys have no reply.
        if !matches!(request, Request::Keys { .. }) {
            self.asked.insert(id, client);
        }
        self.input(Input::Request { client, id, request });
    }

    fn deliver(&mut self, how: u8) {
        let Some(sight) = self.sight.clone() else { return };
        let Some(question) = sight.verdict.question.clone() else { return };
        let ask = AskKey(self.next);
        self.next += 1;
        self.ordered.insert(ask, false);
        let answer = match how % 4 {
            0 => Answer::Reject,
            1 => Answer::Text("blue".to_owned()),
            rows => Answer::Rows((0..usize::from(rows - 1)).collect()),
        };
        let order = DeliverOrder {
            ask,
            fingerprint: question.fingerprint(),
            question,
            answer,
            typed: sight.typed,
            until_ms: (how & 0x80 != 0).then_some(self.now + 5_000),
            follows: how & 0x40 != 0,
            told: None,
        };
        self.input(Input::Order(Order::Deliver(Box::new(order))));
    }

    fn keeper(&mut self, said: u8) {
        match said % 8 {
            0 => self.input(Input::Order(Order::Keeper(ToKeeper::Pause))),
            1 => self.input(Input::Keeper(FromKeeper::Paused { forced: Vec::new(), running: Vec::new() })),
            2 => self.input(Input::Order(Order::Keeper(ToKeeper::Resume))),
            3 => self.input(Input::Keeper(FromKeeper::Continued)),
            4 => self.input(Input::Keeper(FromKeeper::Stopped)),
            5 => self.input(Input::Resized(Size::new(40, 10))),
            6 => self.input(Input::KeeperLost),
            _ => self.input(Input::Keeper(FromKeeper::Exited(Exit { code: Some(1), signal: None }))),
        }
    }

    fn look(&mut self, flags: u8) {
        let wait = Wait {
            pid: 7,
            thread: 7,
            started: 1,
            program: "sh".to_owned(),
            place: u64::from(flags >> 4),
            sleeps: self.now / 1_000,
            blocking: flags & 4 != 0,
            in_read: flags & 4 != 0,
            transferred: None,
            alone: flags & 4 != 0,
            asks_nothing: flags & 0x60 == 0x20,
            given_code: false,
            acts: flags & 0x60 == 0x40,
        };
        let reader = match flags & 3 {
            0 => Reader::Nobody,
            1 => Reader::MayRead { program: "sh".to_owned() },
            2 => Reader::Unknown(Blind::Elsewhere),
            _ => Reader::Reading(wait),
        };
        self.front = match flags >> 4 {
            0..8 => Front::Agent,
            8..11 => Front::Unseen,
            11..13 => Front::Nobody,
            13..15 => Front::Other("sh".to_owned()),
            _ => Front::Remapped,
        };
        self.witness = Witness { reader, canonical: flags & 8 != 0, echo: flags & 0x80 == 0 };
    }

    fn act(&mut self, act: u8, with: u8, text: &[u8]) {
        let name = || "a".to_owned();
        let words = || String::from_utf8_lossy(text).into_owned();
        let client = ClientKey(u64::from(with) % CLIENTS);
        match act % 14 {
            0 | 1 => self.printed(text),
            2 => self.pass(u64::from(with) * 40),
            3 => self.deliver(with),
            4 => self.look(with),
            5 => self.keeper(with),
            6 => self.request(with, Request::Keys { name: name(), input: vec![keys::Input::Text(words())] }),
            7 => {
                let (input, enter) = (vec![keys::Input::Paste(words())], with & 0x80 != 0);
                self.request(with, Request::Send { name: name(), input, enter });
            }
            8 => {
                let mode = if with & 0x40 == 0 { ReadMode::Output } else { ReadMode::Screen };
                let since = (with & 0x20 != 0).then_some(u64::from(with));
                let wait_ms = u64::from(with) * 10;
                self.request(
                    with,
                    Request::Read { name: name(), since, tail: None, wait_ms, mode, seen: None },
                );
            }
            9 => self.input(Input::Watch { client, size: Some(Size::new(u16::from(with), u16::from(act))) }),
            10 if with & 0x80 == 0 => self.input(Input::Flushed { client }),
            10 => {
                // Nobody is there any more who could miss a reply.
                let (left, asked) = self.asked.iter().partition(|(_, asker)| **asker == client);
                self.asked = asked;
                self.left.extend::<BTreeMap<u64, ClientKey>>(left);
                self.input(Input::Left { client });
            }
            11 => {
                let size = Size::new(u16::from(with) + 1, u16::from(act) + 1);
                self.request(with, Request::Resize { name: name(), size });
            }
            12 => self.request(with, Request::History { name: name(), from: u64::from(with), count: 5 }),
            _ => {
                let asks: Vec<AskKey> = self.ordered.keys().copied().collect();
                if let Some(ask) = asks.get(usize::from(with) % asks.len().max(1)).copied() {
                    self.input(Input::Order(Order::Withdraw { ask, untouched: with & 0x80 != 0 }));
                }
            }
        }
    }
}

/// One life: the first byte chooses the profile, each act behind it ends at a byte 255.
pub fn live(bytes: &[u8]) {
    let [profile, rest @ ..] = bytes else { return };
    let mut world = World::new(*profile);
    world.input(Input::Started(Box::new(Started { size: Some(Size::new(60, 15)), ..Started::default() })));
    for piece in rest.split(|byte| *byte == 0xff).take(MAX_ACTS) {
        let [act, with, text @ ..] = piece else { continue };
        world.act(*act, *with, text);
    }
    // Whatever was begun ends: everything a session waits for has a time.
    world.pass(600_000);
    assert!(world.ordered.values().all(|ended| *ended), "profile {profile}: an answer never ended");
    // But for a size that its terminal never took: that ends with its keeper.
    world.input(Input::KeeperLost);
    assert!(world.asked.is_empty(), "profile {profile}: never answered: {:?}", world.asked);
}
