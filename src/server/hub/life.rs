//! An agent's life: started, printing, stopped, gone, started again.

use crate::core::agent::Restart;
use crate::core::policy::Policy;
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_parser::Report;
use crate::core::terminal::repaint::repaint;
use crate::core::terminal::screen::{Fed, SYNC_LIMIT_MS, Screen};
use crate::server::effect::{AgentKey, Effect, JournalPart, Started};
use crate::wire::Notice;
use crate::wire::keeper::{FromKeeper, ToKeeper};
use crate::wire::stopped::Stopped;

use super::agent::{Agent, Life, Typing};
use super::room::{Redraw, narrower};
use super::{Hub, Now};

/// How long a program that is restarted has to end by itself.
pub(super) const GRACE_MS: u64 = 2_000;
/// How long a program is shown another size to make it draw: programs gather resizes for up to 100 ms.
const REDRAW_MS: u64 = 150;
/// A program that has said nothing so long after a resize does not draw upon one. Others answer within
/// 100 ms; on a busy machine within a second.
const SILENT_MS: u64 = 2_000;
/// A journal begins anew, with the screen as it stands, when it has grown beyond this.
pub(super) const JOURNAL_BYTES: usize = 2 * 1024 * 1024;
/// The pause before a program that ended is started again; doubled with every failure in a row.
const RESTART_MS: u64 = 500;
/// The longest such pause.
const RESTART_MAX_MS: u64 = 60_000;
/// A program that ran for this long did not fail at once.
const RESTART_GOOD_MS: u64 = 10_000;

impl Agent {
    pub(super) fn was_resized(&mut self, now: Now) {
        self.resized_ms = now.ms;
        self.redraw = Some(Redraw::Resized { until_ms: now.ms + SILENT_MS });
    }
}

impl Hub {
    /// Takes an agent in and has it started.
    pub(super) fn admit(
        &mut self,
        spec: crate::core::agent::AgentSpec,
        policy: Policy,
        spawn: bool,
    ) -> AgentKey {
        let key = AgentKey(self.next_agent);
        self.next_agent += 1;
        let size = spec.size.unwrap_or(Size::FALLBACK);
        let profile = match spec.profile.as_deref().and_then(|name| self.profiles.get(name)) {
            Some(profile) => profile,
            None => self.profiles.for_command(&spec.command),
        };
        let takes_hooks = profile.hooks;
        let screen = Screen::new(size, self.terminal_identity_for(spec.host));
        let scrollback = spec.scrollback.unwrap_or(self.settings.scrollback);
        let agent = Agent::new(spec.clone(), policy.clone(), profile, screen, scrollback, self.now);
        self.agents.insert(key, agent);
        if spawn {
            // What runs in a container or on another machine cannot call this very program.
            let hooks = spec.hooks.unwrap_or(true) && takes_hooks && spec.wrap.is_empty();
            let (spec, policy) = (Box::new(spec), Box::new(policy));
            self.out.push(Effect::Spawn { agent: key, spec, policy, size, hooks });
        }
        self.tell_agent(key);
        key
    }

    /// An agent found running by a new server.
    pub fn adopt(
        &mut self,
        spec: crate::core::agent::AgentSpec,
        policy: Policy,
        now: super::Now,
    ) -> AgentKey {
        self.now = now;
        self.admit(spec, policy, false)
    }

    pub(super) fn started(&mut self, key: AgentKey, start: Started) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        agent.pid = Some(start.pid);
        agent.keeper = Some(start.keeper);
        agent.token.clone_from(&start.token);
        agent.life = if start.stopped { Life::Paused } else { Life::Running };
        agent.paused_ms = start.stopped.then_some(now.ms);
        agent.started_ms = now.ms;
        if start.adopted {
            // Its first prompt was typed in an earlier life of this server.
            agent.first_prompt = None;
        }
        agent.replay(&start.journal);
        agent.journal.place = start.at;
        // The terminal knows its size, unless a server that was killed while it made the program draw left it a
        // column narrower.
        let narrow = narrower(agent.screen.size());
        if let Some(size) = start.size.filter(|size| start.journal.is_empty() || *size != narrow) {
            agent.screen.resize(size);
        }
        if !start.adopted {
            // An agent that was started again goes on counting its lines.
            let begin = agent.journal_begin(Vec::new());
            self.out.push(Effect::Journal { agent: key, parts: vec![begin] });
        }
        self.take_output_log(key, start.output_log.clone());
        self.restore(key, &start);
        self.record_always(key, start.adopted);
        if !start.backlog.is_empty() {
            self.output(key, &start.backlog);
        }
        if start.adopted && start.exited.is_none() && start.restored.is_empty() {
            self.redraw(key);
        }
        if let Some(code) = start.exited {
            self.exited(key, code);
        }
        self.refresh_state(key);
        self.start_waiters(key);
        let stop = self.agents.get(&key).is_some_and(|agent| agent.ending.stop_wanted);
        if stop {
            self.keeper(key, ToKeeper::Stop { grace_ms: GRACE_MS });
        }
    }

    /// Makes a program draw its whole screen: for a moment its terminal is a column narrower. Both sizes
    /// at once would be seen as no change.
    fn redraw(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let size = agent.screen.size();
        let other = narrower(size);
        agent.redraw = Some(Redraw::Narrow { until_ms: now.ms + REDRAW_MS });
        self.out.push(Effect::Resize { agent: key, size: other });
    }

    /// Gives a redrawing program its own size back, and time to draw.
    fn redrawn(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if agent.redraw.is_none_or(|redraw| now.ms < redraw.until_ms()) {
            return;
        }
        if let Some(Redraw::Narrow { .. }) = agent.redraw {
            agent.watcher.saw_resize(now.ms);
            agent.resized_ms = now.ms;
            agent.redraw = Some(Redraw::Back { until_ms: now.ms + SILENT_MS });
            let size = agent.screen.size();
            self.out.push(Effect::Resize { agent: key, size });
        } else {
            agent.redraw = None;
            self.compare(key);
        }
    }

    pub(super) fn start_failed(&mut self, key: AgentKey, why: String) {
        let Some(agent) = self.agents.remove(&key) else { return };
        let name = agent.spec.name;
        self.fail_start_waiters(key, &name, &why);
        self.broadcast_notification(&name, None, &format!("could not start {name}: {why}"));
        self.stop_waiters(key, &Stopped { name: name.clone(), ..Stopped::default() });
        self.broadcast(Notice::Gone { name });
    }

    pub(super) fn output(&mut self, key: AgentKey, bytes: &[u8]) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let fed = agent.screen.feed(bytes);
        agent.raw.push(bytes);
        agent.printed += bytes.len() as u64;
        agent.output_ms = now.ms;
        agent.watcher.saw_output(now.ms);
        agent.redraw = agent.redraw.filter(|redraw| matches!(redraw, Redraw::Narrow { .. }));
        agent.sync_since = match (agent.screen.in_sync(), agent.sync_since) {
            (true, since) => since.or(Some(now.ms)),
            (false, _) => None,
        };
        if agent.recorded.any() {
            self.out.push(Effect::Recorded { agent: key, bytes: bytes.to_vec() });
        }
        agent.journal.bytes += bytes.len();
        agent.journal.place += bytes.len() as u64;
        let part = if agent.journal.bytes > JOURNAL_BYTES {
            agent.journal.bytes = 0;
            agent.journal_begin(repaint(agent.screen.grid(), agent.screen.modes()))
        } else {
            JournalPart::Output(bytes.to_vec())
        };
        let journal = Effect::Journal { agent: key, parts: vec![part] };
        self.out.push(journal);
        self.absorb(key, fed);
    }

    fn absorb(&mut self, key: AgentKey, fed: Fed) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if !fed.replies.is_empty() {
            self.out.push(Effect::Write { agent: key, bytes: fed.replies });
        }
        agent.history.push(&fed.scrolled);
        let mut title_changed = false;
        let (mut bells, mut clips) = (false, Vec::new());
        for report in fed.reports {
            match report {
                Report::Title(_) => title_changed = true,
                Report::Status(status) => agent.status = (status.state != "clear").then_some(status),
                Report::Bell => bells = true,
                Report::Clipboard(data) => clips.push(data),
                Report::Notification(_) => bells = true,
                Report::EraseScrollback => agent.history.forget(),
            }
        }
        let name = agent.spec.name.clone();
        if fed.reset {
            self.redraw(key);
        }
        if bells {
            self.broadcast(Notice::Bell { name: name.clone() });
        }
        for data in clips {
            self.tell_watchers(key, Notice::Clipboard { name: name.clone(), data });
        }
        if title_changed {
            self.title_changed(key);
        }
        self.mark_dirty(key);
    }

    pub(super) fn keeper_says(&mut self, key: AgentKey, message: FromKeeper) {
        match message {
            FromKeeper::Stopped | FromKeeper::Paused { .. } => {
                let running =
                    if let FromKeeper::Paused { running, .. } = message { running } else { Vec::new() };
                let Some(agent) = self.agents.get_mut(&key).filter(|agent| !agent.gone()) else { return };
                agent.life = Life::Paused;
                if let Some(pid) = agent.pid {
                    self.out.push(Effect::MeasureMemory { agent: key, pid });
                }
                self.stands_still(key);
                self.refresh_state(key);
                self.pause_confirmed(key, true, &running);
            }
            FromKeeper::Continued => {
                let Some(agent) = self.agents.get_mut(&key).filter(|agent| !agent.gone()) else { return };
                agent.life = Life::Running;
                agent.memory_kib = None;
                self.goes_on(key);
                // Stopped in the middle of drawing, a program may go on where it was and leave an old line standing.
                if self.agents.get(&key).is_some_and(Agent::draws_a_screen) {
                    self.redraw(key);
                }
                self.refresh_state(key);
                self.pause_confirmed(key, false, &[]);
            }
            FromKeeper::Exited(exit) => self.exited(key, exit.shell_code()),
            FromKeeper::Swept { left, kept, .. } => self.swept(key, left, kept),
        }
    }

    pub(super) fn keeper_lost(&mut self, key: AgentKey) {
        let lost = self.agents.get(&key).is_some_and(|agent| !agent.gone());
        if lost {
            let name = self.agents[&key].spec.name.clone();
            self.broadcast_notification(
                &name,
                None,
                &format!("the keeper of {name} died, and its agent with it"),
            );
            // What a process killed by SIGKILL reports: 128 + 9.
            self.exited(key, 137);
        }
        let Some(agent) = self.agents.get(&key) else { return };
        match (agent.keeper, &agent.spec.pane) {
            (Some(keeper), None) => {
                let token = agent.token.clone();
                self.out.push(Effect::EndOrphans { agent: key, keeper, token });
            }
            // Nobody is left who could sweep, or say that it has.
            _ => self.swept(key, Vec::new(), Vec::new()),
        }
    }

    fn exited(&mut self, key: AgentKey, code: i32) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key).filter(|agent| !agent.gone()) else { return };
        agent.life = Life::Exited(code);
        // An answer that is in has its end seen yet; what was put to a consultant goes to the next one.
        if let Some(Typing::FirstPrompt(_)) = agent.typing {
            agent.typing = None;
        }
        agent.typing_wake = None;
        agent.watcher.saw_output(now.ms);
        let ran_ms = now.ms.saturating_sub(agent.started_ms);
        agent.ending.failures = if ran_ms >= RESTART_GOOD_MS { 0 } else { agent.ending.failures + 1 };
        let by_policy = match agent.spec.restart {
            Restart::Never => false,
            Restart::OnFailure => code != 0 && !agent.ending.stop_wanted,
            Restart::Always => !agent.ending.stop_wanted,
        };
        let wanted = agent.ending.restart_wanted;
        let pause = RESTART_MS.saturating_mul(1 << agent.ending.failures.min(7)).min(RESTART_MAX_MS);
        self.consultant_left(key);
        self.pause_over(key);
        self.classify(key);
        self.refresh_state(key);
        if wanted {
            self.restarts.push((now.ms, key));
        } else if by_policy {
            self.restarts.push((now.ms + pause, key));
        }
    }

    /// Starts again whatever is due; a stopped agent keeps its name, its history and its place.
    pub(super) fn tick_restarts(&mut self) {
        let now = self.now;
        let due: Vec<AgentKey> =
            self.restarts.iter().filter(|(at, _)| *at <= now.ms).map(|(_, key)| *key).collect();
        self.restarts.retain(|(at, _)| *at > now.ms);
        for key in due {
            let Some(old) = self.agents.remove(&key) else { continue };
            self.out.push(Effect::Forget { agent: key });
            let size = old.screen.size();
            let fresh = self.admit(
                crate::core::agent::AgentSpec { size: Some(size), ..old.spec },
                (*old.policy).clone(),
                true,
            );
            if let Some(agent) = self.agents.get_mut(&fresh) {
                agent.history = old.history;
                agent.ending.failures = old.ending.failures;
            }
            self.move_watchers(key, fresh);
        }
    }

    pub(super) fn tick_agent(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        agent.rest(now);
        if agent.sync_since.is_some_and(|since| now.ms >= since + SYNC_LIMIT_MS) {
            let scrolled = agent.screen.end_sync();
            agent.history.push(&scrolled);
            agent.sync_since = None;
            agent.watcher.saw_half_a_frame(now.ms);
            self.mark_dirty(key);
        }
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if agent.watcher.next_wake().is_some_and(|at| now.ms >= at) && !agent.screen.in_sync() {
            self.classify(key);
            self.deliver_kept(key);
        }
        self.refresh_state(key);
        self.question_missing(key);
        self.press_due_submits(key);
        self.tick_hook(key);
        self.tick_conflict(key);
        self.redrawn(key);
        self.drive_typing(key);
        self.pump(key);
        self.end_idle(key);
    }

    /// Brings the state people see up to date, and tells whoever wants to know.
    pub(super) fn refresh_state(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let state = agent.shown_state(now);
        if state == agent.state {
            return;
        }
        agent.state = state;
        agent.since_unix_ms = now.unix_ms;
        self.tell_agent(key);
        self.check_waits(key);
    }

    pub(super) fn memory_measured(&mut self, key: AgentKey, kib: u64) {
        if let Some(agent) = self.agents.get_mut(&key) {
            agent.memory_kib = Some(kib);
            self.tell_agent(key);
        }
    }

    pub(super) fn write_refused(&mut self, key: AgentKey) {
        let name = self.agents.get(&key).map(|agent| agent.spec.name.clone()).unwrap_or_default();
        self.broadcast_notification(
            &name,
            None,
            &format!("{name} takes no input: what was typed last was dropped"),
        );
    }

    pub(super) fn keeper(&mut self, key: AgentKey, message: ToKeeper) {
        self.out.push(Effect::Keeper { agent: key, message });
    }
}
