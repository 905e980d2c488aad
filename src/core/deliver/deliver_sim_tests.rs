//! A simulated program and a simulated hub: dialogs that lose keys, draw late, stall, are replaced by
//! look-alikes, while persons type. Time is virtual; a seed decides everything.

use super::*;
use crate::core::profile::{FreeText, Submit, Toggle};
use crate::core::question::{Choice, Composer, Kind, Role, Widget};
use crate::core::terminal::keys::Key;
use std::collections::VecDeque;

/// xorshift64*: all a schedule needs.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit.max(1)
    }
    pub fn one_in(&mut self, n: u64) -> bool {
        n > 0 && self.below(n) == 0
    }
}

/// How badly the world behaves.
#[derive(Debug, Clone, Default)]
pub struct Weather {
    /// Keys are lost for this long after a dialog is drawn.
    pub deaf_ms: u64,
    /// One key in so many is lost.
    pub lost: u64,
    /// Frames come up to this late.
    pub late_ms: u64,
    /// A frame shows what was when it was ordered, not what is when it is drawn.
    pub stale: bool,
    /// The program reads its keys up to this late.
    pub stall_ms: u64,
    pub replaced_at: Option<u64>,
    pub person_at: Option<u64>,
    pub stopped_at: Option<u64>,
    /// Its terminal collects lines until then: a key sent before leaves it dead.
    pub lines_until: Option<u64>,
    /// The program swallows so many Enters in its composer.
    pub swallowed: u32,
    /// Rows of a menu that are in view; none: all of them.
    pub window: Option<usize>,
    /// How long after each of the first keys the program takes it.
    pub takes_ms: Vec<u64>,
    /// A list turns round at its ends.
    pub wraps: bool,
    /// A mark is painted on this row for good, and taken for the highlight.
    pub painted: Option<usize>,
    /// A list scrolls with the highlight in its middle, and not with it at an edge.
    pub centred: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Sent {
    Press(Key),
    Text(String),
    Paste(String),
}

/// What a committing key did, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Commit {
    pub page: usize,
    pub what: Outcome,
    pub ours: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Row(String),
    Ticks(Vec<String>),
    Text(String),
    Declined,
}

/// The program: pages of dialogs, then a composer.
#[derive(Debug)]
pub struct World {
    pub pages: Vec<Question>,
    pub page: usize,
    pub draft: String,
    pub keys: Keys,
    pub commits: Vec<Commit>,
    pub now: u64,
    weather: Weather,
    dice: Dice,
    page_since: u64,
    text: String,
    /// The first row in view.
    first: usize,
    swallowed: u32,
    queue: VecDeque<(u64, Sent, bool)>,
    frames: VecDeque<(u64, Verdict)>,
    verdict: Verdict,
    shown: Verdict,
    changed_ms: u64,
    judged_ms: u64,
    typed: u64,
}

pub fn menu(prompt: &str, labels: &[&str]) -> Question {
    let role = |label: &str| match label {
        "Type something." => Role::FreeText,
        "Submit" => Role::Submit,
        "Chat about this" => Role::Aside,
        _ => Role::Choice,
    };
    let option = |(at, label): (usize, &&str)| Choice {
        label: (*label).to_owned(),
        role: role(label),
        number: Some(at as u32 + 1),
        ..Choice::default()
    };
    Question {
        kind: Kind::Menu,
        prompt: prompt.to_owned(),
        options: labels.iter().enumerate().map(option).collect(),
        selected: Some(0),
        multi: false,
        subject: None,
        partial: false,
        tab: None,
        typing: false,
        origin: Default::default(),
    }
}

pub fn multi(prompt: &str, labels: &[&str]) -> Question {
    let mut q = menu(prompt, labels);
    (q.kind, q.multi) = (Kind::Multi, true);
    for choice in q.options.iter_mut().filter(|choice| choice.role != Role::Submit) {
        choice.checked = Some(false);
    }
    q
}

pub fn idle(draft: &str) -> Verdict {
    let composer = Some(Composer { draft: draft.to_owned() });
    Verdict { state: State::Idle, why: "sim".into(), composer, ..Verdict::default() }
}

impl World {
    pub fn new(pages: Vec<Question>, keys: Keys, weather: Weather, seed: u64) -> World {
        let mut world = World {
            swallowed: weather.swallowed,
            pages,
            page: 0,
            draft: String::new(),
            keys,
            commits: Vec::new(),
            now: 10_000,
            weather,
            dice: Dice::new(seed),
            page_since: 10_000,
            text: String::new(),
            first: 0,
            queue: VecDeque::new(),
            frames: VecDeque::new(),
            verdict: Verdict::default(),
            shown: Verdict::default(),
            changed_ms: 10_000,
            judged_ms: 10_000,
            typed: 7,
        };
        world.scroll();
        world.shown = world.present();
        world.verdict = world.shown.clone();
        world
    }

    /// What the program would draw now.
    fn present(&self) -> Verdict {
        match self.pages.get(self.page) {
            Some(question) if question.kind == Kind::Text => {
                Verdict { question: Some(question.clone()), ..idle(&self.draft) }
            }
            Some(question) => Verdict {
                state: State::Asking,
                why: "sim".into(),
                question: Some(self.in_view(question)),
                ..Verdict::default()
            },
            None => idle(&self.draft),
        }
    }

    /// What a delivery is asked on.
    pub fn asked(&self) -> Question {
        self.present().question.expect("the first page asks")
    }

    fn in_view(&self, all: &Question) -> Question {
        let mut question = all.clone();
        if let Some(window) = self.weather.window.filter(|_| self.page == 0) {
            question.options = all.options.iter().skip(self.first).take(window).cloned().collect();
            question.selected = all.selected.map(|row| row - self.first);
        }
        question.selected = self.weather.painted.or(question.selected);
        question
    }

    /// The list scrolls, if it has to.
    fn scroll(&mut self) {
        let Some(window) = self.weather.window.filter(|_| self.page == 0) else { return };
        let (at, rows) = (self.pages[0].selected.unwrap_or(0), self.pages[0].options.len());
        self.first = match self.weather.centred {
            true => at.saturating_sub(window / 2).min(rows - window),
            false => self.first.min(at).max((at + 1).saturating_sub(window)),
        };
    }

    fn draw(&mut self, at_most: u64) {
        let late = self.dice.below(at_most + 1);
        let at = self.frames.back().map_or(0, |(at, _)| *at).max(self.now + late);
        self.frames.push_back((at, self.present()));
    }

    fn key_arrives(&mut self, sent: Sent, ours: bool) {
        assert!(!(ours && self.lines()), "{sent:?} went into a terminal that collects lines");
        let stall = if self.dice.one_in(3) { self.dice.below(self.weather.stall_ms + 1) } else { 0 };
        let stall = if self.weather.takes_ms.is_empty() { stall } else { self.weather.takes_ms.remove(0) };
        let at = self.queue.back().map_or(0, |(at, ..)| *at).max(self.now + stall);
        self.queue.push_back((at, sent, ours));
    }

    fn lines(&self) -> bool {
        self.weather.lines_until.is_some_and(|at| self.now < 10_000 + at)
    }

    fn commit(&mut self, what: Outcome, ours: bool) {
        self.commits.push(Commit { page: self.page, what, ours });
        self.page += 1;
        self.page_since = self.now;
        self.text.clear();
    }

    fn handle(&mut self, sent: Sent, ours: bool) {
        let deaf = self.now < self.page_since + self.weather.deaf_ms;
        if deaf || (ours && self.weather.lost > 0 && self.dice.one_in(self.weather.lost)) {
            return;
        }
        match self.pages.get(self.page).map(|page| page.kind) {
            None | Some(Kind::Text) => self.composer(sent, ours),
            Some(_) => self.dialog(sent, ours),
        }
        let late = self.weather.late_ms;
        self.draw(late);
    }

    fn composer(&mut self, sent: Sent, ours: bool) {
        match sent {
            Sent::Press(Key::Enter) if self.swallowed > 0 => self.swallowed -= 1,
            Sent::Press(Key::Enter) if !self.draft.is_empty() => {
                let draft = std::mem::take(&mut self.draft);
                self.commit(Outcome::Text(draft), ours);
            }
            Sent::Press(Key::Char(ch)) => self.draft.push(ch),
            Sent::Press(_) => {}
            Sent::Text(text) | Sent::Paste(text) => self.draft.push_str(&text),
        }
    }

    fn dialog(&mut self, sent: Sent, ours: bool) {
        let toggle = match self.keys.toggle {
            Toggle::Space => Key::Char(' '),
            Toggle::Enter | Toggle::Digit => Key::Enter,
        };
        let question = &mut self.pages[self.page];
        let last = question.options.len() - 1;
        let at = question.selected.unwrap_or(0);
        let (role, label) = (question.options[at].role, question.options[at].label.clone());
        match sent {
            Sent::Press(Key::Down | Key::Right) if self.weather.wraps && at == last => {
                question.selected = Some(0)
            }
            Sent::Press(Key::Up | Key::Left) if self.weather.wraps && at == 0 => {
                question.selected = Some(last)
            }
            Sent::Press(Key::Down | Key::Right) => question.selected = Some((at + 1).min(last)),
            Sent::Press(Key::Up | Key::Left) => question.selected = Some(at.saturating_sub(1)),
            Sent::Press(Key::Esc) => return self.commit(Outcome::Declined, ours),
            Sent::Press(Key::Char(ch)) if role == Role::FreeText => self.text.push(ch),
            Sent::Press(Key::Char(ch)) if ch.is_ascii_digit() => {
                let row = ch.to_digit(10).map_or(0, |digit| digit as usize);
                if row == 0 || row > last + 1 {
                    return;
                }
                question.selected = Some(row - 1);
                let choice = &mut question.options[row - 1];
                match choice.checked.as_mut() {
                    Some(tick) => *tick = !*tick,
                    None if choice.role == Role::FreeText => {}
                    None => {
                        let label = choice.label.clone();
                        return self.commit(Outcome::Row(label), ours);
                    }
                }
            }
            Sent::Press(Key::Char(' ')) if question.origin.widget == Widget::Radio => {
                let rows = question.options.iter_mut().enumerate();
                rows.for_each(|(row, choice)| choice.checked = Some(row == at));
            }
            Sent::Press(key) if question.multi && key == toggle && role == Role::Choice => {
                let tick = &mut question.options[at].checked;
                *tick = tick.map(|tick| !tick);
            }
            Sent::Press(Key::Enter | Key::Tab) if question.multi => {
                if role == Role::Submit || self.keys.multi_submit != Submit::Row {
                    let ticked = question.options.iter().filter(|choice| choice.checked == Some(true));
                    let ticked = ticked.map(|choice| choice.label.clone()).collect();
                    return self.commit(Outcome::Ticks(ticked), ours);
                }
            }
            Sent::Press(Key::Enter) if role == Role::FreeText => {
                let text = self.text.clone();
                return self.commit(Outcome::Text(text), ours);
            }
            Sent::Press(Key::Enter) => return self.commit(Outcome::Row(label), ours),
            Sent::Text(text) if role == Role::FreeText => self.text.push_str(&text),
            Sent::Text(text) | Sent::Paste(text) => {
                // Letters on a menu are keys of their own.
                for ch in text.chars() {
                    if self.pages.get(self.page).is_some_and(|page| page.kind != Kind::Text) {
                        self.dialog(Sent::Press(Key::Char(ch)), ours);
                    }
                }
                return;
            }
            Sent::Press(_) => {}
        }
        let question = &mut self.pages[self.page];
        for choice in question.options.iter_mut().filter(|choice| choice.role == Role::FreeText) {
            choice.label = if self.text.is_empty() { "Type something.".into() } else { self.text.clone() };
            choice.checked = choice.checked.map(|_| !self.text.is_empty());
        }
        let at = question.selected.unwrap_or(0);
        question.typing = question.options[at].role == Role::FreeText;
        self.scroll();
    }

    /// Another dialog in the same place, nearly the same.
    fn replace(&mut self) {
        let Some(question) = self.pages.get_mut(self.page) else { return };
        match self.dice.below(4) {
            0 => question.prompt.push_str(" (production)"),
            1 => question.subject = Some("rm -rf /".into()),
            2 => question.options.swap(0, 1),
            _ => question.options[0].label.push_str(" for ever"),
        }
        question.selected = Some(self.dice.below(question.options.len() as u64) as usize);
        self.page_since = self.now;
        self.commits.push(Commit { page: usize::MAX, what: Outcome::Declined, ours: false });
        self.frames.clear();
        self.draw(30);
    }

    fn person(&mut self) {
        self.typed += 1;
        let keys = [Key::Down, Key::Up, Key::Enter, Key::Char('x'), Key::Char('2'), Key::Esc];
        let key = keys[self.dice.below(keys.len() as u64) as usize];
        self.key_arrives(Sent::Press(key), false);
    }

    /// Runs the delivery to its end, a millisecond at a time.
    pub fn run(&mut self, delivery: &mut Delivery) -> Step {
        let began = self.now;
        let mut due = self.now;
        while self.now < began + 60_000 {
            let since = self.now - began;
            if self.weather.replaced_at == Some(since) {
                self.replace();
            }
            if self.weather.person_at == Some(since) {
                self.person();
            }
            while self.queue.front().is_some_and(|(at, ..)| *at <= self.now) {
                let (_, sent, ours) = self.queue.pop_front().expect("just seen");
                self.handle(sent, ours);
            }
            let before = self.changed_ms;
            while self.frames.front().is_some_and(|(at, _)| *at <= self.now) {
                let (_, frame) = self.frames.pop_front().expect("just seen");
                self.shown = if self.weather.stale { frame } else { self.present() };
                self.changed_ms = self.now;
            }
            if before == self.changed_ms && self.changed_ms > self.judged_ms && self.now >= before + 25 {
                (self.verdict, self.judged_ms) = (self.shown.clone(), self.now);
                due = self.now;
            }
            if self.now >= due {
                match self.steps(delivery) {
                    Ok(until) => due = until,
                    Err(end) => {
                        self.drain();
                        return end;
                    }
                }
            }
            self.now += 1;
        }
        panic!("the delivery never ended: {delivery:?}");
    }

    fn steps(&mut self, delivery: &mut Delivery) -> Result<u64, Step> {
        for _ in 0..8 {
            let view = DeliveryContext {
                verdict: &self.verdict,
                judged_ms: self.judged_ms,
                changed_ms: self.changed_ms,
                text: String::new(),
                size: Size::FALLBACK,
                typed: self.typed,
                stopped: self.weather.stopped_at.is_some_and(|at| self.now >= 10_000 + at),
                input_blocked: self.lines(),
            };
            match delivery.step(&view, self.now) {
                Step::Press(press) => self.key_arrives(Sent::Press(press.key), true),
                Step::Text(text) => self.key_arrives(Sent::Text(text), true),
                Step::Paste(text) => self.key_arrives(Sent::Paste(text), true),
                Step::Wait { until_ms } => {
                    assert!(until_ms > self.now, "a wait that is over already");
                    return Ok(until_ms);
                }
                end @ (Step::Done(_) | Step::Failed(_)) => return Err(end),
            }
        }
        panic!("more than eight keys without a wait");
    }

    /// What is still under way arrives after all.
    fn drain(&mut self) {
        while let Some((at, sent, ours)) = self.queue.pop_front() {
            self.now = self.now.max(at);
            self.handle(sent, ours);
        }
    }

    /// Commits made by our keys.
    /// Whatever was sent comes after all.
    pub fn settle(&mut self) {
        while let Some((at, sent, ours)) = self.queue.pop_front() {
            self.now = self.now.max(at);
            self.handle(sent, ours);
        }
    }

    pub fn ours(&self) -> Vec<&Commit> {
        self.commits.iter().filter(|commit| commit.ours).collect()
    }
}

/// Keys of a program whose free text is typed on its row.
pub fn keys() -> Keys {
    Keys { free_text: FreeText::TypeOnRow, ..Keys::default() }
}
