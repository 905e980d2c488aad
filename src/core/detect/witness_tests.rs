//! Which waits are the same one, and what a terminal's flags say of what is typed.

use super::*;

fn wait() -> Wait {
    Wait {
        pid: 7,
        thread: 7,
        started: 100,
        program: "rm".to_owned(),
        place: 1,
        sleeps: 3,
        blocking: true,
        in_read: true,
        transferred: Some(40),
        alone: true,
        asks_nothing: false,
        given_code: false,
        acts: false,
    }
}

#[test]
fn a_read_that_was_woken_is_another_one() {
    let woken = Wait { sleeps: 4, ..wait() };
    assert!(wait().is_same(&wait()));
    assert!(!woken.is_same(&wait()), "the same words may be asked again by the next read");
    let event_loop = Wait { blocking: false, ..woken };
    assert!(Wait { sleeps: 9, ..event_loop.clone() }.is_same(&event_loop), "timers wake a loop");
    // fzf's question was withdrawn and asked anew every few seconds.
    assert!(Wait { thread: 9, ..event_loop.clone() }.is_same(&event_loop), "a runtime's threads take turns");
    assert!(!Wait { thread: 9, ..wait() }.is_same(&wait()), "another thread's read is another read");
    assert!(!Wait { started: 101, ..event_loop.clone() }.is_same(&event_loop), "the pid was given anew");
}

/// The end of a job takes a shell out of its read; that it was begun anew says nothing of who printed what stands there now.
#[test]
fn who_has_written_nothing_has_asked_nothing() {
    let woken = Wait { sleeps: 4, ..wait() };
    assert!(woken.has_said_nothing_since(&wait()));
    let wrote = Wait { transferred: Some(41), ..woken.clone() };
    assert!(!wrote.has_said_nothing_since(&wait()));
    let unknown = Wait { transferred: None, ..wait() };
    assert!(!unknown.has_said_nothing_since(&unknown.clone()), "where the kernel does not count");
    assert!(!Wait { place: 2, ..woken.clone() }.has_said_nothing_since(&wait()), "another read");
    assert!(!Wait { blocking: false, ..woken }.has_said_nothing_since(&wait()));
}

/// A question asked by a blocking read was withdrawn when its agent was resumed, and each time its program's own
/// clock went off, and asked under another number.
#[test]
fn a_read_that_is_interrupted_is_the_same_one_after_it() {
    let reading = |wait| Witness { reader: Reader::Reading(wait), canonical: true, echo: true };
    let seen = |witness: &Witness| witness.wait().unwrap().is_same(&wait());
    let traffic = Traffic { printed: 40, typed: 1, answered: 0, redraws: false };
    let woken = |sleeps| reading(Wait { sleeps, ..wait() });
    let begun = || {
        let mut read = Interrupted::default();
        assert!(seen(&read.rejoin(woken(3), traffic)));
        read
    };
    let mut read = begun();
    let nobody = Witness { reader: Reader::Nobody, ..woken(0) };
    assert_eq!(read.rejoin(nobody.clone(), traffic), nobody, "it has not come to its read again");
    for sleeps in [5, 5, 6, 9] {
        assert!(seen(&read.rejoin(woken(sleeps), traffic)), "{sleeps}");
    }
    // The words of an answer, and their echo, which may be late.
    let answered = Traffic { answered: 4, ..traffic };
    assert!(seen(&read.rejoin(woken(10), answered)));
    assert!(seen(&read.rejoin(woken(11), Traffic { printed: 44, ..answered })));
    let taken = Traffic { printed: 46, typed: 2, answered: 4, redraws: false };
    assert!(!seen(&read.rejoin(woken(12), taken)), "the next read is another one");
    assert!(!seen(&read.rejoin(woken(13), taken)), "however often it is interrupted itself");
    for other in [Traffic { printed: 41, ..traffic }, Traffic { typed: 2, ..traffic }] {
        let mut read = begun();
        assert!(!seen(&read.rejoin(woken(5), other)), "{other:?}");
        assert!(!seen(&read.rejoin(woken(5), traffic)), "later neither");
    }
    // What others print behind a prompt ends no read.
    assert!(seen(&begun().rejoin(woken(3), Traffic { printed: 99, ..traffic })));
    let mut elsewhere = begun();
    assert!(!seen(&elsewhere.rejoin(reading(Wait { sleeps: 5, place: 2, ..wait() }), traffic)));
    assert!(!seen(&elsewhere.rejoin(woken(5), traffic)), "it read something else meanwhile");
}

#[test]
fn only_a_line_that_is_not_echoed_hides() {
    let witness = |canonical, echo| Witness { reader: Reader::Nobody, canonical, echo };
    assert!(witness(true, false).hides_input());
    assert!(!witness(true, true).hides_input() && !witness(false, false).hides_input());
}

/// A dialog that was declined by Esc stands for a second more, and waits there in another call: it was taken for another
/// question, a consultant was asked, and what it answered was typed into a dialog that was about to go.
#[test]
fn whoever_reads_keys_and_prints_nothing_waits_in_the_same_dialog() {
    let keys = Wait { blocking: false, sleeps: 0, program: "dialog".into(), ..wait() };
    let declining = Wait { place: keys.place + 1, in_read: false, ..keys.clone() };
    let reading = |wait| Witness { reader: Reader::Reading(wait), canonical: false, echo: false };
    let seen = |witness: &Witness| witness.wait().is_some_and(|now| now.is_same(&keys));
    let traffic = Traffic { printed: 900, typed: 1, answered: 0, redraws: false };
    let escaped = Traffic { typed: 2, ..traffic };
    let begun = || {
        let mut read = Interrupted::default();
        assert!(seen(&read.rejoin(reading(keys.clone()), traffic)));
        read
    };
    let mut read = begun();
    assert!(seen(&read.rejoin(reading(declining.clone()), escaped)));
    assert!(seen(&read.rejoin(reading(declining.clone()), escaped)), "however often it is looked at");
    assert!(seen(&read.rejoin(reading(keys.clone()), escaped)), "it goes on asking");
    // What it prints is another question, perhaps; so is what another process reads.
    let printed = Traffic { printed: 901, ..escaped };
    assert!(!seen(&begun().rejoin(reading(declining.clone()), printed)));
    let mut read = begun();
    assert!(seen(&read.rejoin(reading(declining.clone()), escaped)));
    assert!(!seen(&read.rejoin(reading(declining.clone()), printed)), "later neither");
    // Going on, or shown elsewhere, it is told of another size, and draws itself anew: `dialog` was asked of again each time.
    let drawn = Traffic { printed: 5_000, redraws: true, ..traffic };
    let mut read = begun();
    assert!(seen(&read.rejoin(reading(declining.clone()), drawn)));
    assert!(seen(&read.rejoin(reading(keys.clone()), Traffic { redraws: false, ..drawn })));
    assert!(
        !seen(&begun().rejoin(reading(declining.clone()), Traffic { typed: 2, ..drawn })),
        "or it was a key"
    );
    let other = Wait { started: keys.started + 1, ..keys.clone() };
    assert!(!seen(&begun().rejoin(reading(other), escaped)));
    let line = Wait { blocking: true, ..declining };
    assert!(!seen(&begun().rejoin(reading(line), escaped)));
}
