//! Where a scenario runs: in a process, network and mount namespace of its own, so that nothing reaches a
//! network and nothing outlives it. Says why it is skipped where that, or the agent program, is missing;
//! where `CI=true` promises both, that is a failure.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use libtest_mimic::{Completion, Failed, Trial};

use super::home::Program;

/// Names the scenario that runs inside the namespaces, for the copy of this test program in there.
const INSIDE: &str = "COUNSEL_REAL_INSIDE";
/// A scenario takes seconds, two start-ups of an agent program included; this is a hang.
const DEADLINE: Duration = Duration::from_secs(240);
/// One after another: two cores carry one team of real agents, and their timing is part of what is tested.
static TURN: Mutex<()> = Mutex::new(());

/// The test `name`, which runs `body` inside; `needs` must be installed.
pub fn trial(name: &'static str, needs: Program, body: impl FnOnce() + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || run_within(name, needs, DEADLINE, body))
}

/// The same for what takes longer than a scenario.
pub fn long_trial(
    name: &'static str,
    needs: Program,
    deadline: Duration,
    body: impl FnOnce() + Send + 'static,
) -> Trial {
    let run = move || run_within(name, needs, deadline, body);
    Trial::ignorable_test(name, run).with_ignored_flag(true)
}

fn run_within(
    name: &str,
    needs: Program,
    deadline: Duration,
    body: impl FnOnce(),
) -> Result<Completion, Failed> {
    if std::env::var(INSIDE).is_ok_and(|inside| inside == name) {
        loopback_up();
        body();
        return Ok(Completion::Completed);
    }
    let isolation = match check(needs) {
        Ok(isolation) => isolation,
        // Whoever promises both is told that they are not there.
        Err(why) if std::env::var("CI").is_ok_and(|ci| ci == "true") => return Err(why.into()),
        Err(why) => return Ok(Completion::ignored_with(why)),
    };
    // A scenario that failed has poisoned nothing: each has a world of its own.
    let turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let output = inside(name, isolation, deadline);
    drop(turn);
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(format!("it failed inside ({})\n{said}", output.status).into());
    }
    if !said.contains("1 passed") {
        return Err(format!("it did not run inside\n{said}").into());
    }
    Ok(Completion::Completed)
}

/// The arguments with which `unshare` works here.
fn check(needs: Program) -> Result<&'static [&'static str], String> {
    if let Some(program) = needs.needs().into_iter().find(|program| !program.exists()) {
        return Err(format!("{} is not installed; tests/real/install.sh installs it", program.display()));
    }
    let ways: [&[&str]; 2] = [&["-n", "-m", "-p"], &["-r", "-n", "-m", "-p"]];
    let works = |way: &&[&str]| {
        let mut probe = Command::new("unshare");
        probe.args(*way).args(FIXED).arg("true").stdout(Stdio::null()).stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    };
    ways.into_iter().find(works).ok_or_else(|| "unshare gives no network namespace here".into())
}

/// Everything inside ends with the first process inside.
const FIXED: [&str; 4] = ["--fork", "--kill-child", "--mount-proc", "--"];

fn inside(name: &str, isolation: &[&str], deadline: Duration) -> Output {
    let myself = std::env::current_exe().expect("a running program has a path");
    let mut command = Command::new("unshare");
    command.args(isolation).args(FIXED);
    // The first process of a namespace inherits its orphans; a shell that waits reaps them.
    command.args(["sh", "-c", "\"$@\"; exit $?", "sh"]).arg(myself);
    command.args([name, "--exact", "--include-ignored", "--nocapture", "--test-threads=1"]);
    command.env(INSIDE, name).env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let child = command.spawn().expect("unshare has just worked");
    let group = Pid::from_raw(child.id().try_into().expect("a process id fits"));
    let (sender, done) = mpsc::channel();
    let waiter = thread::spawn(move || sender.send(child.wait_with_output()));
    let output = done.recv_timeout(deadline).unwrap_or_else(|_| {
        let _ = killpg(group, Signal::SIGKILL);
        done.recv().expect("the waiter reports once the group is dead")
    });
    let _ = waiter.join();
    output.expect("the output of the inside can be read")
}

/// A new network namespace has its loopback down.
fn loopback_up() {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").expect("a socket needs no network");
    // SAFETY: all-zero bytes are a valid `ifreq`.
    let mut request: nix::libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as nix::libc::c_char;
    }
    request.ifr_ifru.ifru_flags = nix::libc::IFF_UP as nix::libc::c_short;
    let fd = std::os::fd::AsRawFd::as_raw_fd(&socket);
    // SAFETY: the descriptor is open and the request lives for the length of the call.
    let done = unsafe { nix::libc::ioctl(fd, nix::libc::SIOCSIFFLAGS, &raw const request) };
    assert_eq!(done, 0, "loopback stays down: {}", std::io::Error::last_os_error());
    let devices = fs::read_to_string("/proc/net/dev").expect("proc is mounted inside");
    let others = devices.lines().skip(2).filter(|line| !line.trim_start().starts_with("lo:")).count();
    assert_eq!(others, 0, "there is more than loopback in here:\n{devices}");
}
