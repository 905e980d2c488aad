//! The log, journals and recordings on disks that tear, fill up and have room again.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::mpsc;

use super::super::recording::{KEPT_RECORDINGS, begin_always};
use super::super::recordings::Why;
use super::*;

fn opening() -> Opening {
    Opening { command: vec!["cat".into()], size: Size::new(80, 24), seed: Vec::new() }
}

fn entry(id: &str) -> Entry {
    let line = format!(
        r#"{{"id":"{id}","agent":"a","asked_at":1,"settled_at":2,"latency_ms":1,"kind":"text",
        "prompt":"Wärme – 温度?","options":["ä"],"by":"none","rule":"","channel":"none","outcome":"withdrawn"}}"#
    );
    serde_json::from_str(&line).unwrap()
}

/// As a server that is started for this one entry.
fn log(path: &Path, entry: &Entry) -> io::Result<()> {
    let head = head(path)?;
    append(path, tied(&entry.line(), &head).0)
}

#[test]
fn an_entry_torn_at_any_byte_costs_itself_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decisions.jsonl");
    log(&path, &entry("q1")).unwrap();
    let first = std::fs::read(&path).unwrap();
    log(&path, &entry("q2")).unwrap();
    let both = std::fs::read(&path).unwrap();
    for cut in 0..=both.len() {
        std::fs::write(&path, &both[..cut]).unwrap();
        log(&path, &entry("q3")).unwrap();
        let read = newest(&path, 10);
        let ids: Vec<&str> = read.iter().map(|entry| entry.id.as_str()).collect();
        // Only the line feed is missing: the entry is whole.
        let (one, two) = (cut + 1 >= first.len(), cut + 1 >= both.len());
        let want: Vec<&str> = [("q1", one), ("q2", two), ("q3", true)]
            .into_iter()
            .filter(|(_, kept)| *kept)
            .map(|(id, _)| id)
            .collect();
        assert_eq!(ids, want, "cut after {cut} bytes");
        assert!(std::fs::read(&path).unwrap().starts_with(&both[..cut]), "what stood there was changed");
    }
}

#[test]
fn whoever_is_told_finds_the_entry_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decisions.jsonl");
    let (sender, jobs) = std::sync::mpsc::channel();
    for id in 1..=3 {
        sender.send(Job::Append(AskKey(id), Box::new(entry(&format!("q{id}"))))).unwrap();
    }
    drop(sender);
    let told = std::cell::RefCell::new(Vec::new());
    run(&path, jobs, |event| {
        let Event::Logged { ask, written: true } = event else { panic!("{event:?}") };
        assert_eq!(newest(&path, 10).len() as u64, ask.0);
        told.borrow_mut().push(ask.0);
    });
    assert_eq!(*told.borrow(), [1, 2, 3]);
    // A log that cannot be written holds nobody up.
    let (sender, jobs) = std::sync::mpsc::channel();
    sender.send(Job::Append(AskKey(4), Box::new(entry("q4")))).unwrap();
    drop(sender);
    let events = std::cell::RefCell::new(Vec::new());
    run(&folder.path().join("none/decisions.jsonl"), jobs, |event| events.borrow_mut().push(event));
    assert!(matches!(events.borrow()[..], [Event::Logged { written: false, .. }, Event::Trouble { .. }]));
}

/// Once there is room it is told of each entry that waited for it.
#[test]
fn an_entry_that_waited_for_room_is_told_of_when_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (sender, jobs) = std::sync::mpsc::channel();
    let append = |sender: &std::sync::mpsc::Sender<Job>, id: u64| {
        sender.send(Job::Append(AskKey(id), Box::new(entry(&format!("q{id}"))))).unwrap()
    };
    append(&sender, 1);
    let told = std::cell::RefCell::new(Vec::new());
    let log = folder.path().join("none/decisions.jsonl");
    std::thread::scope(|scope| {
        let (events, heard) = std::sync::mpsc::channel();
        let writer = scope.spawn(|| run(&log, jobs, move |event| events.send(event).unwrap()));
        for event in &heard {
            match event {
                Event::Logged { ask, written } => told.borrow_mut().push((ask.0, written)),
                Event::Trouble { .. } => {
                    std::fs::create_dir(folder.path().join("none")).unwrap();
                    append(&sender, 2);
                }
                other => panic!("{other:?}"),
            }
            if told.borrow().contains(&(2, true)) {
                break;
            }
        }
        drop(sender);
        writer.join().unwrap();
    });
    assert_eq!(*told.borrow(), [(1, false), (1, true), (2, true)]);
}

/// Whether it comes, with a deadline: of what a thread writes to a disk nobody is told.
fn within(seconds: u64, mut seen: impl FnMut() -> bool) -> bool {
    let until = std::time::Instant::now() + Duration::from_secs(seconds);
    while std::time::Instant::now() < until {
        if seen() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Whoever asked for a recording was told that it had begun, and a disk that did not take it said so to nobody in particular.
#[test]
fn whoever_asks_for_a_recording_is_told_once_it_is_there_or_why_it_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let (jobs, receiver) = mpsc::channel();
    let (events, told) = mpsc::channel();
    let log = folder.path().join("decisions.jsonl");
    let writer = std::thread::spawn(move || run(&log, receiver, |event| events.send(event).unwrap()));
    let agent = AgentKey(1);
    let good = folder.path().join("a.cast").to_string_lossy().into_owned();
    let mut asked = 0;
    let mut ask = |path: Option<&str>| {
        asked += 1;
        let to = Some((ClientKey(1), asked));
        jobs.send(Job::Record { agent, to, path: path.map(str::to_owned), opening: opening() }).unwrap();
        match told.recv_timeout(Duration::from_secs(60)) {
            Ok(Event::ForSession { order, .. }) => match *order {
                Order::Recorded { to: Some((_, id)), now, done } if id == asked => (now, done),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(ask(Some(&good)), (Some(good.clone()), Ok(())));
    assert!(std::fs::read_to_string(&good).unwrap().contains("\"version\":2"), "it is there");
    let (now, done) = ask(Some("/no/such/folder/b.cast"));
    assert!(done.is_err_and(|why| why.starts_with("could not record to /no/such/folder/b.cast: ")));
    assert_eq!(now, Some(good), "the one before goes on");
    assert_eq!(ask(None), (None, Ok(())));
    drop(jobs);
    writer.join().unwrap();
}

/// Nobody knew of it: `record` said that its agent was not being recorded.
#[test]
fn the_session_is_told_where_the_recording_goes_that_its_agent_gets_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (jobs, receiver) = mpsc::channel();
    let (events, told) = mpsc::channel();
    let log = folder.path().join("decisions.jsonl");
    let writer = std::thread::spawn(move || run(&log, receiver, |event| events.send(event).unwrap()));
    let begin = |folder: PathBuf| {
        let name = "api".to_owned();
        jobs.send(Job::RecordAlways {
            agent: AgentKey(1),
            folder,
            name,
            opening: opening(),
            max_bytes: 1_000,
        })
        .unwrap();
        match told.recv_timeout(Duration::from_secs(60)) {
            Ok(Event::ForSession { order, .. }) => match *order {
                Order::RecordedAlways(now) => now,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    };
    let file = begin(folder.path().join("recordings")).unwrap();
    assert!(file.starts_with(&*folder.path().join("recordings/api-").to_string_lossy()), "{file}");
    assert!(std::fs::read_to_string(&file).unwrap().contains("\"version\":2"), "it is there");
    let missing = folder.path().join("file");
    std::fs::write(&missing, "").unwrap();
    assert_eq!(begin(missing), None);
    drop(jobs);
    writer.join().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_once_and_everything_is_written_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let log = log_path(folder.path());
    let journal = folder.path().join("journal");
    for path in [&log, &journal] {
        // What takes nothing until it is gone, as a full disk does until there is room.
        std::fs::create_dir(path).unwrap();
    }
    let (jobs, receiver) = mpsc::channel();
    let (troubles, told) = mpsc::channel();
    let path = log.clone();
    let writer = std::thread::spawn(move || run(&path, receiver, |event| troubles.send(event).unwrap()));
    for id in ["q1", "q2"] {
        jobs.send(Job::Append(AskKey(1), Box::new(entry(id)))).unwrap();
    }
    let parts = vec![journal::Part::Output(b"seen".to_vec())];
    jobs.send(Job::Journal { path: journal.clone(), parts: parts.clone() }).unwrap();
    let cast = folder.path().join("a.cast");
    let agent = AgentKey(1);
    let shown = cast.to_string_lossy().into_owned();
    let to = Some((ClientKey(1), 7));
    jobs.send(Job::Record { agent, to, path: Some(shown), opening: opening() }).unwrap();
    jobs.send(Job::Output { agent, bytes: b"recorded".to_vec() }).unwrap();
    // Another file is not held up.
    assert!(within(60, || std::fs::read_to_string(&cast).is_ok_and(|text| text.contains("recorded"))));
    for path in [&log, &journal] {
        std::fs::remove_dir(path).unwrap();
    }
    assert!(within(60, || newest(&log, 10).len() == 2), "{:?}", newest(&log, 10));
    jobs.send(Job::Append(AskKey(3), Box::new(entry("q3")))).unwrap();
    drop(jobs);
    writer.join().unwrap();
    let ids: Vec<String> = newest(&log, 10).into_iter().map(|entry| entry.id).collect();
    assert_eq!(ids, ["q1", "q2", "q3"]);
    assert_eq!(journal::read(&journal).0, parts);
    let told: Vec<Event> = told.try_iter().collect();
    let troubles = told.iter().filter(|event| matches!(event, Event::Trouble { .. })).count();
    // Two entries are told of once more, when they are there.
    assert_eq!((troubles, told.len()), (1, 7), "{told:?}");
}

/// A next server read the log while this one had still to write its last entries: it gave a number twice, and tied its first
/// entry to one that was not the last.
#[test]
fn a_barrier_is_told_once_what_came_before_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("decisions.jsonl");
    let (jobs, receiver) = mpsc::channel();
    let path = log.clone();
    let writer = std::thread::spawn(move || run(&path, receiver, |_| {}));
    for number in 1..=20 {
        jobs.send(Job::Append(AskKey(number), Box::new(entry(&format!("q{number}"))))).unwrap();
    }
    let (told, written) = oneshot::channel();
    jobs.send(Job::Barrier(told)).unwrap();
    written.blocking_recv().unwrap();
    assert_eq!(newest(&log, 100).len(), 20);
    drop(jobs);
    writer.join().unwrap();
}

/// A recording that was ended while the disk was full said nothing of it, and its end was never written.
#[cfg(target_os = "linux")]
#[test]
fn the_end_of_a_recording_that_finds_no_room_is_told_and_written_later() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Files { log: folder.path().join("decisions.jsonl"), ..Files::default() };
    let full = || File::create("/dev/full").unwrap();
    for (agent, closed) in [(AgentKey(1), false), (AgentKey(2), true)] {
        let path = folder.path().join(format!("{}.cast", agent.0));
        files.recordings.asked(agent, Some(path.to_string_lossy().into_owned()), &opening()).1.unwrap();
        let of_it = |files: &mut Files| files.recordings.running.remove(&(agent, Why::Asked)).unwrap();
        let mut recording = of_it(&mut files);
        let real = recording.goes_to(full());
        files.recordings.running.insert((agent, Why::Asked), recording);
        assert!(files.perform(Job::Output { agent, bytes: b"the end".to_vec() }).is_err());
        let ended = match closed {
            true => files.perform(Job::Close { agent }),
            false => files.recordings.asked(agent, None, &opening()).1,
        };
        let why = ended.unwrap_err();
        assert!(why.starts_with(&format!("could not write the end of {}", path.display())), "{why}");
        assert!(!files.retry());
        drop(files.recordings.ended[0].goes_to(real));
        assert!(files.retry());
        assert!(std::fs::read_to_string(&path).unwrap().contains("the end"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn only_so_many_recordings_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let recordings = folder.path().join("recordings");
    for n in 0..KEPT_RECORDINGS + 3 {
        begin_always(&recordings, &format!("agent{n}"), &opening(), 1000).unwrap();
    }
    assert_eq!(std::fs::read_dir(&recordings).unwrap().count(), KEPT_RECORDINGS);
}

/// The oldest went though its agent ran on, and what that printed later was in no file.
#[cfg(target_os = "linux")]
#[test]
fn the_recording_of_an_agent_that_runs_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let recordings = folder.path().join("recordings");
    let mut running = begin_always(&recordings, "long", &opening(), 1000).unwrap();
    for n in 0..KEPT_RECORDINGS + 3 {
        begin_always(&recordings, &format!("agent{n}"), &opening(), 1000).unwrap();
    }
    running.output(b"later words").unwrap();
    running.retry().unwrap();
    let words =
        |entry: std::io::Result<std::fs::DirEntry>| std::fs::read_to_string(entry.unwrap().path()).unwrap();
    let mut all = std::fs::read_dir(&recordings).unwrap().map(words);
    assert!(all.any(|recording| recording.contains("later words")));
}

/// An agent adds a decision that was never made while the server runs: what the server writes next does not
/// vouch for it, and no consultant is told of it.
#[test]
fn what_somebody_else_wrote_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decisions.jsonl");
    log(&path, &entry("q1")).unwrap();
    let mut files = Files { log: path.clone(), chain: head(&path).ok(), ..Files::default() };
    log(&path, &entry("q2-forged")).unwrap();
    files.perform(Job::Append(AskKey(2), Box::new(entry("q2")))).unwrap();
    files.perform(Job::Append(AskKey(3), Box::new(entry("q3")))).unwrap();
    let ids: Vec<String> = newest(&path, 10).into_iter().map(|entry| entry.id).collect();
    assert_eq!(ids, ["q2", "q3"]);
}
