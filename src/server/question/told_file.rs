//! The file that a request is about, by the path that the agent's hook tells.
//!
//! A dialog may show it from the folder the agent is in at that moment, and `src/app.py` is another file in each. A rule
//! that approves it by its name on the screen must approve it by its place in the project as well.

use crate::core::policy::request;
use crate::core::policy::route::{Route, route};
use crate::core::question::Question;
use crate::server::hooks::state::{ALONE_MS, HookState, MOST_FILES};
use crate::server::lifecycle::agent::Agent;

use super::ask::Ask;

/// The paths that were told of for this request, the last one first. There may be several files of its name.
pub(super) fn told_paths<'h>(ask: &Ask, hook: Option<&'h HookState>) -> Vec<&'h str> {
    let Some((hook, shown)) = hook.zip(request::changed(&ask.question)) else { return Vec::new() };
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let of_it = |(told_ms, path): &&(u64, String)| belongs(*told_ms, ask) && name(path) == name(&shown);
    hook.files.iter().filter(of_it).map(|(_, path)| path.as_str()).collect()
}

/// Whether it may have been told of this request: one told of earlier was another dialog's.
fn belongs(told_ms: u64, ask: &Ask) -> bool {
    told_ms + ALONE_MS >= ask.asked_ms
}

/// Whether the rule that has decided about what the screen shows decides otherwise about a file that was told of, or none of
/// those has the name that is shown, or there were more than are kept.
pub(super) fn ruled_otherwise(ask: &Ask, agent: &Agent, hook: Option<&HookState>) -> bool {
    let Some(decision) = ask.decision().filter(|_| ask.decided_by_rule()) else { return false };
    if request::changed(&ask.question).is_none() {
        return false;
    }
    let files = hook.into_iter().flat_map(|hook| &hook.files);
    let told = files.filter(|(told_ms, _)| belongs(*told_ms, ask)).count();
    let paths = told_paths(ask, hook);
    let unknown = told == MOST_FILES || (told > 0 && paths.is_empty());
    let otherwise = |path: &str| {
        let Some(exact) = exactly(&ask.question, path, &agent.spec.cwd) else { return false };
        let by_rule = route(&exact, &agent.asker(), &agent.policy);
        !matches!(by_rule, Route::Answer { answer, .. } if answer == decision.answer)
    };
    unknown || paths.into_iter().any(otherwise)
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
    use crate::session::message::AgentKey;

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

    /// Of several calls that are told of at once none may stand for another.
    #[test]
    fn every_file_of_that_name_counts_that_was_told_of() {
        let mut q = Question::new(Kind::Permission, "Do you want to create x?");
        q.origin.request = Some("create hooks/x".to_owned());
        let ask = Ask { asked_ms: 10_000, ..Ask::new("q1".into(), (AgentKey(1), "a"), q) };
        let told =
            [(10_020, "/p/hooks/x"), (10_010, "/p/hooks/y"), (9_900, "/p/.git/hooks/x"), (100, "/p/x")];
        let files = told.map(|(ms, path)| (ms, path.to_owned())).into();
        let hook = HookState { files, ..HookState::default() };
        assert_eq!(told_paths(&ask, Some(&hook)), ["/p/hooks/x", "/p/.git/hooks/x"]);
        assert!(told_paths(&ask, None).is_empty());
    }
}
