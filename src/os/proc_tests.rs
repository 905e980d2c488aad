//! What is read of a process, who belongs to a tree of them, and that a reused pid is not hit.

use super::*;

fn process(pid: u32, parent: u32, session: u32, state: char) -> Process {
    Process { pid, parent, group: pid, session, state, started: 1, resident_kib: 4 }
}

#[test]
fn a_name_with_brackets_and_blanks_is_read() {
    let stat = "42 (a) b) (c) T 7 8 9 34816 8 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12345 999 11 18446744";
    let got = parse_stat(stat).unwrap();
    assert_eq!((got.pid, got.parent, got.group, got.session), (42, 7, 8, 9));
    assert_eq!((got.state, got.started, got.resident_kib), ('T', 12345, 11 * page_kib()));
    assert!(got.is_stopped() && !got.is_dead());
    assert_eq!(parse_stat("42 (cut"), None);
}

#[test]
fn the_tree_has_parents_first_and_all_who_left() {
    let table = [
        process(5, 4, 4, 'S'), // A grandchild in a session of its own, listed before its parent.
        process(4, 2, 2, 'S'), // A child.
        process(2, 1, 2, 'S'), // The root.
        process(6, 1, 2, 'S'), // Of the root's session, adopted by pid 1.
        process(7, 2, 2, 'Z'), // Dead.
        process(8, 1, 8, 'S'), // A stranger.
        process(9, 7, 9, 'S'), // Child of a dead one that was not reaped.
    ];
    let pids: Vec<u32> = tree_of(&table, 2).iter().map(|p| p.pid).collect();
    assert_eq!(pids.len(), 4, "{pids:?}");
    let at = |pid: u32| pids.iter().position(|p| *p == pid).unwrap();
    assert!(at(4) < at(5) && pids.contains(&6) && pids.contains(&9), "{pids:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_reused_pid_is_not_hit() {
    let me = look(std::process::id()).unwrap();
    assert!(is_within(me.pid, me.parent) && !is_within(me.parent, me.pid));
    assert!(tree_resident_kib(me.pid) >= me.resident_kib / 2);
    // The same pid with another start time is another process: this must not kill the test.
    let earlier = Process { started: me.started - 1, ..me };
    assert_eq!(send(&earlier, Signal::SIGKILL), Err(Errno::ESRCH));
}
