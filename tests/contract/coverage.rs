//! Whether the table is whole: every verb and every option of the program is used by some row.

use std::collections::BTreeSet;

use clap::{Command, CommandFactory};
use counsel::cli::verbs::Cli;
use libtest_mimic::Trial;

use crate::rows;
use crate::table::Row;

/// A verb by its path, and an option of it.
type Use = (Vec<String>, String);

pub fn trials(rows: &[Row]) -> Vec<Trial> {
    let mut command = Cli::command();
    command.build();
    let mut uses = BTreeSet::new();
    let counsel = rows.iter().flat_map(|row| &row.steps).filter(|step| step.is_counsel());
    for step in counsel {
        used(&command, &step.words, &mut uses);
    }
    let mut known = BTreeSet::new();
    list(&command, &mut Vec::new(), &mut known);
    let missing: Vec<String> =
        known.difference(&uses).map(|(verb, option)| format!("{} {option}", verb.join(" "))).collect();
    let twice: BTreeSet<&str> = rows.iter().map(|row| row.line).collect();
    let names = (twice.len(), rows.len());
    vec![
        Trial::test("every verb and every option has a row", move || match missing.as_slice() {
            [] => Ok(()),
            missing => Err(format!("no row uses:\n  {}", missing.join("\n  ")).into()),
        }),
        Trial::test("README and docs mention no verb and no option that is not there", || {
            let mut unknown = rows::docs::mentioned();
            unknown.retain(|line| !exists(line));
            // The changelog speaks of options without their values, too.
            let beside = rows::docs::mentioned_beside().into_iter();
            unknown.extend(beside.filter(|line| !exists(line) && !exists(&format!("{line} 1"))));
            if unknown.is_empty() { Ok(()) } else { Err(unknown.join("\n").into()) }
        }),
        Trial::test("what the pages link to and name of the repository is there", || {
            let gone = rows::docs::not_there();
            if gone.is_empty() { Ok(()) } else { Err(gone.join("\n").into()) }
        }),
        Trial::test("what the pages show and no row can run is run by a test of its own", {
            let lines: BTreeSet<&str> = rows.iter().map(|row| row.line).collect();
            move || {
                let gone = rows::docs::NOT_RUN
                    .iter()
                    .filter(|(_, by)| !lines.contains(by) && !crate::claims::is_a_test(by));
                let gone: Vec<String> = gone.map(|(verb, by)| format!("{verb}: no {by}")).collect();
                if gone.is_empty() { Ok(()) } else { Err(gone.join("\n").into()) }
            }
        }),
        Trial::test("the program's own messages name no verb and no option that is not there", || {
            let named = rows::docs::advised();
            // A keeper goes by that name in a list of processes; nobody runs it.
            let told = named.iter().filter(|line| *line != "counsel keep");
            let unknown: Vec<&String> = told.filter(|line| !exists(line)).collect();
            match unknown.is_empty() && !named.is_empty() {
                true => Ok(()),
                false => Err(format!("of {}: {unknown:#?}", named.len()).into()),
            }
        }),
        Trial::test("every verb that acts prints what it did as JSON", || {
            let mut command = Cli::command();
            command.build();
            let mut without = BTreeSet::new();
            lacking_json(&command, &mut Vec::new(), &mut without);
            let expected: BTreeSet<String> = WITHOUT_JSON.iter().map(|verb| (*verb).to_owned()).collect();
            if without == expected { Ok(()) } else { Err(format!("without --json: {without:?}").into()) }
        }),
        Trial::test("docs/profiles.md has every key of a profile", || {
            let page = include_str!("../../docs/profiles.md");
            let missing: Vec<&str> =
                profile_keys().into_iter().filter(|key| !page.contains(&format!("`{key}"))).collect();
            if missing.is_empty() { Ok(()) } else { Err(format!("missing: {missing:?}").into()) }
        }),
        Trial::test("every part of the contract has a row, or a test of its own", || {
            let tagged = tagged();
            let missing: Vec<&str> =
                PARTS.split(';').map(str::trim).filter(|part| !tagged.contains(*part)).collect();
            let unknown: Vec<&String> =
                tagged.iter().filter(|tag| !PARTS.split(';').any(|part| part.trim() == *tag)).collect();
            let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
            let gone: Vec<&str> =
                ELSEWHERE.iter().map(|(_, file)| *file).filter(|file| !root.join(file).exists()).collect();
            match missing.is_empty() && unknown.is_empty() && gone.is_empty() {
                true => Ok(()),
                false => Err(format!("no row: {missing:?}; no part: {unknown:?}; no file: {gone:?}").into()),
            }
        }),
        Trial::test("no line stands twice", move || {
            if names.0 == names.1 { Ok(()) } else { Err("two rows have the same line".into()) }
        }),
    ]
}

/// The parts of the contract that rows hold to: what stands behind `Contract:` above each of them.
const PARTS: &str = "Conventions: names; Conventions: errors; Conventions: usage errors; Conventions: exit codes; \
    Conventions: times; Conventions: tables; \
    Commands: counsel; Commands: trust; Commands: init; Commands: demo; Commands: up; Commands: down; Commands: start; \
    Commands: exec; Commands: ls; Commands: attach; Commands: read; Commands: send; Commands: pause; Commands: resume; \
    Commands: stop; Commands: restart; Commands: resize; Commands: signal; Commands: wait; Commands: questions; \
    Commands: answer; Commands: consult; Commands: log; Commands: events; Commands: explain; Commands: replay; \
    Commands: record; Commands: adopt; Commands: tmux; Commands: mcp; Commands: search; Commands: diff; \
    Commands: worktree; Commands: rules; Commands: man; Commands: bug-report; Commands: doctor; Commands: config; \
    Commands: completions; Commands: server; Commands: server log; Commands: --version; \
    counsel replay --json; Configuration; Configuration: built-in rules; What a consultant is told, and may say; \
    Delivery, with proof; Files; Files: an agent's environment; the pages";

/// What takes a terminal, a real agent or a person to be seen, and the tests of it.
const ELSEWHERE: [(&str, &str); 12] = [
    ("the dashboard, its keys, its mouse, and what it tells its terminal", "tests/dashboard.rs"),
    ("the keys of the dashboard, each as it is bound", "tests/bindings.rs"),
    ("attach, detach, several viewers at once", "tests/attach.rs"),
    ("trust at a terminal, changed contents with their difference", "tests/trust.rs"),
    ("answers that are typed, key by key", "tests/delivery.rs"),
    ("answers in real agents, by keys and by hook, and what they recorded", "tests/real.rs"),
    ("kinds and states of screens", "tests/detection.rs"),
    ("isolate", "tests/closed.rs"),
    ("who may do what", "tests/attacks/main.rs"),
    ("the tools of mcp", "tests/mcp.rs"),
    ("the tools of mcp, by the official client", "tests/mcp_sdk.rs"),
    ("every key of the configuration with its default", "tests/config.rs"),
];

/// What the rows say of themselves.
fn tagged() -> BTreeSet<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract/rows");
    let files = std::fs::read_dir(folder).expect("the rows stand there");
    let mut tagged = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(file.expect("it is listed").path()).expect("a row is text");
        let tags = text.lines().filter_map(|line| line.trim().strip_prefix("// Contract: "));
        for tag in tags.flat_map(|tags| tags.trim_end_matches('.').split("; ")) {
            match tag.split_once(": ") {
                Some((part @ "Commands", verbs)) => {
                    tagged.extend(verbs.split(", ").map(|verb| format!("{part}: {verb}")));
                }
                _ => drop(tagged.insert(tag.to_owned())),
            }
        }
    }
    tagged
}

/// The fields of the tables of a profile file, as they stand in the types it is read into.
fn profile_keys() -> Vec<&'static str> {
    let types = concat!(
        include_str!("../../src/core/profile/schema.rs"),
        include_str!("../../src/core/profile/keys.rs")
    );
    let fields = types.lines().filter_map(|line| line.strip_prefix("    pub ")?.split_once(": "));
    let keys = fields.map(|(key, _)| key).filter(|key| !key.contains('('));
    // Tables are headings there.
    keys.filter(|key| !["composer", "title", "sign", "menu", "dialog", "line", "reply", "keys"].contains(key))
        .collect()
}

/// Verbs that are themselves a conversation, a terminal or a text for another program; nothing is done by them.
const WITHOUT_JSON: [&str; 5] = ["attach", "completions", "config schema", "tmux keys", "tmux status"];

fn lacking_json(command: &Command, path: &mut Vec<String>, without: &mut BTreeSet<String>) {
    let verbs: Vec<&Command> =
        command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help").collect();
    let own = command.get_arguments().any(|arg| arg.get_long() == Some("json"));
    if verbs.is_empty() && !own {
        without.insert(path.join(" "));
    }
    for verb in verbs {
        path.push(verb.get_name().to_owned());
        lacking_json(verb, path, without);
        path.pop();
    }
}

/// Whether the program takes a line: its verb, its options together, and their values. A line may leave words out, and
/// a placeholder (`NAME`, `…`, `a|b`) is no value yet.
fn exists(line: &str) -> bool {
    use clap::error::ErrorKind::{
        DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion, InvalidValue,
        MissingRequiredArgument, MissingSubcommand, ValueValidation,
    };
    let placeholder = line
        .split_whitespace()
        .skip(1)
        .any(|word| word.contains(['…', '|', '{', '<']) || word.chars().any(char::is_uppercase));
    // What a shell makes of the rest is not counsel's.
    let words = line.split_whitespace().take_while(|word| !matches!(*word, ">" | ">>" | "|" | "<" | "&&"));
    match Cli::command().try_get_matches_from(words) {
        Ok(_) => true,
        Err(error) => match error.kind() {
            DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand => true,
            MissingRequiredArgument | MissingSubcommand => true,
            InvalidValue | ValueValidation => placeholder,
            _ => false,
        },
    }
}

/// Every verb (with an empty option) and every long option below it. Options that hold everywhere are counted once.
fn list(command: &Command, path: &mut Vec<String>, known: &mut BTreeSet<Use>) {
    let inherited = |arg: &clap::Arg| arg.is_global_set() && !path.is_empty();
    let own = command.get_arguments().filter(|arg| !arg.is_hide_set() && !inherited(arg));
    let longs: Vec<String> = own.filter_map(|arg| Some(format!("--{}", arg.get_long()?))).collect();
    known.extend(longs.into_iter().filter(|long| long != "--help").map(|long| (path.clone(), long)));
    let verbs: Vec<&Command> =
        command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help").collect();
    if verbs.is_empty() {
        known.insert((path.clone(), String::new()));
    }
    for verb in verbs {
        path.push(verb.get_name().to_owned());
        list(verb, path, known);
        path.pop();
    }
}

/// What one command line uses.
fn used(root: &Command, words: &[String], uses: &mut BTreeSet<Use>) {
    let (mut command, mut path) = (root, Vec::new());
    for word in words.iter().take_while(|word| *word != "--") {
        if let Some(verb) = command.find_subcommand(word) {
            path.push(verb.get_name().to_owned());
            command = verb;
            continue;
        }
        let long = word.split('=').next().unwrap_or(word);
        let arg = command.get_arguments().find(|arg| match long.strip_prefix("--") {
            Some(long) => arg.get_long() == Some(long),
            None => long.len() == 2 && long.starts_with('-') && arg.get_short() == long.chars().nth(1),
        });
        if let Some(long) = arg.and_then(|arg| arg.get_long().map(|long| (arg.is_global_set(), long))) {
            let owner = if long.0 { global_owner(root, &path, long.1) } else { path.clone() };
            uses.insert((owner, format!("--{}", long.1)));
        }
    }
    uses.insert((path, String::new()));
}

/// The topmost command of the path that has this option.
fn global_owner(root: &Command, path: &[String], long: &str) -> Vec<String> {
    let (mut command, mut owner) = (root, Vec::new());
    let has = |command: &Command| command.get_arguments().any(|arg| arg.get_long() == Some(long));
    for verb in path {
        if has(command) {
            break;
        }
        let Some(next) = command.find_subcommand(verb) else { break };
        owner.push(verb.clone());
        command = next;
    }
    owner
}
