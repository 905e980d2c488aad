//! `counsel attach` on a terminal that is an emulator: what an agent draws and asks for arrives there, what is
//! typed there arrives at the agent, and the terminal is given back whatever happens.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

mod desk;

use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;

use counsel::core::terminal::grid::{Color, Size};
use counsel::os::{proc, pty};
use desk::{Terminal, World};
use nix::sys::signal::{Signal, kill};

const SIZE: Size = Size { cols: 100, rows: 30 };

/// Shows every byte it gets, as `cat -v` writes it.
const ECHO: &str = "stty raw -echo; echo ready; exec cat -v";

fn attached(world: &World, name: &str, words: &str) -> Terminal {
    let mut terminal = world.terminal(SIZE, &["attach", name]);
    terminal.until_text(words);
    terminal
}

#[test]
fn what_the_agent_draws_and_asks_for_arrives_outside_and_keys_arrive_inside() {
    let world = World::new();
    let modes =
        r"\033[?1049h\033[?1002h\033[?1006h\033[?1004h\033[?2004h\033[>1u\033]2;its title\007\033[5 q";
    let text = r"\033[2;3H\033[38;2;10;200;30;1mgreen\033[m\r\n漢字 e\314\201\r\n> ";
    world.script("echo", &format!("stty raw -echo; printf '{modes}{text}'; exec cat -v"));
    let mut outer = attached(&world, "echo", "漢字 e\u{301}");

    outer.until("modes", |screen| {
        let modes = screen.modes();
        modes.alternate_screen && modes.mouse_click && modes.mouse_drag && modes.mouse_sgr && modes.kitty == 1
    });
    outer.until("title", |screen| screen.title() == "its title");
    let cell = outer.screen.grid().rows[1].cells[2].clone();
    assert_eq!((cell.ch, cell.style.fg), ('g', Color::Rgb(10, 200, 30)));
    let cursor = outer.screen.grid().cursor;
    assert_eq!((cursor.row, cursor.col, cursor.shape), (3, 2, 5), "{cursor:?}");

    // A press and a drag, a chord only the kitty protocol tells, focus, a paste with line feeds, plain text.
    let typed: [(&[u8], &str); 6] = [
        (b"\x1b[<0;5;3M", "^[[<0;5;3M"),
        (b"\x1b[<32;6;3M", "^[[<32;6;3M"),
        (b"\x1b[105;5u", "^[[105;5u"),
        (b"\x1b[O", "^[[O"),
        (b"\x1b[200~two\rlines\x1b[201~", "^[[200~two^Mlines^[[201~"),
        ("é漢".as_bytes(), "M-CM-)M-fM-<M-\""),
    ];
    for (bytes, shown) in typed {
        outer.types(bytes);
        outer.until_text(shown);
    }
    outer.types(b"\x1c");
    assert!(outer.ends().success());
    outer.until_text("[detached from echo]");
}

/// Says its size whenever that changes, with a number.
const SIZES: &str =
    r#"n=0; trap 'n=$((n+1)); echo "$n:$(stty size);"' WINCH; echo ready; while :; do sleep 0.1; done"#;

/// Waits until the agent was told this size so many times. On its way back to a size it had a moment ago it may be told
/// another one in between, so that it notices.
fn is_told(outer: &mut desk::Terminal, size: &str, times: usize) {
    let words = format!(":{size};");
    outer.until(&format!("{words} {times} times"), |screen| {
        screen.grid().text().matches(&words).count() >= times
    });
}

#[test]
fn the_agent_has_the_size_of_the_viewer_that_was_active_last() {
    let world = World::new();
    world.script("sizes", SIZES);
    world.read_until("sizes", "ready");
    let mut one = attached(&world, "sizes", "1:30 100;");
    let mut two = world.terminal(Size::new(90, 20), &["attach", "sizes"]);
    is_told(&mut two, "20 90", 1);
    one.types(b"x");
    is_told(&mut one, "30 100", 2);
    one.resize(Size::new(70, 15));
    is_told(&mut one, "15 70", 1);
    one.types(b"\x1c");
    one.ends();
    is_told(&mut two, "20 90", 2);
    // One that only looks has no say.
    let mut looking = world.terminal(Size::new(60, 12), &["attach", "--read-only", "sizes"]);
    looking.until_text("ready");
    two.resize(Size::new(91, 21));
    is_told(&mut two, "21 91", 1);
}

/// A terminal that nobody has given a size (`ssh -tt` in a script, `expect`) made the agent two columns wide, and so it stayed: the
/// question on its screen was gone.
#[test]
fn a_terminal_without_a_size_leaves_the_agent_the_one_it_has() {
    let world = World::new();
    world.script("sizes", SIZES);
    world.read_until("sizes", "ready");
    let mut one = attached(&world, "sizes", "1:30 100;");
    let mut unsized_terminal = world.terminal(Size::new(0, 0), &["attach", "sizes"]);
    unsized_terminal.types(b"x");
    // It echoes the key, and tells every size it gets.
    one.until_text("x");
    unsized_terminal.types(b"\x1c");
    unsized_terminal.ends();
    let sizes = one.screen.grid().text().matches(':').count();
    assert_eq!(sizes, 1, "{}", one.screen.grid().text());
}

#[test]
fn with_smallest_all_viewers_see_all_of_it() {
    let world = World::with_config("[attach]\nsize = \"smallest\"\n");
    world.script("sizes", SIZES);
    world.read_until("sizes", "ready");
    let mut one = attached(&world, "sizes", "1:30 100;");
    let mut two = world.terminal(Size::new(90, 40), &["attach", "sizes"]);
    is_told(&mut two, "30 90", 1);
    two.types(b"\x1c");
    two.ends();
    is_told(&mut one, "30 100", 2);
}

#[test]
fn the_chord_leaves_and_never_reaches_the_agent() {
    let world = World::new();
    world.script("echo", ECHO);
    let mut outer = attached(&world, "echo", "ready");
    outer.types(b"one\x1c");
    outer.ends();
    let mut outer = world.terminal(SIZE, &["attach", "--detach", "ctrl-g", "echo"]);
    outer.until_text("one");
    outer.types(b"\x1c");
    outer.until_text("one^\\");
    outer.types(b"two\x07");
    outer.ends();
    let mut looking = world.terminal(SIZE, &["attach", "--read-only", "echo"]);
    looking.until_text("one^\\two");
    looking.until_text("without keys");
    looking.types(b"not this\x1c");
    looking.ends();
    world.ok(&["send", "echo", "three"]);
    world.read_until("echo", "one^\\twothree");
}

/// Only `--help` told how one leaves, and `ctrl-b d` typed a `d`.
#[test]
fn how_one_leaves_is_said_at_the_start_and_to_those_who_try_it_as_in_tmux() {
    let world = World::new();
    world.script("echo", ECHO);
    let words = r"attached to echo · ctrl-\ detaches";
    let mut outer = attached(&world, "echo", "ready");
    outer.until_text(words);
    outer.types(b"x");
    outer.until("the line to go", |screen| {
        let text = screen.grid().text();
        text.contains('x') && !text.contains(words)
    });
    outer.types(b"\x02d");
    outer.until("the line to come back", |screen| {
        let text = screen.grid().text();
        text.contains("x^Bd") && text.contains(words)
    });
    // It is no part of the agent's screen.
    assert!(!world.ok(&["read", "echo", "--screen"]).contains("detaches"));
    outer.types(b"\x1c");
    outer.ends();
    // Without a key it goes by itself.
    let mut outer = attached(&world, "echo", "x^Bd");
    outer.until_text(words);
    outer.until("the line to go by itself", |screen| !screen.grid().text().contains(words));
}

#[test]
fn the_terminal_is_given_back_whatever_ends_it() {
    let world = World::new();
    let drawn = r"stty raw -echo; printf '\033[?1049h\033[?1003h\033[?1006h\033[?2004h\033[>3u\033[?25lready'; exec cat -v";
    world.script("echo", drawn);
    // The rest end a process that says nothing of them, and left the terminal as it was.
    let rest = [Signal::SIGUSR1, Signal::SIGUSR2, Signal::SIGALRM, Signal::SIGVTALRM, Signal::SIGXCPU];
    for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT].into_iter().chain(rest) {
        let mut outer = attached(&world, "echo", "ready");
        outer.until("mouse", |screen| screen.modes().mouse_motion);
        outer.signal(signal);
        assert_eq!(outer.ends().code(), Some(130), "{signal}");
    }
    let mut dashboard = world.terminal(SIZE, &[]);
    dashboard.until_text("ready");
    dashboard.signal(Signal::SIGTERM);
    assert_eq!(dashboard.ends().code(), Some(130));
    let mut outer = attached(&world, "echo", "ready");
    world.ok(&["stop", "echo"]);
    outer.ends();
    outer.until_text("[echo is gone]");
    world.script("echo", drawn);
    let mut outer = attached(&world, "echo", "ready");
    world.ok(&["down"]);
    outer.ends();
    assert!(outer.text().contains("is gone]") || outer.text().contains("has ended]"), "{}", outer.text());
}

/// A terminal that gives the largest size there can be: the dashboard asked for gigabytes of cells, aborted, and left it raw.
#[test]
fn a_terminal_of_an_absurd_size_is_drawn_on_as_far_as_a_pane_goes() {
    let world = World::new();
    world.script("echo", "echo ready; exec cat");
    for args in [&["attach", "echo"][..], &[]] {
        let counsel = world.command();
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "stty rows 65535 cols 65535; exec \"$@\"", "sh"]).arg(counsel.get_program());
        command.args(args).current_dir(world.path("work")).env_clear();
        command.envs(counsel.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut outer = desk::Terminal::open(&mut command, SIZE);
        outer.until_text("ready");
        outer.signal(Signal::SIGTERM);
        assert_eq!(outer.ends().code(), Some(130), "{args:?}");
    }
}

/// A closed terminal was a panic (101), where SIGHUP is ignored as under nohup too.
#[test]
fn a_terminal_that_is_closed_ends_it_without_a_panic() {
    let world = World::new();
    world.script("echo", "echo ready; exec cat");
    for args in [&["attach", "echo"][..], &[]] {
        let mut outer = world.terminal(SIZE, args);
        outer.until_text("ready");
        assert_eq!(outer.hangs_up().code(), Some(130), "{args:?}");
        let mut command = std::process::Command::new("sh");
        let counsel = world.command();
        command.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(counsel.get_program()).args(args);
        for (name, value) in counsel.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.current_dir(world.path("work"));
        let mut outer = desk::Terminal::open(&mut command, SIZE);
        outer.until_text("ready");
        let code = outer.hangs_up().code();
        assert_eq!(code, Some(130), "{args:?}");
    }
    assert_eq!(world.agent("echo")["name"], "echo");
}

/// Frames are written between two looks at what has come: where the terminal that shows them is closed, that is met first.
/// Here it is another one than that of the keys, which stays.
#[test]
fn a_frame_that_nothing_shows_any_more_ends_it_without_an_error() {
    let world = World::new();
    for (round, args) in [&["attach", "echo"][..], &[]].into_iter().enumerate() {
        world.script("echo", "echo ready; exec cat");
        let shown = pty::open(SIZE).unwrap();
        let place = std::fs::read_link(format!("/proc/self/fd/{}", shown.slave.as_raw_fd())).unwrap();
        let counsel = world.command();
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "out=$1; shift; exec \"$@\" > \"$out\"", "sh"]).arg(&place);
        command.arg(counsel.get_program()).args(args).current_dir(world.path("work")).env_clear();
        command.envs(counsel.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut keys = Terminal::open(&mut command, SIZE);
        let mut came = String::new();
        while !came.contains("ready") {
            let mut buffer = [0; 4096];
            if let pty::Output::Bytes(count) = pty::read(&shown.master, &mut buffer).unwrap() {
                came.push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
            assert!(keys.child.try_wait().unwrap().is_none(), "{args:?}: {came:?} {}", keys.text());
            std::thread::yield_now();
        }
        drop(shown);
        world.ok(&["send", "echo", "more", "--enter"]);
        assert_eq!(keys.ends().code(), Some(130), "round {round}: {}", keys.text());
        world.ok(&["stop", "echo"]);
    }
}

/// For up to 150 ms a terminal is asked what it can do. It was raw by then, and a signal was not taken yet.
#[test]
fn a_signal_while_the_terminal_is_asked_what_it_can_do_gives_it_back() {
    let world = World::new();
    world.script("echo", ECHO);
    world.read_until("echo", "ready");
    for args in [&["attach", "echo"][..], &[]] {
        for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT] {
            let mut outer = world.terminal(SIZE, args);
            outer.mute = true;
            outer.until_bytes(b"\x1b[?u\x1b[c");
            outer.signal(signal);
            assert_eq!(outer.ends().code(), Some(130), "{args:?} {signal}");
        }
    }
}

/// Signalled before it had a terminal to give back, the dashboard died of the signal: its handlers came after it had
/// asked the server for this and that. Here the server it asks never answers.
#[test]
fn a_signal_that_comes_before_the_terminal_is_taken_ends_it_with_130() {
    let world = World::new();
    let silent = UnixListener::bind(world.path("run/counsel.sock")).unwrap();
    for args in [[].as_slice(), ["attach", "echo"].as_slice()] {
        for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT] {
            let mut outer = world.terminal(SIZE, args);
            let _asked = silent.accept().unwrap();
            outer.signal(signal);
            assert_eq!(outer.ends().code(), Some(130), "{args:?} {signal}");
        }
    }
}

/// The demonstration blocked signals, the story and its server inherited that, and nothing but the dashboard's keys
/// ended them; SIGQUIT ended the one process that would have given the terminal back.
#[test]
fn a_demonstration_that_is_signalled_leaves_nothing_behind() {
    let world = World::new();
    for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT] {
        let mut outer = world.terminal(Size::new(140, 44), &["demo"]);
        outer.until_text("Which database");
        let pid = outer.child.id();
        let cast = proc::tree(pid);
        assert!(cast.len() > 5, "the story, its server, keepers and agents: {cast:?}");
        outer.signal(signal);
        assert_eq!(outer.ends().code(), Some(130), "{signal}");
        let still = |process: &&proc::Process| {
            proc::look(process.pid).is_some_and(|now| now.started == process.started && !now.is_dead())
        };
        assert_eq!(cast.iter().filter(still).collect::<Vec<_>>(), Vec::<&proc::Process>::new(), "{signal}");
        let folder = std::env::temp_dir().join(format!("counsel-demo-{pid}"));
        assert!(!folder.exists(), "{signal}: {folder:?}");
    }
}

#[test]
fn a_viewer_outlives_its_server() {
    let world = World::new();
    world.script("echo", ECHO);
    let mut outer = attached(&world, "echo", "ready");
    outer.types(b"before");
    outer.until_text("before");
    kill(world.server_pid(), Signal::SIGKILL).unwrap();
    outer.until_text("no connection to the server");
    outer.until("picture of the next server", |screen| {
        let text = screen.grid().text();
        text.contains("before") && !text.contains("no connection")
    });
    outer.types(b" after");
    outer.until_text("before after");
    outer.types(b"\x1c");
    assert!(outer.ends().success());
}

#[test]
fn a_viewer_that_shows_nothing_does_not_hold_up_the_agent() {
    let world = World::new();
    let flood = "echo ready; read go; head -c 2000000 /dev/zero | tr '\\0' x; echo; echo done";
    world.script("flood", flood);
    let mut stuck = attached(&world, "flood", "ready");
    // From here on nobody reads what it shows.
    stuck.types(b"go\r");
    assert_eq!(world.ok(&["wait", "flood", "--for", "exited", "--timeout", "80"]), "");
    stuck.until_text("done");
}

#[test]
fn a_paused_agent_goes_on_when_somebody_attaches() {
    let world = World::new();
    world.script("echo", ECHO);
    world.read_until("echo", "ready");
    world.ok(&["pause", "echo"]);
    let mut looking = world.terminal(SIZE, &["attach", "--no-resume", "echo"]);
    looking.until_text("echo is paused");
    looking.types(b"lost\x1c");
    looking.ends();
    assert_eq!(world.agent("echo")["state"], "paused");
    let mut outer = attached(&world, "echo", "ready");
    outer.types(b"taken");
    outer.until_text("taken");
    assert!(!outer.text().contains("lost"), "{}", outer.text());
    assert_ne!(world.agent("echo")["state"], "paused");
}

/// It was told so in other words than by every other verb, and with 0: a script took it for the end of a visit.
#[test]
fn an_agent_cannot_attach() {
    let world = World::new();
    world.script("echo", ECHO);
    let exe = env!("CARGO_BIN_EXE_counsel");
    world.script("curious", &format!("{exe} --socket \"$COUNSEL_SOCKET\" attach echo; echo \"code $?\""));
    world.read_until("curious", "counsel: could not attach to echo: an agent may not do this");
    world.read_until("curious", "code 4");
}

/// It ended without a word, and nobody knew what of the team was left.
#[test]
fn a_dashboard_that_shuts_down_says_what_it_stopped() {
    let world = World::new();
    world.script("echo", "printf ready; exec cat");
    let mut dashboard = world.terminal(SIZE, &[]);
    dashboard.until_text("ready");
    dashboard.types(b"\x01:shut down\r");
    dashboard.until_text("Stop 1 agent and the server?");
    dashboard.types(b"y");
    assert_eq!(dashboard.ends().code(), Some(0));
    let text = dashboard.text();
    let said = ["[stopped 1 agent and the server: echo]", "[the server has ended]"];
    assert!(said.iter().any(|words| text.contains(words)), "{text}");
    world.script("echo", "printf ready; exec cat");
    assert_eq!(world.ok(&["down"]), "stopped 1 agent and the server: echo\n");
}

#[test]
fn the_layout_that_was_chosen_comes_back() {
    let world = World::new();
    world.script("echo", "printf ready; exec cat");
    for next in ["layout: main-and-stack", "layout: columns"] {
        let mut dashboard = world.terminal(SIZE, &[]);
        dashboard.until_text("ready");
        dashboard.types(b"\x01 ");
        dashboard.until_text(next);
        dashboard.types(b"\x01d");
        assert_eq!(dashboard.ends().code(), Some(0));
    }
}

/// Its sequences stood there as text.
#[test]
fn a_terminal_that_shows_no_screen_is_told_what_needs_none() {
    let world = World::new();
    // Wide enough for all of it on one line.
    let mut dumb = Terminal::open(world.command().env("TERM", "dumb"), Size::new(160, 24));
    assert_eq!(dumb.ends().code(), Some(1));
    dumb.until_text("TERM=dumb");
    let text = dumb.text();
    assert!(text.contains("'counsel ls' and 'counsel questions' need none"), "{text}");
    world.ok(&["start", "a", "--", "cat"]);
    let mut attach = world.command();
    let mut dumb = Terminal::open(attach.args(["attach", "a"]).env("TERM", "dumb"), Size::new(160, 24));
    assert_eq!(dumb.ends().code(), Some(1));
    dumb.until_text("(TERM=dumb); 'counsel read' prints what the agent shows");
}

/// With several worktrees side by side nothing said which of them one looks at.
#[test]
fn a_pane_names_the_branch_of_its_agents_folder() {
    let world = World::new();
    std::fs::create_dir(world.path("work/.git")).unwrap();
    std::fs::write(world.path("work/.git/HEAD"), "ref: refs/heads/fix-login\n").unwrap();
    world.script("api", ECHO);
    let mut dashboard = world.terminal(SIZE, &[]);
    dashboard.until_text("· fix-login ");
    dashboard.types(b"\x01d");
    assert!(dashboard.ends().success());
}

/// Each line went in as a paste. To whoever tells the two apart, Enter was a line feed in it, and no line ever ended.
#[test]
fn enter_is_pressed_in_a_program_of_exec() {
    let world = World::new();
    let line = "stty raw -echo; printf '\\033[?2004hready '; head -c 4 | cat -v; echo";
    let mut terminal = world.terminal(Size { cols: 80, rows: 24 }, &["exec", "--", "sh", "-c", line]);
    terminal.until_text("ready");
    terminal.types(b"foo\r");
    terminal.until_text("foo^M");
    assert!(terminal.ends().success());
}

/// Keys were handed over with the next Enter only: `q` did nothing in a pager, and "press any key" waited.
#[test]
fn a_key_is_pressed_at_once_in_a_program_of_exec() {
    let world = World::new();
    let line = "stty raw -echo; printf 'ready '; head -c 5 | cat -v; echo";
    let mut terminal = world.terminal(Size { cols: 80, rows: 24 }, &["exec", "--", "sh", "-c", line]);
    terminal.until_text("ready");
    terminal.types(b"q\x1b[A\x04");
    terminal.until_text("q^[[A^D");
    assert!(terminal.ends().success());
    // In a mode of its own an arrow is another sequence, which the person's terminal knows nothing of.
    let line = "stty raw -echo; printf '\\033[?1hready '; head -c 4 | cat -v; echo";
    let mut terminal = world.terminal(Size { cols: 80, rows: 24 }, &["exec", "--", "sh", "-c", line]);
    terminal.until_text("ready");
    terminal.types(b"\x1b[A\x1b");
    terminal.until_text("^[OA^[");
    assert!(terminal.ends().success());
}

/// What is typed stands there as it is typed, and what is taken back does not: it stood there twice.
#[test]
fn a_line_is_edited_in_a_program_of_exec() {
    let world = World::new();
    let line = "printf 'name: '; read name; echo \"so $name.\"";
    let mut terminal = world.terminal(Size { cols: 80, rows: 24 }, &["exec", "--", "sh", "-c", line]);
    terminal.until_text("name:");
    terminal.types(b"Ado");
    terminal.until_text("name: Ado");
    terminal.types(b"\x7f");
    terminal.until("the line without its last letter", |screen| {
        screen.grid().text().lines().next().is_some_and(|line| line.trim_end() == "name: Ad")
    });
    terminal.types(b"a\r");
    terminal.until_text("so Ada.");
    assert!(terminal.text().starts_with("name: Ada\n"), "{}", terminal.text());
    assert!(terminal.ends().success());
}

/// A program that ran as the window changed its size drew for the one before.
#[test]
fn a_program_of_exec_has_the_size_of_the_window() {
    let world = World::new();
    let line = "trap 'stty size' WINCH; stty size; while :; do sleep 0.1; done";
    let args = ["exec", "--name", "sized", "--", "bash", "-c", line];
    let mut terminal = world.terminal(Size { cols: 80, rows: 24 }, &args);
    terminal.until_text("24 80");
    terminal.resize(Size { cols: 100, rows: 30 });
    terminal.until_text("30 100");
    // The key that breaks it off does so still.
    terminal.types(b"\x03");
    assert_eq!(terminal.ends().code(), Some(130));
    assert!(world.ok(&["ls", "--json"]).is_empty());
}
