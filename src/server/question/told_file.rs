//! The file that a request is about, by the path that the agent's hook tells.
//!
//! A dialog may show it from the folder the agent is in at that moment, and `src/app.py` is another file in each. A rule
//! that approves it by its name on the screen must approve it by its place in the project as well.

use crate::core::policy::request;
use crate::core::policy::route::{Route, route};
use crate::core::question::Question;
use crate::server::hooks::state::{ALONE_MS, HookState};
use crate::server::lifecycle::agent::Agent;

use super::ask::Ask;

/// The path that was told of for this request, if one was.
pub(super) fn told_path<'h>(ask: &Ask, hook: Option<&'h HookState>) -> Option<&'h str> {
    request::changed(&ask.question)?;
    let (told_ms, path) = hook?.file.as_ref()?;
    // One told of earlier was another dialog's.
    (told_ms + ALONE_MS >= ask.asked_ms).then_some(path)
}

/// Whether the rule that has decided about what the screen shows decides otherwise about the file that was told of.
pub(super) fn ruled_otherwise(ask: &Ask, agent: &Agent, hook: Option<&HookState>) -> bool {
    let (Some(path), Some(decision)) = (told_path(ask, hook), ask.decision()) else { return false };
    let Some(exact) = exactly(&ask.question, path, &agent.spec.cwd).filter(|_| ask.decided_by_rule()) else {
        return false;
    };
    let by_rule = route(&exact, &agent.asker(), &agent.policy);
    !matches!(by_rule, Route::Answer { answer, .. } if answer == decision.answer)
}

/// The same request by this path, as it is seen from that folder.
fn exactly(question: &Question, path: &str, folder: &str) -> Option<Question> {
    let request = request::of(question)?;
    let (act, shown) = request.split_once(' ')?;
    let within = path.strip_prefix(folder.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    // The person's own folder has a short name on the screen, which a rule may have as well.
    let at_home = shown.strip_prefix('~').is_some_and(|rest| rest.starts_with('/') && path.ends_with(rest));
    let place = if at_home { shown } else { within.unwrap_or(path) };
    let mut exact = question.clone();
    exact.origin.request = Some(format!("{act} {place}"));
    Some(exact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::question::Kind;

    /// After `cd .git` its dialog asked for "hooks/pre-commit", and a rule for `hooks/` said yes.
    #[test]
    fn a_file_is_where_its_whole_path_says() {
        let seen = |request: &str, path: &str| {
            let mut q = Question::new(Kind::Permission, "Do you want to create x?");
            q.origin.request = Some(request.to_owned());
            exactly(&q, path, "/p/").and_then(|q| q.origin.request)
        };
        for (request, path, exact) in [
            ("create hooks/x", "/p/.git/hooks/x", "create .git/hooks/x"),
            ("create src/x", "/p/src/x", "create src/x"),
            ("edit src/x", "/other/src/x", "edit /other/src/x"),
            ("edit x", "/pp/x", "edit /pp/x"),
            ("write ~/.x", "/home/me/.x", "write ~/.x"),
            ("write ~/.x", "/p/.y", "write .y"),
        ] {
            assert_eq!(seen(request, path).as_deref(), Some(exact), "{request} {path}");
        }
    }
}
