//! What came of a run of the arena, as numbers and words.

/// What came of a run.
#[derive(Debug, Default)]
pub struct Score {
    pub agents: usize,
    pub questions: usize,
    pub by_consultant: usize,
    /// Of these, by the one in a pane; among them what its dialog did not take after all.
    pub by_pane: usize,
    pub by_rule: usize,
    pub by_person: usize,
    pub in_pane: usize,
    pub escalated: usize,
    pub went_away: usize,
    pub in_flight: usize,
    pub kills: usize,
    pub lost_agents: usize,
    pub wrong_bytes: Vec<String>,
    pub wrong_options: Vec<String>,
    pub unanswered: Vec<String>,
    pub doubles: Vec<String>,
    pub late: Vec<String>,
    pub misreported: Vec<String>,
    pub overhead: Vec<Overhead>,
    pub settled_us: Vec<u64>,
}

/// From the drawing to the first key without the consultant's time, in microseconds.
#[derive(Debug)]
pub struct Overhead {
    pub whole: u64,
    /// The same without the guard.
    pub bare: u64,
    /// From the drawing to the consultant's first word, and from its last word to the key.
    pub parts: (u64, u64),
    pub page: String,
}

/// The value below which so many of a hundred lie.
fn percentile(values: &mut [u64], of_hundred: usize) -> u64 {
    values.sort_unstable();
    values.get((values.len() * of_hundred / 100).min(values.len().saturating_sub(1))).copied().unwrap_or(0)
}

pub const HEAD: &str = "agents  questions  consultant  its pane  rule  person  in pane  escalated  away  kills  lost agents | wrong bytes  wrong options  unanswered  twice  late  misreported | in flight | overhead ms p50  p99  max | without the guard p50  p99  max";

impl Score {
    pub fn row(&self) -> String {
        let mut all: Vec<u64> = self.overhead.iter().map(|one| one.whole / 1_000).collect();
        let mut bare: Vec<u64> = self.overhead.iter().map(|one| one.bare / 1_000).collect();
        let mut at = |of| (percentile(&mut all, of), percentile(&mut bare, of));
        let ((p50, b50), (p99, b99), (max, bmax)) = (at(50), at(99), at(100));
        format!(
            "{:6}  {:9}  {:10}  {:8}  {:4}  {:6}  {:7}  {:9}  {:4}  {:5}  {:11} | {:11}  {:13}  {:10}  {:5}  {:4}  {:11} | {:9} | {p50:15}  {p99:3}  {max:3} | {b50:21}  {b99:3}  {bmax:3}",
            self.agents,
            self.questions,
            self.by_consultant,
            self.by_pane,
            self.by_rule,
            self.by_person,
            self.in_pane,
            self.escalated,
            self.went_away,
            self.kills,
            self.lost_agents,
            self.wrong_bytes.len(),
            self.wrong_options.len(),
            self.unanswered.len(),
            self.doubles.len(),
            self.late.len(),
            self.misreported.len(),
            self.in_flight,
        )
    }

    /// Where the most time went, in words.
    pub fn slowest(&mut self) -> Vec<String> {
        self.overhead.sort_by_key(|one| std::cmp::Reverse(one.whole));
        let slow = self.overhead.iter().take(5);
        slow.map(|one| {
            let (before, after) = one.parts;
            let ms = [one.whole, before, after].map(|us| us / 1_000);
            format!("{} ms, {} before the consultant, {} after: {}", ms[0], ms[1], ms[2], one.page)
        })
        .collect()
    }

    /// Everything that must not be, in words.
    pub fn faults(&self) -> Vec<String> {
        let all = [
            ("wrong bytes", &self.wrong_bytes),
            ("wrong option", &self.wrong_options),
            ("neither answered nor escalated", &self.unanswered),
            ("delivered twice", &self.doubles),
            ("late", &self.late),
            ("misreported", &self.misreported),
        ];
        all.iter().flat_map(|(what, list)| list.iter().map(move |one| format!("{what}: {one}"))).collect()
    }
}

impl std::ops::AddAssign for Score {
    fn add_assign(&mut self, other: Score) {
        self.agents = self.agents.max(other.agents);
        self.questions += other.questions;
        self.by_consultant += other.by_consultant;
        self.by_pane += other.by_pane;
        self.by_rule += other.by_rule;
        self.by_person += other.by_person;
        self.in_pane += other.in_pane;
        self.escalated += other.escalated;
        self.went_away += other.went_away;
        self.in_flight += other.in_flight;
        self.kills += other.kills;
        self.lost_agents += other.lost_agents;
        self.wrong_bytes.extend(other.wrong_bytes);
        self.wrong_options.extend(other.wrong_options);
        self.unanswered.extend(other.unanswered);
        self.doubles.extend(other.doubles);
        self.late.extend(other.late);
        self.misreported.extend(other.misreported);
        self.overhead.extend(other.overhead);
        self.settled_us.extend(other.settled_us);
    }
}
