//! How an agent in tmux comes under the task's eyes: started, or found running.
//!
//! In all cases a control client is there first, and what it captures is exactly what was printed before
//! the first output it hears of.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::control_client::{ControlClient, Heard, Purpose};
use super::line;
use super::supervisor::{Stranger, Supervisor};
use crate::core::agent::PaneRef;
use crate::core::terminal::modes::Modes;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;
use crate::core::tmux::restore::Capture;
use crate::core::tmux::{PaneId, PaneTty, Reply, Said, command};
use crate::os::keeper_link::{self, KeeperSpec, Link, Run};
use crate::os::pane_mark::PaneMark;
use crate::os::tmux::{Seat, Tmux, private_name};
use crate::os::tmux_start::Waiting;
use crate::os::{daemon, paths, proc};

use crate::session::message::{JournalPart, Started};

/// tmux answers in milliseconds; one that does not is stuck.
const ANSWER_DEADLINE: Duration = Duration::from_secs(10);

/// An agent in view.
#[derive(Debug)]
pub struct Opened {
    pub seat: Seat,
    /// The pane's terminal.
    pub line: Option<PaneTty>,
    pub control: ControlClient,
    pub supervisor: Supervisor,
    pub name: String,
}

/// The private tmux server that belongs to this folder of keepers.
pub fn private(keepers: &Path) -> Tmux {
    let usual = std::env::var_os("COUNSEL_RUNTIME_DIR").is_none()
        && paths::runtime_dir().is_ok_and(|usual| usual == keepers);
    Tmux::private(private_name(keepers, usual))
}

/// Attaches a control client and captures the pane.
pub async fn watch(seat: &Seat) -> Result<(ControlClient, Capture), String> {
    let of = seat.clone();
    let session = move || of.session().ok_or_else(|| format!("tmux has no pane {}", of.pane));
    let session = tokio::time::timeout(ANSWER_DEADLINE, blocking(session)).await;
    let session = session.map_err(|_| format!("tmux did not answer within {ANSWER_DEADLINE:?}"))??;
    let control = seat.tmux.control(&session).map_err(|error| format!("tmux cannot be started: {error}"))?;
    let mut control = ControlClient::new(control);
    control.send(&command::capture(seat.pane), Purpose::Capture);
    let captured = async {
        loop {
            control.listen().await.map_err(|_| format!("tmux has no pane {}", seat.pane))?;
            while let Some(heard) = control.take() {
                match heard {
                    Heard::Answer(Purpose::Capture, replies) => return captured_of(seat, replies),
                    Heard::Said(Said::Exit(why)) => return Err(format!("tmux left: {why}")),
                    // Printed before the capture, and so in it.
                    Heard::Said(_) | Heard::Answer(..) => {}
                }
            }
        }
    };
    let late = |_| format!("tmux did not answer within {ANSWER_DEADLINE:?}");
    let capture = tokio::time::timeout(ANSWER_DEADLINE, captured).await.map_err(late)??;
    // Asked for as soon as possible: who looks on decides how one types.
    control.send(&command::ask_clients(), Purpose::Clients);
    Ok((control, capture))
}

/// What was captured, if it is this pane: a tmux server may end, and another begin, between two questions to it.
fn captured_of(seat: &Seat, replies: Vec<Reply>) -> Result<Capture, String> {
    let capture = Capture::read(replies)?;
    if capture.state.first != seat.first {
        return Err(format!("{} of tmux is another pane now", seat.pane));
    }
    Ok(capture)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(error.to_string()))
}

/// Starts an agent in a pane of its own.
pub async fn open(
    tmux: Tmux,
    spec: KeeperSpec,
    manifest: serde_json::Value,
    token: String,
) -> Result<(Started, Opened), String> {
    let (name, size, socket) = (spec.name.clone(), spec.size, spec.socket.clone());
    let (of_pane, session) = (tmux.clone(), name.clone());
    let (waiting, seat) = blocking(move || {
        let exe = daemon::exe_for_others()?;
        let waiting = Waiting::new(spec, &manifest)?;
        let program: [OsString; 4] =
            [exe.into(), "keep".into(), "--pane".into(), waiting.path().as_os_str().to_owned()];
        Ok((waiting, of_pane.open(&session, size.clamped(), &program)?))
    })
    .await?;
    let begun = begin(&seat, waiting, &socket).await;
    let (control, capture, link) = match begun {
        Ok(begun) => begun,
        Err(why) => {
            let close = seat.clone();
            // The reason for the failure is what counts.
            let _ = tokio::task::spawn_blocking(move || close.close()).await;
            return Err(why);
        }
    };
    let start = Started {
        size: Some(capture.state.size),
        place: Some(seat.tmux.attach_line(&format!("={name}"))),
        ..started(&link, token)
    };
    let supervisor = Supervisor::keeper(link.stream).map_err(|error| error.to_string())?;
    let line = line::of(&seat).await;
    Ok((start, Opened { seat, line, control, supervisor, name }))
}

async fn begin(
    seat: &Seat,
    waiting: Waiting,
    socket: &Path,
) -> Result<(ControlClient, Capture, Link), String> {
    let (control, capture) = watch(seat).await?;
    let (socket, first) = (socket.to_owned(), seat.first);
    let link = blocking(move || {
        waiting.hand_over(first)?;
        keeper_link::connect(&socket)
    })
    .await?;
    Ok((control, capture, link))
}

/// Takes back an agent that an earlier server started. `journal`: what that server saw of its output.
pub async fn find(
    tmux: Tmux,
    link: Link,
    token: String,
    journal: &[JournalPart],
) -> Result<(Started, Opened), String> {
    let (name, keeper) = (link.hello.name.clone(), link.hello.keeper_pid);
    let of_panes = tmux.clone();
    let panes = blocking(move || Ok(of_panes.panes())).await?;
    let pane = panes.iter().find(|(_, pid, _)| *pid == keeper).map(|(pane, ..)| *pane);
    let pane = pane.ok_or("its pane in tmux cannot be found")?;
    let seat = Seat { tmux, pane, first: keeper };
    let (control, capture) = watch(&seat).await?;
    let start = Started {
        size: Some(capture.state.size),
        place: Some(seat.tmux.attach_line(&format!("={name}"))),
        restored: capture.bytes(modes_of(journal, &capture)).into(),
        adopted: true,
        ..started(&link, token)
    };
    let supervisor = Supervisor::keeper(link.stream).map_err(|error| error.to_string())?;
    let line = line::of(&seat).await;
    Ok((start, Opened { seat, line, control, supervisor, name }))
}

/// Takes a pane of the user's own under supervision, if the same program still runs there.
pub async fn adopt(name: String, pane: &PaneRef, token: String) -> Result<(Started, Opened), String> {
    let process = proc::look(pane.pid).filter(|process| process.started == pane.started);
    let process = process.ok_or("the program in that pane has ended")?;
    let first = if pane.first == 0 { pane.pid } else { pane.first };
    // Before anything else: what it leaves behind from here on is known for an agent's.
    let mark = blocking(move || PaneMark::put(process, first)).await?;
    let seat = Seat { tmux: Tmux::at(pane.socket.clone().into()), pane: PaneId(pane.pane), first };
    let (control, capture) = watch(&seat).await?;
    let start = Started {
        pid: pane.pid,
        keeper: pane.pid,
        token,
        size: Some(capture.state.size),
        place: Some(seat.tmux.attach_line(&seat.pane.to_string())),
        restored: capture.bytes(modes_of(&[], &capture)).into(),
        tells_signals: true,
        adopted: true,
        ..Started::default()
    };
    let stranger = Stranger::new(process, mark).map_err(|error| error.to_string())?;
    let line = line::of(&seat).await.map(|line| PaneTty { program: Some(pane.pid), ..line });
    let supervisor = Supervisor::Stranger(stranger);
    Ok((start, Opened { seat, line, control, supervisor, name }))
}

/// What tmux does not tell: the modes the program set while a server looked on. Pastes are always handed
/// over in brackets, for tmux takes those off that the program has not asked for.
fn modes_of(journal: &[JournalPart], capture: &Capture) -> Modes {
    let mut screen =
        Screen::new(capture.state.size, TerminalIdentity { silent: true, ..TerminalIdentity::default() });
    for part in journal {
        if let JournalPart::Begin { seed: bytes, .. } | JournalPart::Output(bytes) = part {
            screen.feed(bytes);
        }
    }
    Modes { bracketed_paste: true, ..screen.modes() }
}

fn started(link: &Link, token: String) -> Started {
    Started {
        pid: link.hello.agent_pid,
        keeper: link.hello.keeper_pid,
        token,
        stopped: matches!(link.hello.run, Run::Stopped | Run::Paused),
        exited: if let Run::Exited(exit) = link.hello.run { Some(exit.shell_code()) } else { None },
        tells_signals: link.hello.tells_signals,
        ..Started::default()
    }
}
