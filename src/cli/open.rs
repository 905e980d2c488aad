//! `counsel` without a verb: the dashboard.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use crate::config::{self, Config, Dashboard, Places};
use crate::core::agent::{AgentInfo, AgentSpec, Duty};
use crate::core::policy::Policy;
use crate::dashboard::made::{Made, Ready};
use crate::dashboard::options::Starting;
use crate::dashboard::state::Team as Named;
use crate::dashboard::{self as shown, Options, Outcome};
use crate::os::interrupt::INTERRUPTED;
use crate::os::pty::terminal_size;
use crate::os::socket::Connection;
use crate::os::{daemon, git, local_time, paths};

use super::failure::{Failure, REFUSED, USAGE};
use super::link::{Global, Server};
use super::tmux::{self, around::Tmux};
use super::worktree::Prepared;
use super::{layout, out, start, stop, trust, up, worktree};

/// Opens the dashboard; a configuration in this folder has its agents started first.
pub fn run(global: &Global, focus: Option<&str>) -> Result<ExitCode, Failure> {
    let places = Places::here(None)?;
    let (config, left_out) = trust::team_or_none(&places)?;
    nested(global)?;
    // Before anything is started that nobody would see.
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(
            "input and output have to be a terminal; 'counsel up' starts the agents without one".into()
        );
    }
    shows_a_screen("'counsel ls' and 'counsel questions' need none")?;
    let mut options = options(&places, &config)?;
    options.focus = focus.map(str::to_owned);
    options.news = left_out;
    let mut server = global.server()?;
    if !config.agents.is_empty() {
        options.news = start_missing(&mut server, &config, &options)?;
    }
    if let Some(name) = focus
        && !server.agents()?.iter().any(|agent| agent.name == name)
    {
        return Err(Failure::new(3, format!("there is no agent '{name}'; see 'counsel ls'")));
    }
    options.starting = Box::new(Team(config));
    left(shown::run(server.connection, global.socket_path()?, options)?)
}

/// Starts whoever of the team does not run; what is to be said of that, where somebody was there before.
fn start_missing(server: &mut Server, config: &Config, options: &Options) -> Result<Option<String>, Failure> {
    let listed = server.agents()?;
    let terminal = terminal_size();
    let sizes = |team: &[(String, Duty)]| {
        let there = listed.iter().map(|agent| (agent.name.clone(), agent.role));
        options.sizes_of(terminal, &there.chain(team.iter().cloned()).collect::<Vec<_>>())
    };
    // What could be started is shown; what could not is on the list with its cause.
    let tried = match up::missing(server, config, &listed, &sizes) {
        Ok(tried) => tried,
        Err(failure) => {
            out::complain(&failure.message);
            return Ok(None);
        }
    };
    tried.iter().filter_map(|(_, why)| why.as_ref()).for_each(|why| out::complain(&why.message));
    let started: Vec<&str> =
        tried.iter().filter(|(_, why)| why.is_none()).map(|(name, _)| name.as_str()).collect();
    let mut news = Vec::new();
    if !started.is_empty() && !listed.is_empty() {
        news.push(format!("started {}", and(&started)));
    }
    news.extend(up::elsewhere(config, &listed));
    Ok((!news.is_empty()).then(|| news.join("; ")))
}

/// "a, b and c".
fn and(names: &[&str]) -> String {
    match names {
        [first @ .., before, last] => {
            let first: String = first.iter().map(|name| format!("{name}, ")).collect();
            format!("{first}{before} and {last}")
        }
        names => names.concat(),
    }
}

/// How it is set up here, and what of the machine it may touch.
fn options(places: &Places, config: &Config) -> Result<Options, Failure> {
    let dashboard = out_of_the_way(&config.dashboard);
    let layouts = config::layouts(places)?;
    // One that is there no more is no fault of this run.
    let known = |name: &String| layouts.iter().any(|layout| layout.name == *name);
    let layout = layout::remembered().filter(known).unwrap_or_else(|| config.dashboard.layout.clone());
    let themes = config::themes(places)?;
    let mut options = Options::new(&dashboard, layouts, layout, &themes).map_err(usage)?;
    options.profiles = config::profiles(places)?.names().map(str::to_owned).collect();
    options.configured = config.agents.iter().map(|agent| agent.name.clone()).collect();
    options.team = match (config.agents.is_empty(), &config.left_out, &config.project) {
        (false, ..) => Named::Agents,
        (true, Some(_), _) => Named::LeftOut,
        (true, None, Some(_)) => Named::Nobody,
        (true, None, None) => Named::NoFile,
    };
    let answers = config.agents.iter().filter(|agent| agent.role == Duty::Consultant);
    let commands = config.policy.consultants.iter().map(|command| &command.name);
    options.consultants = answers.map(|agent| &agent.name).chain(commands).cloned().collect();
    options.worktree = |folder, name| {
        let made = worktree::prepare(folder, name).map_err(|failure| failure.message)?;
        Ok((made.folder.clone(), Box::new(made)))
    };
    options.recover = recover;
    options.log = super::log::replay::decisions;
    options.branch = |folder| git::head::head(Path::new(folder));
    options.copy = tmux::clipboard::copy;
    options.clipboard = config.security.clipboard;
    // Next time it begins as it usually does.
    options.remember = |layout| drop(layout::remember(layout));
    options.notify = config.policy.notify.clone();
    options.minute_of_day = local_time::minute_of_day;
    Ok(options)
}

/// An agent sees no agents: a dashboard in its terminal would show none of them.
fn nested(global: &Global) -> Result<(), Failure> {
    match std::env::var("COUNSEL_AGENT") {
        Ok(name) if global.socket.is_none() => Err(Failure::new(
            REFUSED,
            format!(
                "could not open the dashboard: this is the terminal of the agent '{name}', which may not see the \
                 others; run it in a terminal of your own"
            ),
        )),
        _ => Ok(()),
    }
}

/// What is said once the dashboard was left.
fn left(outcome: Outcome) -> Result<ExitCode, Failure> {
    match outcome {
        Outcome::Detached(running) => {
            let agents = match running {
                0 => "no agent runs".to_owned(),
                1 => "1 agent goes on".to_owned(),
                running => format!("{running} agents go on"),
            };
            out::line(&format!("[detached; {agents}: `counsel` shows them, `counsel down` ends them]"))?;
            Ok(ExitCode::SUCCESS)
        }
        // The reply raced the end of the connection.
        Outcome::Quit(ended) if ended.stopped.is_empty() => {
            out::line("[the server has ended]")?;
            Ok(ExitCode::SUCCESS)
        }
        Outcome::Quit(ended) => {
            out::line(&format!("[{}]", stop::summary(&ended.stopped, &ended.let_go)))?;
            stop::tell(&ended.stopped)
        }
        // Its terminal may be what has gone.
        Outcome::Interrupted => Ok(ExitCode::from(INTERRUPTED)),
        Outcome::ServerGone => {
            out::line("[the server has ended]")?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// What may be started from the dashboard: what the configuration permits, as it has it.
#[derive(Debug)]
struct Team(Config);

impl Starting for Team {
    fn permitted(&self, spec: AgentSpec) -> Result<(AgentSpec, Policy), String> {
        start::permitted(spec, &self.0).map_err(|failure| failure.message)
    }

    fn configured(&self, name: &str, agents: &[AgentInfo]) -> Option<Result<Ready, String>> {
        let boxed = |made| Box::new(made) as Box<dyn Made>;
        let ready = up::configured(&self.0, name, agents)?;
        Some(ready.map(|(spec, policy, made)| Ready { spec, policy, made: made.map(boxed) }))
    }
}

impl Made for Prepared {
    fn refused(self: Box<Self>, agents: &[AgentInfo], why: String) -> String {
        Prepared::refused(*self, Ok(agents), why)
    }
}

fn usage(what: String) -> Failure {
    Failure::new(USAGE, what)
}

/// The same with a prefix chord, unless one is configured, that a tmux around us does not keep for itself.
pub fn out_of_the_way(config: &Dashboard) -> Dashboard {
    let free = || Tmux::around().and_then(|tmux| tmux.free_prefix()).map(str::to_owned);
    Dashboard { prefix: config.prefix.clone().or_else(free), ..config.clone() }
}

/// A server in the place of one that has crashed; it takes over the agents, which have gone on.
pub fn recover(socket: &Path) -> Option<Connection> {
    let log = paths::state_dir().ok()?.join("server.log");
    daemon::ensure_server(socket, &log).ok()
}

/// Refuses a terminal that shows lines alone, as an editor's shell does.
pub fn shows_a_screen(instead: &str) -> Result<(), Failure> {
    match std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        true => Err(format!("this terminal shows no screen (TERM=dumb); {instead}").into()),
        false => Ok(()),
    }
}
