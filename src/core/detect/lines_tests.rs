//! Panels, prompts of libraries and lines; what a consultant has said; and screens that nobody drew on purpose.

use super::*;
use crate::core::detect::witness::{Reader, Wait};
use crate::core::question::Origin;

#[test]
fn panels_that_cannot_be_read_own_the_keys() {
    let found = question(
        "claude",
        &["❯ /doctor", "", " Diagnostics", " └ Search: OK", "", " Press Enter to continue…"],
    );
    assert_eq!((found.kind, found.prompt.as_str()), (Kind::Dialog, "Diagnostics"));
    let keyless = [RULE, "   Resume session", "", "    No conversations found.", "    Ctrl+A to show all"];
    assert_eq!(question("claude", &keyless).prompt, "Resume session");
    let footer = ["● Done.", "", RULE, "  Showing detailed transcript · ctrl+o to toggle"];
    assert_eq!(verdict("claude", &shown(&footer)).state, State::Unknown);
    let said = ["❯ /mcp", "  ⎿  No servers. Run", "  /doctor", "", "  Esc to cancel"];
    assert_eq!(question("claude", &said).labels(), Vec::<&str>::new());
}

#[test]
fn who_asks_for_numbers_in_a_line_quotes_the_menus_above_it() {
    let mut screen = shown(&[
        "you: write it",
        "Permission Required: Bash command",
        "cat > menu <<EOF",
        "Do you want to proceed?",
        "❯ 1. Stay",
        "  2. Leave",
        "Esc to cancel · Tab to amend",
        "EOF",
        "Do you want to proceed?",
        "1. Yes",
        "2. Yes, and switch to accept edits (auto-approve the file",
        "edits) for this session",
        "3. No",
        "Enter selection [1-3], or Escape to cancel: ",
    ]);
    screen.feed(b"\x1b[?25h");
    let found = verdict("claude", &screen).question.expect("a line that waits");
    let edits = "Yes, and switch to accept edits (auto-approve the file edits) for this session";
    assert_eq!((found.kind, found.labels()), (Kind::Permission, vec!["Yes", edits, "No"]));
    assert_eq!((found.prompt.as_str(), found.selected), ("Do you want to proceed?", None));
}

#[test]
fn keys_beside_options_are_no_options() {
    let found = question(
        "opencode",
        &[
            "┃ \x1b[48;5;236m △ Permission required",
            "┃ \x1b[48;5;236m $ git push",
            "┃ \x1b[48;5;236m  \x1b[48;5;208m\x1b[30m Once \x1b[39m\x1b[48;5;236m  Reject  \x1b[97mctrl+f\x1b[90m wide  \x1b[97m⇆\x1b[90m select\x1b[0m",
        ],
    );
    assert_eq!((found.labels(), found.selected), (vec!["Once", "Reject"], Some(0)));
}

#[test]
fn prompt_libraries_are_read_without_a_profile_of_their_own() {
    let found = question("generic", &["? Pick a colour (Use arrow keys)", "  red", "❯ green", "  blue"]);
    assert_eq!((found.prompt.as_str(), found.selected), ("Pick a colour", Some(1)));
    // On a narrow screen the rest of the question was not part of it: what it was about, or the hint half cut out.
    let long = [
        "? Which branch shall the release be made from, and pushed to",
        "production? (Use arrow keys)",
        "  red",
        "❯ green",
    ];
    assert_eq!(
        question("generic", &long).prompt,
        "Which branch shall the release be made from, and pushed to production?"
    );
    let hint =
        ["? Which of these databases should I use for the store? (use", "arrow keys)", "  red", "❯ green"];
    assert_eq!(question("generic", &hint).prompt, "Which of these databases should I use for the store?");
    let found =
        question("generic", &["◆  Pick a kind.", "│  ○ Library", "│  ● Program", "│  ○ Neither", "└"]);
    assert_eq!(found.labels(), ["Library", "Program", "Neither"]);
    assert_eq!((found.prompt.as_str(), found.selected), ("Pick a kind.", Some(1)));
    let found = question("generic", &["Choose a file:", "> main.rs", "  lib.rs"]);
    assert_eq!((found.selected, found.labels()), (Some(0), vec!["main.rs", "lib.rs"]));
}

#[test]
fn lettered_choices_are_read_as_words() {
    let mut screen = shown(&["> fix it", "", "Add app.py? (Y)es/(N)o/(D)on't ask again [Yes]: "]);
    screen.feed(b"\x1b[?25h");
    let found = verdict("aider", &screen).question.expect("the line waits for a letter");
    assert_eq!((found.kind, found.labels()), (Kind::YesNo, vec!["Yes", "No", "Don't ask again"]));
    screen.feed(b"y");
    let found = verdict("aider", &screen).question.expect("a typed letter is not an answer yet");
    assert!(found.typing);
}

#[test]
fn output_that_was_left_is_no_prompt() {
    let mut printed = shown(&DIALOG);
    printed.feed(b"\x1b[?25h");
    assert_eq!(verdict("generic", &printed).question, None, "a menu above a free cursor");
    let mut asked = shown(&["Overwrite? [y/N] "]);
    asked.feed(b"\x1b[?25h");
    assert_eq!(verdict("generic", &asked).question.map(|question| question.kind), Some(Kind::YesNo));
    asked.feed(b"\r\n");
    assert_eq!(verdict("generic", &asked).question, None, "a prompt that scrolled on");
}

#[test]
fn a_reply_is_taken_whole() {
    let profile = Profiles::builtin().get("claude").unwrap();
    let screen = shown(&[
        "❯ Which?",
        "",
        "● I looked at the notes and both of the options; the second",
        "  is cheaper.",
        "",
        "  {\"choice\": 2, \"reason\": \"cheaper, and the notes say so in",
        "  section 4\"}",
        "",
        "✻ Worked for 3s",
        "",
        RULE,
        "❯ ",
        RULE,
    ]);
    let text = last_message(&profile, screen.grid()).unwrap();
    // The first line goes as far as any could: whether a word ended there nobody sees.
    assert!(
        text.starts_with("I looked at the notes and both of the options; the second\nis cheaper."),
        "{text}"
    );
    let object = text[text.find('{').unwrap()..].replace('\n', " ");
    let value: serde_json::Value = serde_json::from_str(&object).unwrap();
    assert_eq!(value["reason"], "cheaper, and the notes say so in section 4");
}

#[test]
fn a_reply_is_taken_without_the_numbers_of_its_lines() {
    // Gemini numbers the lines of a code block.
    let profile = Profiles::builtin().get("gemini").unwrap();
    let screen = shown(&[
        "✦ Both work. 2 of them are left:",
        "",
        "   1 {",
        "   2   \"text\": \"Keep the old one until release 4.2 is out,",
        "     then delete it\",",
        "   3   \"reason\": \"it is",
        "     used\"",
        "   4 }",
        "",
        " Press Ctrl+O to expand pasted text",
    ]);
    let text = last_message(&profile, screen.grid()).unwrap();
    assert!(text.starts_with("Both work. 2 of them are left:") && text.ends_with('}'), "{text}");
    let object = text[text.find('{').unwrap()..].replace('\n', " ");
    let value: serde_json::Value = serde_json::from_str(&object).unwrap();
    assert_eq!(value["text"], "Keep the old one until release 4.2 is out, then delete it");
}

#[test]
fn a_path_that_was_broken_behind_a_slash_is_whole_again() {
    let profile = Profiles::builtin().get("codex").unwrap();
    let long = "a".repeat(30);
    let screen = shown(&[&format!("• Delete src/{long}/legacy/"), "  generated_tables.rs – and its tests"]);
    let text = last_message(&profile, screen.grid()).unwrap();
    assert!(text.contains("/legacy/generated_tables.rs – and"), "{text}");
}

#[test]
fn nothing_recognised_is_unknown() {
    assert_eq!(verdict("claude", &shown(&["something else", "entirely"])).state, State::Unknown);
    let blank = Screen::new(Size::new(80, 24), TerminalIdentity::default());
    assert_eq!(verdict("claude", &blank).state, State::Starting);
}

/// Pieces of which real screens are made, thrown together.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,70}",
        "\\PC{0,30}",
        Just(RULE.to_owned()),
        "(❯|›|●|>| ) ?[0-9]{1,3}[.)] ?(\\[[ x✔]\\] )?\\PC{0,40}",
        "│ .{0,40} │",
        "┃  .{0,40}",
        Just("╭──────────────────────────╮".to_owned()),
        Just("╰──────────────────────────╯".to_owned()),
        Just("Enter to select · Esc to cancel".to_owned()),
        "\x1b\\[[0-9;]{0,8}[A-Za-z]",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_screen_makes_it_panic(
        pieces in proptest::collection::vec(piece(), 0..40),
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        cols in 2u16..200,
        rows in 1u16..50,
    ) {
        let mut screen = Screen::new(Size::new(cols, rows), TerminalIdentity::default());
        screen.feed(pieces.join("\r\n").as_bytes());
        screen.feed(&bytes);
        let profiles = Profiles::builtin();
        for name in profiles.names() {
            let seen = verdict(name, &screen);
            if let Some(question) = &seen.question {
                prop_assert!(question.selected.is_none_or(|row| row < question.options.len()));
            }
            last_message(&profiles.get(name).unwrap(), screen.grid());
        }
    }
}

#[test]
fn half_a_frame_with_the_rows_of_the_dialog_before_is_none() {
    // Claude Code 2.1.329 on a busy machine: the answers were drawn already, the rows not yet removed.
    let screen = shown(&[
        "❯ Ask me",
        "",
        "● Answered Claude's questions:",
        "  ⎿  · Which queue carries the order events? → Kafka",
        "     Load test, Licence scan",
        "",
        "❯ 1. Submit answers",
        "  2. Cancel",
    ]);
    assert_eq!(verdict("claude", &screen).question, None);
}

/// A program that sleeps in the read of a line, as the kernel tells of it.
fn reads_a_line() -> Witness {
    let program = "program".to_owned();
    let wait = Wait {
        pid: 7,
        thread: 7,
        started: 1,
        program,
        place: 1,
        sleeps: 1,
        blocking: true,
        ..Wait::default()
    };
    Witness { reader: Reader::Reading(wait), canonical: true, echo: true }
}

/// What such a program asks behind these lines. `untouched`: nothing was typed since the last of them was begun.
fn asked_in_line(printed: &str, untouched: bool, draft: &str, asked: Option<&Question>) -> Question {
    let mut screen = shown(&[printed]);
    screen.feed(b"\x1b[?25h");
    let (profile, witness) = (Profiles::builtin().get("generic").unwrap(), reads_a_line());
    let snapshot = Snapshot { witness: Some(&witness), untouched, draft, asked, ..snapshot(&screen) };
    let verdict = classify(&profile, &snapshot, &mut LineCache::default(), &mut Trace::default());
    verdict.question.unwrap_or_else(|| panic!("no question: {printed:?}"))
}

/// "Step 2:" was asked, "which region?" passed for typed, and no answer ever went in behind it.
#[test]
fn where_nobody_has_typed_all_of_the_line_is_the_prompt() {
    for prompt in [
        "Step 2: which region?",
        "Which port? 8080",
        "? Project name: (my-app)",
        "Note: leave empty for none. Proxy host:",
        "What is your name? >",
        "Ticket: PROJ-",
        "This goes on and on until it wraps over the end of the line, and then it asks: what is your name?",
    ] {
        let whole = asked_in_line(&format!("{prompt} "), true, "", None);
        assert_eq!((whole.kind, whole.prompt.as_str(), whole.typing), (Kind::Text, prompt, false));
        let touched = asked_in_line(&format!("{prompt} "), false, "", None);
        assert!(touched.typing, "what was typed is not told from what was printed: {touched:?}");
        let typed = asked_in_line(&format!("{prompt} eu"), false, "eu", Some(&whole));
        assert_eq!((typed.prompt.as_str(), typed.origin.typed.as_deref()), (prompt, Some("eu")));
        let taken_back = asked_in_line(&format!("{prompt} "), false, "", Some(&typed));
        assert_eq!((taken_back.prompt.as_str(), taken_back.typing), (prompt, false), "{taken_back:?}");
    }
    assert!(asked_in_line("Project name: demo", true, "demo", None).typing);
    let secret = asked_in_line("Enter your password? (hidden) ", true, "", None);
    assert_eq!(secret.kind, Kind::Password);
}

/// In these brackets a yes or a no was a question in words, without options.
#[test]
fn a_yes_or_a_no_is_offered_in_any_brackets() {
    for (prompt, labels) in [
        ("Proceed ([y]/n)? ", "y n"),
        ("Proceed (y/[n])? ", "y n"),
        ("Continue? <y/N> ", "y n"),
        ("Continue? {y,n} ", "y n"),
        ("Continue? <yes/No> ", "yes no"),
        ("*** x (Y/I/N/O/D/Z) [default=N] ? ", "Y I N O D Z"),
    ] {
        let asked = asked_in_line(prompt, true, "", None);
        assert_eq!(asked.labels().join(" "), labels, "{prompt}");
        assert!(matches!(asked.kind, Kind::YesNo | Kind::Permission), "{asked:?}");
        assert!(asked_in_line(&format!("{prompt}y"), false, "y", Some(&asked)).typing);
    }
    let words = asked_in_line("Continue? <yes/never> ", true, "", None);
    assert_eq!((words.kind, words.options.len()), (Kind::Text, 0));
}

/// A dashboard opened beside a `select` whose rows stand side by side: broken in the middle of a label they were other rows, and
/// the question another one.
#[test]
fn rows_side_by_side_stay_the_same_at_any_width() {
    let column = |from: usize| (from..=25).step_by(2).map(|row| format!("{row}) item{row}"));
    let side_by_side = |from: usize| {
        column(from).map(|cell| format!("{cell:<12}")).collect::<String>().trim_end().to_owned()
    };
    let lines = format!("{}\r\n{}\r\nWhich framework? ", side_by_side(1), side_by_side(2));
    let labels: Vec<String> = (1..=25).map(|row| format!("item{row}")).collect();
    for cols in 24..=160 {
        let mut screen = Screen::new(Size::new(220, 24), TerminalIdentity::default());
        screen.feed(lines.as_bytes());
        screen.resize(Size::new(cols, 24));
        let found = verdict("generic", &screen).question.unwrap_or_else(|| panic!("{cols}"));
        assert_eq!(
            (found.kind, found.labels()),
            (Kind::Menu, labels.iter().map(String::as_str).collect()),
            "{cols}"
        );
    }
    // Another menu is another one, however it is broken.
    let mut screen = Screen::new(Size::new(58, 24), TerminalIdentity::default());
    screen.feed(lines.replace("item19", "item91").as_bytes());
    assert_ne!(verdict("generic", &screen).question.unwrap().labels(), labels);
}

/// Of three sizes with their memory behind two blanks, each was told as "small".
#[test]
fn what_stands_apart_behind_a_row_is_its_own() {
    let labels = |rows: &str| {
        let mut screen = shown(&[&format!("{rows}#? ")]);
        screen.feed(b"\x1b[?25h");
        let found = verdict("generic", &screen).question.unwrap_or_else(|| panic!("no question: {rows:?}"));
        found.labels().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(labels("1) small   2 GB\r\n2) small  4 GB\r\n"), ["small   2 GB", "small  4 GB"]);
    assert_eq!(
        labels("1) small  2 GB    3) large  8 GB\r\n2) mid\r\n"),
        ["small  2 GB", "mid", "large  8 GB"]
    );
    assert_eq!(labels("1) a  3) c\r\n2) b\r\n"), ["a", "b", "c"]);
}

/// A select whose prompt is a word was a question in words, and its rows were offered to nobody.
#[test]
fn rows_right_above_a_word_are_offered_where_they_were_printed_with_it() {
    let asked = |printed: &str, written: &str| {
        let mut screen = shown(&[printed]);
        screen.feed(b"\x1b[?25h");
        let (profile, witness) = (Profiles::builtin().get("generic").unwrap(), reads_a_line());
        let snapshot = Snapshot { witness: Some(&witness), untouched: true, written, ..snapshot(&screen) };
        let verdict = classify(&profile, &snapshot, &mut LineCache::default(), &mut Trace::default());
        verdict.question.unwrap_or_else(|| panic!("no question: {printed:?}"))
    };
    let rows = "1) React\r\n2) Vue\r\n3) Svelte\r\n";
    for prompt in ["Framework? ", "Database: ", "Color: ", "Package manager: ", "Target platform? "] {
        let all = format!("{rows}{prompt}");
        let found = asked(&all, &all.replace('\r', ""));
        assert_eq!((found.kind, found.labels()), (Kind::Menu, vec!["React", "Vue", "Svelte"]), "{prompt}");
        let headed = format!("Choose what to build with:\r\n{all}");
        assert_eq!(asked(&headed, &headed.replace('\r', "")).options.len(), 3, "{prompt}");
        // What is typed is all that is written from then on.
        let stood = Question {
            origin: Origin { reader: Some(reads_a_line().reader), ..found.origin.clone() },
            ..found.clone()
        };
        let typed = asked_in_line(&format!("{all}2"), false, "2", Some(&stood));
        assert_eq!((typed.labels(), typed.typing), (found.labels(), true), "{typed:?}");
    }
    let unsure = |printed: &str, written: &str| {
        let found = asked(printed, &written.replace('\r', ""));
        assert_eq!((found.kind, found.options.len()), (Kind::Text, 0), "{printed}");
    };
    let all = format!("{rows}Database: ");
    unsure(&all, "");
    unsure(&all, "Database: ");
    for head in ["These will be built:\r\n", "These will be built:\r\n\r\n", "Frameworks in use\r\n"] {
        unsure(&format!("{head}{all}"), &format!("{head}{all}"));
    }
    let apart = format!("{rows}\r\nDatabase: ");
    unsure(&apart, &apart);
    let gap = "1) React\r\n3) Svelte\r\n4) Vue\r\nDatabase: ";
    unsure(gap, gap);
    for prompt in ["Project: ", "Continue? ", "New database: ", "Database name: ", "Drop database? "] {
        let all = format!("{rows}{prompt}");
        let found = asked(&all, &all.replace('\r', ""));
        assert_eq!(found.options.len(), 0, "{prompt}");
    }
}

#[test]
fn rows_are_numbered_from_0_or_have_their_way_out_there() {
    let asked = |rows: &[&str]| {
        let lines = [rows, &["Enter your choice: "]].concat();
        let mut screen = shown(&lines);
        screen.feed(b"\x1b[?25h");
        verdict("generic", &screen).question.unwrap()
    };
    let numbers = |asked: &Question| asked.options.iter().map(|row| row.number.unwrap()).collect::<Vec<_>>();
    let first = asked(&["0) React", "1) Vue", "2) Svelte"]);
    assert_eq!((first.kind, first.labels()), (Kind::Menu, vec!["React", "Vue", "Svelte"]));
    assert_eq!(numbers(&first), [0, 1, 2]);
    let last = asked(&["1. Build", "2. Test", "0. Exit"]);
    assert_eq!((last.labels(), numbers(&last)), (vec!["Build", "Test", "Exit"], vec![1, 2, 0]));
    let columns = asked(&["0) a  2) c", "1) b  3) d"]);
    assert_eq!((columns.labels(), numbers(&columns)), (vec!["a", "b", "c", "d"], vec![0, 1, 2, 3]));
    for unclear in [&["0) React", "0) Preact", "1) Vue"][..], &["5) Angular", "0) React", "1) Vue"]] {
        assert_eq!(asked(unclear).options.len(), 0, "{unclear:?}");
    }
}

#[test]
fn words_with_their_keys_in_brackets_offer_those_keys() {
    for (prompt, keys) in [
        ("Which tests? [A]ll, [N]one, [F]ailed: ", "A N F"),
        ("Which tests? [A]ll or [N]one? ", "A N"),
        ("[y]es, [n]o, [a]ll? ", "y n a"),
        ("[y]es, [n]o, [A]ll: ", "y n"),
    ] {
        let asked = asked_in_line(prompt, true, "", None);
        assert_eq!((asked.kind, asked.labels().join(" ").as_str()), (Kind::YesNo, keys), "{asked:?}");
    }
    let consent = asked_in_line("Overwrite the files? [A]ll, [N]one, [S]kip: ", true, "", None);
    assert_eq!(consent.kind, Kind::Permission);
    let words = asked_in_line("Which [tests] shall [run]? ", true, "", None);
    assert_eq!(words.options.len(), 0, "{words:?}");
}
