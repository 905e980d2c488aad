//! What the user's own file alone decides: one server serves all projects, so no project's file sets what it does.
//!
//! `merge.rs` takes these sections from here, with a warning for each key that a project's file gives in vain;
//! `project.rs` shows such keys as what they are. It reads no file.

use crate::core::policy::{Rule, Then};
use crate::core::question::Kind;

use super::source::{Source, Step};
use super::types::{Attach, File};

/// What the server reads at its start.
const SECTIONS: [&str; 3] = ["server", "record", "probes"];

/// Whether a project's file gives this key in vain.
pub fn left_to_user(section: &str, key: &str) -> bool {
    SECTIONS.contains(&section) || (section, key) == ("attach", "size")
}

/// A section of the user's own file.
pub fn of_user<T: Default>(own: Option<&Source>, section: impl Fn(&File) -> T) -> T {
    own.map(|own| section(&own.file)).unwrap_or_default()
}

/// What attaching does may be the project's matter; whose size an agent has that several look at is the server's.
pub fn attach(own: Option<&Source>, both: Attach) -> Attach {
    Attach { size: of_user(own, |own| own.attach.size), ..both }
}

/// A line for each key of a project's file that nobody follows.
pub fn warnings(project: &Source) -> Vec<String> {
    let table: toml::Table = toml::from_str(&project.text).expect("it was parsed before");
    let keys = table.iter().filter_map(|(section, value)| Some((section, value.as_table()?)));
    let keys = keys.flat_map(|(section, table)| table.keys().map(move |key| (section, key)));
    let what = "one server serves all projects; this counts only in your own file, and is left out";
    let warning = |(section, key): (&String, &String)| {
        project.error(&[Step::Key(section), Step::Key(key)], what).to_string()
    };
    keys.filter(|(section, key)| left_to_user(section, key)).map(warning).collect()
}

/// Why a rule is left out. `route.rs` holds rules without a kind to the same.
pub fn refusal(rule: &Rule, own: bool) -> Option<&'static str> {
    let settles = matches!(rule.then, Then::Answer | Then::Ignore);
    let decides = match rule.then {
        Then::Answer | Then::Consult => true,
        Then::Human | Then::Ignore => false,
    };
    match rule.kind? {
        kind if rule.then != Then::Human && kind.person_only() => {
            Some("trust, login and password questions always go to a person; the rule is left out")
        }
        Kind::Permission | Kind::Plan | Kind::Dialog if decides && !own => Some(
            "a project's file may not answer permissions and plans; the rule is left out: put it into your own file",
        ),
        Kind::Permission | Kind::Plan | Kind::Dialog | Kind::YesNo if settles && !own => Some(
            "a project's file may neither answer nor silence what asks for a yes; the rule is left out: put it into your own file",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They were shown by `config show` and by `counsel trust` as what holds, and no server ever read them.
    #[test]
    fn what_the_server_does_is_the_users_alone_and_a_project_is_told() {
        let project = "[server]\nscrollback_lines = 9\n[record]\nauto = true\n[attach]\nsize = \"latest\"\nresume = false\n";
        let project = Source::parse("counsel.toml", false, project).unwrap();
        assert_eq!(of_user(None, |own| own.server.clone()), Default::default());
        let told = warnings(&project);
        let places: Vec<&str> = told.iter().filter_map(|line| line.split(": one server").next()).collect();
        let want = [
            "counsel.toml:6:8: key attach.size",
            "counsel.toml:4:8: key record.auto",
            "counsel.toml:2:20: key server.scrollback_lines",
        ];
        assert_eq!(places, want);
    }
}
