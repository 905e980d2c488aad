//! Who reads a terminal: real programs on one of their own, what the kernel tells of each, and that it tells the truth in
//! time. A test that needs a program this machine has not is ignored, and says which.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "world/needs.rs"]
mod needs;

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use counsel::core::detect::witness::{Blind, Reader, Wait, Witness};
use counsel::core::terminal::grid::Size;
use counsel::core::tmux::PaneTty;
use counsel::os::pty::{self, Output};
use counsel::os::tty_witness::{instead, look, look_at_pane};

/// A machine with a dozen builds on it still gets there.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two looks at a program that has not come so far yet.
const AGAIN: Duration = Duration::from_millis(5);

/// A program with a terminal as its own.
struct Program {
    child: Child,
    master: std::fs::File,
    printed: String,
}

impl Program {
    fn start(argv: &[&str]) -> Program {
        Program::start_in(argv, Path::new("/"))
    }

    fn start_in(argv: &[&str], folder: &Path) -> Program {
        // A terminal is open for a moment before it is kept from programs: none of another test is started then.
        static STARTING: Mutex<()> = Mutex::new(());
        let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let pair = pty::open(Size::new(80, 24)).unwrap();
        let end = |fd: &OwnedFd| Stdio::from(fd.try_clone().unwrap());
        let mut command = Command::new(argv[0]);
        command.args(&argv[1..]).current_dir(folder).env("TERM", "xterm");
        command.stdin(end(&pair.slave)).stdout(end(&pair.slave)).stderr(end(&pair.slave));
        // SAFETY: setsid and ioctl are async-signal-safe and touch no memory of the parent.
        unsafe {
            command.pre_exec(|| {
                nix::unistd::setsid()?;
                match nix::libc::ioctl(0, nix::libc::TIOCSCTTY, 0) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        let child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", argv[0]));
        Program { child, master: pair.master.into(), printed: String::new() }
    }

    /// Reads what it prints until these words have come.
    fn prints(&mut self, words: &str) -> &mut Program {
        let until = Instant::now() + PATIENCE;
        while !self.printed.contains(words) {
            assert!(Instant::now() < until, "{words:?} did not come, but {:?}", self.printed);
            let mut bytes = [0; 4096];
            match pty::read(&self.master, &mut bytes) {
                Ok(Output::Bytes(read)) => self.printed.push_str(&String::from_utf8_lossy(&bytes[..read])),
                Ok(Output::Told { .. } | Output::Empty | Output::End) | Err(_) => std::thread::sleep(AGAIN),
            }
        }
        self
    }

    /// Looks until the witness is as wanted: between a prompt and its read a program may be kept waiting.
    fn comes_to(&self, wanted: impl Fn(&Witness) -> bool) -> Witness {
        let until = Instant::now() + PATIENCE;
        loop {
            let seen = look(&self.master);
            if wanted(&seen) {
                return seen;
            }
            assert!(Instant::now() < until, "it stays at {seen:?}");
            std::thread::sleep(AGAIN);
        }
    }

    fn reads(&self) -> (Witness, Wait) {
        let seen = self.comes_to(|seen| seen.wait().is_some());
        let wait = seen.wait().cloned().unwrap();
        (seen, wait)
    }

    fn types(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The session's leader takes the others with it: the terminal hangs up.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn a_line_that_is_read_is_told_from_a_secret() {
    for (argv, program, hidden) in [
        (&["bash", "-c", "read -p 'word? ' a"][..], "bash", false),
        (&["bash", "-c", "read -s -p 'word? ' a"], "bash", true),
        (&["python3", "-c", "input('word? ')"], "python", false),
        (&["python3", "-c", "import getpass; getpass.getpass('word? ')"], "python", true),
    ] {
        let mut run = Program::start(argv);
        run.prints("word? ");
        let (seen, wait) = run.reads();
        assert!(seen.canonical && wait.blocking, "{argv:?}: {seen:?}");
        assert_eq!(seen.hides_input(), hidden, "{argv:?}: {seen:?}");
        assert!(wait.program.starts_with(program), "{argv:?}: {seen:?}");
    }
}

fn the_one_that_reads_is_found_below_a_shell_and_in_a_pipeline() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "x").unwrap();
    let mut rm = Program::start_in(&["sh", "-c", "rm -i file; true"], folder.path());
    rm.prints("?");
    assert_eq!(rm.reads().1.program, "rm");
    let line = "sleep 60 | sh -c 'printf \"word? \"; read a </dev/tty'";
    let mut pipeline = Program::start(&["bash", "-c", line]);
    pipeline.prints("word? ");
    assert_ne!(pipeline.reads().1.program, "sleep");
}

/// What `su -c` asked was read in a session of its own, and nobody was called.
fn who_reads_in_a_session_of_its_own_is_found() {
    for line in [
        "setsid -w sh -c 'printf \"word? \"; read a'",
        "setsid -w bash -c 'sh -c \"printf \\\"word? \\\"; read a\"; true'",
    ] {
        let mut run = Program::start(&["bash", "-c", line]);
        run.prints("word? ");
        let (seen, wait) = run.reads();
        assert!(wait.program.ends_with("sh") && wait.blocking && seen.canonical && seen.echo, "{seen:?}");
    }
    let mut detached = Program::start(&["bash", "-c", "setsid -f sh -c 'read a'; printf 'word? '; sleep 60"]);
    detached.prints("word? ").comes_to(|seen| seen.reader == Reader::Nobody);
}

fn what_only_prints_is_read_by_nobody() {
    let waits = "process.stdout.write('Installing: x '); setTimeout(() => {}, 60000)";
    for (argv, words) in [
        (&["sh", "-c", "printf 'Installing: numpy '; sleep 60"][..], "numpy "),
        (&["bash", "-c", "printf 'Overwrite? [y/N] '; sleep 60 & wait"], "[y/N] "),
        (&["sh", "-c", "printf 'Overwrite? [y/N] '; sleep 60 | cat"], "[y/N] "),
        (&["python3", "-c", "import time; print('word? ', end='', flush=True); time.sleep(60)"], "word? "),
        (&["node", "-e", waits], "Installing: x "),
    ] {
        let mut run = Program::start(argv);
        run.prints(words);
        run.comes_to(|seen| seen.reader == Reader::Nobody && seen.canonical);
    }
}

fn git_waits_for_its_editor_and_reads_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let line = "git init -q . && git config user.email a@b.c && git config user.name a && \
                GIT_EDITOR='sleep 60 #' git commit --allow-empty; true";
    let mut git = Program::start_in(&["sh", "-c", line], folder.path());
    git.prints("Waiting for your editor").comes_to(|seen| seen.reader == Reader::Nobody);
}

fn programs_that_take_keys_one_by_one_read_too() {
    let question = "const r = require('readline').createInterface({input: process.stdin, output: process.stdout}); \
                    r.question('word? ', () => {})";
    for (argv, words) in [
        (&["node", "-e", question][..], "word? "),
        (&["bash", "--norc", "--noprofile", "-c", "read -e -p 'word? ' a"], "word? "),
        (&["less", "/etc/services"], "\x1b["),
        (&["python3", "-c", "import readline; input('word? ')"], "word? "),
    ] {
        let mut run = Program::start(argv);
        run.prints(words);
        let seen = run.comes_to(|seen| seen.wait().is_some() && !seen.canonical);
        assert_eq!(seen.wait().map(|wait| wait.blocking), Some(false), "{argv:?}");
        assert!(!seen.hides_input(), "what is typed in raw mode is drawn by the program: {argv:?}");
    }
}

fn the_same_words_asked_again_are_another_read() {
    let line = "read -p 'Go? ' a; read -p 'Go? ' a; printf over; sleep 60";
    let mut run = Program::start(&["bash", "-c", line]);
    run.prints("Go? ");
    let (_, first) = run.reads();
    assert!(run.reads().1.is_same(&first), "nothing happened");
    run.types("yes");
    run.prints("yes");
    assert!(run.reads().1.is_same(&first), "a word without its Enter wakes nobody");
    run.types("\n");
    run.prints("yes\r\nGo? ");
    let (_, second) = run.reads();
    assert!(!second.is_same(&first), "{first:?} and {second:?}");
    run.types("\n");
    run.prints("over");
    run.comes_to(|seen| seen.reader == Reader::Nobody);
}

/// The words of a job stood below those of the read, and a yes to them went to it. The end of the job begins the read anew.
fn what_a_job_prints_is_not_said_by_who_reads() {
    let folder = tempfile::tempdir().unwrap();
    let line = "mkfifo go; { read x <go; printf 'Other? '; } & read -p 'Go? ' a; read -p 'Next? ' a";
    let mut run = Program::start_in(&["bash", "-c", line], folder.path());
    run.prints("Go? ");
    let (_, first) = run.reads();
    std::fs::write(folder.path().join("go"), "now\n").unwrap();
    run.prints("Other? ");
    // Until the job has ended, it may be taken for who shares the terminal.
    let seen = run.comes_to(|seen| seen.wait().is_some_and(|wait| wait.sleeps > first.sleeps));
    let second = seen.wait().expect("it reads").clone();
    assert!(!second.is_same(&first) && second.has_said_nothing_since(&first), "{first:?} and {second:?}");
    run.types("\n");
    run.prints("Next? ");
    let (_, third) = run.reads();
    assert!(!third.has_said_nothing_since(&first), "{first:?} and {third:?}");
}

/// A question that changed with every look was never still enough for a key: a program that polls its terminal
/// with a time-out wakes many times a second, and each of its waits was another one.
fn a_loop_that_wakes_for_its_timers_waits_as_before() {
    let polls = "import select, sys, tty\ntty.setraw(0)\nsys.stdout.write('go? ')\nsys.stdout.flush()\n\
                 while not select.select([0], [], [], 0.01)[0]: pass";
    let mut run = Program::start(&["python3", "-c", polls]);
    run.prints("go? ");
    let (_, first) = run.reads();
    let status = format!("/proc/{}/task/{}/status", first.pid, first.thread);
    let slept = || -> u64 {
        let status = std::fs::read_to_string(&status).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.unwrap().trim().parse().unwrap()
    };
    let before = slept();
    run.comes_to(|_| slept() > before + 5);
    assert_eq!(run.reads().1, first);
    assert!(!first.in_read, "it may do anything between two looks");
}

/// A menu of a program in Python was left standing on its third row: each key was read into another buffer, and a
/// highlight two rows down counted as another program's.
fn who_reads_key_by_key_waits_as_before_wherever_it_puts_the_key() {
    let keys = "import os, sys, tty\ntty.setcbreak(0)\nkept = []\nwhile True: sys.stdout.write('go? '), \
                sys.stdout.flush(), kept.append(os.read(0, 10 + 4000 * len(kept)))";
    let mut run = Program::start(&["python3", "-c", keys]);
    run.prints("go? ");
    let (_, first) = run.reads();
    assert!(first.in_read && !first.blocking);
    for _ in 0..3 {
        run.types("x");
        run.prints("go? ");
        assert_eq!(run.reads().1, first);
    }
}

fn a_stopped_program_reads_nothing() {
    let mut run = Program::start(&["bash", "-c", "read -p 'word? ' a"]);
    run.prints("word? ");
    let (_, wait) = run.reads();
    let pid = nix::unistd::Pid::from_raw(i32::try_from(wait.pid).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::SIGSTOP).unwrap();
    run.comes_to(|seen| seen.reader == Reader::Nobody);
}

/// `sudo`, `script` and `ssh` put the terminal into raw mode and read it for somebody whom nobody sees.
fn what_reads_for_a_terminal_of_its_own_is_a_relay() {
    let mut run = Program::start(&["script", "-qec", "printf 'word? '; sleep 60", "/dev/null"]);
    run.prints("word? ");
    run.comes_to(
        |seen| matches!(&seen.reader, Reader::Unknown(Blind::Relayed { program }) if program == "script"),
    );
}

fn a_pane_is_looked_at_by_its_path() {
    let mut run = Program::start(&["bash", "-c", "read -s -p 'word? ' a"]);
    run.prints("word? ");
    let (_, wait) = run.reads();
    let tty = std::fs::read_link(format!("/proc/{}/fd/0", wait.pid)).unwrap();
    let seen = look_at_pane(&PaneTty { path: tty.clone(), leader: run.child.id(), program: None });
    assert!(seen.hides_input() && seen.wait() == Some(&wait), "{seen:?}");
    // One that was adopted there and sent to the background: what is typed would go to whoever has the terminal now.
    let mut elsewhere = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let adopted = |pid| PaneTty { path: tty.clone(), leader: run.child.id(), program: Some(pid) };
    let others = [elsewhere.id(), run.child.id()].map(|pid| instead(&adopted(pid)));
    elsewhere.kill().and_then(|()| elsewhere.wait()).unwrap();
    assert!(others[0].is_some() && others[1].is_none(), "{others:?}");
    let nowhere = PaneTty { path: "/nowhere".into(), leader: 1, program: None };
    assert_eq!(look_at_pane(&nowhere).reader, Reader::Unknown(Blind::NoForeground));
}

fn a_terminal_whose_program_has_gone_tells_nothing() {
    let mut run = Program::start(&["true"]);
    run.child.wait().unwrap();
    run.comes_to(|seen| matches!(seen.reader, Reader::Unknown(Blind::NoForeground)));
}

/// A job in the background had printed "Use TypeScript?" and ended: the shell was who read, and ran the answer.
fn who_reads_commands_or_data_is_told_from_who_asks() {
    for (argv, words, asks_nothing) in [
        (&["bash", "--norc", "--noprofile", "-i"][..], "", true),
        (&["sh", "-i"], "", true),
        (&["cat", "-u"], "", true),
        (&["python3", "-q", "-i"], ">>> ", true),
        (&["bash", "-c", "read -p 'word? ' a"], "word? ", false),
        (&["python3", "-c", "input('word? ')"], "word? ", false),
    ] {
        let mut run = Program::start(argv);
        run.prints(words);
        assert_eq!(run.reads().1.asks_nothing, asks_nothing, "{argv:?}");
    }
}

/// A copy of `rm` with another name printed no word of its own, and its line was answered by what stood above it.
fn a_copy_of_what_deletes_is_known_by_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let (copy, link) = (folder.path().join("tidy"), folder.path().join("sweep"));
    let rm = std::fs::canonicalize("/bin/rm").unwrap();
    std::fs::copy(&rm, &copy).unwrap();
    std::os::unix::fs::symlink(&rm, &link).unwrap();
    std::fs::write(folder.path().join("file"), "x").unwrap();
    for (argv, acts) in [
        (&[copy.to_str().unwrap(), "-i", "file"][..], true),
        (&[link.to_str().unwrap(), "-i", "file"], true),
        (&["rm", "-i", "file"], true),
        (&["bash", "-c", "read -p 'word? ' a"], false),
    ] {
        let mut run = Program::start_in(argv, folder.path());
        run.prints("?");
        assert_eq!(run.reads().1.acts, acts, "{argv:?}");
    }
}

/// A copied `dash` read a line below "Project name: " and ran the answer; so did `perl -ne system`, and a shell that was
/// started under another name.
fn an_interpreter_is_known_by_its_file_whatever_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (copy, longer, link) = (file("wizard"), file("longer"), file("link"));
    let shell = std::fs::canonicalize("/bin/sh").unwrap();
    std::fs::copy(&shell, &copy).unwrap();
    let mut bytes = std::fs::read(&shell).unwrap();
    bytes.extend(b"more");
    std::fs::copy(&shell, &longer).unwrap();
    std::fs::write(&longer, bytes).unwrap();
    std::os::unix::fs::symlink(&shell, &link).unwrap();
    for (argv, asks_nothing) in [
        (&[copy.as_str()][..], true),
        (&[&longer], true),
        (&[&link, "-s"], true),
        (&["bash", "-c", "exec -a wizard sh -i"], true),
        (&["perl", "-ne", "system"], true),
        (&["python3", "-c", "import os; os.system(input('word? '))"], true),
        (&[&copy, "-c", "read x; echo $x"], false),
        (&["rm", "-i", &longer], false),
    ] {
        let run = Program::start(argv);
        let seen = run.comes_to(|seen| seen.wait().is_some_and(|wait| !wait.program.starts_with("bash")));
        assert_eq!(seen.wait().unwrap().asks_nothing, asks_nothing, "{argv:?} {seen:?}");
    }
}

/// A job in the background printed "Project name: " and the shell, which was reading, ran the answer as a command.
fn a_prompt_of_a_job_in_the_background_is_nobodys_to_answer() {
    let shell = ["bash", "--norc", "--noprofile", "-i"];
    let mut program = Program::start(&shell);
    program.comes_to(|seen| matches!(seen.reader, Reader::Reading(_)));
    program.master.write_all(b"bash -c 'echo \"Project\"_name; sleep 60' &\n").unwrap();
    program.prints("Project_name");
    let shared = |seen: &Witness| matches!(&seen.reader, Reader::Unknown(Blind::Shared { .. }));
    program.comes_to(shared);
    program.master.write_all(b"kill %1; wait; sh -c 'echo \"Port\"_; read port'\n").unwrap();
    program.prints("Port_");
    program.comes_to(|seen| matches!(seen.reader, Reader::Reading(_)));
}

/// Python that has something else wait at the terminal before it asks there itself; that ends with it, whatever session
/// it is in.
fn asks_beside(other: &str) -> [String; 3] {
    let script = format!(
        "import os, time, signal, threading, ctypes\n\
         name, (waits, waiting), (ends, end) = os.ttyname(0), os.pipe(), os.pipe()\n\
         def alone():\n\
         \x20   ctypes.CDLL(None).unshare(0x400)\n\
         \x20   fd = os.open(name, os.O_RDONLY | os.O_NOCTTY)\n\
         \x20   os.write(waiting, b'.'); os.read(fd, 99)\n\
         def close():\n\
         \x20   for fd in 0, 1, 2: os.close(fd)\n\
         if os.fork() == 0:\n\
         \x20   os.close(end)\n\
         {other}\n\
         \x20   os.read(ends, 1)\n\
         os.read(waits, 1)\n\
         signal.signal(signal.SIGTTOU, signal.SIG_IGN); os.tcsetpgrp(0, os.getpgrp())\n\
         input('word? ')"
    );
    ["python3".to_owned(), "-c".to_owned(), script]
}

/// The kernel gives a line to whoever came to its read first: `rm -i` behind a harmless question deleted its file, and
/// a hidden field was given a yes, since the second reader was the only one looked at.
fn who_asks_beside_another_reader_is_not_surely_answered() {
    for other in [
        "    os.write(waiting, b'.'); os.read(0, 99)",
        "    close(); t = threading.Thread(target=alone); t.start(); t.join()",
    ] {
        let argv = asks_beside(other);
        let mut run = Program::start(&argv.each_ref().map(String::as_str));
        run.prints("word? ");
        run.comes_to(|seen| matches!(seen.reader, Reader::Unknown(Blind::Contended { .. })));
    }
}

/// The same from the background, where a process had come to its read while it was in the foreground; by the name that
/// every terminal has, or with descriptors that only one of its threads had.
fn who_asks_before_a_reader_in_the_background_is_not_surely_answered() {
    for other in [
        "    os.setpgid(0, 0); signal.signal(signal.SIGTTOU, signal.SIG_IGN); os.tcsetpgrp(0, os.getpid())\n\
         \x20   fd = os.open('/dev/tty', os.O_RDONLY); close(); os.write(waiting, b'.'); os.read(fd, 99)",
        "    os.setsid(); close(); t = threading.Thread(target=alone); t.start(); t.join()",
    ] {
        let argv = asks_beside(other);
        let mut run = Program::start(&argv.each_ref().map(String::as_str));
        run.prints("word? ");
        run.comes_to(|seen| matches!(seen.reader, Reader::Unknown(Blind::Shared { .. })));
    }
}

/// `timeout` puts what it starts into the background, where the kernel stops it as it reads or changes the terminal: it was
/// taken for a program at work. What a person has stopped, or a shell at its prompt has behind it, waits for nobody.
fn who_was_stopped_as_it_wanted_the_terminal_is_told_from_who_works() {
    let stopped = |seen: &Witness| match &seen.reader {
        Reader::Unknown(Blind::Stopped { program }) => program == "bash" || program == "stty",
        _ => false,
    };
    for asks in ["read -p 'word? ' word", "echo word?; stty raw"] {
        let mut run = Program::start(&["sh", "-c", "timeout 60 bash -c \"$0\"; true", asks]);
        run.prints("word?");
        run.comes_to(stopped);
    }
    let mut paused = Program::start(&["bash", "-c", "timeout 60 bash -c 'echo word?; kill -TSTP $$'; true"]);
    paused.prints("word?");
    paused.comes_to(|seen| seen.reader == Reader::Nobody);
    let mut at_prompt = Program::start(&["bash", "--norc", "--noprofile", "-i"]);
    at_prompt.comes_to(|seen| matches!(seen.reader, Reader::Reading(_)));
    at_prompt.master.write_all(b"bash -c 'echo wo\"\"rd; read x' & wait\n").unwrap();
    at_prompt.prints("Stopped");
    at_prompt.comes_to(|seen| !stopped(seen));
}

/// Twenty processes of as many threads, each of which reads, and has two hundred files open: all of it was looked through
/// whenever the prompt was drawn anew, while other agents waited.
fn who_hides_in_a_crowd_is_not_looked_for_without_end() {
    let crowd = "
import os, sys, threading, time
for _ in range(20):
    if os.fork() == 0:
        for _ in range(200): os.open('/dev/null', os.O_RDONLY)
        for _ in range(20): threading.Thread(target=lambda: os.read(0, 1), daemon=True).start()
        time.sleep(600)
time.sleep(1)
print('word? ', end='', flush=True)
time.sleep(600)";
    let mut run = Program::start(&["python3", "-c", crowd]);
    run.prints("word?");
    run.comes_to(|seen| seen.reader == Reader::Unknown(Blind::TooMany));
    let mut few = Program::start(&["bash", "-c", "read -p 'word? ' a"]);
    few.prints("word?");
    assert!(few.reads().0.wait().is_some(), "the next look on the same thread has an allowance of its own");
}

fn main() {
    needs::run(&[
        (
            stringify!(who_hides_in_a_crowd_is_not_looked_for_without_end),
            || needs::programs(&["bash", "python3"]),
            who_hides_in_a_crowd_is_not_looked_for_without_end,
        ),
        (
            stringify!(a_line_that_is_read_is_told_from_a_secret),
            || needs::programs(&["bash", "python3"]),
            a_line_that_is_read_is_told_from_a_secret,
        ),
        (
            stringify!(the_one_that_reads_is_found_below_a_shell_and_in_a_pipeline),
            || needs::programs(&["bash"]),
            the_one_that_reads_is_found_below_a_shell_and_in_a_pipeline,
        ),
        (
            stringify!(who_reads_in_a_session_of_its_own_is_found),
            || needs::programs(&["bash", "setsid"]),
            who_reads_in_a_session_of_its_own_is_found,
        ),
        (
            stringify!(what_only_prints_is_read_by_nobody),
            || needs::programs(&["bash", "python3", "node"]),
            what_only_prints_is_read_by_nobody,
        ),
        (
            stringify!(git_waits_for_its_editor_and_reads_nothing),
            || needs::programs(&["git"]),
            git_waits_for_its_editor_and_reads_nothing,
        ),
        (
            stringify!(programs_that_take_keys_one_by_one_read_too),
            || needs::programs(&["bash", "python3", "node", "less"]),
            programs_that_take_keys_one_by_one_read_too,
        ),
        (
            stringify!(the_same_words_asked_again_are_another_read),
            || needs::programs(&["bash"]),
            the_same_words_asked_again_are_another_read,
        ),
        (
            stringify!(what_a_job_prints_is_not_said_by_who_reads),
            || needs::programs(&["bash", "mkfifo"]),
            what_a_job_prints_is_not_said_by_who_reads,
        ),
        (
            stringify!(a_loop_that_wakes_for_its_timers_waits_as_before),
            || needs::programs(&["python3"]),
            a_loop_that_wakes_for_its_timers_waits_as_before,
        ),
        (
            stringify!(who_reads_key_by_key_waits_as_before_wherever_it_puts_the_key),
            || needs::programs(&["python3"]),
            who_reads_key_by_key_waits_as_before_wherever_it_puts_the_key,
        ),
        (
            stringify!(a_stopped_program_reads_nothing),
            || needs::programs(&["bash"]),
            a_stopped_program_reads_nothing,
        ),
        (
            stringify!(what_reads_for_a_terminal_of_its_own_is_a_relay),
            || needs::programs(&["script"]),
            what_reads_for_a_terminal_of_its_own_is_a_relay,
        ),
        (
            stringify!(a_pane_is_looked_at_by_its_path),
            || needs::programs(&["bash"]),
            a_pane_is_looked_at_by_its_path,
        ),
        (
            stringify!(a_terminal_whose_program_has_gone_tells_nothing),
            || needs::programs(&[]),
            a_terminal_whose_program_has_gone_tells_nothing,
        ),
        (
            stringify!(who_reads_commands_or_data_is_told_from_who_asks),
            || needs::programs(&["bash", "python3"]),
            who_reads_commands_or_data_is_told_from_who_asks,
        ),
        (
            stringify!(a_copy_of_what_deletes_is_known_by_its_file),
            || needs::programs(&["bash"]),
            a_copy_of_what_deletes_is_known_by_its_file,
        ),
        (
            stringify!(an_interpreter_is_known_by_its_file_whatever_it_is_called),
            || needs::programs(&["bash", "perl", "python3"]),
            an_interpreter_is_known_by_its_file_whatever_it_is_called,
        ),
        (
            stringify!(a_prompt_of_a_job_in_the_background_is_nobodys_to_answer),
            || needs::programs(&["bash"]),
            a_prompt_of_a_job_in_the_background_is_nobodys_to_answer,
        ),
        (
            stringify!(who_asks_beside_another_reader_is_not_surely_answered),
            || needs::programs(&["python3"]),
            who_asks_beside_another_reader_is_not_surely_answered,
        ),
        (
            stringify!(who_asks_before_a_reader_in_the_background_is_not_surely_answered),
            || needs::programs(&["python3"]),
            who_asks_before_a_reader_in_the_background_is_not_surely_answered,
        ),
        (
            stringify!(who_was_stopped_as_it_wanted_the_terminal_is_told_from_who_works),
            || needs::programs(&["bash", "timeout", "stty"]),
            who_was_stopped_as_it_wanted_the_terminal_is_told_from_who_works,
        ),
    ]);
}
