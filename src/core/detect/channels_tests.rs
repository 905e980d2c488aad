//! What reports and titles say to verdicts made by hand.

use super::*;
use crate::core::profile::Profiles;
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;

fn question(kind: Kind) -> Verdict {
    let state = if kind == Kind::Text { State::Idle } else { State::Asking };
    let question = Question {
        kind,
        prompt: "Which?".into(),
        options: Vec::new(),
        selected: None,
        multi: false,
        subject: None,
        partial: false,
        tab: None,
        typing: false,
        origin: Default::default(),
    };
    Verdict { state, question: Some(question), ..Verdict::default() }
}

fn state(state: State) -> Verdict {
    Verdict { state, ..Verdict::default() }
}

fn words(profile: &str, title: &str, status: Option<(&str, Option<&str>)>, verdict: &Verdict) -> Vec<Signal> {
    let profile = Profiles::builtin().get(profile).unwrap();
    let screen = Screen::new(Size::new(40, 6), TerminalIdentity::default());
    let status = status.map(|(state, kind)| ProgramStatus {
        state: state.into(),
        kind: kind.map(str::to_owned),
        ..ProgramStatus::default()
    });
    let snapshot = Snapshot {
        grid: screen.grid(),
        versions: &[],
        title,
        status: status.as_ref(),
        modes: screen.modes(),
        alive: true,
        witness: None,
        asked: None,
        written: "",
        from_the_start: false,
        first_line: None,
        resized_ms: None,
        draft: "",
        wiped: false,
        untouched: false,
        still_ms: 0,
        ages: &[],
    };
    signals(&profile, &snapshot, verdict)
}

fn reported(state: &str, kind: Option<&str>, verdict: &Verdict) -> Agreement {
    let words = words("claude", "", Some((state, kind)), verdict);
    assert_eq!(words.len(), 1);
    words[0].agreement
}

fn titled(profile: &str, title: &str, verdict: &Verdict) -> Option<Agreement> {
    words(profile, title, None, verdict).first().map(|word| word.agreement)
}

#[test]
fn a_report_of_the_same_kind_agrees_and_one_of_another_contradicts() {
    let (ask, may) = (Some("question"), Some("permission"));
    for kind in [Kind::Menu, Kind::Multi, Kind::Review] {
        assert_eq!(reported("blocked", ask, &question(kind)), Agreement::Agrees);
        assert_eq!(reported("blocked", may, &question(kind)), Agreement::Contradicts);
    }
    for kind in [Kind::Permission, Kind::Plan, Kind::Trust] {
        assert_eq!(reported("blocked", may, &question(kind)), Agreement::Agrees);
    }
    assert_eq!(reported("blocked", ask, &question(Kind::Permission)), Agreement::Contradicts);
    assert_eq!(reported("blocked", None, &question(Kind::Menu)), Agreement::Agrees);
    assert_eq!(reported("blocked", ask, &question(Kind::Text)), Agreement::Contradicts);
}

#[test]
fn a_report_of_work_contradicts_a_question_but_not_what_a_person_opened() {
    assert_eq!(reported("working", None, &question(Kind::Menu)), Agreement::Contradicts);
    assert_eq!(reported("working", None, &question(Kind::Dialog)), Agreement::Silent);
    for (kind, agreement) in [
        (Kind::Menu, Agreement::Contradicts),
        (Kind::Multi, Agreement::Contradicts),
        (Kind::YesNo, Agreement::Contradicts),
        (Kind::Permission, Agreement::Contradicts),
        (Kind::Dialog, Agreement::Silent),
        // They are asked once a turn has ended.
        (Kind::Plan, Agreement::Silent),
        (Kind::Text, Agreement::Silent),
    ] {
        assert_eq!(reported("idle", None, &question(kind)), agreement, "{kind:?}");
        assert_eq!(reported("done", None, &question(kind)), agreement, "{kind:?}");
        assert_eq!(reported("clear", None, &question(kind)), Agreement::Silent, "{kind:?}");
    }
    assert_eq!(reported("working", None, &state(State::Working)), Agreement::Silent);
}

#[test]
fn who_waits_without_a_question_on_the_screen_contradicts_it_unless_gone() {
    for seen in [State::Idle, State::Working, State::Unknown] {
        assert_eq!(reported("blocked", None, &state(seen)), Agreement::Contradicts);
    }
    assert!(words("claude", "", Some(("blocked", None)), &state(State::Exited)).is_empty());
}

#[test]
fn titles_that_ask_or_work_are_held_against_the_screen() {
    for (profile, asks, works) in [
        ("codex", "[ ! ] Action Required | shop", "⠴ shop"),
        ("codex", "[ . ] Action Required | shop", "⠴ shop"),
        ("gemini", "✋ Action Required (shop)", "✦ Working… (shop)"),
    ] {
        assert_eq!(titled(profile, asks, &question(Kind::Menu)), Some(Agreement::Agrees));
        assert_eq!(titled(profile, asks, &question(Kind::Text)), Some(Agreement::Contradicts));
        assert_eq!(titled(profile, asks, &state(State::Idle)), Some(Agreement::Contradicts));
        assert_eq!(titled(profile, works, &question(Kind::Permission)), Some(Agreement::Contradicts));
        assert_eq!(titled(profile, works, &state(State::Working)), Some(Agreement::Silent));
        assert_eq!(titled(profile, "shop", &question(Kind::Menu)), None);
    }
    assert_eq!(titled("claude", "✳ Claude Code", &question(Kind::Menu)), None);
}

#[test]
fn trust_follows_from_all_of_them() {
    let word = |channel, agreement| Signal { channel, agreement, detail: String::new() };
    let (agrees, silent) = (word("status", Agreement::Agrees), word("status", Agreement::Silent));
    let against = word("title", Agreement::Contradicts);
    assert_eq!(Trust::of(&[]), Trust::Normal);
    assert_eq!(Trust::of(&[silent]), Trust::Normal);
    assert_eq!(Trust::of(std::slice::from_ref(&agrees)), Trust::High);
    assert_eq!(Trust::of(&[agrees, against.clone()]), Trust::Low);
    assert_eq!(Trust::of(&[against, word("hook", Agreement::Agrees)]), Trust::High);
    assert_eq!(Trust::of(&[word("hook", Agreement::Contradicts)]), Trust::Low);
}
