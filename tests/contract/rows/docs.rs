//! What README and docs show is typed as it stands there.
//!
//! Blocks of shell are run line by line, in their order, in one world. What builds, tests or measures counsel itself is not
//! run by its own tests: there the files that a line names must be there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::CommandFactory;
use counsel::cli::verbs::Cli;

use crate::table::{Need, Row, program, row, run};

const README: &str = include_str!("../../../README.md");
const QUESTIONS: &str = include_str!("../../../docs/questions.md");

/// Every page that a user or a developer reads, `README.md` first.
fn pages() -> impl Iterator<Item = &'static str> {
    placed().iter().map(|(_, page)| *page)
}

/// The same with the folder that each lies in.
fn placed() -> &'static [(PathBuf, &'static str)] {
    static PAGES: OnceLock<Vec<(PathBuf, &'static str)>> = OnceLock::new();
    PAGES.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let top = ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(|name| root.join(name));
        let docs = std::fs::read_dir(root.join("docs")).expect("the pages stand there");
        let mut docs: Vec<PathBuf> = docs.filter_map(|entry| Some(entry.ok()?.path())).collect();
        docs.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        docs.sort();
        let read = |path: PathBuf| {
            let text = std::fs::read_to_string(&path).expect("a page is text");
            (path.parent().unwrap_or(root).to_path_buf(), &*text.leak())
        };
        top.into_iter().chain(docs).map(read).collect()
    })
}

/// The fenced blocks of a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let fences: Vec<&str> = page.split("\n```").collect();
    let inside = fences.iter().skip(1).step_by(2);
    inside.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).collect()
}

/// Lines of shell that are commands, without their remarks.
fn commands(page: &str) -> Vec<&str> {
    let shell = blocks(page, "sh").into_iter().filter(|block| !block.starts_with("#!"));
    let lines = shell.flat_map(str::lines).map(|line| line.split(" #").next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).collect()
}

/// A line for whoever works on counsel itself, as the files it names.
fn of_developers(line: &str) -> Option<Vec<String>> {
    let mut words = line.split(' ').skip_while(|word| word.contains('='));
    let first = words.next()?;
    if first.contains('/') {
        return Some(vec![first.to_owned()]);
    }
    if first != "cargo" {
        return None;
    }
    let words: Vec<&str> = words.take_while(|word| *word != "--").collect();
    let named = |option: &str, folder: &str| {
        let at = words.iter().position(|word| *word == option)?;
        let name = words.get(at + 1)?;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let file = format!("{folder}/{name}.rs");
        Some(if root.join(format!("{name}.rs")).exists() { file } else { format!("{folder}/{name}") })
    };
    let fuzzed = || {
        let at = words.iter().position(|word| *word == "fuzz")?;
        let target = words[at..].iter().skip(2).find(|word| !word.starts_with('-') && **word != "none")?;
        Some(format!("fuzz/fuzz_targets/{target}.rs"))
    };
    Some([named("--test", "tests"), named("--bench", "benches"), fuzzed()].into_iter().flatten().collect())
}

fn readme() -> Row {
    let team = blocks(README, "toml").first().copied().unwrap_or_default();
    // Contract: the pages.
    let mut all = row("every command of README.md and docs/*.md runs as it is written, in its order")
        .needs(Need::Git)
        .file("home/src/api/README", "")
        .file("work/counsel.toml", Box::leak(team.to_owned().into_boxed_str()))
        .then(program("sh", "-ec").word(
            "mkdir bin; printf '#!/bin/sh\\nexec cat\\n' > bin/claude; chmod +x bin/claude; git init -q",
        ));
    let lines = pages().flat_map(commands).filter(|line| of_developers(line).is_none());
    for line in lines {
        let typed = format!("PATH={{work}}/bin:{{bin}}:$PATH; {line} < /dev/null");
        let typed = program("sh", "-ec").word(&typed);
        all = all.then(if line.starts_with("counsel read") { typed.says("\nit works\n") } else { typed });
    }
    all
}

fn developers() -> Row {
    // Contract: the pages.
    let mut all = row("what README and docs tell developers to run is there");
    let lines = pages().flat_map(commands).filter_map(of_developers);
    for file in lines.flatten() {
        all = all.then(program("test", "-e").word(&format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))));
    }
    all
}

fn consultant() -> Row {
    let scripts = blocks(QUESTIONS, "sh");
    let script = scripts.first().copied().unwrap_or_default();
    // Contract: What a consultant is told, and may say.
    row("the consultant that docs/questions.md shows answers")
        .needs(Need::Jq)
        .file("work/first", Box::leak(script.to_owned().into_boxed_str()))
        .file(
            "home/.config/counsel/config.toml",
            "[[consultant]]\nname = \"first\"\ncommand = [\"sh\", \"first\"]\n",
        )
        .agent("a", "printf 'Use TypeScript? [y/N] '; read answer; echo \"told $answer\"; exec cat")
        .then(run("wait a --for asking --timeout 30"))
        .then(run("questions --json").save("/id", "id"))
        .then(run("consult {id} --with first"))
        .then(run("read a --screen").says("told y").awaited())
        .then(run("log --json").is("/by", "consultant first").awaited())
}

/// Every command within a sentence of the pages, as it is written there.
pub fn mentioned() -> Vec<String> {
    let mut all = Vec::new();
    for page in pages() {
        all.extend(code_in_sentences(page).into_iter().filter(|code| code.starts_with("counsel ")));
    }
    all
}

/// Outside the fences every second piece between backticks is code.
fn code_in_sentences(page: &str) -> Vec<String> {
    let texts = page.split("\n```").step_by(2);
    texts.flat_map(|text| text.split('`').skip(1).step_by(2)).map(|code| code.replace('\n', " ")).collect()
}

/// The same of what is read beside the pages: the changes since the last release, and the form for faults.
pub fn mentioned_beside() -> Vec<String> {
    let changes = include_str!("../../../CHANGELOG.md").split("\n## ").nth(1).unwrap_or_default();
    let form = include_str!("../../../.github/ISSUE_TEMPLATE/fault.md");
    let code = [changes, form].into_iter().flat_map(code_in_sentences);
    code.filter(|code| code.starts_with("counsel ")).collect()
}

/// What the pages link to, and every file of the repository that they name, if it is not there; and the tests that a line
/// runs by name, if no source of theirs has it.
pub fn not_there() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut gone = Vec::new();
    for (folder, page) in placed() {
        let links = page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        let links = links.map(|link| link.split('#').next().unwrap_or_default());
        let links = links.filter(|link| !link.is_empty() && !link.contains("://"));
        gone.extend(
            links.filter(|link| !folder.join(link).exists()).map(|link| format!("the link to {link}")),
        );
        let code = code_in_sentences(page).into_iter().filter(|code| names_a_file(code));
        let there = |code: &String| root.join(code).exists() || crate::claims::is_a_test(code);
        gone.extend(code.filter(|code| !there(code)).map(|code| format!("the file or test {code}")));
        gone.extend(commands(page).into_iter().filter_map(test_that_is_gone));
    }
    gone
}

/// Whether it is a path from the top of the repository, and not one with a part that stands for others.
fn names_a_file(code: &str) -> bool {
    const TOP: [&str; 9] =
        ["src/", "tests/", "docs/", ".ci/", ".github/", "benches/", "fuzz/", "profiles/", "layouts/"];
    // `fuzz/artifacts` is there once something was found.
    let stands_for =
        |ch: char| ch.is_whitespace() || ch.is_uppercase() || matches!(ch, '*' | '{' | '<' | '…');
    TOP.iter().any(|top| code.starts_with(top)) && !code.contains(stands_for)
}

/// `cargo test --test X -- … NAME`: no source of X has that name.
fn test_that_is_gone(line: &str) -> Option<String> {
    let (target, rest) = line.split_once(" --test ")?.1.split_once(" -- ")?;
    let name = rest.split(' ').next_back().filter(|word| !word.starts_with('-'))?;
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folder = std::fs::read_dir(tests.join(target)).into_iter().flatten();
    let mut sources: Vec<PathBuf> = folder.filter_map(|entry| Some(entry.ok()?.path())).collect();
    sources.push(tests.join(format!("{target}.rs")));
    let has = |path: &PathBuf| std::fs::read_to_string(path).is_ok_and(|text| text.contains(name));
    (!sources.iter().any(has)).then(|| format!("the test {name} of {target}"))
}

/// Every command that a message of the program's tells a person to run.
pub fn advised() -> Vec<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut all = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).expect("the sources stand there");
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source is text");
            // Strings that go over several lines are joined as the compiler joins them.
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let joined = lines.map(str::trim).collect::<Vec<_>>().join("\n").replace("\\\n", "");
            let quoted = joined.split("'counsel ").skip(1).filter_map(|rest| rest.split_once('\''));
            all.extend(
                quoted.map(|(words, _)| format!("counsel {words}")).filter(|line| !line.contains('\n')),
            );
        }
    }
    all.sort();
    all.dedup();
    all
}

/// What is not run here, since it takes a terminal, or goes on until somebody ends it; and what runs it instead.
pub const NOT_RUN: [(&str, &str); 12] = [
    ("counsel adopt", "tests/tmux.rs::a_pane_of_the_users_own_is_adopted_answered_and_released_untouched"),
    ("counsel attach", "tests/attach.rs::the_chord_leaves_and_never_reaches_the_agent"),
    ("counsel demo", "tests/demo.rs::the_story_is_shown_in_the_dashboard_and_leaves_nothing"),
    ("counsel events", "events are one per line"),
    ("counsel pause", "pause and resume are verified; a paused agent refuses send and answer with 4"),
    ("counsel resume", "pause and resume are verified; a paused agent refuses send and answer with 4"),
    (
        "counsel server --foreground",
        "a server in the foreground serves until it is told to end, or a signal ends it and its agents go on",
    ),
    ("counsel stop", "stop ends everything; the names, or all"),
    ("counsel tmux jump", "tests/tmux_verbs.rs::the_key_goes_to_the_pane_that_shows_who_asks"),
    ("counsel tmux popup", "tests/tmux_verbs.rs::the_popup_opens_from_a_pane_and_leaves_tmux_its_prefix"),
    ("counsel trust", "tests/trust.rs::what_has_changed_is_another_file"),
    ("counsel worktree rm", "a worktree is made with its agent, listed, and removed"),
];

/// Run on all of them by `tests/detection.rs`; a folder of one's own is scored below.
const REPOSITORY: &str = "counsel profile score tests/recordings";

/// What stands in a sentence for a name of the reader's, and what it is in the world of the row.
const STAND_INS: [(&str, &str); 7] = [
    ("NAME", "it"),
    ("FILE", "new.cast"),
    ("CAST", "my.cast"),
    ("DIR", "labelled"),
    ("OPTION…", "y"),
    ("OPTION", "y"),
    ("T", "0.1"),
];

/// A command with something of the world for each of its stand-ins; `$id` is a question's. `None`: it has none, or lacks more.
fn filled_in(line: &str) -> Option<String> {
    let line = line.split(" | ").next().unwrap_or_default();
    let word = |word: &str| {
        let found = STAND_INS.iter().find(|(stands, _)| *stands == word);
        found.map_or_else(|| word.replace("ID", "$id"), |(_, real)| (*real).to_owned())
    };
    let filled = line.split(' ').map(word).collect::<Vec<_>>().join(" ");
    let terminal = NOT_RUN.iter().any(|(verb, _)| line.starts_with(verb) && !filled.ends_with(" it"));
    (filled != line && !terminal && !filled.starts_with("counsel attach") && whole_but_for_its_end(&filled))
        .then_some(filled)
}

fn whole_but_for_its_end(line: &str) -> bool {
    Cli::command().try_get_matches_from(line.split(' ')).is_ok()
}

/// Whether a command within a sentence is a whole one: nothing in it stands for something else, and no word is missing.
fn whole(line: &str) -> bool {
    let stands_for =
        |word: &str| word.contains('…') || word.len() > 1 && word.chars().all(char::is_uppercase);
    let words = || line.split(' ').take_while(|word| !word.contains('>') && *word != "|");
    let run = !NOT_RUN.iter().any(|(verb, _)| line.starts_with(verb)) && line != REPOSITORY;
    run && !words().any(stands_for) && Cli::command().try_get_matches_from(words()).is_ok()
}

/// What starts comes first and what ends last, wherever the pages speak of it.
fn rank(line: &str) -> u8 {
    match line.split(' ').nth(1) {
        Some("start") => 0,
        Some("init") => 2,
        Some("down") => 3,
        _ => 1,
    }
}

fn within_sentences() -> Row {
    // Contract: the pages.
    let mut all = row(
        "every whole command within the sentences of README.md and docs/*.md runs as it is written",
    )
    .needs(Need::Git)
    .needs(Need::Tmux)
    .file("work/my.toml", include_str!("../../../profiles/claude.toml"))
    .file("work/my.cast", "{\"version\":2,\"width\":80,\"height\":24}\n[0.1,\"o\",\"hello\"]\n")
    .file("home/.config/counsel/config.toml", "[[agent]]\nname = \"web\"\ncommand = [\"cat\"]\n")
    .then(
        program("sh", "-ec")
            .word("mkdir bin; printf '#!/bin/sh\\nexec cat\\n' > bin/claude; chmod +x bin/claude"),
    )
    .then(program("sh", "-ec").word(
        "git init -q; git -c user.name=dev -c user.email=dev@example.com commit -q --allow-empty -m First",
    ));
    let mut lines: Vec<String> =
        mentioned().into_iter().filter(|line| whole(line)).collect::<BTreeSet<_>>().into_iter().collect();
    lines.sort_by_key(|line| rank(line));
    assert!(lines.len() > 15, "the pages have lost their commands: {lines:?}");
    for line in lines {
        let typed = format!("PATH={{work}}/bin:{{bin}}:$PATH; {line} < /dev/null");
        all = all.then(program("sh", "-ec").word(&typed));
    }
    all
}

fn with_stand_ins() -> Row {
    const ID: &str = "id=$(counsel VERB --json | sed -n 's/^{\"id\":\"\\([^\"]*\\)\".*/\\1/p' | head -1); ";
    // Contract: the pages.
    let mut all = row("every command within the sentences that names what it needs by a stand-in runs with a real one")
        .file("work/my.toml", include_str!("../../../profiles/claude.toml"))
        .file("work/my.cast", "{\"version\":2,\"width\":80,\"height\":24}\n[0.1,\"o\",\"hello\"]\n")
        .file("work/labelled/one.cast", include_str!("../../recordings/claude-2.1.150-slash-120x40.cast"))
        .file("work/labelled/one.json", include_str!("../../recordings/claude-2.1.150-slash-120x40.json"))
        .then(program("sh", "-ec").word("mkdir bin; printf '#!/bin/sh\\nwhile printf \"Continue? [y/N] \"; read a; do :; done\\n' > bin/mine; chmod +x bin/mine"));
    let lines: BTreeSet<String> = mentioned().iter().filter_map(|line| filled_in(line)).collect();
    assert!(lines.len() > 10, "the pages have lost their commands: {lines:?}");
    // What starts comes first; what is of the log needs an answer; what stops comes last.
    let order = ["start", "answer", "log", "", "pause", "stop"];
    let place = |line: &String| {
        let verb = line.split(' ').nth(1).unwrap_or_default();
        order.iter().position(|known| *known == verb).unwrap_or(3)
    };
    let mut lines: Vec<String> = lines.into_iter().collect();
    lines.sort_by_key(place);
    for line in lines {
        let list = if line.starts_with("counsel log") { "log" } else { "questions" };
        let id = if line.contains("$id") { ID.replace("VERB", list) } else { String::new() };
        // What is recorded to is a new file, what is read is there.
        let files = match line.strip_prefix("counsel record it ") {
            Some(file) => format!("rm -f {file}"),
            None => "touch new.cast".to_owned(),
        };
        // Somebody asks again a moment after each answer.
        let asked = if line.starts_with("counsel answer") {
            "counsel wait it --for asking --timeout 30; "
        } else {
            ""
        };
        let typed = format!("PATH={{work}}/bin:{{bin}}:$PATH; {files}; {asked}{id}{line} < /dev/null");
        all = all.then(program("sh", "-ec").word(&typed));
    }
    all
}

pub fn rows() -> Vec<Row> {
    vec![readme(), developers(), within_sentences(), with_stand_ins(), consultant()]
}
