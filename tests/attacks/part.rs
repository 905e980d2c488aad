//! What an agent does in an attack: this very program in another part, named by its environment.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::person;
use crate::world::{self, DEADLINE};

/// Plays an agent's part. What came of it goes into a file.
pub fn play(part: &str) {
    let said = match part {
        "ask" => person::ask_at(&path("ATTACK_SOCKET")),
        "nested" => match person::nested(70, &path("ATTACK_SOCKET")) {
            Some(said) => said,
            None => stay(),
        },
        "gone" => person::ask(person::of_a_child_that_is_gone(&path("ATTACK_SOCKET"))),
        "stopped" => person::while_it_is_stopped(&path("ATTACK_SOCKET")),
        "leave" => {
            person::leave_a_daemon();
            stay()
        }
        // Nobody's to end any more, it ends by itself.
        "daemon" => return write_said(&person::daemon(&path("ATTACK_SOCKET"))),
        "hold" => person::hold_all(&path("ATTACK_SOCKET")),
        "restart" => person::by_the_program(&["server", "restart"]),
        "usurp" => {
            // A server that ends while it starts an agent ends that agent.
            while !path("ATTACK_OUT").with_extension("started").exists() {
                std::thread::sleep(Duration::from_millis(1));
            }
            signal_with(std::env::var("ATTACK_PID").unwrap().parse().unwrap(), Signal::SIGKILL);
            person::by_the_program(&["start", "mine", "--", "cat"])
        }
        "look" => person::by_the_program(&["ls"]),
        "tmux-run" => person::through_tmux(false),
        "tmux-open" => person::through_tmux(true),
        "take" => take(&path("ATTACK_SOCKET")),
        "forge" => forge(&path("ATTACK_SOCKET"), "pty"),
        "forge-in-tmux" => forge(&path("ATTACK_SOCKET"), "tmux"),
        "mute" => mute(&path("ATTACK_SOCKET")),
        "crowd" => crowd(&path("ATTACK_SOCKET")),
        "type" => press_a_key(),
        "kill" => signal(std::env::var("ATTACK_PID").unwrap().parse().unwrap()),
        "connect" => connect(&path("ATTACK_SOCKET")),
        "list" => list(),
        "read" => read(&path("ATTACK_FILE")),
        "write" => write(&path("ATTACK_FILE")),
        "aside" => move_aside(&path("ATTACK_FILE")),
        other => panic!("{other}"),
    };
    write_said(&said);
    stay()
}

/// As an agent does.
fn stay() -> ! {
    loop {
        std::thread::sleep(DEADLINE);
    }
}

pub fn write_said(said: &str) {
    let out = path("ATTACK_OUT");
    std::fs::write(out.with_extension("new"), said).unwrap();
    std::fs::rename(out.with_extension("new"), out).unwrap();
}

pub fn path(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(name).unwrap())
}

/// Asks a keeper for its terminal, as a server would, until it answers or hangs up for good.
fn take(keeper: &Path) -> String {
    let mut stream = match UnixStream::connect(keeper) {
        Ok(stream) => stream,
        Err(error) => return format!("refused: {error}"),
    };
    let mut said = Vec::new();
    // Its hello, manifest and output, if there are any; the end otherwise.
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = stream.read(&mut buffer) {
        said.extend_from_slice(&buffer[..n]);
    }
    format!("heard {} bytes", said.len())
}

/// More connections than any queue holds, kept open.
fn crowd(keeper: &Path) -> String {
    let mut kept = Vec::new();
    for _ in 0..800 {
        kept.extend(UnixStream::connect(keeper).ok());
    }
    let count = kept.len();
    std::mem::forget(kept);
    format!("made {count} connections")
}

/// Listens where a keeper would, and says what one would say, its own pid included.
fn forge(socket: &Path, host: &str) -> String {
    let listener = UnixListener::bind(socket).unwrap();
    let spec = serde_json::json!({"name": "forged", "host": host});
    let manifest = serde_json::json!({"spec": spec, "policy": {}, "token": "t"}).to_string();
    let pid = std::process::id();
    let hello = serde_json::json!({
        "version": 2, "name": "forged", "agent_pid": pid, "keeper_pid": pid, "run": "running",
        "size": {"cols": 80, "rows": 24}, "manifest": manifest.len(), "ring": 0, "dropped": 0
    });
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let hello = counsel::wire::encode(&hello);
            // Whoever only looks is gone before it is told.
            let _ = stream.write_all(&hello).and_then(|()| stream.write_all(manifest.as_bytes()));
        }
    });
    "listening".to_owned()
}

/// Listens and never says a word.
fn mute(socket: &Path) -> String {
    std::mem::forget(UnixListener::bind(socket).unwrap());
    "listening".to_owned()
}

/// A byte into the input of its own terminal, where its parent's dialog waits for it.
fn press_a_key() -> String {
    let key = b'1';
    // SAFETY: the kernel reads one byte.
    let done = unsafe { libc::ioctl(0, libc::TIOCSTI, &raw const key) };
    if done == 0 { "pressed".to_owned() } else { format!("refused: {}", std::io::Error::last_os_error()) }
}

fn signal(pid: i32) -> String {
    signal_with(pid, Signal::SIGCONT)
}

pub fn signal_with(pid: i32, signal: Signal) -> String {
    match kill(Pid::from_raw(pid), signal) {
        Ok(()) => "signalled".to_owned(),
        Err(error) => format!("refused: {}", error.desc()),
    }
}

/// Reaches somebody who starts programs for whoever asks.
fn connect(socket: &Path) -> String {
    match UnixStream::connect(socket) {
        Ok(_) => "connected".to_owned(),
        Err(error) => format!("refused: {error}"),
    }
}

/// What an agent is let do: look.
fn list() -> String {
    let said = std::process::Command::new(world::counsel()).args(["ls", "--json"]).output();
    let said = said.unwrap();
    format!("{} {}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr))
}

fn read(file: &Path) -> String {
    match std::fs::read(file) {
        Ok(text) => format!("read {} bytes", text.len()),
        Err(error) => format!("refused: {error}"),
    }
}

fn write(file: &Path) -> String {
    match std::fs::OpenOptions::new().append(true).create(true).open(file) {
        Ok(_) => "opened".to_owned(),
        Err(error) => format!("refused: {error}"),
    }
}

/// Moves a folder on the way to a file aside, and makes its own in that place.
fn move_aside(file: &Path) -> String {
    let out = path("ATTACK_OUT");
    let world = out.parent().and_then(Path::parent).unwrap();
    let folder = file.parent().unwrap();
    for above in folder.ancestors().skip(1).take_while(|above| above.starts_with(world)) {
        let aside = above.with_extension("aside");
        if std::fs::rename(above, &aside).is_err() {
            continue;
        }
        if above == world {
            // What comes of it is told in there.
            std::fs::rename(&aside, above).unwrap();
        } else {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(file, "planted").unwrap();
        }
        return format!("moved {}", above.display());
    }
    match std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, "planted")) {
        Ok(()) => "planted".to_owned(),
        Err(error) => format!("refused: {error}"),
    }
}
