//! Whether a caller is a person: the rule over the chain of processes that leads to it.
//!
//! `os/ancestry.rs` reads the chain, the server asks for the verdict when somebody connects and again when
//! it is to act. A person is proved, never assumed: whatever of the chain is missing, unreadable or out of
//! order refuses the caller. It reads no process and remembers nothing.

use std::fmt;

/// A process for ever: a pid is given anew, a pid with its start time is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    pub pid: u32,
    /// Clock ticks after boot.
    pub started: u64,
}

/// One process of a chain as it was when read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ancestor {
    pub id: Identity,
    /// 0: it was started from outside of what can be seen, as pid 1 is.
    pub parent: u32,
    /// It has ended and waits to be reaped.
    pub dead: bool,
    /// See `os/generation.rs`; `None` where another user's process keeps it to itself.
    pub generation: Option<u64>,
    /// It runs the same program as whoever asks: it is a counsel.
    pub counsel: bool,
}

/// The caller first, then its parent, and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    pub links: Vec<Ancestor>,
    pub end: End,
}

/// Where reading a chain came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// At a process without a parent.
    Root,
    /// At a keeper: what is above it does not matter.
    Keeper,
    /// This process is gone.
    Gone { pid: u32 },
    /// This process cannot be looked at.
    Unreadable { pid: u32, cause: String },
    /// It took too long: somebody grows it.
    TooLong,
}

/// Whose presence in a chain decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// The keepers, and the programs in adopted panes.
    pub keepers: Vec<Identity>,
    /// The servers of counsel's private tmux.
    pub tmux: Vec<Identity>,
    /// The server itself. What it starts, and what falls to it when a keeper is killed, is no person's.
    pub server: Option<Identity>,
    /// The server's own generation; whoever has a younger one descends from an agent.
    pub generation: u64,
}

/// What a caller is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Person(Identity),
    /// Below this keeper.
    Agent(Identity),
    /// It came where only agents come, and below no keeper that is known: its token says whose it is.
    ByToken,
    Refused(Reason),
}

/// Why a caller is nobody. `Display` is a fragment fit for "could not …: cause".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The system does not tell who it is.
    Unknown,
    OtherUser {
        uid: u32,
    },
    Dead,
    Cut {
        pid: u32,
    },
    Unreadable {
        pid: u32,
        cause: String,
    },
    TooLong,
    Reused {
        pid: u32,
    },
    PrivateTmux,
    BelowServer,
    BelowCounsel,
    Orphan,
    TokenDisagrees,
    /// It came where only agents come.
    NoToken,
    /// Its agent has all the connections it may have.
    Crowded,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Unknown => f.write_str("the system does not tell which process asks"),
            Reason::OtherUser { uid } => write!(f, "it is asked by another user ({uid})"),
            Reason::Dead => f.write_str("the process that connected has ended"),
            Reason::Cut { pid } => write!(f, "process {pid} among the caller's ancestors has ended"),
            Reason::Unreadable { pid, cause } => {
                write!(f, "process {pid} among the caller's ancestors cannot be read: {cause}")
            }
            Reason::TooLong => f.write_str("the caller's ancestors are too many to read"),
            Reason::Reused { pid } => {
                write!(f, "process {pid} among the caller's ancestors is younger than its child")
            }
            Reason::PrivateTmux => f.write_str("the caller runs in counsel's own tmux"),
            Reason::BelowServer => f.write_str("the caller was started by the server, not by a person"),
            Reason::BelowCounsel => f.write_str("a program started by counsel itself is no person"),
            Reason::Orphan => f.write_str("the caller descends from an agent"),
            Reason::TokenDisagrees => f.write_str("the caller shows a token that is not its agent's"),
            Reason::NoToken => f.write_str("the caller came by the agents' socket and shows no token"),
            Reason::Crowded => f.write_str("the caller's agent holds as many connections as it may"),
        }
    }
}

/// What the chain proves. What is nearest to the caller decides first: a keeper makes an agent's process
/// known whatever is wrong further up.
pub fn judge(chain: &Chain, known: &Known) -> Verdict {
    let Some(caller) = chain.links.first() else {
        return Verdict::Refused(match &chain.end {
            End::Unreadable { pid, cause } => Reason::Unreadable { pid: *pid, cause: cause.clone() },
            End::TooLong => Reason::TooLong,
            End::Gone { .. } => Reason::Dead,
            End::Root | End::Keeper => Reason::Unknown,
        });
    };
    if caller.dead {
        return Verdict::Refused(Reason::Dead);
    }
    for (at, link) in chain.links.iter().enumerate() {
        if let Some(reason) = out_of_order(chain, at) {
            return Verdict::Refused(reason);
        }
        if known.keepers.contains(&link.id) {
            return Verdict::Agent(link.id);
        }
        if known.tmux.contains(&link.id) {
            return Verdict::Refused(Reason::PrivateTmux);
        }
        if known.server == Some(link.id) {
            return Verdict::Refused(Reason::BelowServer);
        }
    }
    match &chain.end {
        End::Root => {}
        // It was said to be one by whoever read the chain, and is none.
        End::Keeper => return Verdict::Refused(Reason::Unknown),
        End::Gone { pid } => return Verdict::Refused(Reason::Cut { pid: *pid }),
        End::Unreadable { pid, cause } => {
            return Verdict::Refused(Reason::Unreadable { pid: *pid, cause: cause.clone() });
        }
        End::TooLong => return Verdict::Refused(Reason::TooLong),
    }
    if caller.generation.is_none() {
        let cause = "its limits are kept from us".to_owned();
        return Verdict::Refused(Reason::Unreadable { pid: caller.id.pid, cause });
    }
    // Its keeper is gone, or is another server's: what it inherited stays.
    if chain.links.iter().filter_map(|link| link.generation).any(|generation| generation < known.generation) {
        return Verdict::Refused(Reason::Orphan);
    }
    if is_below_counsel(chain, known.generation) {
        return Verdict::Refused(Reason::BelowCounsel);
    }
    Verdict::Person(caller.id)
}

/// What a person's counsel starts works where agents write: git has its filters there. A counsel that starts another one
/// itself, as a client does a server, is that person still. Above an older generation it is a keeper that the whole
/// session runs below, person and all.
fn is_below_counsel(chain: &Chain, generation: u64) -> bool {
    let above = chain.links.iter().skip_while(|link| link.counsel);
    let ours = |link: &&Ancestor| link.generation.is_none_or(|its| its == generation);
    above.take_while(ours).any(|link| link.counsel)
}

/// A parent is older than its child and alive; anything else is a pid that was given anew meanwhile.
fn out_of_order(chain: &Chain, at: usize) -> Option<Reason> {
    let link = &chain.links[at];
    let below = chain.links.get(at.checked_sub(1)?)?;
    if link.dead {
        return Some(Reason::Cut { pid: link.id.pid });
    }
    // In order, whoever comes twice does so within one tick of the clock.
    let same_tick =
        chain.links[..at].iter().rev().take_while(|earlier| earlier.id.started == link.id.started);
    let again = same_tick.into_iter().any(|earlier| earlier.id == link.id);
    let wrong = link.id.pid != below.parent || link.id.started > below.id.started || again;
    wrong.then_some(Reason::Reused { pid: link.id.pid })
}

/// What a caller may be taken for, its token and its ancestry together. `K` names an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing<K> {
    Person,
    Agent(K),
    Refused(Reason),
}

/// A token only ever takes rights away: with one, a caller is that agent's or nobody. `token` is `None`
/// without a token, `Some(None)` with one that no agent has.
pub fn standing<K: Copy + PartialEq>(
    verdict: &Verdict,
    agent_of: impl Fn(Identity) -> Option<K>,
    token: Option<Option<K>>,
) -> Standing<K> {
    let within = match verdict {
        Verdict::Refused(reason) => return Standing::Refused(reason.clone()),
        Verdict::Agent(keeper) => match agent_of(*keeper) {
            Some(agent) => Some(agent),
            None => return Standing::Refused(Reason::Orphan),
        },
        Verdict::Person(_) | Verdict::ByToken => None,
    };
    match (within, token) {
        (None, None) if *verdict == Verdict::ByToken => Standing::Refused(Reason::NoToken),
        (None, None) => Standing::Person,
        (Some(agent), None) => Standing::Agent(agent),
        // An agent in a container runs below somebody else's daemon and has its token alone.
        (None, Some(Some(agent))) => Standing::Agent(agent),
        (Some(agent), Some(Some(shown))) if agent == shown => Standing::Agent(agent),
        (_, Some(_)) => Standing::Refused(Reason::TokenDisagrees),
    }
}

#[cfg(test)]
#[path = "ancestry_tests.rs"]
mod tests;
