//! How a person has set up the dashboard, and what it needs of those who may touch the machine.
//!
//! The command line makes one and gives it to the loop in `mod.rs`. It decides nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::config::{ConfigError, Dashboard, agent_env};
use crate::core::agent::{AgentInfo, AgentSpec, Duty};
use crate::core::clipboard::Clipboard;
use crate::core::consult::chain::Chain;
use crate::core::keymap::Keymap;
use crate::core::layout::Layout;
use crate::core::policy::{Notify, Policy};
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::KeyPress;
use crate::os::socket::{Connection, connect_and_greet};

use super::form::NewAgent;
use super::log_view::Decision;
use super::look::{Look, Theme};
use super::made::{Made, Ready};
use super::state::{State, Team};
use super::story::Teller;
use super::terminal;

/// Makes a git worktree of this name for the folder; gives the folder of the worktree, and the way back.
pub type Worktree = fn(&str, &str) -> Result<(String, Box<dyn Made>), String>;

/// How agents are started from here.
pub trait Starting: fmt::Debug {
    /// One that was described here, with the policy that holds for it.
    ///
    /// # Errors
    /// The configuration does not permit it.
    fn permitted(&self, spec: AgentSpec) -> Result<(AgentSpec, Policy), String>;

    /// One of the configuration, beside these; `None`: there is none of this name.
    ///
    /// # Errors
    /// It cannot be started.
    fn configured(&self, name: &str, agents: &[AgentInfo]) -> Option<Result<Ready, String>>;
}

/// Without a configuration.
#[derive(Debug)]
struct Unbound;

impl Starting for Unbound {
    fn permitted(&self, spec: AgentSpec) -> Result<(AgentSpec, Policy), String> {
        Ok((spec, Policy::default()))
    }

    fn configured(&self, _name: &str, _agents: &[AgentInfo]) -> Option<Result<Ready, String>> {
        None
    }
}

/// The newest decisions of the log, the newest first.
pub type ReadLog = fn() -> Result<Vec<Decision>, String>;

#[derive(Debug)]
pub struct Options {
    pub keymap: Keymap,
    pub look: Look,
    pub asker_to_front: bool,
    /// In the order in which they are stepped through.
    pub layouts: Vec<Layout>,
    /// Name of the first one shown.
    pub layout: String,
    /// Shown above the list of agents.
    pub project: String,
    pub starting: Box<dyn Starting>,
    /// Profiles an agent may be given.
    pub profiles: Vec<String>,
    /// Who of the configuration answers questions, and all its agents: each may be a consultant.
    pub consultants: Vec<String>,
    pub configured: Vec<String>,
    /// What the first screen says of them.
    pub team: Team,
    /// The agent that has the focus at first.
    pub focus: Option<String>,
    /// Said first: what was not done before it was opened.
    pub news: Option<String>,
    /// What agents may put there.
    pub clipboard: Clipboard,
    /// Puts base64 on the clipboard of the person in front of this screen.
    pub copy: fn(&str) -> io::Result<()>,
    pub worktree: Worktree,
    /// A story told beside what happens: its first line, and who finds the others.
    pub story: Option<(String, Box<dyn Teller>)>,
    pub log: ReadLog,
    /// The branch a folder is on; `None`: it is under no repository.
    pub branch: fn(&str) -> Option<String>,
    /// How the person is called.
    pub notify: Notify,
    /// The time where they are, in minutes since midnight.
    pub minute_of_day: fn() -> u16,
    /// Keeps the layout's name for the next time.
    pub remember: fn(&str),
    /// Finds a server that has crashed again, or starts one in its place.
    pub recover: fn(&Path) -> Option<Connection>,
}

impl Options {
    /// From the configuration; without a prefix there it is ctrl-a. Who calls knows what tmux around us
    /// keeps for itself. `themes` are the user's own, as text with the name of its file.
    ///
    /// # Errors
    /// A layout or theme of that name does not exist, a theme makes no sense, a key is bound twice.
    pub fn new(
        config: &Dashboard,
        layouts: Vec<Layout>,
        layout: String,
        themes: &[(String, String)],
    ) -> Result<Options, String> {
        let prefix = KeyPress::parse(config.prefix.as_deref().unwrap_or("ctrl-a"))?;
        let keymap = Keymap::new(prefix, &config.bound()).map_err(|fault| {
            format!("key dashboard.{}.{}: {}", fault.context.table(), fault.name, fault.what)
        })?;
        if !layouts.iter().any(|known| known.name == layout) {
            let names: Vec<&str> = layouts.iter().map(|known| known.name.as_str()).collect();
            return Err(format!("there is no layout '{layout}'; there are {}", names.join(", ")));
        }
        let project = std::env::current_dir().ok();
        let project = project.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        Ok(Options {
            keymap,
            asker_to_front: config.asker_to_front,
            look: look(config, themes, |name| std::env::var(name).ok())?,
            layouts,
            layout,
            project: project.unwrap_or_default(),
            starting: Box::new(Unbound),
            profiles: Vec::new(),
            consultants: Vec::new(),
            configured: Vec::new(),
            team: Team::default(),
            focus: None,
            news: None,
            clipboard: Clipboard::default(),
            copy: terminal::set_clipboard,
            log: || Ok(Vec::new()),
            branch: |_| None,
            notify: Notify::default(),
            minute_of_day: || 0,
            story: None,
            remember: |_| {},
            worktree: |_, _| Err("a worktree cannot be made from here".into()),
            recover: |socket| connect_and_greet(socket, None).ok(),
        })
    }

    /// On a terminal with such a background, as far as it has said so: yellow on white is not to be read.
    pub fn on(mut self, light: Option<bool>) -> Options {
        if let (true, Some(true), Some(theme)) = (self.look.by_terminal, light, self.look.named("light")) {
            self.look.theme = theme;
        }
        self
    }

    /// How large the dashboard would show each of these agents on a terminal of this size, if they are there when it
    /// opens: in the order in which they are started.
    pub fn sizes_of(&self, terminal: Size, agents: &[(String, Duty)]) -> BTreeMap<String, Size> {
        let at = self.layouts.iter().position(|layout| layout.name == self.layout).unwrap_or(0);
        let mut state = State::new(self.keymap.clone(), self.layouts.clone(), at, self.project.clone());
        state.size = (terminal.cols, terminal.rows);
        state.awaited = self.focus.clone().filter(|focus| agents.iter().any(|(name, _)| name == focus));
        state.sizes_of(agents)
    }
}

/// The theme a person has chosen, else one for the terminal as far as it tells of itself.
fn look(
    config: &Dashboard,
    own: &[(String, String)],
    var: impl Fn(&str) -> Option<String>,
) -> Result<Look, String> {
    let mut themes = Theme::built_in();
    for (file, text) in own {
        let theme =
            Theme::parse(text).map_err(|fault| ConfigError::of_text(file, text, fault).to_string())?;
        match themes.iter_mut().find(|known| known.name == theme.name) {
            Some(known) => *known = theme,
            None => themes.push(theme),
        }
    }
    let ascii = config.ascii.unwrap_or_else(|| !utf8(&var));
    let mut look = Look { themes, theme: 0, ascii, by_terminal: false };
    let colourless = var("NO_COLOR").is_some_and(|value| !value.is_empty());
    let name = match config.theme.as_deref() {
        None | Some("auto") if colourless => "mono",
        None | Some("auto") => background(&var).unwrap_or_else(|| {
            look.by_terminal = truecolor(&var);
            "sixteen"
        }),
        Some(name) => name,
    };
    look.theme = look.named(name).ok_or_else(|| {
        let names: Vec<&str> = look.themes.iter().map(|theme| theme.name.as_str()).collect();
        format!("there is no theme '{name}'; there are {}", names.join(", "))
    })?;
    Ok(look)
}

/// Some terminals say which of the sixteen colours their background has.
fn background(var: &impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let colours = var("COLORFGBG")?;
    match colours.rsplit(';').next()?.parse::<u8>().ok()? {
        _ if !truecolor(var) => None,
        7 | 9..=15 => Some("light"),
        _ => Some("dark"),
    }
}

/// Whether it has the colours that the theme for light backgrounds is made of.
fn truecolor(var: &impl Fn(&str) -> Option<String>) -> bool {
    var("COLORTERM").is_some_and(|term| term == "truecolor" || term == "24bit")
}

/// Whether the locale has characters beyond ASCII.
fn utf8(var: &impl Fn(&str) -> Option<String>) -> bool {
    let named =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| var(name).filter(|v| !v.is_empty()));
    // Nothing said at all is a bare environment, as in a container, not an old terminal.
    named.is_none_or(|name| {
        let name = name.to_lowercase();
        name.contains("utf-8") || name.contains("utf8")
    })
}

/// What the server is asked to start, in this program's own environment, and what was made for it.
///
/// # Errors
/// The folder does not exist, or the worktree cannot be made.
pub fn spec(agent: &NewAgent, worktree: Worktree) -> Result<(AgentSpec, Option<Box<dyn Made>>), String> {
    let here = std::env::current_dir().map_err(|error| format!("this folder cannot be used: {error}"))?;
    let folder = match agent.folder.as_deref() {
        Some(folder) => here.join(home(folder)),
        None => here,
    };
    if !folder.is_dir() {
        return Err(format!("{} is no folder", folder.display()));
    }
    let mut cwd = folder.to_string_lossy().into_owned();
    let mut made = None;
    if let Some(name) = &agent.worktree {
        let (folder, prepared) = worktree(&cwd, name)?;
        (cwd, made) = (folder, Some(prepared));
    }
    let text = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((key.into_string().ok()?, value.into_string().ok()?))
    };
    let env: BTreeMap<String, String> = std::env::vars_os().filter_map(text).collect();
    let spec = AgentSpec {
        name: agent.name.clone(),
        command: agent.command.clone(),
        cwd,
        env: agent_env(&env),
        profile: agent.profile.clone(),
        consultant: agent.consultant.clone().map(Chain::from),
        prompt: agent.prompt.clone(),
        ..AgentSpec::default()
    };
    Ok((spec, made))
}

/// `~` is the home folder, also where no shell says so.
pub fn home(path: &str) -> PathBuf {
    match (path.strip_prefix('~'), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            PathBuf::from(home).join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(theme: Option<&str>, vars: &[(&str, &str)]) -> Result<(String, bool), String> {
        let config = Dashboard { theme: theme.map(str::to_owned), ..Dashboard::default() };
        let var =
            |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        look(&config, &[], var).map(|look| (look.themes[look.theme].name.clone(), look.ascii))
    }

    #[test]
    fn the_theme_goes_by_the_terminal_unless_one_is_chosen() {
        let name = |theme, vars: &[(&str, &str)]| chosen(theme, vars).unwrap().0;
        assert_eq!(name(None, &[]), "sixteen");
        assert_eq!(name(None, &[("NO_COLOR", "1")]), "mono");
        assert_eq!(name(Some("dark"), &[("NO_COLOR", "1")]), "dark", "it was asked for");
        assert_eq!(name(None, &[("COLORFGBG", "0;15"), ("COLORTERM", "truecolor")]), "light");
        assert_eq!(name(Some("auto"), &[("COLORFGBG", "15;0"), ("COLORTERM", "truecolor")]), "dark");
        // Its own word on its background comes once it was asked; without such colours, or against a choice, it is not heard.
        let heard = |theme: Option<&str>, vars: &[(&str, &str)]| {
            let config = Dashboard { theme: theme.map(str::to_owned), ..Dashboard::default() };
            let var = |name: &str| {
                vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            look(&config, &[], var).unwrap().by_terminal
        };
        let colours = [("COLORTERM", "truecolor")];
        assert!(heard(None, &colours) && heard(Some("auto"), &colours));
        assert!(!heard(None, &[]) && !heard(Some("sixteen"), &colours));
        assert!(!heard(None, &[("COLORTERM", "truecolor"), ("NO_COLOR", "1")]));
        assert!(chosen(Some("mauve"), &[]).unwrap_err().starts_with("there is no theme 'mauve'; there are"));
    }

    #[test]
    fn a_locale_without_utf8_is_shown_ascii() {
        let ascii = |vars: &[(&str, &str)]| chosen(None, vars).unwrap().1;
        assert!(!ascii(&[]) && !ascii(&[("LANG", "en_US.UTF-8")]) && !ascii(&[("LANG", "C.utf8")]));
        assert!(ascii(&[("LANG", "C")]) && ascii(&[("LC_ALL", "POSIX"), ("LANG", "en_US.UTF-8")]));
    }
}
