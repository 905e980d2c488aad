//! What the loop does outside for what the state asked: sends, rings, copies, starts, reads.
//!
//! `mod.rs` calls it with each effect of `update.rs`. It decides nothing.

use std::path::Path;
use std::time::Instant;

use crate::core::agent::AgentInfo;
use crate::core::question::State as AgentState;
use crate::wire::message::{ClientMessage, Notice, Reply, Request, ServerMessage};

use super::effect::Effect;
use super::form::NewAgent;
use super::made::Ready;
use super::outcome::Outcome;
use super::silence::Check;
use super::state::Purpose;
use super::story::Story;
use super::update::Event;
use super::{Loop, SHUTDOWN, complete, failed, now_ms, options, terminal};

/// An agent that checks out something else is seen to have within this time, if anything happens at all.
const BRANCHES_MS: u64 = 10_000;

impl Loop {
    /// The agent of which this says something new.
    pub(super) fn changed(message: &ServerMessage) -> Option<String> {
        match message {
            ServerMessage::Notice(Notice::Agent(info)) => Some(info.name.clone()),
            ServerMessage::Notice(_) | ServerMessage::Reply { .. } => None,
        }
    }

    /// The terminal has another size.
    pub(super) fn resized(&mut self, cols: u16, rows: u16) -> Result<(), String> {
        self.canvas.resize(cols, rows);
        self.feed(Event::Resize(cols, rows))
    }

    pub(super) fn perform(&mut self, effect: Effect) -> Result<(), String> {
        match effect {
            Effect::Send(ClientMessage { id, request: Request::Restart { name } })
                if self.folder_is_gone(&name) =>
            {
                self.state.pending.remove(&id);
                let why = "its folder is not there, and it would not come up again";
                self.state.warn(format!("{name} is not restarted: {why}"));
                self.redraw.changed();
            }
            Effect::Send(message) => {
                let sent = self.link.as_mut().is_some_and(|link| link.send(&message));
                if !sent && self.link.is_some() {
                    self.state.warn("the server does not take any more; nothing was sent");
                }
            }
            Effect::Clipboard(data) => (self.copy)(&data).map_err(failed)?,
            Effect::Bell if !self.notify.bell => {}
            Effect::Bell => terminal::ring().map_err(failed)?,
            Effect::Notify(text) => {
                terminal::notify(&self.notify, (self.minute_of_day)(), &text).map_err(failed)?;
            }
            Effect::Start { id, agent } => return self.start(id, &agent),
            Effect::StartAgain { id, name } => {
                return self.start_again(id, name);
            }
            Effect::ReadLog => {
                let log = (self.log)();
                return self.feed(Event::Log(log));
            }
            Effect::Complete { field, word, first } => {
                let offers = complete::offers(field, &word, first);
                return self.feed(Event::Offers { field, word, offers });
            }
            Effect::Remember(layout) => (self.remember)(&layout),
            Effect::Suspend => self.suspending = true,
            Effect::Detach => self.outcome = Some(Outcome::Detached(self.running())),
            Effect::Quit => {
                self.quitting = true;
                self.give_up_at = Some(Instant::now() + SHUTDOWN);
            }
        }
        Ok(())
    }

    /// Whether an agent that runs would be without a folder in its next life.
    fn folder_is_gone(&self, name: &str) -> bool {
        let info = self.state.agent(name).map(|agent| &agent.info);
        info.is_some_and(|info| info.runs() && !info.cwd.is_empty() && !Path::new(&info.cwd).is_dir())
    }

    /// Looks what the folder of this agent has checked out, and now and then those of all: two short files for each.
    pub(super) fn look_at_branches(&mut self, changed: Option<&str>) -> Result<(), String> {
        let all = now_ms() >= self.branches_ms + BRANCHES_MS;
        if all {
            self.branches_ms = now_ms();
        }
        let wanted = |name: &str| all || Some(name) == changed;
        let shown = self.state.agents.iter().filter(|agent| wanted(&agent.info.name) && !agent.failed());
        let now = shown.map(|agent| (agent, Some(&agent.info.cwd).filter(|cwd| !cwd.is_empty())));
        let now = now.map(|(agent, cwd)| (agent, cwd.and_then(|cwd| (self.branch)(cwd))));
        let other = now.filter(|(agent, branch)| agent.branch != *branch);
        let other: Vec<_> = other.map(|(agent, branch)| (agent.info.name.clone(), branch)).collect();
        if other.is_empty() { Ok(()) } else { self.feed(Event::Branches(other)) }
    }

    /// Tells the terminal and its owner how things stand, where that has changed.
    pub(super) fn tell_outer(&mut self) -> Result<(), String> {
        let title = self.state.outer_title();
        if self.notify.title && self.told.0 != title {
            terminal::set_title(&title).map_err(failed)?;
            self.told.0 = title;
        }
        let blocked = self.state.needing_person().next().is_some();
        if self.told.1 != Some(blocked) {
            terminal::set_blocked(blocked).map_err(failed)?;
            self.told.1 = Some(blocked);
        }
        Ok(())
    }

    /// What the story says of it.
    pub(super) fn told(&mut self, message: &ServerMessage) -> Option<String> {
        let ServerMessage::Notice(notice) = message else { return None };
        let waiting = self.state.story.as_ref().map_or(0, Story::waiting);
        self.teller.as_mut()?.tell(notice, waiting)
    }

    /// How many agents go on without this dashboard.
    fn running(&self) -> usize {
        let agents = self.state.agents.iter();
        agents.filter(|agent| !agent.failed() && agent.info.state != AgentState::Exited).count()
    }

    /// Asks the server for a word where it has said none for a while; says so where none comes.
    pub(super) fn listen(&mut self, now: u64) -> Result<(), String> {
        match self.silence.check(now) {
            Check::Nothing => Ok(()),
            Check::Ask => {
                let ping = self.state.request(Request::Ping, None);
                self.silence.asked(ping.id, now);
                self.perform(Effect::Send(ping))
            }
            Check::Silent(since) => self.feed(Event::Silent(Some(since))),
        }
    }

    /// Asks for a new agent; one that cannot even be described stays in the list with its cause.
    fn start(&mut self, id: u64, agent: &NewAgent) -> Result<(), String> {
        let ready = options::spec(agent, self.worktree).and_then(|(spec, made)| {
            match self.starting.permitted(spec) {
                Ok((spec, policy)) => Ok(Ready { spec, policy, made }),
                Err(why) => Err(match made {
                    Some(made) => made.refused(&self.others(&agent.name), why),
                    None => why,
                }),
            }
        });
        self.started(id, ready)
    }

    /// As the configuration has it; one that is not in it, as the server last started it.
    fn start_again(&mut self, id: u64, name: String) -> Result<(), String> {
        if let Some(ready) = self.starting.configured(&name, &self.others(&name)) {
            return self.started(id, ready);
        }
        self.state.pending.remove(&id);
        let purpose = Purpose::StartAsBefore(name.clone());
        let request = self.state.request(Request::Restart { name }, Some(purpose));
        self.perform(Effect::Send(request))
    }

    /// A reply, once what was made for an agent that it refuses is taken away.
    pub(super) fn settled(&mut self, message: ServerMessage) -> ServerMessage {
        let ServerMessage::Reply { id, reply } = message else { return message };
        let reply = match (self.made.remove(&id), reply) {
            (Some((name, made)), Reply::Error { code, message }) => {
                Reply::Error { code, message: made.refused(&self.others(&name), message) }
            }
            (_, reply) => reply,
        };
        ServerMessage::Reply { id, reply }
    }

    /// All agents but this one, which may be on the list for a moment, or as one that could not be started.
    fn others(&self, name: &str) -> Vec<AgentInfo> {
        let others = self.state.agents.iter().filter(|agent| agent.info.name != name);
        others.map(|agent| agent.info.clone()).collect()
    }

    fn started(&mut self, id: u64, ready: Result<Ready, String>) -> Result<(), String> {
        match ready {
            Ok(Ready { spec, policy, made }) => {
                self.made.extend(made.map(|made| (id, (spec.name.clone(), made))));
                let request = Request::Start { spec: Box::new(spec), policy: Box::new(policy) };
                self.perform(Effect::Send(ClientMessage { id, request }))
            }
            Err(cause) => self.feed(Event::NotStarted { id, cause }),
        }
    }
}
