//! What a consultant that says yes to everything may answer of programs that nobody described, and what never.
//!
//! Each row of `tests/prompts/` is a screen as a program leaves it, with the cursor at its end, and the kind and the route
//! that come of it where a process is seen to read the line.

use counsel::core::consult::chain::Chain;
use counsel::core::deliver::same_dialog;
use counsel::core::detect::watch::{Snapshot, classify};
use counsel::core::detect::witness::{Blind, Reader, Wait, Witness};
use counsel::core::policy::Policy;
use counsel::core::policy::route::{Asker, Route, route};
use counsel::core::profile::Profiles;
use counsel::core::question::{Kind, Question, State};
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;

/// A list of prompts, as its file holds it.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    group: Vec<Group>,
    menu: Vec<Menu>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    of: String,
    /// What each is taken for; none where only the route counts.
    kind: Option<Kind>,
    #[serde(default)]
    witness: Known,
    prompts: Vec<String>,
}

/// What is known of whoever reads.
#[derive(Clone, Copy, Default, PartialEq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Known {
    #[default]
    Reads,
    Hidden,
    Nobody,
    Interpreter,
    Unseen,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Menu {
    prompt: String,
    rows: Vec<String>,
}

impl List {
    fn persons() -> List {
        toml::from_str(include_str!("prompts/persons.toml")).expect("the list is well formed")
    }

    fn harmless() -> List {
        toml::from_str(include_str!("prompts/harmless.toml")).expect("the list is well formed")
    }

    /// Its prompts of somebody who is seen to read, each with what it is taken for.
    fn read(&self) -> impl Iterator<Item = (Option<Kind>, &str)> {
        let groups = self.group.iter().filter(|group| group.witness == Known::Reads);
        groups.flat_map(|group| group.prompts.iter().map(|printed| (group.kind, printed.as_str())))
    }

    fn len(&self) -> usize {
        self.group.iter().map(|group| group.prompts.len()).sum::<usize>() + self.menu.len()
    }
}

fn wait() -> Wait {
    Wait { pid: 7, thread: 7, program: "program".to_owned(), blocking: true, ..Wait::default() }
}

fn reading() -> Witness {
    with(Reader::Reading(wait()))
}

/// A program that draws its own input line, in an event loop.
fn raw() -> Witness {
    let wait = Wait { blocking: false, ..wait() };
    Witness { reader: Reader::Reading(wait), canonical: false, echo: false }
}

fn hidden() -> Witness {
    Witness { echo: false, ..reading() }
}

fn with(reader: Reader) -> Witness {
    Witness { reader, canonical: true, echo: true }
}

/// What is looked at.
struct Look<'a> {
    columns: u16,
    printed: &'a str,
    witness: Option<&'a Witness>,
    /// What was written since the last input, where that is known.
    written: &'a str,
    asked: Option<&'a Question>,
    from_the_start: bool,
    first_line: Option<u64>,
    resized_ms: Option<u64>,
    draft: &'a str,
    wiped: bool,
    untouched: bool,
    still_ms: u64,
    ages: &'a [u64],
}

impl<'a> Look<'a> {
    fn at(printed: &'a str, witness: Option<&'a Witness>) -> Look<'a> {
        let columns = 100;
        Look {
            columns,
            printed,
            witness,
            written: "",
            asked: None,
            from_the_start: false,
            first_line: None,
            resized_ms: None,
            draft: "",
            wiped: false,
            untouched: false,
            still_ms: 0,
            ages: &[],
        }
    }

    /// The state, and the question if there is one.
    fn judge(&self) -> (State, Option<Question>) {
        let mut screen = Screen::new(Size::new(self.columns, 40), TerminalIdentity::default());
        screen.feed(self.printed.replace('\n', "\r\n").as_bytes());
        let profile = Profiles::builtin().get("generic").expect("the generic profile is built in");
        let snapshot = Snapshot {
            grid: screen.grid(),
            versions: &[],
            title: "",
            status: None,
            modes: screen.modes(),
            alive: true,
            witness: self.witness,
            asked: self.asked,
            written: self.written,
            from_the_start: self.from_the_start,
            first_line: self.first_line,
            resized_ms: self.resized_ms,
            draft: self.draft,
            wiped: self.wiped,
            untouched: self.untouched,
            still_ms: self.still_ms,
            ages: self.ages,
        };
        let verdict = classify(&profile, &snapshot);
        (verdict.state, verdict.question)
    }
}

fn seen_at(columns: u16, printed: &str, witness: Option<&Witness>) -> (State, Option<Question>) {
    Look { columns, ..Look::at(printed, witness) }.judge()
}

fn seen(printed: &str, witness: Option<&Witness>) -> (State, Option<Question>) {
    Look::at(printed, witness).judge()
}

fn routed(question: &Question) -> Route {
    let chain = Chain::from("yes");
    let asker = Asker { name: "any", consultant: Some(&chain), is_consultant: false };
    route(question, &asker, &Policy::default())
}

fn is_consulted(question: &Question) -> bool {
    matches!(routed(question), Route::Consult { .. })
}

/// Lines that say what the next answer does: one of each sort that `core/policy/above_tests.rs` lists.
const DANGEROUS_LINES: &[&str] = &[
    "rm -rf ~",
    "Next:\n  rm -rf ~",
    "> ~/.bashrc",
    "Go live",
    "Total: $4,000",
    "4,211 files",
    "D  app.py\nD  db.py",
    "\u{5168}\u{90e8}\u{524a}\u{9664}\u{3057}\u{307e}\u{3059}",
    "Borrando todo",
    "Loeschen",
    "Zeroing",
    "D\nE\nL\nE\nT\nE",
];

/// What programs print above a question that a consultant answers.
const HARMLESS_LINES: &[&str] = &[
    "Setting up project",
    "Scaffolding project in /home/dev/shop...",
    "added 31 packages, and audited 32 packages in 2s",
    "> npx\n> create-vite",
    "Collecting requests\n  Downloading requests-2.31.0-py3-none-any.whl (62 kB)",
    "    Updating crates.io index\n   Compiling zlib v1.2.3",
    "frobnix",
];

/// Two words were a label and paths a name, so that a command above a harmless question counted for nothing.
#[test]
fn a_dangerous_line_above_makes_a_harmless_question_a_persons() {
    let mut faults = Vec::new();
    for (lines, consulted) in [(DANGEROUS_LINES, false), (HARMLESS_LINES, true)] {
        for line in lines {
            for prompt in ["Use TypeScript? [Y/n] ", "Project name: "] {
                let printed = format!("{line}\n{prompt}");
                let (_, question) =
                    Look { written: &printed, ..Look::at(&printed, Some(&reading())) }.judge();
                let question = question.unwrap_or_else(|| panic!("{printed:?}"));
                if is_consulted(&question) != consulted {
                    faults.push(format!("{printed:?}: {:?}, {:?}", question.kind, routed(&question)));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// "$ rm -rf ~" was taken for a line that somebody had typed into a shell, and what it says counted for nothing.
#[test]
fn a_command_that_is_written_as_a_shell_shows_one_counts() {
    let veto = |written: &str| {
        let printed = "$ rm -rf ~\nContinue? [y/N] ";
        let (_, question) = Look { written, ..Look::at(printed, Some(&reading())) }.judge();
        counsel::core::policy::guard::veto(&question.expect("it asks"))
    };
    assert!(veto("$ rm -rf ~\nContinue? [y/N] ").is_some(), "the program wrote it");
    assert_eq!(veto("Continue? [y/N] "), None, "somebody typed it, and was asked then");
}

/// A mark on one row and reverse video on another: the program took the other.
#[test]
fn two_rows_that_are_highlighted_are_a_persons() {
    let drawn = |mark: usize, inverse: usize| {
        let row = |at: usize, label: &str| {
            let mark = if at == mark { "\u{276f}" } else { " " };
            let (on, off) = if at == inverse { ("\x1b[7m", "\x1b[0m") } else { ("", "") };
            format!("{mark} {on}{label}{off}\n")
        };
        let rows: String =
            ["React", "Vue", "Svelte"].iter().enumerate().map(|(at, label)| row(at, label)).collect();
        format!("Which framework do you want to use?\n{rows}\x1b[?25l")
    };
    let (_, question) = seen(&drawn(1, 1), Some(&raw()));
    let question = question.expect("it is asked");
    assert!(question.selected == Some(1) && is_consulted(&question), "{question:?}");
    for (mark, inverse) in [(2, 0), (0, 2), (0, 1)] {
        let (_, question) = seen(&drawn(mark, inverse), Some(&raw()));
        let question = question.expect("it is asked");
        assert!(!is_consulted(&question) && question.selected.is_none(), "{mark} {inverse}: {question:?}");
    }
}

/// A list whose numbers stood in brackets, or before a dash, was asked as words: the name of a row was typed for its
/// number.
#[test]
fn the_rows_of_a_list_are_read_however_they_are_numbered() {
    for prompt in [
        "Which framework do you want to use? ",
        "Choose from 1, 2, 3 [1]: ",
        "Enter a number (1-3): ",
        // The range of numbers was taken for something that is typed behind the prompt already.
        "Which framework? [1-3]: ",
        "Which framework? (1-3) ",
        "Your choice [1/3] ",
    ] {
        for rows in [
            "1) React\n2) Vue\n3) Svelte",
            "1. React\n2. Vue\n3. Svelte",
            "[1] React\n[2] Vue\n[3] Svelte",
            "  (1) React\n  (2) Vue\n  (3) Svelte",
            "1 - React\n2 - Vue\n3 - Svelte",
        ] {
            let (_, question) = seen(&format!("{rows}\n{prompt}"), Some(&reading()));
            let question = question.unwrap_or_else(|| panic!("{rows:?} {prompt:?}"));
            let labels: Vec<&str> = question.options.iter().map(|row| row.label.as_str()).collect();
            assert_eq!(
                (question.kind, &labels[..]),
                (Kind::Menu, &["React", "Vue", "Svelte"][..]),
                "{rows:?}"
            );
            assert!(is_consulted(&question), "{rows:?} {prompt:?}: {:?}", routed(&question));
        }
    }
    let jobs = "[1] 4711\n[2] 4712\nTitle: ";
    assert_eq!(seen(jobs, Some(&reading())).1.map(|question| question.kind), Some(Kind::Text));
}

/// The first row of such a list was dropped, and the number of another one was typed.
#[test]
fn a_list_whose_numbers_do_not_tell_its_rows_apart_is_a_persons() {
    let prompt = "Which framework do you want to use? ";
    for rows in [
        "1) React\n1) Vue\n2) Svelte",
        "1) React\n2) Vue\n2) Svelte",
        "3) React\n2) Vue\n1) Svelte",
        "0) React\n    small\n1) Vue\n    large\n2) Svelte",
        "1) React\n2) Vue\n4) Svelte",
        "a) React\nb) Vue\nc) Svelte",
    ] {
        let (state, question) = seen(&format!("{rows}\n{prompt}"), Some(&reading()));
        assert_eq!(state, State::Asking, "{rows:?}");
        let question = question.expect("it is asked");
        assert!(!is_consulted(&question) && question.options.is_empty(), "{rows:?}: {question:?}");
    }
    let (_, question) = seen(&format!("1) React\n2) Vue\n3) Svelte\n{prompt}"), Some(&reading()));
    let question = question.expect("it is asked");
    assert!(is_consulted(&question) && question.options.len() == 3, "{question:?}");
    // The times of a log are no list.
    for log in ["12:03:11 ready\n12:03:12 ready", "00:59:59 ready\n01:00:00 ready"] {
        let (_, question) = seen(&format!("{log}\nTitle: "), Some(&reading()));
        assert_eq!(question.map(|question| question.kind), Some(Kind::Text), "{log:?}");
    }
}

/// Whoever says 1 may mean the first row or the one with that number.
#[test]
fn a_list_that_begins_at_0_is_offered_to_a_person_alone() {
    let prompt = "Which framework do you want to use? ";
    for rows in ["0) React\n1) Vue\n2) Svelte", "[0] React\n[1] Vue\n[2] Svelte"] {
        let (_, question) = seen(&format!("{rows}\n{prompt}"), Some(&reading()));
        let question = question.expect("it is asked");
        let numbers: Vec<_> = question.options.iter().map(|row| row.number).collect();
        assert_eq!(numbers, [Some(0), Some(1), Some(2)], "{rows:?}: {question:?}");
        assert!(!is_consulted(&question), "{rows:?}: {:?}", routed(&question));
    }
}

/// A list whose own prompt had been answered was the menu of whatever was asked next: the number of a row was typed as
/// the project's name.
#[test]
fn a_list_that_was_answered_or_only_printed_is_not_the_next_prompts() {
    let select = "1) React\n2) Svelte\n3) Vue\n";
    let output: String = (0..30).map(|at| format!("added package {at}\n")).collect();
    let mut faults = Vec::new();
    for (printed, unclear) in [
        (format!("{select}Which framework should the project use? 2\nProject name: "), false),
        (format!("{select}Which framework should the project use? 2\n{output}Project name: "), false),
        (format!("{select}Which framework should the project use? Vue\nProject name: "), false),
        (format!("{select}Choose a framework 2\nProject name: "), false),
        (format!("{select}#? 2\nProject name: "), false),
        (format!("{select}Which framework? 2\nFavourite language? "), false),
        ("Steps done:\n1) fetched\n2) built\n3) tested\nAll good.\nRelease name: ".to_owned(), false),
        ("Steps done:\n1) fetched\n2) built\n3) tested\nAll good.\nProject name: ".to_owned(), false),
        // Whether these go on from the list cannot be told.
        ("Steps done:\n1) fetched\n2) built\n3) tested\nRelease name: ".to_owned(), true),
        (format!("{select}Project name: "), true),
        (format!("{select}\nProject name: "), true),
        (format!("{select}Port: "), true),
        (format!("{select}Port [3000]: "), true),
        (format!("{select}What is your project named? "), true),
        (format!("{select}Choose a project name: "), true),
        (format!("{select}How many workers (1-3)? "), true),
        (format!("{select}Enter a number between 1 and 10: "), true),
        (format!("{select}Continue? "), true),
        (format!("{select}Which framework?\nWhich database? "), true),
        (format!("{select}Take your time.\nWhich framework? "), true),
        (format!("{select}#? 9\nno such row\n#? "), true),
        (format!("{select}Which framework? 9\nNo such row.\nWhich framework? "), true),
    ] {
        let (state, question) = seen(&printed, Some(&reading()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        let last = printed.lines().last().unwrap_or_default().trim();
        let text = question.options.is_empty() && question.kind != Kind::Menu && question.prompt == last;
        if !text || question.origin.rows_unclear != unclear || (unclear && is_consulted(&question)) {
            faults.push(format!("{printed:?}: {:?} {question:?}", routed(&question)));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// A blank line below the rows, or one that says how to choose, made of the list a question of words.
#[test]
fn a_list_is_its_prompts_over_blank_lines_and_hints() {
    let select = "1) React\n2) Svelte\n3) Vue\n";
    let mut faults = Vec::new();
    for below in [
        "#? ",
        "Choice: ",
        "Answer: ",
        "Your choice? ",
        "Enter your choice [1-3]: ",
        "Enter a number: ",
        "Which framework should the project use? ",
        "What do you want to build? ",
        "What framework? ",
        "Pick a framework: ",
        "Select an option: ",
        "\nWhich framework should the project use? ",
        "\n\nChoice: ",
        "Type a number (1-3)\nWhich framework should the project use? ",
        "\nWhich framework should the project use?\nChoice: ",
        "   small and fast\nWhich framework should the project use? ",
    ] {
        let printed = format!("{select}{below}");
        let (state, question) = seen(&printed, Some(&reading()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        if question.kind != Kind::Menu || question.options.len() != 3 || !is_consulted(&question) {
            faults.push(format!("{printed:?}: {:?} {question:?}", routed(&question)));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn a_persons_prompts_are_never_a_machines() {
    let list = List::persons();
    assert!(list.len() >= 780, "{}", list.len());
    let mut faults = Vec::new();
    for (kind, printed) in list.read() {
        for witness in [reading(), raw()] {
            match seen(printed, Some(&witness)) {
                (State::Asking, Some(question)) => {
                    if kind.is_some_and(|kind| question.kind != kind) || is_consulted(&question) {
                        faults.push(format!("{printed:?}: {:?}, {:?}", question.kind, routed(&question)));
                    }
                }
                // Where its shape says nothing a person is not called: it reads keys, as any program at work may.
                (State::Working | State::Unknown | State::Idle, None)
                    if kind.is_none() && witness == raw() => {}
                other => faults.push(format!("{printed:?}: {other:?}")),
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// Whatever the words: it depends on who reads them.
#[test]
fn what_nobody_is_seen_to_read_as_an_answer_is_never_a_machines() {
    let mut faults = Vec::new();
    let list = List::persons();
    for group in list.group.iter().filter(|group| group.witness != Known::Reads) {
        let interpreter = Wait { asks_nothing: true, ..wait() };
        let witness = match group.witness {
            Known::Hidden => hidden(),
            Known::Nobody => with(Reader::Nobody),
            Known::Interpreter => with(Reader::Reading(interpreter)),
            Known::Unseen => with(Reader::Unknown(Blind::Relayed { program: "ssh".into() })),
            Known::Reads => unreachable!("filtered out above"),
        };
        for printed in &group.prompts {
            let (state, question) = seen(printed, Some(&witness));
            let other = |question: &Question| group.kind.is_some_and(|kind| question.kind != kind);
            let silent = group.witness == Known::Nobody;
            let fault = match &question {
                Some(question) => silent || other(question) || is_consulted(question),
                None => !silent || state != State::Working,
            };
            if fault {
                faults.push(format!("{} {printed:?}: {state:?} {question:?}", group.of));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// Host keys, plans and disks were a consultant's to choose where they stood in rows.
#[test]
fn a_persons_menus_are_never_a_machines() {
    let drawn = |mark: &str, prompt: &str, rows: &[String]| {
        let rest: String = rows[1..].iter().map(|row| format!("  {row}\n")).collect();
        format!("{mark}{prompt} \n\u{276f} {}\n{rest}\x1b[?25l", rows[0])
    };
    let mut faults = Vec::new();
    for (list, consulted) in [(List::persons(), false), (List::harmless(), true)] {
        for Menu { prompt, rows } in &list.menu {
            for mark in ["? ", ""] {
                match seen(&drawn(mark, prompt, rows), Some(&raw())) {
                    (State::Asking, Some(question)) if question.options.len() == rows.len() => {
                        if is_consulted(&question) != consulted {
                            faults.push(format!("{prompt:?}: {:?}, {:?}", question.kind, routed(&question)));
                        }
                    }
                    other => faults.push(format!("{prompt:?}: {other:?}")),
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// What a library says of its keys stood above the rows, and made them a person's.
#[test]
fn the_keys_a_library_names_are_no_part_of_what_it_asks() {
    for (prompt, hint) in [
        ("Select a framework: \u{203a} - Use arrow-keys. Return to submit.", ""),
        ("Which database? (Use arrow keys)", ""),
        ("Which database?", "\n\u{2191}\u{2193} navigate \u{2022} \u{23ce} select"),
        (
            "Pick tools",
            "\n\u{2191}\u{2193} navigate \u{2022} space select \u{2022} a all \u{2022} i invert \u{2022} \u{23ce} submit",
        ),
        ("Pick tools (Use arrow keys to move, <space> to select, <a> to toggle, <i> to invert)", ""),
        ("Which framework?  [Use arrows to move, type to filter]", ""),
        (
            "Pick tools  [Use arrows to move, space to select, <right> to all, <left> to none, type to filter]",
            "",
        ),
    ] {
        // Where ticks are set, there are boxes for them.
        let tick = if prompt.contains("space") { "[ ] " } else { "" };
        let printed = format!("Setting up\n? {prompt}\n\u{276f} {tick}React\n  {tick}Vue\n{hint}\x1b[?25l");
        let reader = raw();
        let (_, question) = Look { from_the_start: true, ..Look::at(&printed, Some(&reader)) }.judge();
        let question = question.unwrap_or_else(|| panic!("{printed:?}"));
        assert!(is_consulted(&question), "{printed:?}: {:?} {question:?}", routed(&question));
    }
}

/// Of rows that draw a tick only once it is set, Enter took none, and the log told of the highlighted one. A blank that was to
/// set a tick went into the field by which a list is searched.
#[test]
fn rows_that_are_ticked_unseen_or_by_another_key_are_a_persons() {
    for printed in [
        // requestty
        "? Select features (Press <space> to select, <a> to toggle all, <i> to invert selection)\n\
         \u{276f}   React\n    Vue\n    Svelte\n\x1b[?25l",
        "? Which one?\n\u{276f} React\n  Vue\n\nspace to toggle \u{2022} enter to confirm\x1b[?25l",
        // clack's autocompleteMultiselect
        "\x1b[?25l\x1b[90m\u{2502}\x1b[39m\n\x1b[36m\u{25c6}\x1b[39m  Select frameworks\n\x1b[36m\u{2502}\x1b[39m\n\
         \x1b[36m\u{2502}\x1b[39m  \x1b[2mSearch:\x1b[22m \x1b[7m\x1b[8m_\x1b[28m\x1b[27m\n\
         \x1b[36m\u{2502}\x1b[39m  \x1b[2m\u{25fb}\x1b[22m React\n\
         \x1b[36m\u{2502}\x1b[39m  \x1b[2m\u{25fb}\x1b[22m \x1b[2mVue\x1b[22m\n\
         \x1b[36m\u{2502}\x1b[39m  \x1b[2m\u{25fb}\x1b[22m \x1b[2mSvelte\x1b[22m\n\
         \x1b[36m\u{2502}\x1b[39m  \x1b[2m\u{2191}/\u{2193}\x1b[22m to navigate \u{2022} \x1b[2mTab:\x1b[22m select \u{2022} \
         \x1b[2mEnter:\x1b[22m confirm \u{2022} \x1b[2mType:\x1b[22m to search\n\x1b[36m\u{2514}\x1b[39m",
    ] {
        let (_, question) = seen(printed, Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}"));
        assert_eq!(question.kind, Kind::Dialog, "{printed:?}: {question:?}");
        assert!(!question.prompt.contains("Search"), "{question:?}");
        assert!(question.options.len() > 1, "{printed:?}: {question:?}");
    }
}

/// The row that cannot be chosen stood for the whole menu, and nobody was asked.
#[test]
fn a_row_that_cannot_be_chosen_is_passed_over() {
    let printed = "? Select a framework\n\u{276f} React\n- Solid (disabled)\n  Vue\n\n\
                   \u{2191}\u{2193} navigate \u{2022} \u{23ce} select\x1b[?25l";
    let question = seen(printed, Some(&raw())).1.expect("keys are read");
    assert_eq!((question.kind, question.labels()), (Kind::Menu, vec!["React", "Vue"]));
}

#[test]
fn harmless_prompts_are_answered() {
    let list = List::harmless();
    assert!(list.len() >= 110, "{}", list.len());
    let mut faults = Vec::new();
    for (kind, printed) in list.read() {
        match seen(printed, Some(&reading())) {
            (State::Asking, Some(question)) if Some(question.kind) == kind && is_consulted(&question) => {}
            (State::Asking, Some(question)) => {
                faults.push(format!("{printed:?}: {:?}, {:?}", question.kind, routed(&question)));
            }
            other => faults.push(format!("{printed:?}: {other:?}")),
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// Nobody was called for these where keys are read, and where a line is, only the words were known.
#[test]
fn answers_are_known_however_they_are_spelled() {
    for (printed, answers) in [
        ("Fortfahren? [J/n] ", ["j", "n"]),
        ("Utiliser TypeScript ? [O/n] ", ["o", "n"]),
        ("Desea continuar? [S/n] ", ["s", "n"]),
        ("Fortfahren? (ja/nein) ", ["ja", "nein"]),
        ("Proceed anyway? (y,N) ", ["y", "n"]),
        ("Use TypeScript? [Y|n] ", ["y", "n"]),
        ("Really? y/n", ["y", "n"]),
        ("do you wish to overwrite (y or n)? ", ["y", "n"]),
        ("Make breakpoint pending on future load? (y or [n]) ", ["y", "n"]),
    ] {
        for witness in [reading(), raw()] {
            let (state, question) = seen(printed, Some(&witness));
            let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
            let labels: Vec<&str> = question.options.iter().map(|choice| choice.label.as_str()).collect();
            assert_eq!((labels.as_slice(), question.typing), (&answers[..], false), "{printed:?}");
        }
    }
    for serial in ["Serial number (S/N): ", "Chassis (D/N): "] {
        let question = seen(serial, Some(&reading())).1.expect("a line is read");
        assert!(question.options.is_empty() && !is_consulted(&question), "{question:?}");
    }
}

/// The name of the program was the whole question, and the rest of it was taken for an answer that somebody had typed.
#[test]
fn a_program_that_says_its_name_first_asks_with_all_its_words() {
    for printed in [
        "gzip: a.txt already exists; do you wish to overwrite (y or n)? ",
        "mytool: the index is older than the files, build it anew? ",
    ] {
        for witness in [reading(), raw()] {
            let (state, question) = seen(printed, Some(&witness));
            let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
            assert_eq!((question.prompt.as_str(), question.typing), (printed.trim_end(), false));
            assert!(!is_consulted(&question));
        }
    }
}

/// Of a prompt that ends in no mark the rows were not read, and its answer was a part of it.
#[test]
fn a_list_is_its_prompts_though_that_ends_in_no_mark() {
    let list = "1) CSS\n2) Sass\n3) Less\n";
    let (_, asked) = seen(&format!("{list}Select a style "), Some(&reading()));
    let asked = asked.expect("it asks");
    assert_eq!((asked.kind, asked.prompt.as_str(), asked.options.len()), (Kind::Menu, "Select a style", 3));
    assert!(is_consulted(&asked) && !asked.typing, "{:?}", routed(&asked));
    let (_, typed) = seen(&format!("{list}Select a style 2"), Some(&reading()));
    let typed = typed.expect("it still asks");
    assert_eq!((typed.typing, typed.origin.typed.as_deref()), (true, Some("2")));
    assert_eq!(typed.fingerprint(), asked.fingerprint());
    let (_, alone) = seen("Select a style ", Some(&raw()));
    assert!(alone.is_some_and(|alone| alone.kind == Kind::Dialog), "without rows it may say anything");
}

/// Nobody was called for what a library draws that no rule knows: rows told apart by a colour of their own, buttons in boxes
/// of block characters, a value that may be changed.
#[test]
fn whoever_waits_for_keys_below_a_question_asks_it() {
    let block = "\u{258a}\u{2594}\u{2594}\u{2594}\u{258e}";
    let hidden = "\x1b[?25l";
    for (printed, words) in [
        (format!("Which framework?\nReact  Vue  Svelte{hidden}"), "Which framework?"),
        (format!("Which framework?\n{block}\n\u{258a} React \u{258e}\n{block}{hidden}"), "Which framework?"),
        (format!("Delete the database?\n   Yes      No{hidden}"), "Delete the database?"),
        (format!("Password:\n{block}\n\u{258a}      \u{258e}\n{block}{hidden}"), "Password:"),
        (format!("\u{258a} Project name:\n\u{258a} my-app{hidden}"), "Project name:"),
        ("Project name: my-app".to_owned(), "Project name:"),
        ("Username: root".to_owned(), "Username:"),
    ] {
        let (state, question) = seen(&printed, Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert_eq!((question.kind, question.prompt.as_str()), (Kind::Dialog, words), "{printed:?}");
        assert!(!is_consulted(&question));
        // A recording, and whoever reads nothing.
        assert_eq!(seen(&printed, None).1, None, "{printed:?}");
        assert_eq!(seen(&printed, Some(&with(Reader::Nobody))).1, None, "{printed:?}");
        let editor = Witness {
            reader: Reader::Reading(Wait { program: "vim.basic".into(), blocking: false, ..wait() }),
            ..raw()
        };
        assert_eq!(seen(&printed, Some(&editor)).1, None, "an editor shows what somebody wrote: {printed:?}");
    }
    let log: String = (0..30).map(|at| format!("line {at}\n")).collect();
    for printed in [
        "Installing: numpy ".to_owned(),
        "Progress: 42% ".to_owned(),
        "Watch Usage: Press w to show more. ".to_owned(),
        format!("Which framework?\n{log}{hidden}"),
        format!("{log}Load average:\n0.31 0.12{hidden}"),
        format!("Results:\n  one match\n  two matches{hidden}"),
        "Which tags?\nare the best\x1b[1;3H".to_owned(),
        "What is next?\n>> ".to_owned(),
        format!("Tasks 12\nMemory 4 GB{hidden}"),
    ] {
        assert_eq!(seen(&printed, Some(&raw())).1, None, "{printed:?}");
    }
}

/// Prompts behind which the cursor waited called nobody where keys were read, or a loop of events slept (readline, node's,
/// one key, certbot), unless they ended in a question mark or a colon.
#[test]
fn a_prompt_with_the_cursor_behind_it_calls_a_person_whoever_reads() {
    let lines = Witness { canonical: true, echo: true, ..raw() };
    for printed in [
        "Overwrite existing files? [y]es [n]o [a]ll: ",
        "Merge? yes/NO ",
        "y/n ",
        "Install? (yes): ",
        "是否删除? (是/否) ",
        "(A)bort (R)etry (I)gnore ",
        "[Enter] to go on, [q] to stop ",
        "Type yes",
        "Bestätigen Sie mit JA ",
        "-- weiter mit beliebiger Taste -- ",
        "Нажмите любую клавишу",
        "続行しますか",
        "Select [1-5] ",
        "Really go ahead",
        "Which one = ",
        "Do you want this? ... ",
        "Waiting for your answer ",
        "Confirm ✔ / ✘ ",
        "1) keep 2) drop -> ",
        "[N]",
        "(y)",
        "Select the appropriate number [1-2] then [enter] (press 'c' to cancel): ",
        "Pick one\n 1. a\n 2. b\n> ",
        "Pick one\n 1. a\n 2. b\n=> ",
    ] {
        for witness in [raw(), lines.clone(), reading()] {
            let (state, question) = seen(printed, Some(&witness));
            let question = question.unwrap_or_else(|| panic!("{printed:?} {witness:?}: {state:?}"));
            assert!(!is_consulted(&question), "{printed:?}: {question:?}");
        }
        let shell = Wait { asks_nothing: true, blocking: false, ..wait() };
        let others = [with(Reader::Nobody), Witness { reader: Reader::Reading(shell), ..raw() }];
        for witness in others {
            let (state, question) = seen(printed, Some(&witness));
            let told = question.is_none_or(|question| !is_consulted(&question));
            assert!(told, "{printed:?} {witness:?}: {state:?}");
        }
    }
    // One line above the cursor.
    for printed in ["Pick one\n 1. a\n 2. b\n", "Enter the amount below\n", "Your choice (1-2)\n"] {
        assert!(seen(printed, Some(&raw())).1.is_some(), "{printed:?}");
    }
    // A screen of its own, and news of what goes on.
    for printed in [
        "\x1b[?1049hType yes",
        "Type yes\x1b[?25l",
        "Building crate (3/5) ",
        "Installing: numpy ",
        "2026-11-23 12:00 INFO question=\"Continue? [y/N]\" ",
        "Press h for help, r to reload. ",
        "Steps\n 1. built\n 2. tested\n",
        "ready in 300 ms\n  press h + enter to show help\n",
        "> ",
    ] {
        for witness in [raw(), lines.clone()] {
            assert_eq!(seen(printed, Some(&witness)).1, None, "{printed:?}");
        }
    }
}

/// A library's field of any words called nobody: what edits a line takes pasted words, or sleeps in the read of a key.
#[test]
fn a_field_of_any_words_calls_a_person_where_only_a_line_is_edited() {
    let asleep =
        Witness { reader: Reader::Reading(Wait { in_read: true, blocking: false, ..wait() }), ..raw() };
    let paste = "\x1b[?2004h";
    for (printed, witness) in [
        (format!("{paste}? Project name "), raw()),
        (format!("{paste}? Vault phrase  \r"), raw()),
        (format!("{paste}Overwrite production.db (yes) "), raw()),
        (format!("{paste}Project name "), raw()),
        ("Vault phrase ".to_owned(), asleep.clone()),
    ] {
        let (state, question) = seen(&printed, Some(&witness));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert_eq!(question.kind, Kind::Dialog, "{printed:?}");
        // What is typed there is no part of the prompt: each letter asked anew. Where all is hidden, nothing is drawn.
        let at = Look::at("", Some(&witness));
        let typed = format!("{printed}{}", if printed.ends_with('\r') { "" } else { "ab" });
        let again = Look { printed: &typed, asked: Some(&question), ..at }.judge().1;
        let again = again.unwrap_or_else(|| panic!("{printed:?}"));
        assert_eq!(again.fingerprint(), question.fingerprint(), "{printed:?}");
        assert_eq!(seen(&printed, Some(&with(Reader::Nobody))).1, None, "{printed:?}");
    }
    for printed in
        ["mydb >> ", "calc λ", "Installing: numpy ", "Compiling ", "Waiting for your editor... ", "line\n"]
    {
        for witness in [raw(), asleep.clone()] {
            let printed = format!("{paste}{printed}");
            assert_eq!(seen(&printed, Some(&witness)).1, None, "{printed:?}");
        }
    }
}

/// The same words at every width: a prompt that the terminal breaks is no other prompt.
#[test]
fn no_width_makes_a_prompt_harmless() {
    let (mut faults, persons) = (Vec::new(), List::persons());
    for columns in [20, 30, 40, 44, 60, 132] {
        for (_, printed) in persons.read() {
            let (_, question) = seen_at(columns, printed, Some(&reading()));
            if question.as_ref().is_none_or(is_consulted) {
                faults.push(format!("{columns}: {printed:?}: {question:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
    let (_, question) = seen_at(20, "Delete branch feature/x on remote? [y/N] ", Some(&reading()));
    assert_eq!(
        question.map(|question| question.prompt).as_deref(),
        Some("Delete branch feature/x on remote? [y/N]")
    );
}

#[test]
fn what_is_not_echoed_is_a_secret_whatever_it_says() {
    let (harmless, persons) = (List::harmless(), List::persons());
    for printed in harmless.read().chain(persons.read()).map(|(_, printed)| printed).chain(["> ", "x "]) {
        let (state, question) = seen(printed, Some(&hidden()));
        assert_eq!(
            (state, question.map(|question| question.kind)),
            (State::Asking, Some(Kind::Password)),
            "{printed:?}"
        );
    }
}

#[test]
fn where_nobody_reads_nothing_is_asked() {
    let (harmless, persons) = (List::harmless(), List::persons());
    let lines =
        ["Installing: numpy ", "Progress: 42% ", "hint: Waiting for your editor to close the file... ", "$ "];
    for printed in harmless.read().chain(persons.read()).map(|(_, printed)| printed).chain(lines) {
        assert_eq!(seen(printed, Some(&with(Reader::Nobody))), (State::Working, None), "{printed:?}");
    }
}

#[test]
fn where_the_system_does_not_tell_words_are_a_persons() {
    let harmless = List::harmless();
    let ssh = Reader::Unknown(Blind::Relayed { program: "ssh".into() });
    for reader in [ssh, Reader::Unknown(Blind::Unsupported), Reader::MayRead { program: "whiptail".into() }] {
        for (_, printed) in harmless.read() {
            let (state, question) = seen(printed, Some(&with(reader.clone())));
            assert!(
                state == State::Asking && question.as_ref().is_some_and(|question| !is_consulted(question)),
                "{printed:?}"
            );
        }
    }
    let (_, question) = seen("Use TypeScript? [Y/n] ", None);
    assert!(question.is_some_and(|question| !is_consulted(&question)), "nobody looked");
}

/// What a line of progress looks like was taken for a prompt.
#[test]
fn a_line_with_words_behind_its_colon_asks_only_where_it_is_read() {
    for printed in ["Installing: numpy ", "Progress: 42% ", "Name: Bob "] {
        assert_eq!(seen(printed, None).1, None, "{printed:?}");
    }
    assert!(seen("Name: Bob ", Some(&reading())).1.is_some_and(|question| question.typing));
}

/// The Enter behind a letter was never sent: with the letter behind it, the question was taken for another one.
#[test]
fn a_letter_behind_a_bold_question_is_its_answer() {
    let bold = "\x1b[34m?\x1b[39m \x1b[1mUse TypeScript?\x1b[22m \x1b[2m(Y/n)\x1b[22m ";
    let (_, asked) = seen(bold, Some(&raw()));
    let (_, typed) = seen(&format!("{bold}y"), Some(&raw()));
    let (asked, typed) = (asked.expect("it asks"), typed.expect("it still asks"));
    assert_eq!((asked.kind, asked.typing), (Kind::YesNo, false));
    assert_eq!(typed.fingerprint(), asked.fingerprint());
    // What was printed has the letter in it; everything else is as it was.
    assert_eq!(typed, Question { typing: true, origin: typed.origin.clone(), ..asked });
    let name = "\x1b[34m?\x1b[39m \x1b[1mProject name:\x1b[22m ";
    let (_, offered) = seen(&format!("{name}\x1b[2m(my-app)\x1b[22m"), Some(&raw()));
    let (_, typed) = seen(&format!("{name}demo"), Some(&raw()));
    let (offered, typed) = (offered.expect("it asks"), typed.expect("it still asks"));
    assert_eq!((offered.kind, offered.prompt.as_str(), offered.typing), (Kind::Text, "Project name:", false));
    assert!(typed.typing && typed.fingerprint() == offered.fingerprint(), "{typed:?}");
}

/// A field that draws stars for letters looks like any other until something is typed into it, but for a plain value that it
/// offers: who hides what is typed hides that, too. Values that are none, or were typed, are nobody's to take.
#[test]
fn words_for_a_field_that_the_program_draws_need_a_plain_value_that_it_offers() {
    let bold = |words: &str, behind: &str| format!("\x1b[34m?\x1b[39m \x1b[1m{words}\x1b[22m {behind}");
    let dim = |text: &str| format!("\x1b[2m{text}\x1b[22m");
    for (printed, offered) in [
        (bold("Project name:", &dim("(my-app)")), Some("my-app")),
        (bold("Project name", "\x1b[90m\u{203a}\x1b[39m \x1b[90mvite-project\x1b[39m"), Some("vite-project")),
        (bold("Description:", &dim("(A small shop)")), Some("A small shop")),
        (bold("Package manager:", &dim("(npm)")), Some("npm")),
        (
            bold("Description", "\x1b[2m‣\x1b[22m \x1b[46m\x1b[30mA\x1b[0m \x1b[2msmall shop\x1b[22m"),
            Some("A small shop"),
        ),
        (
            "│\n◆  Project name\n│  \x1b[7mm\x1b[27m\x1b[2my-app\x1b[22m\n└\n\x1b[?25l".to_owned(),
            // Enter gives a placeholder of clack's as nothing at all.
            None,
        ),
        ("│\n◆  Project name\n│  my-app█\n└\n\x1b[?25l".to_owned(), None),
        ("│\n◆  Project name\n│  \x1b[7m\x1b[8m_\x1b[0m\n└\n\x1b[?25l".to_owned(), None),
        ("│\n◆  API key\n│  \x1b[7ma\x1b[27m\x1b[2mbc\x1b[22m\n└\n\x1b[?25l".to_owned(), None),
        ("│\n▲  Project name\n│  A█\n└  No capitals!\n\x1b[?25l".to_owned(), None),
        // What Enter alone would give there is not known, and words go into no such field.
        ("package name: (shop) ".to_owned(), None),
        ("version: (1.0.0) ".to_owned(), None),
        (bold("Project name:", ""), None),
        (bold("Project name:", &dim("(******)")), None),
        (bold("Project name:", &dim("(../../etc)")), None),
        (bold("Project name:", &dim("($HOME)")), None),
        (bold("Project name:", "my-app"), None),
        (bold("Project name:", &dim("(production)")), None),
        (bold("API key:", &dim("(abc)")), None),
        (bold("Password:", &dim("(abc)")), None),
        (bold("Username:", &dim("(root)")), None),
        (bold("Which branch should be deleted?", &dim("(main)")), None),
        (bold("File to overwrite:", &dim("(shop)")), None),
        ("login: (root) ".to_owned(), None),
        ("API key: (abc) ".to_owned(), None),
        ("package name: (shop) demo".to_owned(), None),
        ("Project name: ".to_owned(), None),
        ("Title: ".to_owned(), None),
        ("? Project name: my-app".to_owned(), None),
        ("[?] Project name: my-app".to_owned(), None),
    ] {
        let (_, question) = seen(&printed, Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}"));
        let takes = question.origin.offered.as_deref().filter(|_| is_consulted(&question));
        assert_eq!(takes, offered, "{printed:?}: {question:?} {:?}", routed(&question));
        assert_eq!(is_consulted(&question), offered.is_some(), "{printed:?}");
    }
    // On the second look, too: the value was taken for words that somebody had typed.
    let field = bold("Project name:", &dim("(my-app)"));
    let asked = seen(&field, Some(&raw())).1;
    let again = Look { asked: asked.as_ref(), ..Look::at(&field, Some(&raw())) }.judge().1;
    assert_eq!(again, asked);
    // What the terminal itself shows hides nothing.
    for printed in
        [bold("Project name:", ""), "Project name: ".to_owned(), "package name: (shop) ".to_owned()]
    {
        let echoing = Witness { echo: true, ..raw() };
        let (_, question) = seen(&printed, Some(&echoing));
        assert!(question.is_some_and(|question| is_consulted(&question)), "{printed:?}");
    }
}

/// Only the last line of what was asked was told, or the frame around the field.
#[test]
fn a_box_with_buttons_asks_with_all_its_words() {
    let bare = "┌─────────────────────────┐\n│                         │\n│ Would you like to use   │\n                │ the cache of packages?  │\n│                         │\n│    <Yes>      <No>      │\n                │                         │\n└─────────────────────────┘\n";
    let field = "┌────────Choose───────────┐\n│ Enter your name         │\n│ ┌─────────────────────┐ │\n                 │ │                     │ │\n│ └─────────────────────┘ │\n├─────────────────────────┤\n                 │   <  OK  >  <Cancel>    │\n└─────────────────────────┘\n";
    for (printed, words) in
        [(bare, "Would you like to use the cache of packages?"), (field, "Enter your name")]
    {
        let (state, question) = seen(&format!("{printed}\x1b[?25l"), Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed} {state:?}"));
        assert_eq!((question.kind, question.prompt.as_str()), (Kind::Dialog, words));
        assert!(!is_consulted(&question));
    }
}

/// Nobody was called for prompts that look like nothing known.
#[test]
fn whoever_reads_a_line_asks_for_something() {
    for (printed, prompt, plain) in [
        ("Speak, friend, and enter ", "Speak, friend, and enter", false),
        ("Press ENTER to go on", "Press ENTER to go on", false),
        ("Enter a number between 1 and 10\n", "Enter a number between 1 and 10", true),
        ("Enter something\n", "Enter something", false),
    ] {
        let (state, question) = seen(printed, Some(&reading()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert_eq!(question.prompt, prompt);
        assert_eq!(is_consulted(&question), plain, "{printed:?}");
    }
    assert_eq!(seen("line\n", Some(&reading())).1, None, "a filter waits for its input and asks nothing");
}

/// `echo "Continue? [y/N]"; read x`, as most scripts ask: the cursor stands below the question, and nobody was called.
#[test]
fn a_question_on_a_line_of_its_own_is_asked() {
    for (printed, prompt, plain) in [
        ("Continue with the deletion? [y/N]\n", "Continue with the deletion? [y/N]", false),
        ("Which environment do you want?\n\n", "Which environment do you want?", false),
        ("Which framework do you want to use?\n\n", "Which framework do you want to use?", true),
        ("Your choice (1-2)\n", "Your choice (1-2)", false),
        ("Deploy where (dev, prod)\n", "Deploy where (dev, prod)", false),
        ("Targets\n1) staging\n2) production\n", "Targets 1) staging 2) production", false),
    ] {
        let (state, question) = seen(printed, Some(&reading()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert_eq!((state, question.prompt.as_str()), (State::Asking, prompt));
        assert_eq!(is_consulted(&question), plain, "{printed:?}: {:?}", routed(&question));
        assert!(seen(printed, Some(&with(Reader::Nobody))).1.is_none(), "{printed:?}: it goes on");
        if question.kind == Kind::Text {
            // What is typed stands on the line of the cursor, and the question above it is the same one.
            let (_, typed) =
                Look { asked: Some(&question), ..Look::at(&format!("{printed}web"), Some(&reading())) }
                    .judge();
            let typed = typed.unwrap_or_else(|| panic!("{printed:?}: it still asks"));
            assert_eq!((typed.prompt.as_str(), typed.origin.typed.as_deref()), (prompt, Some("web")));
            assert_eq!(typed.fingerprint(), question.fingerprint());
        }
    }
    for printed in [
        "3 files copied (12 KB)\n",
        "listening on [::1]\n",
        "2024-01-02 [info]\n",
        "done? yes\n",
        "one?\n\n\n\n",
    ] {
        assert_eq!(seen(printed, Some(&reading())).1, None, "{printed:?}");
    }
}

/// What a person types into a program that asks nothing was asked as its question: "8080" and Return were typed behind "Port".
#[test]
fn the_echo_of_what_is_typed_is_no_question() {
    for typed in
        ["Port", "Port:", "What port should it use?", "What is the project name ", "Overwrite? [y/N] "]
    {
        for (before, draft) in
            [("", typed), ("Ready.\n", typed), ("", "Port: and on"), ("", "What is the project name of it")]
        {
            if !draft.starts_with(typed.trim_end()) {
                continue;
            }
            let printed = format!("{before}{typed}");
            let (state, question) = Look { draft, ..Look::at(&printed, Some(&reading())) }.judge();
            assert_eq!((state, question), (State::Unknown, None), "{printed:?} of {draft:?}");
            assert!(seen(&printed, Some(&reading())).1.is_some(), "printed, it is one");
        }
    }
    // Words that read like a prompt with an answer behind it are all typed as well.
    for draft in ["Name: x", "Port: 80", "Use TypeScript? [Y/n] y"] {
        let (state, question) = Look { draft, ..Look::at(draft, Some(&reading())) }.judge();
        assert_eq!((state, question), (State::Unknown, None), "{draft:?}");
    }
    // Behind a prompt of the program's own it is a draft, with which an answer would run together.
    for prompt in ["Speak, friend, and enter", "Project name:", "Port?"] {
        let printed = format!("{prompt} Port");
        let (_, question) = Look { draft: "Port", ..Look::at(&printed, Some(&reading())) }.judge();
        let question = question.unwrap_or_else(|| panic!("{printed:?} asks"));
        assert_eq!((question.prompt.as_str(), question.typing), (prompt, true));
        let (_, other) = Look { draft: "x", ..Look::at(&format!("{prompt} "), Some(&reading())) }.judge();
        assert!(other.is_some_and(|question| !question.typing), "what was typed does not stand there");
    }
}

/// `read -s` behind words that ask nothing, or behind none: it was unknown, or starting, and nobody was called.
#[test]
fn whatever_is_read_and_not_shown_is_a_secret() {
    let unsaid = "something is read that is not shown";
    for (printed, prompt) in [
        ("Unlocking the vault\n", "Unlocking the vault"),
        ("Passwort eingeben\n", "Passwort eingeben"),
        ("Vault 100% open\n\n", "Vault 100% open"),
        ("", unsaid),
        ("one\n\n\n\n\n", unsaid),
    ] {
        let (state, question) = seen(printed, Some(&hidden()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert_eq!((state, question.kind, question.prompt.as_str()), (State::Asking, Kind::Password, prompt));
        assert!(!is_consulted(&question));
        // Echo is off while somebody does something else too.
        let nobody = Witness { reader: Reader::Nobody, ..hidden() };
        assert!(seen(printed, Some(&nobody)).1.is_none(), "{printed:?}");
        let polls = Wait { blocking: false, ..wait() };
        let polls = Witness { reader: Reader::Reading(polls), ..hidden() };
        assert!(seen(printed, Some(&polls)).1.is_none(), "{printed:?}");
    }
}

/// A bare `read x` was `starting` for ever, and nobody was called.
#[test]
fn who_reads_with_nothing_printed_is_seen() {
    let unsaid = "something is read, and nothing says what";
    for printed in ["", "\n\n", "one\x1b[2J\x1b[H"] {
        let (state, question) = seen(printed, Some(&reading()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert_eq!((state, question.kind, question.prompt.as_str()), (State::Asking, Kind::Dialog, unsaid));
        assert!(!is_consulted(&question), "{printed:?}");
    }
    let commands = Wait { asks_nothing: true, ..wait() };
    for witness in [raw(), with(Reader::Nobody), with(Reader::Reading(commands))] {
        assert_eq!(seen("", Some(&witness)).0, State::Starting, "{witness:?}");
    }
    let timed = with(Reader::Reading(Wait { blocking: false, ..wait() }));
    assert_eq!(seen("", Some(&timed)).0, State::Starting, "it may be about to print");
    assert_eq!(Look { still_ms: 5_000, ..Look::at("", Some(&timed)) }.judge().0, State::Asking);
    let key = Wait { blocking: false, alone: true, ..wait() };
    let key = Witness { reader: Reader::Reading(key), ..raw() };
    assert_eq!(seen("", Some(&key)).0, State::Starting, "it may be about to draw");
    assert_eq!(Look { still_ms: 5_000, ..Look::at("", Some(&key)) }.judge().0, State::Asking);
}

/// After words that asked for nothing, it was `unknown` for ever.
#[test]
fn who_reads_a_line_after_words_that_ask_nothing_is_seen_once_all_is_still() {
    let seen = |wait: Wait, still_ms| {
        let witness = with(Reader::Reading(wait));
        Look { still_ms, ..Look::at("Done.\n", Some(&witness)) }.judge()
    };
    assert_eq!(seen(wait(), 500), (State::Unknown, None), "it may print more");
    let (state, question) = seen(wait(), 5_000);
    let question = question.unwrap_or_else(|| panic!("nobody is called: {state:?}"));
    assert_eq!((question.kind, question.prompt.as_str()), (Kind::Dialog, "Done."));
    assert!(!is_consulted(&question));
    let console = Wait { thread: 9, ..wait() };
    let commands = Wait { asks_nothing: true, ..wait() };
    for other in [console, commands] {
        assert_eq!(seen(other.clone(), 5_000), (State::Unknown, None), "{other:?}");
    }
}

/// `minicom -s`, `dselect` and `mille` ask nothing, and were `unknown` while they waited for a key and did nothing else.
#[test]
fn who_waits_for_nothing_but_a_key_is_seen_once_all_is_still() {
    let setup = "\x1b[?1049h\x1b[?25l+---[configuration]---+\n| Filenames and paths |\n| Exit                |\n+---------------------+";
    let game = "\x1b[2J\x1b[HOverall Total  0  0\n2 Gasoline  |\n>>:Move:            | p: pick\x1b[20D";
    let key = |wait: Wait| Witness { reader: Reader::Reading(Wait { blocking: false, ..wait }), ..raw() };
    let judge =
        |printed, wait: Wait, still_ms| Look { still_ms, ..Look::at(printed, Some(&key(wait))) }.judge();
    let cut = "\u{2500}\u{2500}\u{2500}\n\n>   <\n\u{2500}\u{2500}\u{2500}\x1b[?25l";
    let cut = (cut, "a key is waited for, and nothing says what for");
    for (printed, prompt) in [(setup, "[configuration]"), (game, "Move:"), cut] {
        let alone = Wait { alone: true, ..wait() };
        assert_eq!(judge(printed, alone.clone(), 500), (State::Unknown, None), "{prompt}: it may draw more");
        let (state, question) = judge(printed, alone.clone(), 5_000);
        let question = question.unwrap_or_else(|| panic!("{prompt}: nobody is called: {state:?}"));
        assert!(question.prompt.contains(prompt), "{question:?}");
        assert_eq!((question.kind, question.options.len()), (Kind::Dialog, 0));
        assert!(!is_consulted(&question), "{prompt}");
        let console = Wait { asks_nothing: true, ..alone.clone() };
        for other in [wait(), console] {
            assert_eq!(judge(printed, other, 5_000), (State::Unknown, None), "{prompt}: it serves something");
        }
        let editor = Wait { program: "ne".to_owned(), ..alone };
        assert_eq!(judge(printed, editor, 5_000), (State::Idle, None));
    }
}

/// What `timeout` starts is in the background, and the kernel stops it at its read: it was at work, and nobody was called.
#[test]
fn who_was_stopped_as_it_wanted_to_read_calls_a_person() {
    let stopped = || with(Reader::Unknown(Blind::Stopped { program: "bash".to_owned() }));
    for (printed, prompt) in [
        ("Use TypeScript? [Y/n] ", "Use TypeScript? [Y/n]"),
        ("Project name: ", "Project name:"),
        ("Which colour?\n 1) red\n 2) blue\n#? ", "Which colour? #?"),
        ("fetching\n", "fetching"),
        ("", "something is read, and nothing says what"),
    ] {
        let (state, question) = seen(printed, Some(&stopped()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert_eq!((state, question.kind, question.prompt.as_str()), (State::Asking, Kind::Dialog, prompt));
        assert!(question.options.is_empty() && !is_consulted(&question), "{printed:?}");
    }
}

/// A program that drew a mark below its question was idle, and nobody was called.
#[test]
fn a_mark_below_a_question_is_where_its_answer_goes() {
    for mark in ["> ", ">> ", "$ ", ">>> ", "\u{276f} "] {
        let printed = format!("What is your project named?\n{mark}");
        let (state, question) = seen(&printed, Some(&reading()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert_eq!((question.prompt.as_str(), question.typing), ("What is your project named?", false));
        assert!(is_consulted(&question), "{printed:?}: {:?}", routed(&question));
        let (_, typed) = seen(&format!("{printed}demo"), Some(&reading()));
        let typed = typed.expect("it still asks");
        assert_eq!((typed.typing, typed.origin.typed.as_deref()), (true, Some("demo")));
        assert_eq!(typed.fingerprint(), question.fingerprint());
        // A shell that waits for its next command, and an event loop that may be anything.
        for other in [with(Reader::Nobody), raw()] {
            assert!(seen(&printed, Some(&other)).1.is_none(), "{printed:?} {other:?}");
        }
        let (_, danger) = seen(&format!("Which file should be deleted?\n{mark}"), Some(&reading()));
        assert!(danger.is_some_and(|question| !is_consulted(&question)));
    }
    assert_eq!(seen("Type help for help.\n> ", Some(&reading())).0, State::Idle, "a console");
}

/// Words that nobody can see made a prompt harmless, or hid what it asks.
#[test]
fn words_that_cannot_be_seen_make_a_prompt_a_persons() {
    let plain = "Use TypeScript? [Y/n] ";
    assert!(seen(plain, Some(&reading())).1.is_some_and(|question| is_consulted(&question)));
    for style in
        ["8", "30;40", "38;5;16;48;5;16", "38;2;9;9;9;48;2;10;10;10", "30", "97;107", "38;5;232;48;2;0;0;0"]
    {
        for printed in [
            format!("\x1b[{style}mUse TypeScript?\x1b[0m [Y/n] "),
            format!("\x1b[{style}mThis takes it all.\x1b[0m\n{plain}"),
            format!("Use \x1b[{style}mTypeScript\x1b[0m? [Y/n] "),
        ] {
            let (_, question) = seen(&printed, Some(&reading()));
            assert!(question.is_some_and(|question| !is_consulted(&question)), "{printed:?}");
        }
    }
    for style in ["1", "2", "7", "90", "97;40", "30;47", "38;2;255;255;255", "38;5;244"] {
        let (_, question) = seen(&format!("\x1b[{style}mUse TypeScript?\x1b[0m [Y/n] "), Some(&reading()));
        assert!(question.is_some_and(|question| is_consulted(&question)), "{style}");
    }
}

/// The answer to one question may be the yes to the next.
#[test]
fn what_was_answered_above_is_not_held_against_the_next_question() {
    let printed = "Delete the old sessions? [y/N] n\nUse TypeScript? [Y/n] ";
    assert!(seen(printed, Some(&reading())).1.is_some_and(|question| is_consulted(&question)));
    let printed = "dev@host:~$ rm -rf build; setup\nUse TypeScript? [Y/n] ";
    assert!(seen(printed, Some(&reading())).1.is_some_and(|question| is_consulted(&question)));
}

/// Python's inquirer draws its rows and leaves the cursor in sight below them: that was `unknown`, and with `❯` it
/// was taken for a shell at work. Nobody was called.
#[test]
fn rows_above_the_cursor_are_a_menu_where_somebody_takes_keys() {
    let drawn = "\x1b[J\r\x1b[m[\x1b[33m?\x1b[m]\x1b[m Which database?: \n \x1b[36m> PostgreSQL\x1b[m\x1b[K\n \
                 \x1b[m  SQLite\x1b[m\x1b[K\n \x1b[m  Redis\x1b[m\x1b[K\n";
    let other = "Which database?\n❯ PostgreSQL\n  SQLite\n  Redis\n";
    for printed in [drawn, other] {
        let (state, question) = seen(printed, Some(&raw()));
        let question = question.expect("it is asked");
        let labels: Vec<&str> = question.options.iter().map(|option| option.label.as_str()).collect();
        assert_eq!((state, question.kind, question.selected), (State::Asking, Kind::Menu, Some(0)));
        assert_eq!(
            (question.prompt.as_str(), &labels[..]),
            ("Which database?", &["PostgreSQL", "SQLite", "Redis"][..])
        );
        // Rows that were only printed, of a program that reads lines or nothing.
        for witness in [reading(), with(Reader::Nobody)] {
            let (_, question) = seen(printed, Some(&witness));
            assert!(question.is_none_or(|question| question.options.is_empty()), "{printed:?} {witness:?}");
        }
    }
    let boxes = "\x1b[m[\x1b[33m?\x1b[m]\x1b[m Which features?: \n \x1b[36m> [ ] Audit log\x1b[m\x1b[K\n \
                 \x1b[m  [X] Rate limit\x1b[m\x1b[K\n";
    let (_, question) = seen(boxes, Some(&raw()));
    let question = question.expect("it is asked");
    let ticks: Vec<Option<bool>> = question.options.iter().map(|option| option.checked).collect();
    assert_eq!(
        (question.kind, question.multi, &ticks[..]),
        (Kind::Multi, true, &[Some(false), Some(true)][..])
    );
    assert_eq!(question.prompt, "Which features?");
}

/// A menu that left its cursor in sight in the line that names its keys was `working`: nobody was called.
#[test]
fn rows_above_a_line_of_keys_with_the_cursor_in_it_are_a_menu() {
    let reversed = "Which database?\n  PostgreSQL\n\x1b[7m  SQLite\x1b[0m\n  Redis\n";
    let marked = "Which database?\n  PostgreSQL\n> SQLite\n  Redis\n";
    let both = "Which database?\n  PostgreSQL\n\x1b[7m> SQLite\x1b[0m\n  Redis\n";
    let keys = ["\u{2191}/\u{2193} move \u{b7} enter select", "Use arrow keys to move, Enter to select", ""];
    for rows in [marked, reversed, both] {
        for keys in keys {
            for blank in ["", "\n"] {
                for hidden in ["", "\x1b[?25l"] {
                    let printed = format!("{rows}{blank}{keys}{hidden}");
                    let (state, question) = seen(&printed, Some(&raw()));
                    let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
                    assert_eq!(
                        (question.kind, question.prompt.as_str(), question.selected, question.options.len()),
                        (Kind::Menu, "Which database?", Some(1), 3),
                        "{printed:?}"
                    );
                    assert!(is_consulted(&question), "{printed:?}: {:?}", routed(&question));
                    // Only printed: nobody reads, or whoever does reads lines.
                    for other in [reading(), with(Reader::Nobody)] {
                        let (_, question) = seen(&printed, Some(&other));
                        assert!(question.is_none_or(|question| !is_consulted(&question)), "{printed:?}");
                    }
                }
            }
        }
    }
    // A line that is edited below names its keys too, and is what the keys go to.
    for prompt in ["Press enter to select the default: ", "enter a name> "] {
        let (_, question) = seen(&format!("{marked}{prompt}"), Some(&raw()));
        assert!(question.is_none_or(|question| question.options.is_empty()), "{prompt}");
    }
}

/// A job that had ended, a thread of an interpreter and a file that was shown all printed a prompt; the shell, the
/// interpreter and `cat` were who read, and the answer was run or handed on.
#[test]
fn where_a_shell_or_a_filter_reads_nothing_is_a_consultants() {
    let harmless = List::harmless();
    for witness in [reading(), raw()] {
        let Reader::Reading(wait) = witness.reader.clone() else { unreachable!("made so above") };
        // So it was with `rm -i`, whose own question went to a file.
        let rm = Wait { program: "rm".to_owned(), ..wait.clone() };
        for wait in [Wait { asks_nothing: true, ..wait }, rm] {
            let other = Witness { reader: Reader::Reading(wait), ..witness.clone() };
            for (_, printed) in harmless.read() {
                let (state, question) = seen(printed, Some(&other));
                let consulted = question.as_ref().is_some_and(is_consulted);
                assert!(state == State::Asking && !consulted, "{printed:?}: {question:?}");
            }
        }
    }
}

/// Arrows went to `cat`: it had shown a file with rows in it that hid the cursor, and was waiting for a line.
#[test]
fn rows_before_a_program_that_reads_lines_are_a_persons() {
    let drawn = "Which database?\n❯ PostgreSQL\n  SQLite\n  Redis\n\x1b[?25l";
    let (_, question) = seen(drawn, Some(&raw()));
    assert!(question.is_some_and(|question| is_consulted(&question)));
    let (_, question) = seen(drawn, Some(&reading()));
    assert!(question.is_none_or(|question| !is_consulted(&question)));
}

/// Rows that count from 0 lost their first one as soon as the highlight was below it.
#[test]
fn rows_that_count_from_nothing_are_all_read() {
    for marked in 0..3 {
        let row =
            |at: usize, label: &str| format!("{} {at}. {label}\n", if at == marked { "❯" } else { " " });
        let rows: String =
            ["React", "Vue", "Svelte"].iter().enumerate().map(|(at, label)| row(at, label)).collect();
        let (_, question) = seen(&format!("Which framework?\n{rows}\x1b[?25l"), Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{rows}"));
        assert_eq!((question.options.len(), question.selected), (3, Some(marked)), "{rows}");
        assert!(is_consulted(&question), "{rows}: {:?}", routed(&question));
    }
}

/// The rows of the second column passed for what explains the first.
#[test]
fn rows_in_two_columns_are_a_persons() {
    for rows in
        ["❯ 1. React    3. Svelte\n  2. Vue      4. Solid\n", "❯ ○ React    ○ Svelte\n  ○ Vue      ○ Solid\n"]
    {
        let (_, question) = seen(&format!("Which framework?\n{rows}\x1b[?25l"), Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{rows}"));
        assert!(!is_consulted(&question), "{rows}: {question:?}");
    }
}

/// The rows of `pick`, the ticked rows of `questionary`, which stand on a ground of their own, and the answers of
/// `clack` beside each other: the first was `unknown`, the second lost its highlight, the third was a person's for its
/// "No".
#[test]
fn rows_of_libraries_that_draw_them_otherwise_are_read() {
    let pick = "Which database?\n\n  PostgreSQL\n* SQLite\n  Redis\x1b[?25l";
    let clack = "┌  Setup\n│\n◆  Use TypeScript?\n│  ● Yes / ○ No\n└\n\x1b[?25l";
    for (printed, selected) in [(pick, 1), (clack, 0)] {
        let (_, question) = seen(printed, Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}"));
        assert_eq!(question.selected, Some(selected), "{printed:?}");
        assert!(is_consulted(&question), "{printed:?}: {:?}", routed(&question));
    }
    let ticked = "? Which features do you want?\n   \x1b[7m● Linter\x1b[0m\n » ○ Tests\n   ○ Docs\n\x1b[?25l";
    let (_, question) = seen(ticked, Some(&raw()));
    let question = question.expect("it is asked");
    assert_eq!((question.kind, question.selected), (Kind::Multi, Some(1)));
    // What is no list of rows: branches, and bullets.
    for printed in ["* main\n  shop\n  test\n", "Changes:\n* one\n* two\n* three\n"] {
        for witness in [reading(), with(Reader::Nobody)] {
            assert!(seen(printed, Some(&witness)).1.is_none(), "{printed:?}");
        }
    }
    for (printed, kind) in
        [("[?] Password: ", Kind::Password), ("[?] Name: ", Kind::Text), ("? Project name: ", Kind::Text)]
    {
        let (_, question) = seen(printed, Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}"));
        assert!(question.kind == kind && !is_consulted(&question), "{printed:?}: {question:?}");
    }
}

/// `questionary` breaks the keys it names in the middle of a word where the screen ends: the pieces were words nobody knew.
#[test]
fn a_word_that_a_program_broke_at_the_edge_is_one_word() {
    let rows = " » ○ Linter\n   ○ Tests\n   ○ Docs\n\x1b[?25l";
    let keys = "(Use arrow keys to move, <space> to select, <a> to toggle, <i> to inve\nrt)";
    let asked = |question: &str, keys: &str| {
        let (printed, witness) = (format!("? {question} {keys}\n{rows}"), raw());
        let at = Look::at(&printed, Some(&witness));
        let written = printed.replace("\x1b[?25l", "").replace("inve\n", "inv\ne\n");
        Look { from_the_start: true, written: &written, ..at }.judge().1
    };
    let question = asked("Which features do you want?", keys).expect("it is asked");
    assert_eq!((question.kind, question.prompt.as_str()), (Kind::Multi, "Which features do you want?"));
    assert!(is_consulted(&question), "{question:?}");
    // Words that stand by themselves at the edge are not made one, whatever that would hide.
    for line in ["x".repeat(94) + " erase\nall", "x".repeat(96) + " for\nce"] {
        let question = asked(&format!("{line} Which features do you want?"), "");
        assert!(question.is_none_or(|question| !is_consulted(&question)), "{line}");
    }
}

/// Of two rows of `clack`, `prompts` and `enquirer` that stand out, one by its tick, the ticked one was taken for highlighted.
#[test]
fn a_tick_is_no_highlight() {
    let clack = |rows: &str| format!("◆  Which features do you want?\n{rows}└\n\x1b[?25l");
    let prompts = |rows: &str| format!("? Which features do you want? › \n{rows}\x1b[?25l");
    let (bright, dim, green) = ("\x1b[36m◻\x1b[39m", "\x1b[2m◻\x1b[22m", "\x1b[32m◼\x1b[39m");
    let rows = format!("│  {bright} Linter\n│  {green} \x1b[2mTests\x1b[22m\n│  {dim} \x1b[2mDocs\x1b[22m\n");
    let two = format!("│  {green} Linter\n│  {green} \x1b[2mTests\x1b[22m\n│  {dim} \x1b[2mDocs\x1b[22m\n");
    let rings = "◯   \x1b[36m\x1b[4mLinter\x1b[0m\n\x1b[32m◉\x1b[39m   Tests\n◯   Docs\n";
    let hooks =
        "\x1b[90m✔\x1b[39m \x1b[36m\x1b[4mLinter\x1b[0m\n\x1b[32m✔\x1b[39m Tests\n\x1b[90m✔\x1b[39m Docs\n";
    for (printed, ticked) in [
        (clack(&rows), [false, true, false]),
        (clack(&two), [true, true, false]),
        (prompts(rings), [false, true, false]),
        (prompts(hooks), [false, true, false]),
    ] {
        let (_, question) = seen(&printed, Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}"));
        assert_eq!((question.kind, question.selected), (Kind::Multi, Some(0)), "{printed:?}");
        assert_eq!(question.checked(), ticked.map(Some), "{printed:?}");
    }
}

/// Of a menu with one row nobody was called: its mark was taken for a shell's, or for nothing.
#[test]
fn a_menu_of_one_row_is_a_persons() {
    let printed = [
        ("? Which framework? (Use arrow keys)\n \u{bb} React\n\x1b[?25l", "Which framework?"),
        (
            "? Which framework? \u{203a} - Use arrow-keys. Return to submit.\n\u{276f}   React\n\x1b[?25l",
            "Which framework?",
        ),
        ("? Which framework? (rvh) r\n\u{276f} React\x1b[1;27H", "Which framework? (rvh) r"),
        ("Which framework?\n\n* React\x1b[?25l", "Which framework?"),
        ("Which framework?\n> \x1b[7mReact\x1b[0m\n\x1b[?25l", "Which framework?"),
        ("Next step?\n\u{276f} Delete\n\x1b[?25l", "Next step?"),
        (
            "\x1b[34m?\x1b[39m \x1b[1mWhich framework?\x1b[22m\n\u{276f} React\n\n\u{2191}\u{2193} navigate \u{2022} \u{23ce} select\x1b[?25l",
            "Which framework?",
        ),
    ];
    for (printed, prompt) in printed {
        let (state, question) = seen(printed, Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert_eq!((question.kind, question.prompt.as_str()), (Kind::Dialog, prompt), "{printed:?}");
        assert_eq!((question.options.len(), question.selected), (1, Some(0)), "{printed:?}");
        assert!(!is_consulted(&question), "{printed:?}");
    }
    // A shell that edits its line, whoever asked above; and what was only printed.
    let Reader::Reading(wait) = raw().reader else { unreachable!("made so above") };
    let shell = Witness { reader: Reader::Reading(Wait { asks_nothing: true, ..wait }), ..raw() };
    for (printed, witness) in [
        ("What now?\n\u{276f} ls", raw()),
        ("What now?\n\u{276f} ls\n\x1b[?25l", shell),
        ("What now?\n\u{276f} ls\n", with(Reader::Nobody)),
        ("Done.\n\u{276f} npm run dev\nready\n\x1b[?25l", raw()),
    ] {
        let (_, question) = seen(printed, Some(&witness));
        assert!(question.is_none_or(|question| question.options.is_empty()), "{printed:?}");
    }
}

/// The ticks of `bullet` are not drawn before one is set: Enter submitted none, and the log told of the row. Its single
/// choice was
/// `unknown`.
#[test]
fn rows_that_may_be_ticked_are_a_persons() {
    let check = |prompt: &str| format!("{prompt}\n\x1b[7m Router\x1b[0m\n Tests \n Linter\n\x1b[3A\x1b[?25l");
    for (prompt, kind) in [
        ("Which features?", Kind::Dialog),
        ("Which features do you want to use?", Kind::Dialog),
        ("Select the features you want?", Kind::Dialog),
        ("Which framework?", Kind::Menu),
        ("Which class do you need?", Kind::Menu),
    ] {
        let (_, question) = seen(&check(prompt), Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{prompt}"));
        assert_eq!(
            (question.kind, question.selected, question.options.len()),
            (kind, Some(0), 3),
            "{prompt}"
        );
        assert!(kind == Kind::Menu || !is_consulted(&question), "{prompt}");
    }
    for (rows, at) in [
        ("\x1b[7m\u{25cf}React\x1b[0m\n Vue  \n", 0),
        (" React\n\x1b[7m\u{25cf}Vue\x1b[0m\x1b[7m  \x1b[0m\n", 1),
    ] {
        let (state, question) = seen(&format!("Which framework?\n{rows}\x1b[2A\x1b[?25l"), Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{rows:?} {state:?}"));
        assert_eq!((question.kind, question.selected), (Kind::Menu, Some(at)), "{rows:?}");
        assert_eq!(question.labels(), ["React", "Vue"]);
    }
}

/// `beaupy` writes the highlighted answer behind its question: each key made another question of it, and the second one was
/// answered again.
#[test]
fn an_answer_shown_behind_its_question_is_no_part_of_it() {
    let drawn = |behind: &str, rows: &str| {
        format!("Use TypeScript? (Y/N) {behind}\n{rows}\n(enter to confirm)\x1b[?25l")
    };
    let asked = ["", "No", "Yes"].map(|behind| {
        let rows = if behind == "Yes" { "> Yes\n  No\n" } else { "  Yes\n> No\n" };
        seen(&drawn(behind, rows), Some(&raw())).1.expect("it is asked")
    });
    assert_eq!(asked[0].prompt, "Use TypeScript?");
    assert!(asked.iter().all(|question| question.fingerprint() == asked[0].fingerprint()), "{asked:?}");
}

/// The few words that are taken were themselves taken for words that somebody had typed.
#[test]
fn choices_behind_the_mark_are_no_words_of_somebodys() {
    for printed in
        ["Which color? [demo/green]: ", "Which language? (demo, rust): ", "Which color? [red/green] (red): "]
    {
        let (_, question) = seen(printed, Some(&reading()));
        let question = question.unwrap_or_else(|| panic!("{printed}"));
        assert_eq!(
            (question.kind, question.prompt.as_str(), question.typing),
            (Kind::Text, printed.trim(), false)
        );
        assert!(is_consulted(&question), "{printed}: {:?}", routed(&question));
    }
}

/// Below `su -c` a password is read in a session of its own.
#[test]
fn a_password_that_nobody_is_seen_to_read_calls_a_person() {
    let unseen = Witness { reader: Reader::Nobody, ..hidden() };
    let (_, question) = seen("Password: ", Some(&unseen));
    assert!(question.is_some_and(|question| question.kind == Kind::Password));
    assert!(seen("Title: ", Some(&unseen)).1.is_none(), "a pause in the output hides nothing");
}

/// A long command that was being typed was a password question for as long as a colon stood at its end, and one that was typed
/// before the shell's prompt had come.
#[test]
fn a_command_that_is_typed_at_a_shell_asks_nothing() {
    let Reader::Reading(wait) = raw().reader else { unreachable!("made so above") };
    let shell = Witness { reader: Reader::Reading(Wait { asks_nothing: true, ..wait.clone() }), ..raw() };
    let long = "x".repeat(500);
    for typed in ["export TOKEN=a; echo token:", "echo Password:", "echo Use TypeScript? [Y/n]", "login:"] {
        for prompt in ["bash-5.2# ", "dev@box:~/shop$ ", "$ "] {
            for long in ["", long.as_str()] {
                let printed = format!("{prompt}: {long} {typed}");
                let (state, question) = seen_at(90, &printed, Some(&shell));
                assert!(state == State::Idle && question.is_none(), "{printed:?}: {state:?} {question:?}");
            }
        }
    }
    let (state, question) = seen_at(90, &format!("sleep 1; : {long} echo password:"), Some(&shell));
    assert!(question.is_none(), "{state:?} {question:?}");
    // It does ask where a line is hidden, or somebody else reads the keys.
    let hides = Witness { reader: shell.reader.clone(), canonical: true, echo: false };
    for witness in [hides, raw(), hidden()] {
        let (_, question) = seen("$ Password: ", Some(&witness));
        assert!(question.is_some_and(|question| question.kind == Kind::Password), "{witness:?}");
    }
}

/// A line editor shows its own line below what was printed, and the keys are for that.
#[test]
fn rows_above_a_line_that_is_edited_are_no_menu() {
    for prompt in [">>> ", "$ ", "dev@box:~$ ", "> "] {
        let (_, question) = seen(&format!("❯ PostgreSQL\n  SQLite\n{prompt}"), Some(&raw()));
        assert!(question.is_none_or(|question| question.kind != Kind::Menu), "{prompt}");
    }
}

/// What was typed on the line below a question was taken for the next question: its Enter was never sent, and a second
/// answer was typed behind the first.
#[test]
fn what_is_typed_below_a_question_is_its_draft() {
    let look = |typed: &str, witness: &Witness, asked: Option<&Question>| {
        let printed = format!("Which name do you want?\n{typed}");
        let at = Look::at(&printed, Some(witness));
        Look { columns: 40, written: &printed, asked, from_the_start: true, ..at }.judge().1
    };
    let asked = look("", &reading(), None).expect("it asks");
    assert_eq!((asked.prompt.as_str(), asked.typing), ("Which name do you want?", false));
    let long = "a name that is much longer than the row it is typed into";
    for typed in ["bobby", "Title:", "delete all", "password", "$ x", "Sure? [y/N]", long] {
        let draft = look(typed, &reading(), Some(&asked)).expect(typed);
        assert_eq!(draft.fingerprint(), asked.fingerprint(), "{typed}");
        assert_eq!((draft.typing, draft.origin.typed.as_deref()), (true, Some(typed)));
    }
    // Of words that stand there from the beginning nobody knows whose they are: nothing is typed behind them.
    let unasked = look("bobby", &reading(), None).expect("it asks");
    assert_eq!((unasked.prompt.as_str(), unasked.typing), ("Which name do you want?", true));
    // The next read asks by what stands before it.
    let next = with(Reader::Reading(Wait { sleeps: 2, ..wait() }));
    let next = look("Title:", &next, Some(&asked)).expect("it asks");
    assert_eq!((next.prompt.as_str(), next.typing), ("Title:", false));
}

/// What only looks like the buttons of a box, or like a highlighted row: tables, tags, status bars, lists that tell what is
/// done. Whoever reads keys there was asked nothing.
#[test]
fn what_looks_like_buttons_or_rows_is_no_question() {
    let table = "| Tag           |\n| <b> <i>       |";
    let tags = "┌──────────────┐\n│ Template     │\n├──────────────┤\n│ <html>       │\n│ <head>       │\n└──────────────┘\n";
    let tags_then_words =
        "┌──────────────┐\n│ Which tags?  │\n│ <html> <div> │\n│ are the best │\n└──────────────┘\x1b[3;3H";
    let editor = "┌──────────────┐\n│ <ul>         │\n│ <li>         │\n└──────────────┘\x1b[2;4H";
    let code = "│ fn first<T>() │\n│ <T> <U>       │\x1b[?25l";
    let header = "Files:\n\x1b[7m NAME     SIZE \x1b[0m\n a.txt    1\n b.txt    2\n\x1b[?25l";
    let steps = "Tasks:\n1. Lint\n\x1b[32m2. Tests\x1b[0m\n3. Docs\n\x1b[?25l";
    let todo = "Todo\n[x] \x1b[32mLinter\x1b[0m\n[ ] Tests\n[ ] Docs\n\x1b[?25l";
    let bar = "  one\n  two\n  three\n\x1b[7m  NORMAL  main.rs        12:1 \x1b[0m\x1b[?25l";
    let find = "Results:\n  one match\n  \x1b[7mtwo\x1b[0m matches\n  three matches\n\x1b[?25l";
    let printed = [table, tags, tags_then_words, editor, code, header, steps, todo, bar, find];
    let seen = printed.map(|printed| (printed, seen(printed, Some(&raw())).1));
    let faults: Vec<_> = seen.iter().filter(|(_, question)| question.is_some()).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The line of keys in reverse video is not the highlighted row.
#[test]
fn a_status_bar_in_reverse_video_is_no_row() {
    let bar = "\x1b[7m  \u{2191}/\u{2193} move   enter select\x1b[0m\x1b[?25l";
    for (rows, selected) in [
        ("  PostgreSQL\n  \x1b[7mSQLite\x1b[0m\n  Redis\n", 1),
        ("  \x1b[7mPostgreSQL\x1b[0m\n  SQLite\n  Redis\n", 0),
        ("  PostgreSQL\n  SQLite\n  \x1b[7mRedis\x1b[0m\n", 2),
    ] {
        for blank in ["", "\n"] {
            let printed = format!("Which database?\n{rows}{blank}{bar}");
            let (state, question) = seen(&printed, Some(&raw()));
            let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
            assert_eq!(question.labels(), ["PostgreSQL", "SQLite", "Redis"], "{printed:?}");
            assert_eq!(question.selected, Some(selected), "{printed:?}");
        }
    }
    // No row is highlighted: nothing says which Enter would take.
    let (_, question) = seen(&format!("Which database?\n  PostgreSQL\n  SQLite\n{bar}"), Some(&raw()));
    assert!(question.is_none_or(|question| question.selected.is_none()));
}

/// Boxes whose buttons speak another language were `unknown` but for a yes and a no, and nobody was called; a button that is
/// not known to take a row may do anything with it.
#[test]
fn a_box_with_buttons_of_any_language_is_a_persons() {
    let boxed = |rows: &[&str], buttons: &str, cursor: &str| {
        let framed = |row: &&str| format!("│ {row:<38}│\n");
        let rows: String = rows.iter().map(framed).collect();
        format!("┌{0}┐\n{rows}{1}└{0}┘{cursor}\x1b[?25l", "─".repeat(39), framed(&buttons))
    };
    let at = "\x1b[3;5H";
    let list = ["Which database?", "", "\x1b[7mPostgreSQL\x1b[0m                            ", "SQLite"];
    for button in ["Auswählen", "Valider", "決定", "Delete", "Format disk", "はい"] {
        let (state, question) = seen(&boxed(&list, &format!("<{button}>  <Zurück>"), at), Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{button} {state:?}"));
        assert_eq!((question.kind, question.selected), (Kind::Dialog, Some(0)), "{button}");
        assert_eq!(question.labels(), ["PostgreSQL", "SQLite"], "{button}");
        assert!(!is_consulted(&question), "{button}");
    }
    let (_, question) = seen(&boxed(&list, "<Ok>  <Abbrechen>", at), Some(&raw()));
    let question = question.expect("it is asked");
    assert_eq!((question.kind, question.selected), (Kind::Menu, Some(0)));
    assert!(is_consulted(&question));
    for words in [["Use TypeScript?", "", ""], ["Fertig.", "", ""]] {
        for buttons in ["<Ja>  <Nein>", "<Oui>  <Non>", "<Sí>  <No>", "<Weiter>", "<はい> <いいえ>"] {
            let raised = boxed(&words, buttons, at).replacen('<', "\x1b[7m<", 1).replacen('>', ">\x1b[0m", 1);
            let (state, question) = seen(&raised, Some(&raw()));
            let question = question.unwrap_or_else(|| panic!("{buttons} {state:?}"));
            assert_eq!((question.kind, question.prompt.as_str()), (Kind::Dialog, words[0]), "{buttons}");
            assert!(!is_consulted(&question), "{buttons}");
        }
    }
}

/// A menu that stands in a file was taken for the menu of the editor or the pager that showed it, and a consultant's keys went
/// into the file.
#[test]
fn what_an_editor_or_a_pager_shows_is_no_question_of_its_own() {
    let reads = |program: &str| {
        let wait = Wait { program: program.into(), blocking: false, ..wait() };
        Witness { reader: Reader::Reading(wait), ..raw() }
    };
    let menu = "? Which framework do you want to use? (Use arrow keys)\n\u{276f} React\n  Vue\n  Svelte\n";
    let clack = "\u{25c6}  Which framework?\n\u{2502}  \u{25cf} React\n\u{2502}  \u{25cb} Vue\n\u{2514}\n";
    let numbered = "Which framework?\n\u{276f} 1. React\n  2. Vue\n  3. Svelte\n\nEnter to select\n";
    let line = "Project name: ";
    for shown in [menu, clack, numbered, line] {
        assert!(
            seen(shown, Some(&reads("node"))).1.is_some_and(|question| question.kind != Kind::Dialog),
            "{shown}"
        );
        for cursor in ["", "\x1b[1;1H", "\x1b[?25l"] {
            let shown = format!("{shown}{cursor}");
            for program in ["joe", "kak", "most", "w3m", "less", "vim.basic", "emacs-nox"] {
                let (state, question) = seen(&shown, Some(&reads(program)));
                assert_eq!(question, None, "{program} {shown:?}");
                assert!(matches!(state, State::Idle | State::Unknown), "{program} {state:?} {shown:?}");
            }
            // One that nobody knows takes a screen of its own.
            let (_, question) = seen(&format!("\x1b[?1049h{shown}"), Some(&reads("unheard-of")));
            assert!(question.is_none_or(|question| question.kind == Kind::Dialog), "{shown:?}");
        }
    }
    // What it asks itself, it asks in its last line.
    let asks = format!("{}Really write it (y/n)? ", "\n".repeat(39));
    let (_, question) = seen(&asks, Some(&reads("vim")));
    assert_eq!(question.map(|question| question.kind), Some(Kind::Dialog));
    // Where it waits for commands below a row that is full, it does not end that row's words.
    for prompt in [":", "lines 1-39"] {
        let full = format!("{}{}{prompt}", "\n".repeat(38), "word ".repeat(8));
        let (state, question) = seen_at(40, &full, Some(&reads("less")));
        assert_eq!((question, state), (None, State::Idle), "{prompt}");
    }
    // A line that is read is a prompt, wherever it stands.
    let (_, question) = seen(&format!("\x1b[?1049h{line}"), Some(&reading()));
    assert_eq!(question.map(|question| question.kind), Some(Kind::Text));
}

/// `git commit -p` and `git reset -p` ask in the words of `git add -p`, and the last yes commits.
#[test]
fn only_git_add_stages_a_hunk_with_a_consultant() {
    let hunk = "@@ -1 +1,2 @@\n-the flags of yore are kept\n+whatever the wind brings\n(1/1) Stage this hunk [y,n,q,a,d,e,p,?]? ";
    let by =
        |program: &str, acts| with(Reader::Reading(Wait { program: program.to_owned(), acts, ..wait() }));
    let consulted = |witness: &Witness| is_consulted(&seen(hunk, Some(witness)).1.expect("it asks"));
    assert!(consulted(&by("git", false)));
    // Another command of git; an older one's program, and a script, of which the command is not known.
    for (program, acts) in [("git", true), ("perl", false), ("sh", false), ("unheard-of", false)] {
        assert!(!consulted(&by(program, acts)), "{program}");
    }
}

/// The prompt was cut at its first colon, and the rest taken for what somebody had typed; so was a cursor drawn as a block.
#[test]
fn what_stands_in_brackets_or_is_a_cursor_was_not_typed() {
    let reads = reading();
    for prompt in
        ["Please select a language (1: Go, 2: Rust):", "Size [small: S, large: L]:", "Colour (see: help)?"]
    {
        let (state, question) = seen(&format!("{prompt} "), Some(&reading()));
        let question = question.unwrap_or_else(|| panic!("{prompt:?} {state:?}"));
        assert_eq!((question.prompt.as_str(), question.typing), (prompt, false), "{question:?}");
        let asked = question;
        let printed = format!("{prompt} 2");
        let look = Look { asked: Some(&asked), ..Look::at(&printed, Some(&reads)) };
        let typed = look.judge().1.expect("it is asked still");
        assert_eq!((typed.prompt.as_str(), typed.origin.typed.as_deref()), (prompt, Some("2")), "{typed:?}");
    }
    for (drawn, typed) in [("", None), ("y", Some("y"))] {
        let printed = format!("? Use TypeScript? [y/N] {drawn}\u{2588}\x1b[?25l");
        let question = seen(&printed, Some(&raw())).1.expect("it asks");
        assert_eq!((question.kind, question.origin.typed.as_deref()), (Kind::YesNo, typed), "{question:?}");
        assert_eq!((question.labels(), question.typing), (vec!["y", "n"], typed.is_some()));
    }
}

/// A program that looks for keys now and then, and sleeps in between, or whose keys are read elsewhere, as below `screen`:
/// nobody was ever called to it.
#[test]
fn who_polls_for_keys_asks_once_all_has_stood_still() {
    let witness = |canonical| Witness { reader: Reader::Nobody, canonical, echo: canonical };
    let judge = |printed, canonical, still_ms| {
        Look { still_ms, ..Look::at(printed, Some(&witness(canonical))) }.judge()
    };
    for printed in [
        "Deploy to production? [y/N] ",
        "\x1b[?1049h\x1b[23;1HReally kill this window [y/n]",
        "\x1b[?1049h\x1b[23;1Hkill-pane 0? (y/n) ",
        "\x1b[?25lWhich one?\n❯ React\n  Vue\n  Svelte\n",
    ] {
        assert_eq!(judge(printed, false, 500).0, State::Working, "{printed:?}: it may be at work");
        let (state, question) = judge(printed, false, 5_000);
        let question = question.unwrap_or_else(|| panic!("{printed:?}: nobody is called: {state:?}"));
        assert_eq!((state, question.kind), (State::Asking, Kind::Dialog), "{printed:?}");
        assert!(matches!(routed(&question), Route::Human { .. }), "{printed:?}: {:?}", routed(&question));
        assert_eq!(judge(printed, true, 5_000).0, State::Working, "{printed:?}: it takes no keys");
    }
    // Who looks for a whole line now and then is told from who works by nothing but time.
    let printed = "Deploy to production? [y/N] ";
    let line =
        |written| Look { still_ms: 10_000, written, ..Look::at(printed, Some(&witness(true))) }.judge();
    let (state, question) = line(printed);
    assert!(state == State::Asking && question.is_some_and(|question| question.kind == Kind::Dialog));
    assert_eq!(line("").0, State::Working, "somebody has typed behind it");
    for printed in [
        "Installing: numpy ",
        "Progress: 42% ",
        "\x1b[?1049h\x1b[23;1HWhich one? ",
        "\x1b[?1049h\x1b[HUse TypeScript? [Y/n]\n\nstatus",
        "compiled 4 modules\n",
    ] {
        assert_eq!(judge(printed, false, 60_000).0, State::Working, "{printed:?}");
    }
}

/// Nobody was called for any of these: each is a screen of a real program, with somebody who is seen to read.
#[test]
fn whoever_waits_for_an_answer_is_seen_to_ask() {
    let line = reading();
    let line = match line.reader {
        Reader::Reading(wait) => Witness { reader: Reader::Reading(Wait { in_read: true, ..wait }), ..line },
        _ => line,
    };
    let edits = match raw().reader {
        Reader::Reading(wait) => Witness { reader: Reader::Reading(Wait { in_read: true, ..wait }), ..raw() },
        reader => Witness { reader, ..raw() },
    };
    let named = |program: &str| {
        let Reader::Reading(wait) = raw().reader else { unreachable!("made so above") };
        Witness { reader: Reader::Reading(Wait { program: program.to_owned(), ..wait }), ..raw() }
    };
    let tmux = Witness {
        reader: Reader::Unknown(Blind::Relayed { program: "tmux: client".to_owned() }),
        canonical: false,
        echo: false,
    };
    let foot = "\x1b[40;1H";
    for (printed, witness, words) in [
        // sphinx-quickstart
        (
            "> Separate source and build directories (y/n) [n]: ",
            &raw(),
            "Separate source and build directories (y/n) [n]:",
        ),
        // enquirer's form, snippet and sort
        (
            "\x1b[36m?\x1b[39m \x1b[1mPlease provide the following information:\x1b[22m\n\u{2299}  First Name : Jon\n\
             \u{2299}   Last Name : S\x1b[1;45H",
            &raw(),
            "Please provide the following information:",
        ),
        (
            "\x1b[36m?\x1b[39m \x1b[1mFill out the fields in package.json\x1b[22m \u{2023} 0% completed\n { \"name\": \"<name>\" }\x1b[1;53H",
            &raw(),
            "Fill out the fields in package.json",
        ),
        (
            "\x1b[36m?\x1b[39m \x1b[1mSort the colors\x1b[22m \u{2026}  Top is best\n  \x1b[4m1 - aqua\x1b[24m\n  2 - black\x1b[1;20H",
            &raw(),
            "Sort the colors",
        ),
        // dialoguer's MultiSelect
        (
            "\x1b[33m?\x1b[0m \x1b[1mSelect features\x1b[0m \x1b[2m\u{203a}\x1b[0m\n\x1b[35m\u{2b1a}\x1b[0m \x1b[36mReact\x1b[0m\n\
             \x1b[35m\u{2b1a}\x1b[0m Vue\n\x1b[?25l",
            &raw(),
            "Select features",
        ),
        // @inquirer/prompts in a pane of six rows, twenty columns
        (
            &format!(
                "\x1b[H  eu-west-5\n  eu-west-6\n\n\u{2191}\u{2193} navigate \u{2022} {}\u{23ce} sele\nct\x1b[?25l",
                " ".repeat(80)
            ),
            &raw(),
            "eu-west-5",
        ),
        // mutt
        (
            &format!("{foot}~/Mail does not exist. Create it? ([yes]/no): "),
            &named("mutt"),
            "~/Mail does not exist. Create it? ([yes]/no):",
        ),
        // cutie, terminal-kit
        ("Pick a framework\n\x1b[1m[x]\x1b[0m React\n\x1b[1m[ ]\x1b[0m Vue\n", &edits, "Pick a framework"),
        ("Pick a framework\n\n\x1b[7m React\x1b[27m\n Vue\x1b[3;1H", &raw(), "Pick a framework"),
        ("Delete what?\n\n\x1b[34mFile\x1b[39m  Edit\x1b[3;1H", &raw(), "Delete what?"),
        // create-react-router: the cursor at the head of the value it offers
        (
            "\n   dir   Where should we create your new project?\n         \x1b[2m./my-app\x1b[22m\x1b[3;10H",
            &raw(),
            "dir   Where should we create your new project?",
        ),
        // pyinputplus
        (
            "Please select one of the following:\n* React\n* Vue\n",
            &line,
            "Please select one of the following: * React * Vue",
        ),
        ("(1) React\n(2) Vue\n\nPlease choose one of the above.\n", &line, "Please choose one of the above."),
        // prompt_toolkit with a toolbar
        (
            &format!("{foot}\x1b[7mType a name{}\x1b[27m\x1b[1;1HProject name: \x1b[?2004h", " ".repeat(89)),
            &edits,
            "Project name:",
        ),
        // tty-prompt's multiline
        (
            "Description? \x1b[90m(Press Ctrl+D or Ctrl+Z to finish)\x1b[0m\n",
            &raw(),
            "Description? (Press Ctrl+D or Ctrl+Z to finish)",
        ),
        // systemd-ask-password --echo=no PIN
        ("PIN ", &raw(), "PIN"),
        (
            "Continuing in 9 s, press any key to stop... ",
            &raw(),
            "Continuing in 9 s, press any key to stop...",
        ),
        // On screens of their own: curses, umoria, boggle
        (
            "\x1b[?1049h\x1b[HSelect disk to erase\n\n  \x1b[7mReact\x1b[27m\n  Vue\x1b[?25l",
            &raw(),
            "Select disk to erase",
        ),
        (
            &format!("\x1b[?1049h\x1b[HUmoria\n\n{foot}[ press any key to continue ]"),
            &raw(),
            "[ press any key to continue ]",
        ),
        ("\x1b[?1049h\x1b[5;20HType <space> to begin....", &raw(), "Type <space> to begin...."),
        // below tmux
        (
            &format!(
                "\x1b[?1049h{foot}\x1b[42m[0] 0:sh*{}\x1b[49m\x1b[1;1HUse TypeScript? [Y/n] ",
                " ".repeat(91)
            ),
            &tmux,
            "Use TypeScript? [Y/n]",
        ),
        (
            &format!(
                "\x1b[?1049h{foot}\x1b[42m[0] 0:node*{}\x1b[49m\x1b[1;1H? Pick one\n\u{276f} React\n  Vue\n\n\
             \u{2191}\u{2193} navigate \u{2022} \u{23ce} select\x1b[?25l",
                " ".repeat(89)
            ),
            &tmux,
            "Pick one",
        ),
    ] {
        let (state, question) = seen(printed, Some(witness));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert_eq!((state, question.prompt.as_str()), (State::Asking, words), "{printed:?}");
        assert!(!is_consulted(&question), "{printed:?}: {question:?}");
    }
}

/// Nobody was called where a library drew a mark below its question; a console's last words look alike, until all is still.
#[test]
fn what_wants_a_choice_above_a_mark_asks_once_all_is_still() {
    let witness = raw();
    for (printed, words) in [
        // Symfony's question with completion, IO::Prompter's menu
        (" Which framework?:\n > ", "Which framework?:"),
        ("Which framework?\n   a. React\n   b. Vue\n\n> ", "Which framework? a. React b. Vue"),
    ] {
        let look = |still_ms| Look { still_ms, ..Look::at(printed, Some(&witness)) }.judge().1;
        assert!(look(0).is_none(), "{printed:?}");
        let question = look(POLLS_MS).expect("it is still");
        assert_eq!((question.kind, question.prompt.as_str()), (Kind::Dialog, words));
    }
    let console = Look { still_ms: POLLS_MS, ..Look::at("42 rows deleted.\n> ", Some(&witness)) };
    assert!(console.judge().1.is_none());
}

/// A signature's passphrase is asked for by a program of another session, which nobody sees read, and nobody was called.
#[test]
fn a_box_that_another_session_reads_is_a_persons_once_all_is_still() {
    let edge = "\u{2500}".repeat(40);
    let row = |words: &str| format!("\u{2502} {words:<38} \u{2502}\n");
    let rows = ["Enter passphrase", "", "Passphrase: ____________________", "", "   <OK>      <Cancel>"];
    let rows: String = rows.iter().map(|words| row(words)).collect();
    let printed = format!("\x1b[?1049h\x1b[H\u{250c}{edge}\u{2510}\n{rows}\u{2514}{edge}\u{2518}\x1b[4;15H");
    let elsewhere = Witness { canonical: false, echo: false, ..with(Reader::Nobody) };
    let look = |still_ms| Look { still_ms, ..Look::at(&printed, Some(&elsewhere)) }.judge();
    assert_eq!(look(0).0, State::Working);
    let (state, question) = look(POLLS_MS);
    let question = question.unwrap_or_else(|| panic!("{state:?}"));
    assert_eq!((question.kind, question.prompt.as_str()), (Kind::Password, "Enter passphrase Passphrase:"));
    // Whoever left its box there gave the terminal back.
    let left = with(Reader::Nobody);
    assert!(Look { still_ms: POLLS_MS, ..Look::at(&printed, Some(&left)) }.judge().1.is_none());
}

/// A bar of keys at the foot, and a console's own mark.
#[test]
fn bars_of_keys_and_marks_of_consoles_ask_nothing() {
    let bar = "\x1b[?1049h\x1b[39;1H  ? Help          s Save        TAB Chg Win\n  q Quit          R Reload\x1b[?25l";
    assert!(seen(bar, Some(&raw())).1.is_none());
    assert_eq!(seen("Enter `,help' for help.\nscheme@(guile-user)> ", Some(&reading())).0, State::Idle);
}

/// What Enter would take stood behind the prompt, and was an answer that somebody had typed: nobody could answer.
#[test]
fn a_default_that_is_drawn_behind_a_prompt_is_no_answer() {
    for (printed, kind) in
        [("Project name?  |demo|  ", Kind::Text), ("Use TypeScript? (y or n) [default y] ", Kind::YesNo)]
    {
        let question = seen(printed, Some(&reading())).1.expect("a line is read");
        assert_eq!((question.kind, question.typing), (kind, false), "{printed:?}");
        let answered = seen(&format!("{printed}y"), Some(&reading())).1.expect("a line is read");
        assert_eq!((answered.typing, answered.origin.typed.as_deref()), (true, Some("y")), "{printed:?}");
        assert_eq!(answered.fingerprint(), question.fingerprint());
    }
}

/// A loop of events that takes whole lines was never seen to ask, in any language.
#[test]
fn a_loop_that_takes_whole_lines_is_seen_to_ask_once_it_is_still() {
    let witness = Witness { canonical: true, echo: true, ..raw() };
    let judged = |printed: &str, still_ms| Look { still_ms, ..Look::at(printed, Some(&witness)) }.judge();
    for printed in [
        "Premi Invio per continuare...",
        "Pulse Intro para continuar...",
        "Pressione Enter para continuar...",
        "Weiter mit der Eingabetaste ...",
        "Weiter mit Enter...",
        "\u{6309}\u{56de}\u{8f66}\u{952e}\u{7ee7}\u{7eed}...",
        "\u{6309}\u{4efb}\u{610f}\u{952e}\u{7ee7}\u{7eed}. . . ",
        "Press Enter to continue...\n",
        "Please enter the name of the project:\n",
        "Choose one:\n  a) React\n  b) Vue\n",
        "(1) React\n(2) Vue\n\nPlease choose one of the above.\n",
        "Choose one:\n  a) React\n  b) Vue\n\n",
        "Choose one:\n\n\n",
    ] {
        let (state, question) = judged(printed, POLLS_MS);
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert!(!is_consulted(&question), "{printed:?}: {question:?}");
    }
    for printed in [
        "Waiting for changes...\n",
        "  Local: http://localhost:5173/\n  press h + enter to show help\n",
        "[nodemon] to restart at any time, enter `rs`\n",
        "Done (1.2s)! For help, type \"help\"\n",
        "Type help for a list of commands\n",
        "Server listening on port 80\n",
    ] {
        assert!(judged(printed, POLLS_MS).1.is_none(), "{printed:?}");
    }
    assert!(judged("Choose one:\n  a) React\n", 0).1.is_none(), "it may be working");
}

/// For so long a program that works prints something.
const POLLS_MS: u64 = 2_000;

/// A library breaks its own lines, in the middle of a word, and the end of the question was all of it.
#[test]
fn a_question_that_its_library_broke_is_whole() {
    let printed =
        "\x1b[34m?\x1b[39m \x1b[1mDelete branch feature/x on r\nemote?\x1b[22m \x1b[2m(Y/n)\x1b[22m ";
    let question = seen_at(30, printed, Some(&raw())).1.expect("keys are read");
    assert_eq!(
        (question.kind, question.prompt.as_str()),
        (Kind::Permission, "Delete branch feature/x on remote?")
    );
}

/// A clock behind a prompt was an answer that somebody had typed, and the question a person's.
#[test]
fn the_time_that_is_left_is_no_answer() {
    let question = seen("Use TypeScript? [Y/n] (11) ", Some(&reading())).1.expect("a line is read");
    assert_eq!((question.kind, question.typing), (Kind::YesNo, false));
    assert!(is_consulted(&question), "{:?}", routed(&question));
    let answered = seen("Use TypeScript? [Y/n] (11) y", Some(&reading())).1.expect("a line is read");
    assert_eq!((answered.typing, answered.origin.typed.as_deref()), (true, Some("y")));
}

/// Behind a console's mark the prompt was one until an answer stood behind it: that was logged as given before its Enter.
#[test]
fn a_prompt_behind_a_mark_stands_with_an_answer_behind_it() {
    for witness in [reading(), Witness { canonical: true, echo: true, ..raw() }] {
        let asked = seen(">>> Use TypeScript? [Y/n] ", Some(&witness)).1.expect("a line is read");
        let look = Look { asked: Some(&asked), ..Look::at(">>> Use TypeScript? [Y/n] y", Some(&witness)) };
        let (state, question) = look.judge();
        let question = question.unwrap_or_else(|| panic!("{state:?}"));
        assert_eq!((question.prompt.as_str(), question.typing), (asked.prompt.as_str(), true));
    }
}

/// The value that a library draws behind its yes or no was taken for an answer, once the question stood there.
#[test]
fn what_a_library_draws_behind_its_question_is_no_answer() {
    for printed in ["? Use TypeScript? (y/N) \u{2023} false", "? Use TypeScript? (y/n) \u{203a} "] {
        let witness = raw();
        let asked = seen(printed, Some(&witness)).1.expect("keys are read");
        let again = Look { asked: Some(&asked), ..Look::at(printed, Some(&witness)) }.judge().1;
        assert!(again.is_some_and(|again| !again.typing && again.prompt == asked.prompt), "{printed:?}");
    }
}

/// What these show is whatever they were given: nobody waits, however it looks.
#[test]
fn what_shows_what_others_wrote_is_idle() {
    let Reader::Reading(wait) = raw().reader else { unreachable!("made so above") };
    for program in ["less", "top", "htop", "tig", "emacs", "mc"] {
        let reader = Reader::Reading(Wait { program: program.to_owned(), ..wait.clone() });
        let witness = Witness { reader, ..raw() };
        for printed in ["Delete everything? [y/N]\nDelete everything? [y/N]\nnotes", "  main  80%"] {
            assert_eq!(seen(printed, Some(&witness)).0, State::Idle, "{program}: {printed:?}");
        }
    }
}

/// gum and huh, as they draw: bars at the left, a mark before the row, buttons told by their ground, keys at the foot.
#[test]
fn what_libraries_of_go_draw_is_seen() {
    let on = "\x1b[38;5;230;48;5;212m";
    let off = "\x1b[38;5;254;48;5;235m";
    let keys =
        "\x1b[2m\u{2191} up \u{2022} \u{2193} down \u{2022} / filter \u{2022} enter submit\x1b[0m\x1b[?25l";
    let bar = "\x1b[38;5;238m\u{2503}\x1b[0m";
    let gum = "\x1b[2m\u{2190}\u{2193}\u{2191}\u{2192} navigate \u{2022} enter submit\x1b[0m\x1b[?25l";
    let yes =
        "\x1b[2m\u{2190}/\u{2192} toggle \u{2022} enter submit \u{2022} y Yes \u{2022} n No\x1b[0m\x1b[?25l";
    let rows = [
        format!(
            "\x1b[38;5;99mPick a framework:\x1b[0m\n\x1b[38;5;212m> React\x1b[0m\n  Vue\n  Svelte\n\n{gum}"
        ),
        format!(
            "{bar} \x1b[1mPick a framework\x1b[0m\n{bar} \x1b[38;5;212m>\x1b[0m \x1b[38;5;212mReact\x1b[0m\n{bar}   Vue\n{bar}   Svelte\n\n{keys}"
        ),
    ];
    for printed in &rows {
        let question = seen(printed, Some(&raw())).1.unwrap_or_else(|| panic!("{printed:?}"));
        assert_eq!(
            (question.labels(), question.selected),
            (vec!["React", "Vue", "Svelte"], Some(0)),
            "{question:?}"
        );
        assert_eq!(question.prompt.trim_end_matches(':'), "Pick a framework", "{question:?}");
        assert_eq!(question.kind, Kind::Menu, "{question:?}");
    }
    let persons = [
        // Confirmations.
        format!("Delete all files?\n\n  {on}   Yes   \x1b[0m  {off}   No   \x1b[0m\n\n{yes}"),
        format!(
            "{bar} \x1b[1mDelete all files?\x1b[0m\n{bar}\n{bar}   {on}   Yes   \x1b[0m  {off}   No   \x1b[0m\n\n{yes}"
        ),
        format!(
            "{bar} \x1b[1mUse TypeScript?\x1b[0m\n{bar}\n{bar}   {on}   Yes   \x1b[0m  {off}   No   \x1b[0m\n\n{yes}"
        ),
        // Fields.
        "> \x1b[7mP\x1b[0m\x1b[2mroject name\x1b[0m\n\n\x1b[2menter submit\x1b[0m\x1b[?25l".to_owned(),
        format!(
            "{bar} \x1b[1mProject name\x1b[0m\n{bar} \x1b[38;5;212m>\x1b[0m \x1b[7md\x1b[0m\x1b[2memo\x1b[0m\n\n\x1b[2menter submit\x1b[0m\x1b[?25l"
        ),
        // Several, of which no tick is drawn before it is set.
        "\x1b[38;5;99mSelect features:\x1b[0m\n\x1b[38;5;212m> \u{2022} React\x1b[0m\n  \u{2022} Vue\n\n\x1b[2m\u{2190}\u{2193}\u{2191}\u{2192} navigate \u{2022} x toggle \u{2022} enter submit\x1b[0m\x1b[?25l"
            .to_owned(),
        format!(
            "{bar} \x1b[1mSelect features\x1b[0m\n{bar} \x1b[38;5;212m>\x1b[0m \u{2022} React\n{bar}   \u{2022} Vue\n\n\x1b[2mx toggle \u{2022} \u{2191} up \u{2022} \u{2193} down \u{2022} enter confirm\x1b[0m\x1b[?25l"
        ),
    ];
    for printed in &persons {
        let (state, question) = seen(printed, Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed:?}: {state:?}"));
        assert!(!is_consulted(&question), "{printed:?}: {question:?}");
    }
}

/// A row of clack's that is ticked is as faint as its hint once the highlight leaves it: no answer went into such a list, and
/// each tick made another question of it.
#[test]
fn a_ticked_row_that_turns_as_faint_as_its_hint_is_the_row_it_was() {
    let list = |lint: &str, format: &str, tests: &str| {
        let bar = "\x1b[36m\u{2502}\x1b[39m  ";
        let keys = "\u{2191}/\u{2193} to navigate \u{2022} Space: select \u{2022} Enter: confirm";
        format!(
            "\u{2502}\n\x1b[36m\u{25c6}\x1b[39m  Pick the tools\n{bar}{lint}\n{bar}{format}\n{bar}{tests}\n{bar}{keys}\n\x1b[36m\u{2514}\x1b[39m\n\x1b[?25l"
        )
    };
    let off = |row: &str| format!("\x1b[2m\u{25fb}\x1b[22m \x1b[2m{row}\x1b[22m");
    let on = |row: &str| format!("\x1b[36m\u{25fb}\x1b[39m {row}");
    let hint = "\x1b[2m(recommended)\x1b[22m";
    let asked = seen(&list(&on(&format!("Lint {hint}")), &off("Format"), &off("Tests")), Some(&raw()))
        .1
        .expect("it asks");
    let ticked = format!("\x1b[32m\u{25fc}\x1b[39m \x1b[2mLint\x1b[22m {hint}");
    let now = seen(&list(&ticked, &on("Format"), &off("Tests")), Some(&raw())).1.expect("it still asks");
    assert_eq!(
        (asked.kind, asked.labels(), asked.selected),
        (Kind::Multi, vec!["Lint", "Format", "Tests"], Some(0))
    );
    assert_eq!((now.selected, now.options[0].checked), (Some(1), Some(true)), "{now:?}");
    assert!(same_dialog(&asked, &now), "{asked:?} {now:?}");
}

/// What Enter takes was taken for words that somebody had typed: no answer went in.
#[test]
fn a_default_in_brackets_behind_a_mark_was_typed_by_nobody() {
    let asks = |typed: &str| {
        let printed = format!("\x1b[92m?\x1b[39m What is the project name? (my-app) {typed}");
        seen(&printed, Some(&raw())).1.expect("it asks")
    };
    let asked = asks("");
    assert_eq!((asked.kind, asked.prompt.as_str()), (Kind::Text, "What is the project name?"));
    assert_eq!((asked.typing, asked.origin.offered.as_deref()), (false, Some("my-app")), "{asked:?}");
    assert!(!is_consulted(&asked), "a field that its program draws is a person's");
    // It is drawn in pieces: what was seen first had nothing behind it.
    let begun = seen("? What is the project name? ", Some(&raw())).1.expect("it asks");
    let printed = "? What is the project name? (my-app) ";
    let now = Look { asked: Some(&begun), ..Look::at(printed, Some(&raw())) }.judge().1.expect("it asks");
    assert_eq!((now.typing, now.prompt), (false, begun.prompt));
    let typed = asks("shop");
    assert_eq!((typed.prompt.as_str(), typed.typing), (asked.prompt.as_str(), true), "{typed:?}");
    assert_eq!(typed.origin.typed.as_deref(), Some("shop"));
}

/// A person was called to the first question on the screen, which they had answered long before.
#[test]
fn rows_that_nobody_can_read_are_not_called_by_an_answer_given_before() {
    let answers = "\u{2714} Pick a framework \u{b7} React\n\u{2714} Use tests? \u{b7} yes\n\u{2714} Pick the tools \u{b7} Lint\n";
    let rows = (1..=6).map(|row| format!("  Icons {row}\n")).collect::<String>();
    let printed = format!("{answers}Pick an icon set:\n{rows}\x1b[?25l");
    let mut alone = raw();
    if let Reader::Reading(wait) = &mut alone.reader {
        wait.alone = true;
    }
    let look = Look { still_ms: 60_000, ..Look::at(&printed, Some(&alone)) };
    let question = look.judge().1.expect("it waits for a key");
    assert_eq!((question.kind, question.prompt.as_str()), (Kind::Dialog, "Pick an icon set:"));
}

/// Of the labels of a select some began with its own mark: the list was read from the last of them on, its highlight with it,
/// and Enter took another row.
#[test]
fn a_list_with_two_marks_is_a_persons() {
    for rows in [
        "❯ React\n  ❯ Vue\n    Svelte\n  ❯ Solid\n",
        "❯ [ ] React\n  [ ] Vue\n  ❯Svelte\n  Angular\n  Ember\n",
        "  [ ] React\n  [ ] Vue\n  ❯Svelte\n  Angular\n❯ Ember\n",
    ] {
        let (_, question) = seen(&format!("? Pick a framework?\n{rows}\x1b[?25l"), Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{rows}"));
        assert!(!is_consulted(&question) && question.selected.is_none(), "{rows}: {question:?}");
    }
    // A shell's own mark stands above the question.
    let (_, question) = seen("❯ npm create\n? Pick a framework?\n❯ React\n  Vue\n\x1b[?25l", Some(&raw()));
    let question = question.expect("it is asked");
    assert_eq!((question.options.len(), question.selected), (2, Some(0)));
    assert!(is_consulted(&question), "{:?}", routed(&question));
}

/// Some libraries cut a row off at the edge without a sign: two rows looked the same, and nobody saw what one of them did.
#[test]
fn rows_that_end_at_the_edge_may_go_on() {
    let asked = |rows: &str| {
        let printed = format!("? Pick a framework?\n{rows}\x1b[?25l");
        seen(&printed, Some(&raw())).1.expect("it is asked")
    };
    for end in [98, 97] {
        let question = asked(&format!("❯ React\n  {}\n  Vue\n", "x".repeat(end)));
        assert!(question.partial && !is_consulted(&question), "{end}: {question:?}");
    }
    let question = asked(&format!("❯ React\n  {}...\n  Vue\n", "x".repeat(93)));
    assert!(question.partial, "{question:?}");
    let question = asked("❯ React\n  Vue\n  Other...\n");
    assert!(!question.partial, "{question:?}");
}

/// `questionary` draws what is typed as bold as its question, in another colour: it was read as a part of the question, which
/// was another one after each letter.
#[test]
fn what_is_typed_in_another_colour_is_no_part_of_a_question() {
    let line = |field: &str| format!("\x1b[38;5;67m?\x1b[0;1m Project name \x1b[38;5;214;1m{field}\x1b[0m");
    for field in ["", "V", "Vue and more"] {
        let (_, question) = seen(&line(field), Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{field}"));
        let typed = Some(field).filter(|field| !field.is_empty());
        assert_eq!((question.prompt.as_str(), question.origin.typed.as_deref()), ("Project name", typed));
    }
    // A word in a colour of its own in the middle of a question is one of it.
    let (_, question) = seen("\x1b[1m? Name of the \x1b[36mnew\x1b[39m project\x1b[0m ", Some(&raw()));
    assert_eq!(question.expect("it is asked").prompt, "Name of the new project");
}

/// What is typed at `fzf` narrows its rows, and Enter takes the one that is highlighted then.
#[test]
fn words_are_typed_into_no_finder() {
    for rule in ["", " ─────────────────────"] {
        let printed = format!("  cherry\n  apple\n> pineapple\n  3/3{rule}\nWhich fruit? ");
        let (_, question) = seen(&printed, Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{printed}"));
        assert_eq!((question.kind, question.prompt.as_str()), (Kind::Dialog, "Which fruit?"), "{printed}");
    }
}

/// Of four rows of a box three were offered: the fourth began further in, as its label did.
#[test]
fn a_row_of_a_box_that_begins_elsewhere_leaves_none_to_be_chosen() {
    let boxed = |last: &str| {
        let row = |row: &str| format!("│ {row:<38}│\n");
        let marked = format!("│ \x1b[7mReact\x1b[0m{}│\n", " ".repeat(33));
        let rows = [
            row("Pick a framework?"),
            row(""),
            marked,
            row("Vue"),
            row(last),
            row(""),
            row("<Ok>  <Cancel>"),
        ];
        format!("┌{0}┐\n{1}└{0}┘\x1b[3;3H\x1b[?25l", "─".repeat(39), rows.concat())
    };
    for (last, selected) in [("Ember", Some(0)), ("  Angular", None)] {
        let (_, question) = seen(&boxed(last), Some(&raw()));
        let question = question.unwrap_or_else(|| panic!("{last}"));
        assert_eq!((question.kind, question.selected), (Kind::Menu, selected), "{last}: {question:?}");
        assert_eq!(is_consulted(&question), selected.is_some(), "{last}: {:?}", routed(&question));
    }
}

/// What is offered behind a question mark was taken for something that is typed there already: nobody's answer went in.
#[test]
fn what_is_offered_behind_a_question_mark_is_a_part_of_it() {
    for (prompt, offered) in [
        ("Project name? [my-app] ", "my-app"),
        ("Which port? [8080]: ", "8080"),
        ("What is the project name? (my-app): ", "my-app"),
        ("Project name [my-app]: ", "my-app"),
        ("What's the project name? (my-app) ", "my-app"),
    ] {
        let question = seen(prompt, Some(&reading())).1.unwrap_or_else(|| panic!("{prompt}"));
        assert_eq!((question.kind, question.typing), (Kind::Text, false), "{prompt}");
        assert_eq!(question.prompt, prompt.trim_end());
        assert!(question.origin.offered.as_deref().is_none_or(|value| value == offered), "{question:?}");
        assert!(is_consulted(&question), "{prompt}: {:?}", routed(&question));
    }
    for prompt in ["Remove all files? [yes please] ", "Continue? [enter] ", "Deploy to production? [prod]: "]
    {
        let question = seen(prompt, Some(&reading())).1.unwrap_or_else(|| panic!("{prompt}"));
        assert!(!is_consulted(&question), "{prompt}: {question:?}");
    }
}

/// A yes or no above a mark was nobody's question where the mark is one that consoles have, and a menu whose last line looks like
/// such a mark was an idle console: a first prompt and its Enter went in.
#[test]
fn a_yes_or_no_above_a_mark_is_a_question_and_a_mark_without_a_cursor_is_none() {
    for mark in ["> ", ": ", "mysql> ", "(confirm) ", "answer # "] {
        for asked in ["Wipe prod? (yes/no)", "Wipe prod? [y/N]", "Wipe prod? y/n", "Wipe prod (yes/no):"] {
            let (state, question) = seen(&format!("{asked}\n{mark}"), Some(&reading()));
            let question = question.unwrap_or_else(|| panic!("{asked:?} {mark:?}: {state:?}"));
            assert!(!is_consulted(&question), "{question:?}");
        }
    }
    for mark in ["(web)", "> ", "me@host:~$ ", "(Pdb) ", ">>> "] {
        let menu = format!("Delete which release?\n\u{276f} one\n  two\n{mark}\x1b[?25l");
        let (state, _) = seen(&menu, Some(&raw()));
        assert_ne!(state, State::Idle, "{mark}");
    }
}
