//! Screens written by hand: what must be seen, and what must not be taken for a question.

use proptest::prelude::*;

use super::*;
use crate::core::profile::Profiles;
use crate::core::question::Role;
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;

const RULE: &str = "────────────────────────────────────────────────────────────";

/// A screen of 60 columns that shows these lines, cursor hidden.
pub fn shown(lines: &[&str]) -> Screen {
    let mut screen = Screen::new(Size::new(60, 24), TerminalIdentity::default());
    screen.feed(format!("\x1b[?2004h\x1b[?25l{}", lines.join("\r\n")).as_bytes());
    screen
}

pub fn verdict(profile: &str, screen: &Screen) -> Verdict {
    look(profile, screen, false)
}

fn look(profile: &str, screen: &Screen, from_the_start: bool) -> Verdict {
    let profile = Profiles::builtin().get(profile).unwrap();
    let snapshot = Snapshot {
        grid: screen.grid(),
        versions: &[],
        title: screen.title(),
        status: None,
        modes: screen.modes(),
        alive: true,
        witness: None,
        asked: None,
        written: "",
        from_the_start,
        draft: "",
        wiped: false,
        still_ms: 0,
    };
    classify(&profile, &snapshot, &mut LineCache::default(), &mut Trace::default())
}

pub fn question(profile: &str, lines: &[&str]) -> Question {
    let verdict = verdict(profile, &shown(lines));
    verdict.question.unwrap_or_else(|| panic!("no question: {:?} {}", verdict.state, verdict.why))
}

/// A program printed thirty lines and asked below them: all of them were its question, which was cut in the drawer
/// before it came to what is asked, and was a person's, since more of it might stand above the screen.
#[test]
fn what_a_program_printed_above_its_menu_is_not_its_question() {
    let menu = [
        "Which database for the session store?",
        "",
        "❯ 1. Postgres",
        "  2. SQLite",
        "Enter to select · Esc to cancel",
    ];
    let output: Vec<String> = (0..30).map(|n| format!("line {n} compiling module {n}")).collect();
    let asked_below = |above: &[&str]| question("generic", &[above, &menu[..]].concat());
    let output: Vec<&str> = output.iter().map(String::as_str).collect();
    let asked = asked_below(&output);
    assert_eq!((asked.prompt.as_str(), asked.partial), ("Which database for the session store?", false));
    let few = ["This changes the schema.", "It takes a minute."];
    let asked = asked_below(&few);
    assert_eq!(asked.prompt, format!("{} {} {}", few[0], few[1], menu[0]), "words of its own");
    assert!(asked.partial, "there may be more of them");
    let mut apart = vec!["running"; 3];
    apart.push("");
    assert!(!asked_below(&apart).partial, "they end at an empty line");
}

/// A menu that a program begins with stands in the first line, and every one was said to be partly out of view.
#[test]
fn above_the_first_line_of_a_fresh_terminal_there_is_nothing() {
    let menu = ["? Which database should I use? (Use arrow keys)", "❯ PostgreSQL", "  SQLite", "  Redis"];
    for (from_the_start, partial) in [(false, true), (true, false)] {
        let verdict = look("generic", &shown(&menu), from_the_start);
        let question = verdict.question.expect("a menu");
        assert_eq!((question.options.len(), question.partial), (3, partial), "{question:?}");
    }
    let mid_list = ["❯ 4. PostgreSQL", "  5. SQLite", "  6. Redis", "Use arrow keys"];
    let question = look("generic", &shown(&mid_list), true).question;
    assert!(question.is_none_or(|question| question.partial), "its first rows are missing all the same");
}

#[test]
fn a_form_is_read_with_its_roles() {
    let found = question(
        "claude",
        &[
            RULE,
            " ☐ Cache",
            "",
            "\x1b[1mWhere should the cache live, given that the build runs on\x1b[0m",
            "\x1b[1mthree machines?\x1b[0m",
            "",
            "❯ 1. On disk",
            "     \x1b[38;5;246mSurvives a restart\x1b[0m",
            "  2. In memory of the process that happens to build first of",
            "     all",
            "  3. My own words",
            RULE,
            "  4. Chat about this",
            "",
            "Enter to select · ↑/↓ to navigate · Esc to cancel",
        ],
    );
    assert_eq!(found.prompt, "Where should the cache live, given that the build runs on three machines?");
    assert_eq!(
        found.labels(),
        [
            "On disk",
            "In memory of the process that happens to build first of all",
            "My own words",
            "Chat about this"
        ]
    );
    let roles: Vec<Role> = found.options.iter().map(|choice| choice.role).collect();
    assert_eq!(roles, [Role::Choice, Role::Choice, Role::FreeText, Role::Aside]);
    let written: Vec<bool> = found.options.iter().map(|choice| choice.written).collect();
    assert_eq!(written, [false, false, true, false], "words stand where the row's own would");
    assert_eq!(found.options[0].description, "Survives a restart");
    assert_eq!((found.kind, found.selected), (Kind::Menu, Some(0)));
}

/// The dialog of `quoted_dialogs_are_idle`, as a program would draw it.
const DIALOG: [&str; 6] =
    ["Do you want to proceed?", "❯ 1. Yes", "  2. No", "", "Enter to select · Esc to cancel", ""];

/// Each rule reads every letter of a row, again and again: eight marks on each would be nine times as many.
#[test]
fn a_row_has_no_more_marks_than_columns() {
    let mut screen = Screen::new(Size::new(200, 3), TerminalIdentity::default());
    screen.feed("e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}".repeat(200).as_bytes());
    screen.feed("\x1b[2;1Hcafe\u{301} naive\u{308}te\u{301}".as_bytes());
    let page = super::line_cache::page(screen.grid());
    assert_eq!(page.text(0).chars().count(), 400);
    assert_eq!(page.text(1), "cafe\u{301} naive\u{308}te\u{301}");
}

#[test]
fn quoted_dialogs_are_idle() {
    let mut lines = vec!["● The installer printed:", ""];
    lines.extend(DIALOG);
    lines.extend([RULE, "❯ ", RULE, "  ? for shortcuts"]);
    let seen = verdict("claude", &shown(&lines));
    assert_eq!((seen.state, seen.question), (State::Idle, None));
}

#[test]
fn a_dialog_under_a_later_line_of_text_is_not_alive() {
    let mut lines = DIALOG.to_vec();
    lines.extend(["I removed it.", "All is well."]);
    assert_eq!(verdict("claude", &shown(&lines)).question, None);
}

#[test]
fn a_numbered_plan_above_the_rows_is_not_part_of_them() {
    let found = question(
        "claude",
        &[
            RULE,
            " Ready to code?",
            " 1. Add a table",
            " 2. Write tests",
            "",
            " Would you like to proceed?",
            "",
            " ❯ 1. Yes, and auto-accept edits",
            "   2. No, keep planning",
        ],
    );
    assert_eq!(found.labels(), ["Yes, and auto-accept edits", "No, keep planning"]);
    assert_eq!((found.kind, found.prompt.as_str()), (Kind::Plan, "Would you like to proceed?"));
}

#[test]
fn a_permission_tells_what_it_is_asked_for() {
    let found = question(
        "claude",
        &[
            RULE,
            " Bash command",
            "",
            "   git push --force &&",
            "   echo 'Continue? [y/N]'",
            "   \x1b[38;5;246mPublish the branch\x1b[0m",
            "",
            " Do you want to proceed?",
            " ❯ 1. Yes",
            "   2. No",
            "",
            " Esc to cancel",
        ],
    );
    assert_eq!(found.kind, Kind::Permission);
    assert_eq!(found.subject.as_deref(), Some("git push --force &&\necho 'Continue? [y/N]'"));
}

#[test]
fn a_suggestion_is_no_draft_and_typed_words_are() {
    let ghost = shown(&["● Done.", "", RULE, "❯ \x1b[7mr\x1b[0m\x1b[2mun the tests\x1b[0m", RULE]);
    assert_eq!(verdict("claude", &ghost).composer, Some(Composer::default()));
    let typed = shown(&["● Done.", "", RULE, "❯ run the tests, ok?", "  and push", RULE]);
    let seen = verdict("claude", &typed);
    assert_eq!(seen.composer.map(|composer| composer.draft).as_deref(), Some("run the tests, ok?\nand push"));
    assert_eq!((seen.state, seen.question), (State::Idle, None));
}

#[test]
fn a_turn_that_ends_in_a_question_asks_in_words() {
    let screen =
        shown(&["❯ go", "", "● Two ways fit.", "", "  Shall I take the first?", "", RULE, "❯ ", RULE]);
    let seen = verdict("claude", &screen);
    assert_eq!(seen.state, State::Idle);
    assert_eq!(seen.question.map(|question| question.prompt).as_deref(), Some("Shall I take the first?"));
    let answered = shown(&["● Shall I take the first?", "", "❯ yes", "", "● Done.", "", RULE, "❯ ", RULE]);
    assert_eq!(verdict("claude", &answered).question, None);
}

#[test]
fn a_mark_behind_an_operator_or_above_a_timing_is_told_from_a_question() {
    let seen = |lines: &[&str]| verdict("codex", &shown(lines)).question.map(|question| question.prompt);
    let composer = "\x1b[48;5;237m› \x1b[0m\x1b[?25h";
    let code = ["› go", "", "• SELECT id FROM t WHERE name = ?", "", composer];
    assert_eq!(seen(&code), None);
    let timed = ["› go", "", "• Shall I commit it?", "", "  \x1b[2mdone 3:20 PM\x1b[0m", "", composer];
    assert_eq!(seen(&timed).as_deref(), Some("Shall I commit it?"));
}

#[test]
fn labels_may_begin_like_boxes_and_numbers() {
    let found = question(
        "claude",
        &[
            RULE,
            " ☐ Marks",
            "",
            "How should an open task look?",
            "",
            "❯ 1. [ ] empty",
            "  2. [x] ticked",
            "  3. Type something.",
            RULE,
            "  4. Chat about this",
            "",
            "Enter to select · ↑/↓ to navigate · Esc to cancel",
        ],
    );
    assert_eq!((found.kind, found.multi), (Kind::Menu, false));
    assert_eq!(found.labels()[..2], ["[ ] empty", "[x] ticked"]);
    let found = question(
        "copilot",
        &[
            RULE,
            " \x1b[1mSupport:\x1b[0m",
            " Two lines are left.",
            "",
            " Which may stay?",
            "   • 1.x (until June)",
            " ❯ ✓ 2.0 LTS",
            "   • 4. nightly",
            "   • Other (type your answer)",
            "",
            " ↑/↓ select · space toggle · enter accept · esc cancel",
            RULE,
        ],
    );
    assert_eq!(found.labels(), ["1.x (until June)", "2.0 LTS", "4. nightly", "Other (type your answer)"]);
    assert_eq!(found.prompt, "Two lines are left. Which may stay?");
    let ticks: Vec<_> = found.options.iter().map(|choice| choice.checked).collect();
    assert_eq!((found.selected, ticks), (Some(1), vec![Some(false), Some(true), Some(false), Some(false)]));
}

#[test]
fn letters_that_the_terminal_carried_over_belong_to_the_row() {
    let found = question(
        "claude",
        &[
            RULE,
            " Do you want to proceed?",
            "   1. Yes",
            "  2. Yes, and don't ask again for git push -f -v origin to main",
            " ❯   commands in /home/dev/shop",
            "   3. No",
            "",
            " Esc to cancel",
        ],
    );
    let again = "Yes, and don't ask again for git push -f -v origin to main commands in /home/dev/shop";
    assert_eq!((found.labels(), found.selected), (vec!["Yes", again, "No"], Some(1)));
}

/// A blank that stood in the last column was lost: at 58 columns the words were others than at 100, so that a wider
/// window withdrew the question and asked another one.
#[test]
fn a_question_has_the_same_words_at_every_width() {
    let text =
        "Which framework do you want to use for the very long winded new and shiny single page application?";
    let label =
        "React with all bells and whistles that one could ever want to have in a project of this size";
    let lines = format!("{text}\r\n\r\n❯ 1. {label}\r\n  2. Vue\r\n\r\nEnter to select · Esc to cancel");
    for profile in ["generic", "demo"] {
        for width in 40..=110 {
            let mut screen = Screen::new(Size::new(58, 24), TerminalIdentity::default());
            screen.feed(format!("\x1b[?2004h\x1b[?25l{lines}").as_bytes());
            screen.resize(Size::new(width, 24));
            let found = verdict(profile, &screen).question.unwrap_or_else(|| panic!("{profile} {width}"));
            assert_eq!(
                (found.prompt.as_str(), found.labels()),
                (text, vec![label, "Vue"]),
                "{profile} {width}"
            );
        }
    }
}

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
    assert!(
        text.starts_with("I looked at the notes and both of the options; the second is cheaper."),
        "{text}"
    );
    let object = &text[text.find('{').unwrap()..];
    let value: serde_json::Value = serde_json::from_str(object).unwrap();
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
