//! What a test asks of the stage: requests and what was told, time that passes, the recording played on, what was typed.

use super::*;
use crate::core::recording::asciicast::What;
use crate::wire::message::QuestionInfo;

impl Stage {
    pub fn request(&mut self, request: Request) -> Option<Reply> {
        self.ask_as(PERSON, request)
    }

    pub fn ask_as(&mut self, client: ClientKey, request: Request) -> Option<Reply> {
        let from = self.done.len();
        self.step(Event::Request { client, id: 7, request });
        self.done[from..].iter().find_map(|effect| match effect {
            Effect::Send { client: to, message } if *to == client => match &**message {
                ServerMessage::Reply { id: 7, reply } => Some(reply.clone()),
                _ => None,
            },
            _ => None,
        })
    }

    /// Everything that this client was told under this number.
    pub fn replies(&self, client: ClientKey, number: u64) -> Vec<Reply> {
        let to_it = self.done.iter().filter_map(|effect| match effect {
            Effect::Send { client: to, message } if *to == client => Some(&**message),
            _ => None,
        });
        let replies = to_it.filter_map(|message| match message {
            ServerMessage::Reply { id, reply } if *id == number => Some(reply.clone()),
            _ => None,
        });
        replies.collect()
    }

    /// A second client of a person's.
    pub fn another_person(&mut self) -> ClientKey {
        let client = ClientKey(2);
        self.step(Event::Joined { client, pids: vec![5000] });
        self.ask_as(client, Request::Hello { version: crate::wire::VERSION, token: None });
        client
    }

    pub fn told(&self, client: ClientKey) -> Vec<&Notice> {
        let to_it = self.done.iter().filter_map(|effect| match effect {
            Effect::Send { client: to, message } if *to == client => Some(&**message),
            _ => None,
        });
        let notices = to_it.filter_map(|message| match message {
            ServerMessage::Notice(notice) => Some(notice),
            ServerMessage::Reply { .. } => None,
        });
        notices.collect()
    }

    pub fn next_wake(&self) -> Option<u64> {
        self.sessions.values().filter_map(Session::next_wake).chain(self.hub.next_wake()).min()
    }

    /// Lets time pass, waking the hub and the sessions whenever they want to be woken.
    pub fn pass(&mut self, ms: u64) {
        let until = self.now.ms + ms;
        for _ in 0..100_000 {
            let Some(wake) = self.next_wake().filter(|wake| *wake <= until) else { break };
            let ms = wake.max(self.now.ms);
            self.advance_to(ms);
            self.step(Event::Wake);
            // What was due has been done: nothing may wake the server for it again.
            assert!(self.next_wake().is_none_or(|wake| wake > ms), "the server spins");
        }
        self.advance_to(until);
        assert!(self.next_wake().is_none_or(|wake| wake > until), "the server spins");
    }

    pub fn advance_to(&mut self, ms: u64) {
        self.now.unix_ms += ms - self.now.ms;
        self.now.ms = ms;
    }

    /// Plays the recording up to this second of it, in one piece.
    pub fn play_to(&mut self, seconds: f64) {
        let mut bytes = Vec::new();
        while let Some(event) = self.cast.events.get(self.next_event) {
            if event.at_ms as f64 > seconds * 1000.0 {
                break;
            }
            if let What::Output(text) = &event.what {
                bytes.extend(text.bytes());
            }
            self.next_event += 1;
        }
        self.step(Event::Output { agent: self.agent, bytes });
        self.pass(150);
    }

    /// Everything written to the agent so far, replies to its queries aside.
    pub fn typed(&self) -> String {
        let bytes = self.done.iter().filter_map(|effect| match effect {
            Effect::Write { bytes, .. } => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        });
        let reply = |text: &String| {
            ["\x1b[?", "\x1b[>", "\x1bP", "\x1b]", "\x1b[6;"].iter().any(|start| text.starts_with(start))
        };
        bytes.filter(|text| !reply(text)).collect()
    }

    pub fn questions(&mut self) -> Vec<QuestionInfo> {
        match self.request(Request::Questions { all: true }) {
            Some(Reply::Questions { questions }) => questions,
            other => panic!("{other:?}"),
        }
    }

    pub fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for effect in &self.done {
            if let Effect::Append { entry, .. } = effect {
                entries.push((**entry).clone());
            }
        }
        entries
    }

    pub fn say(&mut self, words: &str) {
        let turn = self.ask(1).turn_number();
        self.hears(turn, Ok(words));
    }

    pub fn hears(&mut self, turn: u32, said: Result<&str, &str>) {
        let said = said.map(str::to_owned).map_err(str::to_owned);
        self.step(Event::Consulted { ask: AskKey(1), turn, said });
    }
}
