//! The table of `isolate` in docs/security.md, word by word: each of its rows is an attack, tried at each level, and comes
//! to what the page says there. Where the page says yes the attack succeeds: that is how it is seen to be one.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use crate::place::{Level, Place};

/// How rows of the page begin, and the part that tries what each says.
const ROWS: [(&str, &str); 15] = [
    ("signals to keepers", "kill"),
    ("limits of keepers", "limit"),
    ("their priority", "slow"),
    ("memory, descriptors", "link"),
    ("counsel's state", "write"),
    ("the people's socket", "connect"),
    ("your tmux", "connect"),
    ("other agents' terminals", "write"),
    ("keys into its own terminal", "type"),
    ("another line discipline", "discipline"),
    ("the kernel's settings", "write"),
    ("your start-up files", "write"),
    ("`sudo`", "set-user-id"),
    ("the network", "dial"),
    ("hooks", "list"),
];

/// The cells of the page's table: its rows, each with what is said at each level.
fn rows() -> Vec<(String, Vec<String>)> {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/security.md")).unwrap();
    let table = page.lines().skip_while(|line| *line != "| | none | landlock | namespace | uid |").skip(3);
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let rows = table.take_while(|line| line.starts_with('|')).map(cells);
    rows.map(|mut row| (row.remove(0), row)).collect()
}

/// Whether such a cell says that the agent can. `None`: it is the kernel's to say.
fn can(cell: &str) -> Option<bool> {
    let (of_root, of_others) = match cell.split_once(", else ") {
        Some((of_root, of_others)) => (of_root.strip_prefix("root: ").unwrap_or(of_root), of_others),
        None => (cell, cell),
    };
    let cell = if nix::unistd::geteuid().is_root() { of_root } else { of_others };
    let yes = ["yes", "yours", "as that user"].iter().any(|word| cell.starts_with(word));
    let no = cell.starts_with("**no**") || cell == "no";
    (yes || no).then_some(yes)
}

/// Each row has its attack, and each cell says yes or no: nobody adds a row that is not tried.
pub fn each_row_of_the_page_is_an_attack() {
    let rows = rows();
    assert_eq!(rows.len(), ROWS.len(), "{rows:?}");
    for ((row, cells), (begins, _)) in rows.iter().zip(ROWS) {
        assert!(row.starts_with(begins) && cells.len() == 4, "{row}: {cells:?}");
        let unsaid: Vec<_> = cells.iter().filter(|cell| can(cell).is_none()).collect();
        assert!(unsaid.iter().all(|cell| cell.contains("as the kernel says")), "{row}: {unsaid:?}");
    }
}

/// What the attacks are aimed at.
struct Targets {
    keeper: String,
    own: PathBuf,
    log: PathBuf,
    people: PathBuf,
    tmux: PathBuf,
    terminal: PathBuf,
    profile: PathBuf,
    port: String,
}

impl Targets {
    fn of(&self, row: &str) -> (&'static str, &Path) {
        match row {
            "memory, descriptors" => ("ATTACK_FILE", &self.own),
            "counsel's state" => ("ATTACK_FILE", &self.log),
            "the people's socket" => ("ATTACK_SOCKET", &self.people),
            "your tmux" => ("ATTACK_SOCKET", &self.tmux),
            "other agents' terminals" => ("ATTACK_FILE", &self.terminal),
            "the kernel's settings" => ("ATTACK_FILE", Path::new("/proc/sys/kernel/core_pattern")),
            "your start-up files" => ("ATTACK_FILE", &self.profile),
            "the network" => ("ATTACK_PORT", Path::new(&self.port)),
            _ => ("ATTACK_PID", Path::new(&self.keeper)),
        }
    }
}

/// Tries every row, and holds what came of it against the page.
pub fn what_the_page_says_of_a_level_is_so(level: Level) {
    let place = Place::at(level);
    place.ok(&["start", "warm", "--", "cat"]);
    let folder = PathBuf::from(format!("/tmp/tmux-{}", nix::unistd::geteuid()));
    std::fs::create_dir_all(&folder).unwrap();
    let door = tempfile::Builder::new().prefix("attack").tempdir_in(&folder).unwrap();
    let _tmux = UnixListener::bind(door.path().join("default")).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let terminal = nix::pty::openpty(None, None).unwrap();
    let targets = Targets {
        keeper: place.keeper_pid("warm").to_string(),
        own: PathBuf::from(format!("/proc/{}/fd/0", std::process::id())),
        log: place.write("state/decisions.jsonl", ""),
        people: place.socket(),
        tmux: door.path().join("default"),
        terminal: nix::unistd::ttyname(terminal.slave.as_fd()).unwrap(),
        profile: place.write("home/.profile", ""),
        port: listener.local_addr().unwrap().port().to_string(),
    };
    let (mut wrong, mut tried) = (Vec::new(), Vec::new());
    for (n, ((_, cells), (row, part))) in rows().iter().zip(ROWS).enumerate() {
        let Some(can) = can(&cells[level as usize]) else { continue };
        let said = place.agent(&format!("a{n}"), part, &[targets.of(row)]);
        let refused = match part {
            // The program says what became of it.
            "list" => !said.contains("\"warm\""),
            _ => said.starts_with("refused"),
        };
        tried.push(format!("{} | {row} | {said}", level.name()));
        if refused == can {
            wrong.push(format!("{row}: the page says '{}', and it came to: {said}", cells[level as usize]));
        }
    }
    assert!(wrong.is_empty(), "{level:?}:\n{}\ntried:\n{}", wrong.join("\n"), tried.join("\n"));
}

/// Attacks that are made where nothing keeps an agent from making them, and why not elsewhere.
const ONLY_AT_NONE: [(&str, &str); 6] = [
    ("questions::a_forged_hook_ends_no_question_that_stands", "an agent of another user has no hooks"),
    ("questions::", "no agent of another level kills a server"),
    ("screen::", "whoever draws has the agent's own terminal open, as whatever user that agent runs"),
    (
        "files::",
        "levels::an_agent_puts_nothing_in_the_place_of_what_counsel_keeps keeps an agent of another level from laying them",
    ),
    ("keepers::", "the attacker is an orphan of an agent, or a file, whatever level that agent had"),
    ("below::", "the attacker is what a person's own counsel starts, or a server of the agent's own"),
];

/// Attacks of a cloned repository, and of people's processes: of no agent's level.
const OF_NO_LEVEL: [&str; 6] = [
    "files::a_cloned_file_that_never_ends_costs_an_error",
    "person::a_person_stays_one_and_an_agent_looks_on",
    "person::a_persons_scripts_and_containers_are_the_persons",
    "person::the_agents_socket_makes_no_person",
    "person::an_agents_orphans_keep_no_other_agent_out",
    "person::what_counsels_own_tmux_starts_is_no_person",
];

/// Says in a file of the target's folder which attack is tried at which level, and why not at the others.
pub fn each_attack_has_its_word_at_each_level(tests: &[crate::needs::Test]) {
    let names: BTreeSet<&str> = tests.iter().map(|(name, ..)| *name).collect();
    let attack = |name: &&str| name.rsplit(' ').next().unwrap_or_default().to_owned();
    let attacks: BTreeSet<String> = names.iter().map(attack).collect();
    let levels = ["None", "Landlock", "Namespace", "Uid"];
    // What asks for no level is made at none.
    let at = |attack: &str| {
        levels.map(|level| {
            names.contains(format!("{level} {attack}").as_str()) || level == "None" && names.contains(attack)
        })
    };
    let mut table = String::new();
    for attack in &attacks {
        let tried = at(attack);
        let why = OF_NO_LEVEL.contains(&attack.as_str()).then_some("of no agent's level");
        let only = || ONLY_AT_NONE.iter().find(|(begins, _)| attack.starts_with(begins)).map(|(_, why)| *why);
        let why = why.or_else(only).filter(|_| tried != [true; 4]);
        // Of a level alone: it is about what that one keeps.
        let why = why.or_else(|| {
            (attack.starts_with("levels::") || attack.starts_with("told::")).then_some("about those levels")
        });
        let cells: Vec<&str> =
            levels.iter().zip(tried).map(|(level, tried)| if tried { level } else { "-" }).collect();
        table += &format!("{attack}: {} {}\n", cells.join(" "), why.unwrap_or_default());
        assert!(tried == [true; 4] || why.is_some(), "{attack} is tried at {tried:?} of {levels:?} alone");
    }
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("attacks-by-level.txt"), table).unwrap();
}
