//! The verbs and the way to each: the one table of the command line.

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::os::interrupt;

use crate::os::{paths, proc};

use super::failure::Failure;
use super::link::Global;
use super::{
    adopt, answer, attach, bug_report, completions, config, control, demo, diff, doctor, down, events, exec,
    explain, init, log, ls, man, mcp, pause, profile, questions, read, record, replay, rules, search, send,
    server, start, stop, tmux, trust, up, wait, worktree,
};

/// Run a team of coding agents in one terminal and get their questions answered
#[derive(Debug, Parser)]
#[command(name = "counsel", version, about, infer_long_args = true)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    /// The agent that has the focus when the dashboard opens
    #[arg(long, value_name = "NAME", add = super::complete::agents())]
    focus: Option<String>,
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Init(init::Args),
    Demo(demo::Args),
    Up(up::Args),
    Trust(trust::Args),
    Down(down::Args),
    Start(start::Args),
    Adopt(adopt::Args),
    Exec(exec::Args),
    Attach(attach::Args),
    Ls(ls::Args),
    Read(read::Args),
    Send(send::Args),
    /// Pause agents; they keep their memory and take no keys
    Pause(pause::Args),
    /// Let paused agents go on
    Resume(pause::Args),
    Stop(stop::Args),
    Restart(control::Restart),
    Resize(control::Resize),
    Signal(control::Signal),
    Wait(wait::Args),
    Questions(questions::Args),
    Answer(answer::Args),
    Consult(control::Consult),
    Log(log::Args),
    Search(search::Args),
    Diff(diff::Args),
    Events(events::Args),
    Explain(explain::Args),
    Replay(replay::Args),
    Rules(rules::Args),
    Profile(profile::Args),
    Record(record::Args),
    Tmux(tmux::Args),
    Doctor(doctor::Args),
    BugReport(bug_report::Args),
    Mcp(mcp::Args),
    Config(config::Args),
    Completions(completions::Args),
    Man(man::Args),
    Worktree(worktree::Args),
    Server(server::Args),
}

impl Cli {
    pub fn run(self) -> Result<ExitCode, Failure> {
        // Otherwise any process of this user could take a person's connection and speak for them.
        proc::close_to_others()
            .map_err(|error| Failure::new(1, format!("could not begin: {}", error.desc())))?;
        let global = &self.global;
        super::out::set_color(global.color);
        paths::named_folders_are_absolute().map_err(|why| Failure::new(super::failure::USAGE, why))?;
        if self.verb.as_ref().is_none_or(Verb::ends_by_signal) {
            interrupt::end_with_130();
        }
        let Some(verb) = self.verb else {
            return super::open::run(global, self.focus.as_deref())
                .map_err(|failure| failure.doing("open the dashboard"));
        };
        let doing = verb.doing();
        let done = match verb {
            Verb::Init(args) => init::run(&args),
            Verb::Demo(args) => demo::run(&args).map_err(Failure::from),
            Verb::Up(args) => up::run(&args, global),
            Verb::Trust(args) => trust::run(&args),
            Verb::Down(args) => down::run(&args, global),
            Verb::Start(args) => start::run(&args, global),
            Verb::Adopt(args) => adopt::run(&args, global),
            Verb::Exec(args) => exec::run(&args, global),
            Verb::Attach(args) => attach::run(&args, global),
            Verb::Ls(args) => ls::run(&args, global),
            Verb::Read(args) => read::run(&args, global),
            Verb::Send(args) => send::run(&args, global),
            Verb::Pause(args) => pause::pause(&args, global),
            Verb::Resume(args) => pause::resume(&args, global),
            Verb::Stop(args) => stop::run(&args, global),
            Verb::Restart(args) => control::restart(&args, global),
            Verb::Resize(args) => control::resize(&args, global),
            Verb::Signal(args) => control::signal(&args, global),
            Verb::Wait(args) => wait::run(&args, global),
            Verb::Questions(args) => questions::run(&args, global),
            Verb::Answer(args) => answer::run(&args, global),
            Verb::Consult(args) => control::consult(&args, global),
            Verb::Log(args) => log::run(&args, global),
            Verb::Search(args) => search::run(&args, global),
            Verb::Diff(args) => diff::run(&args, global),
            Verb::Events(args) => events::run(&args, global),
            Verb::Explain(args) => explain::run(&args, global),
            Verb::Replay(args) => replay::run(&args),
            Verb::Rules(args) => rules::run(&args),
            Verb::Profile(args) => profile::run(&args),
            Verb::Record(args) => record::run(&args, global),
            Verb::Tmux(args) => tmux::run(&args, global),
            Verb::Doctor(args) => doctor::run(&args, global),
            Verb::BugReport(args) => bug_report::run(&args, global),
            Verb::Mcp(args) => mcp::run(&args, global),
            Verb::Config(args) => config::run(&args),
            Verb::Completions(args) => completions::run(&args),
            Verb::Man(args) => man::run(&args, Cli::command()),
            Verb::Worktree(args) => worktree::run(&args, global),
            Verb::Server(args) => server::run(&args, global),
        };
        done.map_err(|failure| failure.doing(doing))
    }
}

impl Verb {
    /// Whether a signal may end it where it stands, until it has something to give back or to end first. A server has
    /// from the beginning.
    fn ends_by_signal(&self) -> bool {
        match self {
            Verb::Server(args) => !args.serves(),
            _ => true,
        }
    }

    /// What was attempted, for an error: it follows "could not".
    fn doing(&self) -> &'static str {
        match self {
            Verb::Init(_) => "write a first configuration",
            Verb::Demo(_) => "play the demonstration",
            Verb::Up(_) => "start the agents",
            Verb::Trust(_) => "settle what is trusted",
            Verb::Down(_) => "stop everything",
            Verb::Start(_) => "start the agent",
            Verb::Adopt(_) => "adopt the pane",
            Verb::Exec(_) => "run the program",
            Verb::Attach(_) => "attach",
            Verb::Ls(_) => "list the agents",
            Verb::Read(_) => "read the output",
            Verb::Send(_) => "send",
            Verb::Pause(_) => "pause",
            Verb::Resume(_) => "resume",
            Verb::Stop(_) => "stop",
            Verb::Restart(_) => "restart",
            Verb::Resize(_) => "resize",
            Verb::Signal(_) => "send the signal",
            Verb::Wait(_) => "wait",
            Verb::Questions(_) => "list the questions",
            Verb::Answer(_) => "answer",
            Verb::Consult(_) => "consult",
            Verb::Log(_) => "show the log",
            Verb::Search(_) => "search",
            Verb::Diff(_) => "show the changes",
            Verb::Events(_) => "follow the events",
            Verb::Explain(_) => "explain",
            Verb::Replay(_) => "replay the recording",
            Verb::Rules(_) => "test the rules",
            Verb::Profile(_) => "use the profiles",
            Verb::Record(_) => "record",
            Verb::Tmux(args) => args.doing(),
            Verb::Doctor(_) => "look for faults",
            Verb::BugReport(_) => "write the report",
            Verb::Mcp(_) => "serve tools",
            Verb::Config(args) => args.doing(),
            Verb::Completions(_) => "print completions",
            Verb::Man(_) => "write the manual pages",
            Verb::Worktree(_) => "look after the worktrees",
            Verb::Server(_) => "run the server",
        }
    }
}
