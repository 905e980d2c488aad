//! Chains as attackers make them, and those of people.

use super::*;

/// The generation of a server that a person started.
const PERSONS: u64 = u64::MAX;
/// What its agents inherit.
const AGENTS: u64 = 7;

fn id(pid: u32, started: u64) -> Identity {
    Identity { pid, started }
}

/// From the caller up; each the child of the next, the last a child of `root`.
fn chain(pids: &[(u32, u64)], root: u32) -> Chain {
    let parents = pids.iter().skip(1).map(|(pid, _)| *pid).chain([root]);
    let link = |((pid, started), parent): (&(u32, u64), u32)| Ancestor {
        id: id(*pid, *started),
        parent,
        dead: false,
        generation: Some(PERSONS),
        counsel: false,
    };
    Chain { links: pids.iter().zip(parents).map(link).collect(), end: End::Root }
}

fn known() -> Known {
    Known {
        keepers: vec![id(50, 500)],
        tmux: vec![id(60, 400)],
        server: Some(id(40, 300)),
        generation: PERSONS,
    }
}

fn refused(chain: &Chain) -> Reason {
    match judge(chain, &known()) {
        Verdict::Refused(reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_complete_chain_of_nobody_known_is_a_person() {
    let login = chain(&[(90, 900), (80, 800), (2, 20), (1, 1)], 0);
    assert_eq!(judge(&login, &known()), Verdict::Person(id(90, 900)));
    // Entered from outside of the container everything runs in.
    let entered = chain(&[(90, 900), (80, 800)], 0);
    assert_eq!(judge(&entered, &known()), Verdict::Person(id(90, 900)));
}

#[test]
fn a_keeper_at_any_depth_makes_it_an_agents() {
    let mut pids: Vec<(u32, u64)> = (0..5_000).map(|n| (10_000 - n, 20_000 - u64::from(n))).collect();
    pids.extend([(50, 500), (1, 1)]);
    assert_eq!(judge(&chain(&pids, 0), &known()), Verdict::Agent(id(50, 500)));
    // Further up something is wrong; below the keeper nothing is.
    let cut = Chain { end: End::Gone { pid: 3 }, ..chain(&[(90, 900), (50, 500)], 3) };
    assert_eq!(judge(&cut, &known()), Verdict::Agent(id(50, 500)));
}

#[test]
fn a_keepers_pid_given_anew_is_not_the_keeper() {
    let later = chain(&[(90, 900), (50, 501), (1, 1)], 0);
    assert_eq!(judge(&later, &known()), Verdict::Person(id(90, 900)));
}

#[test]
fn whatever_is_missing_refuses() {
    let whole = chain(&[(90, 900), (80, 800)], 70);
    assert_eq!(refused(&Chain { end: End::Gone { pid: 70 }, ..whole.clone() }), Reason::Cut { pid: 70 });
    assert_eq!(refused(&Chain { end: End::TooLong, ..whole.clone() }), Reason::TooLong);
    let cause = "Too many open files".to_owned();
    let end = End::Unreadable { pid: 70, cause: cause.clone() };
    assert_eq!(refused(&Chain { end, ..whole }), Reason::Unreadable { pid: 70, cause });
    assert_eq!(refused(&Chain { links: Vec::new(), end: End::Gone { pid: 90 } }), Reason::Dead);
    assert_eq!(refused(&Chain { links: Vec::new(), end: End::Root }), Reason::Unknown);
}

#[test]
fn the_dead_speak_for_nobody() {
    let mut caller = chain(&[(90, 900), (1, 1)], 0);
    caller.links[0].dead = true;
    assert_eq!(refused(&caller), Reason::Dead);
    let mut parent = chain(&[(90, 900), (80, 800), (1, 1)], 0);
    parent.links[1].dead = true;
    assert_eq!(refused(&parent), Reason::Cut { pid: 80 });
}

#[test]
fn a_parent_younger_than_its_child_is_another_process() {
    assert_eq!(refused(&chain(&[(90, 900), (80, 901), (1, 1)], 0)), Reason::Reused { pid: 80 });
    // Of the same tick both may be.
    let quick = chain(&[(90, 900), (80, 900), (1, 1)], 0);
    assert_eq!(judge(&quick, &known()), Verdict::Person(id(90, 900)));
    let round = chain(&[(90, 900), (80, 900), (90, 900)], 0);
    assert_eq!(refused(&round), Reason::Reused { pid: 90 });
    let mut other = chain(&[(90, 900), (80, 800)], 0);
    other.links[0].parent = 81;
    assert_eq!(refused(&other), Reason::Reused { pid: 80 });
}

#[test]
fn what_runs_in_the_private_tmux_or_below_the_server_is_no_person() {
    assert_eq!(refused(&chain(&[(90, 900), (60, 400), (1, 1)], 0)), Reason::PrivateTmux);
    assert_eq!(refused(&chain(&[(90, 900), (40, 300), (1, 1)], 0)), Reason::BelowServer);
    // A pane's keeper is nearer than its tmux.
    let pane = chain(&[(90, 900), (50, 500), (60, 400)], 0);
    assert_eq!(judge(&pane, &known()), Verdict::Agent(id(50, 500)));
}

/// `kill -9` of one's own keeper from a daemon with an empty environment leaves a chain like any other.
#[test]
fn an_orphan_keeps_the_generation_of_the_agent_it_was() {
    let mut daemon = chain(&[(90, 900), (1, 1)], 0);
    daemon.links[0].generation = Some(AGENTS);
    assert_eq!(refused(&daemon), Reason::Orphan);
    daemon.links[0].generation = None;
    assert!(matches!(refused(&daemon), Reason::Unreadable { pid: 90, .. }));
    // Another user's process further up keeps its own to itself.
    let mut login = chain(&[(90, 900), (80, 800), (1, 1)], 0);
    login.links[2].generation = None;
    assert_eq!(judge(&login, &known()), Verdict::Person(id(90, 900)));
    // A server inside an agent serves whoever is there: to it they are people.
    let mut nested = chain(&[(90, 900), (1, 1)], 0);
    nested.links[0].generation = Some(AGENTS);
    let inner = Known { generation: AGENTS, ..known() };
    assert_eq!(judge(&nested, &inner), Verdict::Person(id(90, 900)));
}

#[test]
fn a_token_takes_rights_away_and_gives_none() {
    let agent_of = |keeper: Identity| (keeper == id(50, 500)).then_some('a');
    let (person, within) = (Verdict::Person(id(9, 9)), Verdict::Agent(id(50, 500)));
    let stand = |verdict: &Verdict, token| standing(verdict, agent_of, token);
    assert_eq!(stand(&Verdict::ByToken, None), Standing::Refused(Reason::NoToken));
    assert_eq!(stand(&Verdict::ByToken, Some(None)), Standing::Refused(Reason::TokenDisagrees));
    assert!(matches!(stand(&Verdict::ByToken, Some(Some('b'))), Standing::Agent('b')));
    assert_eq!(stand(&person, None), Standing::Person);
    assert_eq!(stand(&person, Some(Some('b'))), Standing::Agent('b'));
    assert_eq!(stand(&person, Some(None)), Standing::Refused(Reason::TokenDisagrees));
    assert_eq!(stand(&within, None), Standing::Agent('a'));
    assert_eq!(stand(&within, Some(Some('a'))), Standing::Agent('a'));
    assert_eq!(stand(&within, Some(Some('b'))), Standing::Refused(Reason::TokenDisagrees));
    assert_eq!(stand(&within, Some(None)), Standing::Refused(Reason::TokenDisagrees));
    let orphan = Verdict::Refused(Reason::Orphan);
    assert_eq!(stand(&orphan, Some(Some('b'))), Standing::Refused(Reason::Orphan));
    assert_eq!(stand(&Verdict::Agent(id(51, 1)), None), Standing::Refused(Reason::Orphan));
}

/// git runs a filter that an agent named, for a person who listed: it was taken for that person.
#[test]
fn what_a_persons_counsel_started_is_no_person() {
    // counsel, a shell, git, the person's counsel, the person's shell.
    let mut filter = chain(&[(95, 950), (90, 900), (85, 850), (80, 800), (70, 700)], 0);
    filter.links[3].counsel = true;
    assert_eq!(refused(&filter), Reason::BelowCounsel);
    filter.links[0].counsel = true;
    assert_eq!(refused(&filter), Reason::BelowCounsel);
}

#[test]
fn a_counsel_started_by_counsel_is_the_persons() {
    let mut server = chain(&[(95, 950), (90, 900), (80, 800)], 0);
    server.links[0].counsel = true;
    server.links[1].counsel = true;
    assert_eq!(judge(&server, &known()), Verdict::Person(id(95, 950)));
}

/// A person's session inside an agent of another counsel, with a server of its own.
#[test]
fn a_keeper_around_the_whole_session_counts_for_nothing() {
    let mut inner = chain(&[(95, 950), (90, 900), (45, 800), (44, 700)], 0);
    inner.links[..2].iter_mut().for_each(|link| link.generation = Some(AGENTS));
    inner.links[2].counsel = true;
    let known = Known { generation: AGENTS, ..known() };
    assert_eq!(judge(&inner, &known), Verdict::Person(id(95, 950)));
}
