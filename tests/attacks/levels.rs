//! What each level of `isolate` keeps from an agent, and what must go on working for it and for whoever watches it.

use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use crate::place::{Level, Place, said};

/// A background child answered the dialog its parent showed. Only root's agents are kept from it at `none`.
pub fn an_agent_presses_no_keys_in_its_own_terminal(level: Level) {
    let place = Place::at(level);
    let said = place.agent("typist", "type", &[]);
    assert!(said.starts_with("refused"), "{said}");
}

/// Under another line discipline its terminal took nothing that its program printed, a request for consent for one, and
/// nobody saw it. Only root's agents are kept from it at `none`.
pub fn an_agent_changes_no_line_discipline(level: Level) {
    let place = Place::at(level);
    let said = place.agent("changer", "discipline", &[]);
    assert!(said.starts_with("refused"), "{said}");
}

/// Signals, secrets, files and the terminal's input; the agents' socket and job control go on.
pub fn it_keeps_an_agent_from_everything(level: Level) {
    let place = Place::at(level);
    place.ok(&["start", "warm", "--", "cat"]);
    let keeper = place.keeper_pid("warm");
    let environ = PathBuf::from(format!("/proc/{keeper}/environ"));
    let (log, own) = (place.path("state/decisions.jsonl"), place.path("home/.config/counsel/config.toml"));
    let pid = PathBuf::from(keeper.to_string());
    // Root's processes with CAP_PERFMON read all environments, and Landlock has no say in it.
    let landlocked_root = level == Level::Landlock && nix::unistd::geteuid().is_root();
    let secret = if landlocked_root { &log } else { &environ };
    let people = place.socket();
    std::fs::write(&log, "").unwrap();
    let mut attacks = vec![
        ("a", "kill", ("ATTACK_PID", pid.as_path())),
        ("l", "limit", ("ATTACK_PID", pid.as_path())),
        ("b", "read", ("ATTACK_FILE", secret.as_path())),
        ("c", "write", ("ATTACK_FILE", log.as_path())),
        ("d", "write", ("ATTACK_FILE", own.as_path())),
        ("e", "type", ("ATTACK_FILE", own.as_path())),
        ("t", "discipline", ("ATTACK_FILE", own.as_path())),
    ];
    // A socket's file opens by no right of Landlock.
    if level != Level::Landlock {
        attacks.push(("f", "connect", ("ATTACK_SOCKET", people.as_path())));
    }
    for (name, part, set) in attacks {
        let said = place.agent(name, part, &[set]);
        assert!(said.starts_with("refused"), "{part}: {said}");
    }
    let listed = place.json(&["ls", "--json"]);
    let level_of = |agent: &serde_json::Value| agent["isolate"].as_str().map(str::to_owned);
    for agent in listed.iter().filter(|agent| agent["name"] != "warm") {
        assert_eq!(level_of(agent).as_deref(), Some(level.name()), "{agent}");
    }
    place.ok(&["pause", "warm"]);
    place.ok(&["resume", "warm"]);
    place.ok(&["send", "warm", "hello", "--enter"]);
    // Another user does not come to the agents' socket; its agents are watched all the same.
    if level == Level::Uid {
        return;
    }
    let listed = place.agent("looks", "list", &[]);
    assert!(listed.contains("\"looks\""), "{listed}");
}

/// Root's agent named the program that the kernel starts at a crash, which runs outside of every level, and the control group
/// that ends with its keeper and server in it. What its processes need of `/proc` and `/sys` stays.
pub fn an_agent_changes_nothing_of_the_kernels(level: Level) {
    let place = Place::at(level);
    let settings =
        ["/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/irq/default_smp_affinity"];
    let devices =
        ["/sys/kernel/profiling", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/release_agent"];
    for (n, file) in settings.iter().chain(&devices).filter(|file| Path::new(**file).exists()).enumerate() {
        let said = place.agent(&format!("w{n}"), "write", &[("ATTACK_FILE", Path::new(*file))]);
        assert!(said.starts_with("refused"), "{file}: {said}");
    }
    for file in ["/proc/sys/kernel/pid_max", "/proc/self/status", "/sys/kernel/profiling"] {
        let said = place.agent(&file.replace('/', "-")[1..], "read", &[("ATTACK_FILE", Path::new(file))]);
        assert!(!said.starts_with("refused"), "{file}: {said}");
    }
}

/// A program found running by the user's tmux, the session's bus or the people's socket is outside at once.
pub fn it_keeps_an_agent_from_whoever_starts_programs(level: Level) {
    let place = Place::at(level);
    // As tmux has it, whatever its server is called.
    let folder = PathBuf::from(format!("/tmp/tmux-{}", nix::unistd::geteuid()));
    std::fs::create_dir_all(&folder).unwrap();
    let socket = tempfile::Builder::new().prefix("attack").tempdir_in(&folder).unwrap();
    let door = socket.path().join("default");
    let _listener = UnixListener::bind(&door).unwrap();
    let said = place.agent("g", "connect", &[("ATTACK_SOCKET", &door)]);
    assert!(said.starts_with("refused"), "{said}");
    // It puts nobody in the place of the agents' socket.
    let said = place.agent("h", "write", &[("ATTACK_FILE", &place.path("run/agents/mine.sock"))]);
    assert!(said.starts_with("refused"), "{said}");
}

/// A configuration that is not there yet is one that an agent could write.
pub fn an_agent_makes_no_configuration_where_there_is_none(level: Level) {
    let place = Place::at(level);
    std::fs::remove_dir_all(place.path("home/.config")).unwrap();
    let project = format!(
        "[[agent]]\nname = \"a\"\ncommand = [\"sh\", \"-c\", \"mv ~/.config ~/.aside; mkdir -p ~/.config/counsel; echo '[security]' >~/.config/counsel/config.toml; touch ~/../work/tried; exec cat\"]\nisolate = \"{}\"\n",
        level.name()
    );
    place.write("work/team.toml", &project);
    place.ok(&["up", "-f", "team.toml"]);
    said(&place.path("work/tried"));
    assert!(!place.path("home/.config/counsel/config.toml").exists(), "{level:?}");
}

/// The configuration was covered and the folder above it was not: moved aside with what covered it, and made anew,
/// it held a configuration of the agent's, which the next `counsel` of the person followed outside.
pub fn an_agent_moves_no_folder_above_what_is_kept_from_it(level: Level) {
    let place = Place::at(level);
    let deep = place.path("home/.config/counsel/config.toml");
    let own = std::fs::read_to_string(&deep).unwrap();
    for (name, file) in [("a", "home/.config/counsel/config.toml"), ("b", "state/decisions.jsonl")] {
        let said = place.agent(name, "aside", &[("ATTACK_FILE", &place.path(file))]);
        assert!(said.starts_with("refused"), "{file}: {said}");
    }
    let names = |folder: &str| -> Vec<_> {
        std::fs::read_dir(place.path(folder)).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    assert_eq!((names("home"), names("home/.config")), (vec![".config".into()], vec!["counsel".into()]));
    assert_eq!(std::fs::read_to_string(&deep).unwrap(), own);
    assert!(
        !std::fs::read_to_string(place.path("state/decisions.jsonl")).unwrap_or_default().contains("planted")
    );
}

/// At `none` each of these is an agent's to make, and a server lives with it (`files.rs`).
pub fn an_agent_puts_nothing_in_the_place_of_what_counsel_keeps(level: Level) {
    let place = Place::at(level);
    place.ok(&["start", "warm", "--", "cat"]);
    let mut files: Vec<PathBuf> = [
        "state/server.log",
        "state/decisions.jsonl",
        "state/trust.json",
        "state/journals/forged",
        "state/adopted/forged",
        "run/keep-forged.sock",
        // Whoever starts the next attacker reads it: the last one.
        "home/.config/counsel/config.toml",
    ]
    .map(|file| place.path(file))
    .into();
    // The folder of the sockets lies below the temporary one here, and so is open: what an agent has printed does not lie there.
    files.insert(0, place.journal("warm").with_extension("noted"));
    if level == Level::None {
        // Folders that an agent makes where there are none yet.
        for folder in ["state/adopted", "state/journals", "home/.config/counsel"] {
            std::fs::create_dir_all(place.path(folder)).unwrap();
        }
    } else {
        // Whoever starts the next attacker needs these.
        files.extend(
            ["run/counsel.sock", "run/counsel.sock.lock", "run/keep-warm.sock"].map(|file| place.path(file)),
        );
    }
    for (n, file) in files.iter().enumerate() {
        let said = place.agent(&format!("a{n}"), "plant", &[("ATTACK_FILE", file)]);
        assert_eq!(said == "refused", level != Level::None, "{}: {said}", file.display());
    }
    if level != Level::None {
        let said = place.agent("forger", "forge-in-tmux", &[("ATTACK_SOCKET", &place.keeper("forged"))]);
        assert!(said.starts_with("refused"), "{said}");
    }
}

/// tmux makes its folder with its first server. Whoever made it before was the server of the person's next tmux, and
/// had their terminal.
pub fn an_agent_waits_for_nobody_where_tmux_will_be(level: Level) {
    let place = Place::at(level);
    std::fs::create_dir(place.path("tmux")).unwrap();
    let mut command = place.command();
    command.env("TMUX_TMPDIR", place.path("tmux")).args(["start", "warm", "--", "cat"]);
    let done = crate::world::finish(&mut command, b"");
    assert_eq!(done.code, 0, "{done:?}");
    let folder = place.path("tmux").join(format!("tmux-{}", nix::unistd::geteuid()));
    place.agent("g", "listen", &[("ATTACK_SOCKET", &folder.join("default"))]);
    assert!(!folder.join("default").exists(), "{level:?}");
}

/// People keep their configuration elsewhere and link to it.
pub fn what_links_lead_to_is_kept_as_well(level: Level) {
    let place = Place::at(level);
    let own = std::fs::read_to_string(place.path("home/.config/counsel/config.toml")).unwrap();
    place.write("home/dots/counsel.toml", &own);
    std::fs::remove_file(place.path("home/.config/counsel/config.toml")).unwrap();
    std::os::unix::fs::symlink("../../dots/counsel.toml", place.path("home/.config/counsel/config.toml"))
        .unwrap();
    let file = place.path("home/dots/counsel.toml");
    let said = place.agent("a", "write", &[("ATTACK_FILE", &file)]);
    assert!(said.starts_with("refused"), "{said}");
    let said = place.agent("b", "aside", &[("ATTACK_FILE", &file)]);
    assert!(said.starts_with("refused"), "{said}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), own);
}

/// The link itself lay where the agent could put another in its place.
pub fn an_agent_leads_no_link_elsewhere(level: Level) {
    let place = Place::at(level);
    std::fs::rename(place.path("home/.config"), place.path("dots")).unwrap();
    let link = place.path("home/.config");
    std::os::unix::fs::symlink(place.path("dots"), &link).unwrap();
    let said = place.agent("a", "relink", &[("ATTACK_FILE", &link)]);
    assert!(said.starts_with("refused"), "{said}");
    assert_eq!(std::fs::read_link(link).unwrap(), place.path("dots"));
}

/// The command that calls a person ran in the agent's folder, and so ran what the agent had left there, outside.
pub fn what_an_agent_leaves_in_its_folder_is_not_run_for_it(level: Level) {
    let place = Place::at(level);
    let (ran, called) = (place.path("home/ran"), place.path("home/called"));
    let config = format!(
        "[security]\nisolate = \"{}\"\n[notify]\ncommand = [\"sh\", \"-c\", \"[ ! -e lure.sh ] || . ./lure.sh; touch {}\"]\n",
        level.name(),
        called.display()
    );
    place.write("home/.config/counsel/config.toml", &config);
    let project = format!(
        "[[agent]]\nname = \"a\"\ncommand = [\"sh\", \"-c\", \"echo touch {} > lure.sh; printf 'Use colors? [Y/n] '; read x\"]\n",
        ran.display()
    );
    place.write("work/team.toml", &project);
    place.ok(&["up", "-f", "team.toml"]);
    said(&called);
    assert!(place.path("work/lure.sh").exists(), "it was left there");
    assert!(!ran.exists(), "{level:?}: what the agent had left was run");
}
