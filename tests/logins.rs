//! Whoever logs in is a person, by whatever way they come: ssh, sudo, su, tmux, `script`, or a job without a terminal.
//!
//! Each way is tried with the program itself. Where one is missing its test is ignored, with the reason; with CI=true it
//! fails if an installation would mend that.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "world/needs.rs"]
mod needs;
mod world;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::unistd::{User, geteuid};
use world::{World, counsel, finish};

/// Whatever takes longer on a loaded machine hangs.
const DEADLINE: Duration = Duration::from_secs(90);
const SSHD: &str = "/usr/sbin/sshd";

/// A server with an agent, and a script by which somebody who logs in types into it.
struct Place {
    world: World,
    script: PathBuf,
}

impl Place {
    fn new() -> Place {
        let world = World::new();
        world.ok(&["start", "victim", "--", "cat"]);
        let [home, run, state] = ["home", "run", "state"].map(|name| world.path(name).display().to_string());
        let variables = format!("HOME={home} COUNSEL_RUNTIME_DIR={run} COUNSEL_STATE_DIR={state}");
        let (program, said) = (counsel().display(), world.path("said").display().to_string());
        let line = format!("env {variables} {program} send victim hello --enter >{said}.new 2>&1 </dev/null");
        let script =
            world.script("act", &format!("{line}\necho \"code $?\" >>{said}.new\nmv {said}.new {said}"));
        Place { world, script }
    }

    fn script(&self) -> &str {
        self.script.to_str().unwrap()
    }

    /// Runs a command that runs the script in its own way, and expects it to be a person's.
    fn acts(&self, command: &mut Command) {
        let done = finish(command, b"");
        self.acted(&format!("{done:?}"));
    }

    fn acted(&self, how: &str) {
        let (said, until) = (self.world.path("said"), Instant::now() + DEADLINE);
        while !said.exists() {
            assert!(Instant::now() < until, "the script did not run: {how}");
            std::thread::sleep(Duration::from_millis(50));
        }
        let said = std::fs::read_to_string(said).unwrap();
        assert!(said.ends_with("code 0\n"), "{said} {how}");
    }
}

fn user() -> String {
    User::from_uid(geteuid()).unwrap().unwrap().name
}

fn who_comes_by_sudo_is_a_person() {
    let place = Place::new();
    place.acts(place.world.program("sudo").args(["-n", "-u", &user(), place.script()]));
}

fn who_comes_by_su_is_a_person() {
    let place = Place::new();
    place.acts(place.world.program("su").args(["-l", &user(), "-c", place.script()]));
}

fn who_is_recorded_by_script_is_a_person() {
    let place = Place::new();
    place.acts(place.world.program("script").args(["-qec", place.script(), "/dev/null"]));
}

fn who_works_in_tmux_is_a_person() {
    let place = Place::new();
    let socket = place.world.path("tmux");
    let tmux = |args: &[&str]| {
        let mut command = place.world.program("tmux");
        command.arg("-S").arg(&socket).args(["-f", "/dev/null"]).args(args);
        finish(&mut command, b"")
    };
    let started = tmux(&["new-session", "-d", &format!("{}; exec sleep 1000", place.script())]);
    place.acted(&format!("{started:?}"));
    tmux(&["kill-server"]);
}

/// As cron and `at` start their jobs: without a terminal, a session's leader, with next to no environment.
fn a_job_without_a_terminal_is_a_persons() {
    let place = Place::new();
    place.acts(place.world.program("setsid").args(["--wait", "env", "-i", "/bin/sh", "-c", place.script()]));
    std::fs::remove_file(place.world.path("said")).unwrap();
    // It outlives whoever started it, and is the first process's.
    place.acts(
        place.world.program("sh").args(["-c", &format!("setsid env -i /bin/sh -c {} &", place.script())]),
    );
}

/// A daemon of one's own on loopback, which ends with the test.
struct Sshd {
    daemon: Child,
    port: u16,
}

impl Sshd {
    fn new(place: &Place) -> Sshd {
        let path = |name: &str| place.world.path(name).display().to_string();
        for key in ["host", "user"] {
            let mut command = place.world.program("ssh-keygen");
            let done = finish(command.args(["-q", "-t", "ed25519", "-N", "", "-f", &path(key)]), b"");
            assert_eq!(done.code, 0, "{done:?}");
        }
        std::fs::copy(place.world.path("user.pub"), place.world.path("authorized")).unwrap();
        std::fs::set_permissions(place.world.path("authorized"), PermissionsExt::from_mode(0o600)).unwrap();
        if geteuid().is_root() {
            // Where its part without rights lives; a distribution's service makes it.
            std::fs::create_dir_all("/run/sshd").unwrap();
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let config = format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nUsePAM no\n\
             StrictModes no\nPasswordAuthentication no\nPermitRootLogin yes\n",
            path("host"),
            path("authorized")
        );
        let config = place.world.write("sshd_config", &config);
        let log = std::fs::File::create(place.world.path("sshd.log")).unwrap();
        let mut daemon = place.world.program(SSHD);
        daemon.args(["-D", "-e", "-f"]).arg(config).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let sshd = Sshd { daemon: daemon.spawn().unwrap(), port };
        let until = Instant::now() + DEADLINE;
        while !greets(port) {
            let log = std::fs::read_to_string(place.world.path("sshd.log")).unwrap_or_default();
            assert!(Instant::now() < until, "sshd does not answer: {log}");
            std::thread::sleep(Duration::from_millis(50));
        }
        sshd
    }
}

fn greets(port: u16) -> bool {
    let mut greeting = [0; 4];
    let read = TcpStream::connect(("127.0.0.1", port)).and_then(|mut stream| {
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.read_exact(&mut greeting)?;
        stream.write_all(b"\n")
    });
    read.is_ok() && greeting == *b"SSH-"
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

fn who_comes_by_ssh_is_a_person() {
    let place = Place::new();
    let sshd = Sshd::new(&place);
    let key = place.world.path("user").display().to_string();
    let ssh = |more: &[&str]| {
        let mut command = place.world.program("ssh");
        command.args(["-F", "none", "-i", &key, "-p", &sshd.port.to_string(), "-o", "IdentitiesOnly=yes"]);
        command.args(["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]);
        command.args(more).arg(format!("{}@127.0.0.1", user())).arg(place.script());
        place.acts(&mut command);
        std::fs::remove_file(place.world.path("said")).unwrap();
    };
    ssh(&["-T"]);
    // With a terminal, as somebody at a keyboard has one.
    ssh(&["-tt"]);
}

fn sshd() -> Option<needs::Missing> {
    let there = Path::new(SSHD).exists();
    let why = "openssh-server is not installed".to_owned();
    (!there).then_some(needs::Missing { why, installable: true })
}

fn main() {
    needs::run(&[
        (stringify!(who_comes_by_ssh_is_a_person), sshd, who_comes_by_ssh_is_a_person),
        (stringify!(who_comes_by_sudo_is_a_person), needs::sudo, who_comes_by_sudo_is_a_person),
        (stringify!(who_comes_by_su_is_a_person), needs::root, who_comes_by_su_is_a_person),
        (
            stringify!(who_is_recorded_by_script_is_a_person),
            needs::script,
            who_is_recorded_by_script_is_a_person,
        ),
        (stringify!(who_works_in_tmux_is_a_person), needs::tmux, who_works_in_tmux_is_a_person),
        (
            stringify!(a_job_without_a_terminal_is_a_persons),
            needs::nothing,
            a_job_without_a_terminal_is_a_persons,
        ),
    ]);
}
