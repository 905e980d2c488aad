//! Programs of every kind in a pane of the dashboard look as on a terminal of that size: cell by cell with their
//! styles, and after each of 50 resizes.
//!
//! The dashboard runs on a PTY of its own, the program beside it on another one; both get the same keys and sizes. What
//! is compared is what the outer terminal shows inside the pane's border, by counsel's own emulator, which knows every
//! style, and by one that is not ours. A program that is missing is named, and with CI=true that is a failure.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bare;
#[path = "world/needs.rs"]
mod needs;
mod world;

use std::process::Command;
use std::time::{Duration, Instant};

use bare::{Bare, DEADLINE, Pair, inner, sizes};
use counsel::core::terminal::grid::Size;
use world::World;

/// The dashboard's terminal at first.
const OUTER: Size = Size { cols: 120, rows: 40 };

fn main() {
    needs::run(&[
        ("vim", || needs::program("vim"), vim),
        ("less", || needs::program("less"), less),
        ("htop", || needs::program("htop").or_else(needs::namespaces), htop),
        ("tmux", needs::tmux, tmux),
        ("a_program_that_uses_every_style", needs::nothing, every_style),
    ]);
}

/// A program in the dashboard, and the same on a terminal.
struct Both {
    world: World,
    pair: Pair,
}

/// What both programs have in their environment, and nothing else.
fn environment(world: &World) -> Vec<String> {
    let path = std::env::var("PATH").unwrap();
    let folder = world.path("home");
    let pairs = [
        ("TERM", "xterm-256color"),
        ("LANG", "C.UTF-8"),
        ("PATH", &path),
        ("HOME", &folder.display().to_string()),
        ("HTOPRC", &world.path("work/htoprc").display().to_string()),
        ("LESSHISTFILE", "-"),
    ];
    let pairs = pairs.iter().map(|(name, value)| format!("{name}={value}"));
    ["env".to_owned(), "-i".to_owned()].into_iter().chain(pairs).collect()
}

impl Both {
    /// Both, once they show these words. `command` is told which of the two it is.
    fn start(world: World, words: &str, command: impl Fn(&World, &str) -> Vec<String>) -> Both {
        let size = inner(OUTER);
        let env = environment(&world);
        let within = |which: &str| [env.clone(), command(&world, which)].concat();
        let inside = within("pane");
        let inside: Vec<&str> = inside.iter().map(String::as_str).collect();
        world.ok(&[&["start", "it", "--size", &size.to_string(), "--"], inside.as_slice()].concat());
        let mut dashboard = world.command();
        dashboard.env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        let mut dashboard = Bare::start(dashboard, OUTER);
        dashboard.shows("1 agent");
        dashboard.types(b"\x01z");
        let alone = within("bare");
        let mut command = Command::new(&alone[0]);
        command.args(&alone[1..]).current_dir(world.path("work"));
        let bare = Bare::start(command, size);
        let mut both = Both { world, pair: Pair::new(dashboard, bare, OUTER) };
        both.pair.bare.shows(words);
        both.pair.dashboard.shows("zoom");
        both.pair.dashboard.shows(words);
        // The pane was smaller before it was zoomed, and programs say less once they were resized: now both were.
        both.resize(Size::new(OUTER.cols - 1, OUTER.rows));
        both
    }

    fn types(&mut self, keys: &str) {
        self.pair.types(keys);
    }

    fn alike(&mut self, what: &str, words: &str) {
        self.pair.alike(what, words);
    }

    fn resize(&mut self, outer: Size) {
        self.pair.resize(outer);
        // A key must not overtake it.
        let until = Instant::now() + DEADLINE;
        let Size { cols, rows } = self.pair.size;
        let size = |agent: &serde_json::Value| Some((agent["cols"].as_u64()?, agent["rows"].as_u64()?));
        while self.world.json(&["ls", "--json"]).first().and_then(size) != Some((cols.into(), rows.into())) {
            self.pair.dashboard.take(Duration::from_millis(5));
            assert!(Instant::now() < until, "the agent never was {}", self.pair.size);
        }
    }

    fn resized(&mut self, words: &str) {
        for (number, size) in sizes(Size::new(60, 24), Size::new(120, 40)).enumerate() {
            self.resize(size);
            self.alike(&format!("after resize {number}"), words);
        }
    }
}

fn words(text: &[&str]) -> Vec<String> {
    text.iter().map(|word| (*word).to_owned()).collect()
}

fn source() -> String {
    let mut text = String::from("/* needle: the first line */\n#include <stdio.h>\n\n");
    for number in 0..120 {
        text.push_str(&format!(
            "static int f{number}(int x)\n{{\n\t/* 漢字 é: line {number}, {} */\n\treturn x + {number};\n}}\n",
            "long ".repeat(number % 30)
        ));
    }
    text
}

fn vim() {
    let world = World::new();
    world.write("work/a.c", &source());
    // Without its message about the file: one that is resized while it still starts draws that a second time.
    let mut pair = Both::start(world, "needle", |_, _| {
        words(&[
            "vim",
            "-N",
            "-u",
            "NONE",
            "-i",
            "NONE",
            "-n",
            "--cmd",
            "set shm+=F",
            "-c",
            "syntax on",
            "a.c",
        ])
    });
    pair.alike("at first", "needle");
    pair.types(":set number cursorline hlsearch laststatus=2\r");
    pair.alike("with numbers", "  1 /*");
    pair.types("/return\r");
    pair.alike("searching", "return");
    pair.types(":split\r");
    pair.alike("split", "a.c");
    pair.types("Onew words 漢\x1b");
    pair.alike("with words", "new words 漢");
    pair.types("VGk");
    pair.alike("selecting", "VISUAL");
    pair.resized("a.c");
    pair.types("\x1b:only\rgg");
    pair.alike("at the end", "needle");
}

fn less() {
    let world = World::new();
    let styled: String = (0..200)
        .map(|line| format!("\x1b[1;3{}mword\x1b[m \x1b[4munder\x1b[m 漢字 é line {line}\n", line % 8))
        .collect();
    world.write("work/a.txt", &styled);
    let mut pair = Both::start(world, "line 0", |_, _| words(&["less", "-R", "a.txt"]));
    pair.alike("at first", "line 0");
    pair.types("/line 5\r");
    pair.alike("searching", "line 5");
    pair.types("nnn");
    pair.alike("stepping", "line 5");
    pair.resized("line 5");
    pair.types("G");
    pair.alike("at the end", "line 199");
}

/// In a process namespace of its own, where nothing happens that the other one does not see.
fn htop() {
    let world = World::new();
    let config = "hide_kernel_threads=1\nhighlight_base_name=1\nheader_layout=one_100\ncolumn_meters_0=Hostname\n\
        column_meter_modes_0=2\nfields=0 48 1\nsort_key=0\nsort_direction=1\ndelay=600\n";
    world.write("work/htoprc", config);
    // A child that has not come to its own program yet has the shell's command line, and htop looks once.
    let script = "sleep 86400 & sleep 86401 & \
        until read one </proc/2/comm; read other </proc/3/comm; [ \"$one$other\" = sleepsleep ]; do :; done; exec htop -d 600";
    let mut pair = Both::start(world, "sleep 86401", |_, _| {
        words(&["unshare", "-r", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", script])
    });
    pair.alike("at first", "sleep 86401");
    // As it is typed where a program has asked for application cursor keys.
    pair.types("\x1bOB");
    pair.alike("one down", "sleep 86401");
    pair.resized("sleep 86401");
}

fn tmux() {
    let world = World::new();
    let config = "set -g status-right ''\nset -g status-left 'left '\nset -g automatic-rename off\n\
        set -g escape-time 0\nset -g default-terminal tmux-256color\n\
        set -g default-command \"printf '\\033[1;31mred\\033[m \\033[4:3;58:5:9mcurly\\033[m 漢字\\n'; exec cat\"\n";
    world.write("work/tmux.conf", config);
    let mut pair = Both::start(world, "curly", |world, which| {
        let socket = world.path(which).display().to_string();
        words(&["tmux", "-S", &socket, "-f", "tmux.conf", "new-session", "-n", "one"])
    });
    pair.alike("at first", "curly");
    pair.types("\x02%");
    pair.alike("split", "curly 漢字");
    pair.types("typed here\r");
    pair.alike("typed", "typed here\n");
    pair.types("\x02\"");
    pair.alike("split again", "curly");
    pair.resized("left");
    for socket in ["pane", "bare"] {
        let socket = pair.world.path(socket).display().to_string();
        let _ = Command::new("tmux").args(["-S", &socket, "kill-server"]).output();
    }
}

/// Everything an agent may do to a cell, drawn anew at each size.
fn every_style() {
    let world = World::new();
    let script = r#"
draw() {
  printf '\033[H\033[2J%s\r\n' "$(stty size)"
  for style in 1 2 3 4 5 7 8 9 '4:2' '4:3' '4:4' '4:5' '31' '93' '38;5;208' '38;2;1;2;3' '41' '48;5;99' '48;2;9;8;7' \
    '4;58:5:9' '4:3;58:2::1:2:3' '1;3;4;7;31;42'; do
    printf '\033[%smabc 漢 é\033[m ' "$style"
    printf '\033[%smabc\033[m ' "$style"
    case $style in ?) ;; *) printf '\r\n' ;; esac
  done
  printf '\033]8;;https://example.org/a\033\\leads\033]8;;\033\\ \033]8;id=x;https://example.org/b\033\\there\033]8;;\033\\'
  printf '\033[5 q'
}
trap draw WINCH
draw
while :; do sleep 0.1; done
"#;
    world.write("work/styles.sh", script);
    let mut pair = Both::start(world, "leads", |_, _| words(&["sh", "styles.sh"]));
    pair.alike("at first", "leads there");
    let size = |both: &Both| format!("{} {}", both.pair.size.rows, both.pair.size.cols);
    for (cols, rows) in [(90, 30), (61, 24), (200, 60), (80, 24)] {
        pair.resize(Size::new(cols, rows));
        let words = size(&pair);
        pair.alike("resized", &words);
    }
}
