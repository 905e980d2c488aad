//! Where an attack takes place: a world whose attackers are kept from it by one level of `isolate`.

use std::fs::Permissions;
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::unistd::Pid;

use crate::world::{self, DEADLINE, Done, World};

/// `isolate` of whoever attacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    None,
    Landlock,
    Namespace,
    /// Another user, who is this one.
    Uid,
}

/// Whom attackers run as at `Level::Uid`: there on every machine, and owns nothing.
const OTHER_USER: &str = "nobody";
pub const OTHER_UID: u32 = 65_534;

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::None => "none",
            Level::Landlock => "landlock",
            Level::Namespace => "namespace",
            Level::Uid => "uid",
        }
    }
}

/// A world and who attacks in it.
pub struct Place {
    world: World,
    pub level: Level,
}

impl Deref for Place {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Place {
    pub fn at(level: Level) -> Place {
        // Landlock leaves the folder of the sockets open below the temporary folder.
        let outside = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let world = if level == Level::Landlock { World::within(outside) } else { World::new() };
        let place = Place { world, level };
        match level {
            Level::None => {}
            Level::Landlock | Level::Namespace => {
                let own = format!("[security]\nisolate = \"{}\"\n", level.name());
                place.write("home/.config/counsel/config.toml", &own);
            }
            Level::Uid => place.open_to_others(),
        }
        place
    }

    /// The other user reaches its folder, its program and the program under test, and nothing that is counsel's.
    pub fn open_to_others(&self) {
        for folder in ["", "work"] {
            std::fs::set_permissions(self.path(folder), Permissions::from_mode(0o777)).unwrap();
        }
        for (program, name) in
            [(std::env::current_exe().unwrap().as_path(), "part"), (world::counsel(), "counsel")]
        {
            let here = self.path(&format!("work/{name}"));
            std::fs::hard_link(program, &here).or_else(|_| std::fs::copy(program, &here).map(drop)).unwrap();
        }
    }

    /// Starts an agent that plays this part, and waits for what came of it.
    pub fn agent(&self, name: &str, part: &str, set: &[(&str, &Path)]) -> String {
        let (out, started) = self.begin(name, part, set);
        wait_for(&out, || false)
            .unwrap_or_else(|| panic!("{part} said nothing; it was started so: {started:?}"))
    }

    /// The same with an attacker that may be ended before it has said anything: it notes its pid. Nothing: it was.
    pub fn agent_until_its_end(&self, name: &str, part: &str, set: &[(&str, &Path)]) -> Option<String> {
        let (out, _) = self.begin(name, part, set);
        let pid: u32 = said(&out.with_extension("pid")).parse().unwrap();
        wait_for(&out, || counsel::os::proc::look(pid).is_none_or(|process| process.is_dead()))
    }

    fn begin(&self, name: &str, part: &str, set: &[(&str, &Path)]) -> (PathBuf, Done) {
        let out = self.path(&format!("work/{name}.out"));
        let mut variables = vec![
            ("ATTACK_PART".to_owned(), part.to_owned()),
            ("ATTACK_OUT".to_owned(), out.display().to_string()),
        ];
        variables.extend(set.iter().map(|(name, path)| ((*name).to_owned(), path.display().to_string())));
        // An attacker may be quicker than the reply to whoever started it, and end the server before that.
        let started = match self.level {
            Level::Uid => self.start_as_other_user(name, variables),
            _ => self.start_by_hand(name, &variables),
        };
        self.write(&format!("work/{name}.started"), "");
        (out, started)
    }

    fn start_by_hand(&self, name: &str, variables: &[(String, String)]) -> Done {
        let exe = std::env::current_exe().unwrap().display().to_string();
        let variables: Vec<String> =
            variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut args = vec!["start", name];
        for variable in &variables {
            args.extend(["--env", variable]);
        }
        args.extend(["--", &exe]);
        self.run(&args)
    }

    fn start_as_other_user(&self, name: &str, mut variables: Vec<(String, String)>) -> Done {
        let here = |name: &str| self.path(&format!("work/{name}")).display().to_string();
        variables.push(("COUNSEL_UNDER_TEST".to_owned(), here("counsel")));
        let lines: Vec<String> =
            variables.iter().map(|(name, value)| format!("{name} = {value:?}\n")).collect();
        let team = format!(
            "[[agent]]\nname = {name:?}\ncommand = [{:?}]\nisolate = \"uid\"\nuser = {OTHER_USER:?}\n[agent.env]\n{}",
            here("part"),
            lines.concat()
        );
        self.write(&format!("work/{name}.toml"), &team);
        self.run(&["up", "-f", &format!("{name}.toml")])
    }

    pub fn keeper(&self, name: &str) -> PathBuf {
        self.path("run").join(format!("keep-{name}.sock"))
    }

    /// What the next server is to know of an agent's screen.
    pub fn journal(&self, name: &str) -> PathBuf {
        let keeper = self.keeper(name).to_string_lossy().trim_start_matches('/').replace('/', "%");
        self.path("state/journals").join(keeper)
    }

    /// The people's.
    pub fn socket(&self) -> PathBuf {
        self.path("run/counsel.sock")
    }

    pub fn server_pid(&self) -> Pid {
        let out = self.ok(&["server"]);
        let digits: String =
            out.chars().skip_while(|ch| !ch.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
        Pid::from_raw(digits.parse().unwrap())
    }

    pub fn keeper_pid(&self, name: &str) -> u32 {
        let listed = self.json(&["ls", "--json"]);
        let agent = listed.iter().find(|agent| agent["name"] == name).unwrap();
        let pid = u32::try_from(agent["pid"].as_u64().unwrap()).unwrap();
        counsel::os::proc::look(pid).unwrap().parent
    }

    pub fn names(&self) -> Vec<String> {
        let listed = self.json(&["ls", "--json"]);
        listed.iter().map(|agent| agent["name"].as_str().unwrap().to_owned()).collect()
    }
}

/// What an attacker wrote of what came of it.
pub fn said(out: &Path) -> String {
    wait_for(out, || false).expect("it said nothing")
}

/// The file comes from a process that may not see, or reach, anything else of ours: one looks again.
/// `over`: nobody is there any more to write it.
fn wait_for(out: &Path, over: impl Fn() -> bool) -> Option<String> {
    let until = Instant::now() + DEADLINE;
    while Instant::now() < until {
        // Asked first: what it wrote before its end is there.
        let over = over();
        if let Ok(said) = std::fs::read_to_string(out) {
            return Some(said);
        }
        if over {
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}
