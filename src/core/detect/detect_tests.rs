//! Screens written by hand: what must be seen, and what must not be taken for a question.

use proptest::prelude::*;

use super::*;
use crate::core::profile::Profiles;
use crate::core::question::Role;
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;

#[path = "lines_tests.rs"]
mod lines_read;

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

pub fn look(profile: &str, screen: &Screen, from_the_start: bool) -> Verdict {
    look_by(&Profiles::builtin().get(profile).unwrap(), screen, from_the_start)
}

fn look_by(profile: &Profile, screen: &Screen, from_the_start: bool) -> Verdict {
    let snapshot = Snapshot { from_the_start, ..snapshot(screen) };
    classify(profile, &snapshot, &mut LineCache::default(), &mut Trace::default())
}

fn snapshot(screen: &Screen) -> Snapshot<'_> {
    Snapshot {
        grid: screen.grid(),
        versions: &[],
        title: screen.title(),
        status: None,
        modes: screen.modes(),
        alive: true,
        witness: None,
        asked: None,
        written: "",
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

/// The number was a part of the label until a row with one was highlighted: Enter took that row for another of the same name.
#[test]
fn a_number_that_not_all_rows_have_is_a_part_of_the_label() {
    let rows = ["none", "1) React", "2) Vue", "React"];
    for at in 0..rows.len() {
        let row = |(row, label): (usize, &&str)| format!("{} {label}", if row == at { '❯' } else { ' ' });
        let drawn: Vec<String> = rows.iter().enumerate().map(row).collect();
        let mut lines = vec!["Which framework?"];
        lines.extend(drawn.iter().map(String::as_str));
        let asked = question("generic", &lines);
        assert_eq!((asked.labels(), asked.selected), (rows.to_vec(), Some(at)), "{asked:?}");
    }
    let described = ["Which framework?", "❯ 1. React", "     by Meta", "  2. Vue", "", "enter to select"];
    assert_eq!(question("generic", &described).labels(), ["React", "Vue"]);
    let all = ["Which framework?", "❯ 1. React", "  2. Vue", "  3. Svelte"];
    assert_eq!(question("generic", &all).labels(), ["React", "Vue", "Svelte"]);
}

/// Of five rows, the third of which shows nothing, two were offered as if there were no more.
#[test]
fn a_list_that_may_go_on_below_an_empty_row_is_a_persons() {
    let head = ["Which colour?", "> red", "  green"];
    let foot = ["", "↑↓ navigate • enter submit"];
    let asked = |rest: &[&str]| question("generic", &[&head[..], rest, &foot[..]].concat());
    let whole = asked(&["  blue"]);
    assert_eq!(whole.selected, Some(0), "{whole:?}");
    for row in ["", "  ", "  \u{200b}"] {
        let broken = asked(&[row, "  yellow", "  pink"]);
        assert!(broken.partial && broken.selected.is_none(), "{broken:?}");
    }
    // What is drawn in another way is no row, and neither is what stands further off.
    let faint = "  \x1b[2mpress ctrl+c to leave\x1b[0m";
    for rest in [&["", faint][..], &["", "", "  yellow"], &["", "  1/3"]] {
        assert!(asked(rest).selected.is_some(), "{rest:?}");
    }
}

/// A menu that a program begins with stands in the first line, and every one was said to be partly out of view.
#[test]
fn above_the_first_line_of_a_fresh_terminal_there_is_nothing() {
    let menu = ["Which database should I use? (Use arrow keys)", "❯ PostgreSQL", "  SQLite", "  Redis"];
    for (from_the_start, partial) in [(false, true), (true, false)] {
        let verdict = look("generic", &shown(&menu), from_the_start);
        let question = verdict.question.expect("a menu");
        assert_eq!((question.options.len(), question.partial), (3, partial), "{question:?}");
    }
    let mid_list = ["❯ 4. PostgreSQL", "  5. SQLite", "  6. Redis", "Use arrow keys"];
    let question = look("generic", &shown(&mid_list), true).question;
    assert!(question.is_none_or(|question| question.partial), "its first rows are missing all the same");
}

/// Every list of Inquirer's was said to be partly out of view once its terminal had scrolled, and its checklists were a
/// person's.
#[test]
fn a_question_begins_at_its_mark_whatever_has_left_the_screen() {
    let rows = ["❯◯ Linting", " ◯ Tests", "", "↑↓ navigate • space select • a all • ⏎ submit"];
    let output: Vec<String> = (0..19).map(|n| format!("line {n} compiling")).collect();
    let output: Vec<&str> = output.iter().map(String::as_str).collect();
    for above in [&output[..], &[]] {
        let asks = |words: &'static str| {
            let screen = shown(&[above, &[words], &rows[..]].concat());
            look("generic", &screen, false).question.expect("a checklist")
        };
        let marked = asks("? Which features should I set up?");
        assert_eq!((marked.prompt.as_str(), marked.multi), ("Which features should I set up?", true));
        assert!(!marked.partial, "{marked:?}");
        assert_eq!(asks("Which features should I set up?").partial, above.is_empty(), "without a mark");
    }
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

/// A list of which one row is chosen was told as a checklist, where the row for one's own words was out of view, and no answer
/// went in.
#[test]
fn labels_that_begin_like_a_box_make_no_checklist_of_a_list() {
    let lines = |rows: [&'static str; 3]| {
        let around = ["╭──────╮", "│ Answer Questions", "│", "│ Which one?", "│", "│ ▲"];
        let below = ["│ ▼", "│", "│ Enter to select · ↑/↓ to navigate · Esc to cancel", "╰──────╯"];
        [&around[..], &rows, &below].concat()
    };
    let one = question("gemini", &lines(["│ ● 1.  [x] done", "│   2.  [ ] open", "│   3.  [ ] other"]));
    assert_eq!((one.kind, one.multi, one.partial), (Kind::Menu, false, true));
    assert_eq!(one.labels(), ["[x] done", "[ ] open", "[ ] other"]);
    let several = question("gemini", &lines(["│ ● 1. [ ] [x] done", "│   2. [x] open", "│   3. [ ] other"]));
    assert_eq!((several.kind, several.multi), (Kind::Multi, true));
    assert_eq!(several.labels(), ["[x] done", "open", "other"]);
}

/// "two" was told, and what stood behind its two blanks as the description: an answer of "two  blanks" was not found.
#[test]
fn blanks_in_a_label_of_a_form_part_no_columns() {
    let lines = [
        RULE,
        " ☐ Spacing",
        "",
        "Which one is it?",
        "",
        "❯ 1.  two  blanks",
        "     about two  blanks",
        "  2.  Plain",
        "     about Plain",
        "  3.  Type something.",
        "",
        "Enter to select · Tab/Arrow keys to navigate · Esc to cancel",
    ];
    let found = question("claude", &lines);
    assert_eq!(found.labels(), ["two  blanks", "Plain", "Type something."]);
    assert_eq!(found.options[0].description, "about two  blanks");
    let preview = [
        RULE,
        " ☐ Layout",
        "",
        "Which one is it?",
        "",
        "❯ 1. two  columns     ┌────────────────┐",
        "  2. Narrow           │ +---+  +---+   │",
        "  3. Chat about this  └────────────────┘",
        "",
        "Enter to select · ↑/↓ to navigate · n to add notes · Esc to cancel",
    ];
    assert_eq!(question("claude", &preview).labels()[..2], ["two  columns", "Narrow"]);
}

/// With its header out of view it was another dialog as soon as words stood in the row for one's own, which had its label.
#[test]
fn a_form_without_its_header_has_its_own_words_in_their_row() {
    const FEW: [&str; 1] = ["Dump both tables first"];
    const MANY: [&str; 2] =
        ["Dump both tables first, then verify the row counts", "     twice, and only then begin with it"];
    let rows = |first: usize, words: &[&str], below: &[&'static str]| {
        let labels = ["Expand, backfill, contract", "One transaction", "Shadow tables"];
        let row = |at: usize| format!("  {}. {}", at + 1, labels[at]);
        let mut lines = vec!["     \x1b[38;5;246mAdd the columns first, then fill them\x1b[0m".to_owned()];
        if first == 0 {
            lines = ["work to keep the service available?", ""].map(str::to_owned).to_vec();
        }
        lines.extend((first..labels.len()).map(row));
        lines.push(format!("❯ 4. {}", words[0]));
        lines.extend(words[1..].iter().chain(below).map(|line| (*line).to_owned()));
        lines
    };
    let old = ["", "Enter to select · Tab/Arrow keys to navigate · Esc to", "cancel"];
    let new = [
        RULE,
        "  5. Chat about this",
        " ↑ 4 more lines",
        "Enter to select · ↑/↓ to navigate · Esc to cancel",
    ];
    for (lines, many) in [
        (rows(0, &FEW, &old), false),
        (rows(0, &FEW, &new), false),
        (rows(0, &MANY, &new), true),
        (rows(1, &MANY, &new), true),
    ] {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let found = question("claude", &lines);
        let own = found.options.iter().find(|choice| choice.number == Some(4)).unwrap();
        let words = if many {
            "Dump both tables first, then verify the row counts twice, and only then begin with it"
        } else {
            FEW[0]
        };
        assert_eq!((found.kind, found.partial), (Kind::Menu, true), "{found:?}");
        assert_eq!((own.role, own.written, own.label.as_str()), (Role::FreeText, true, words), "{found:?}");
        let choices = found.options.iter().filter(|choice| choice.role == Role::Choice);
        assert!(choices.clone().count() >= 2 && choices.clone().all(|choice| !choice.written), "{found:?}");
    }
    // Claude Code 2.0.70 cuts them off, and its mark is pushed below them.
    let cut = [
        "work to keep the service available?",
        "",
        "  1.  Expand, backfill, contract",
        "  2.  One transaction",
        " 3. Dump both tables first, then verify the row counts twice; th…",
        "❯",
        old[0],
        old[1],
        old[2],
    ];
    let found = question("claude", &cut);
    let own = &found.options[2];
    assert_eq!((found.kind, found.selected, own.role), (Kind::Menu, Some(2), Role::FreeText), "{found:?}");
    assert_eq!(own.label, "Dump both tables first, then verify the row counts twice; th…");
    let described = [
        "  1. Expand, backfill, contract",
        "  2. One transaction",
        "❯ 3. Shadow tables",
        "     \x1b[38;5;246mWrite to both\x1b[0m",
        RULE,
        "  4. Chat about this",
        "Enter to select · ↑/↓ to navigate · n to add notes · Esc to",
        "cancel",
    ];
    let found = question("claude", &described);
    assert_eq!(found.options[2].role, Role::Choice, "an option with its description: {found:?}");
}

/// A form one of whose rows approves is a person's. They were shown its header, and none of what it asks.
#[test]
fn a_form_with_a_row_that_approves_asks_what_stands_below_its_header() {
    let rows = ["❯ 1. Keep it", "  2. Yes, and don't ask again", "", "Enter to select · Esc to cancel"];
    let above = [
        RULE,
        " ☐ One",
        "",
        "What should happen with the sessions that are open while",
        "the table is rebuilt?",
        "",
    ];
    let found = question("claude", &[&above[..], &rows[..]].concat());
    assert_eq!(
        found.prompt,
        "What should happen with the sessions that are open while the table is rebuilt?"
    );
    assert_eq!(found.kind, Kind::Dialog, "no consultant is asked");
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

/// The keys that each of these dialogs ends with, of every version that was recorded.
#[test]
fn a_question_of_a_form_ends_with_its_keys() {
    let claude = [RULE, " ☐ Database", "", "Which database?", "", "❯ 1. PostgreSQL", "  2. Redis"];
    let codex = [
        "• Let me ask.",
        "",
        "  Question 1/1 (1 unanswered)",
        "  Which database?",
        "",
        "  › 1. PostgreSQL",
        "    2. Redis",
    ];
    let gemini = ["╭────╮", "│ Answer Questions", "│ Which database?", "│ ● 1. PostgreSQL", "│   2. Redis"];
    for (profile, lines, keys) in [
        ("claude", &claude[..], "Enter to select · ↑/↓ to navigate · Esc to cancel"),
        ("codex", &codex[..], "  tab to add notes | enter to submit answer | esc to interrupt"),
        ("gemini", &gemini[..], "│ Enter to select · ↑/↓ to navigate · Esc to cancel"),
    ] {
        let cut = question(profile, lines);
        assert!(cut.partial && cut.origin.end_unseen, "{profile}: {cut:?}");
        let whole = question(profile, &[lines, &["", keys]].concat());
        assert_eq!((whole.kind, whole.origin.end_unseen), (Kind::Menu, false), "{profile}: {whole:?}");
    }
}

/// By the profile that docs/profiles.md calls good enough, a checklist was a menu: Enter sent it with nothing ticked, and the row
/// of the answer was logged as chosen.
#[test]
fn a_checklist_of_a_profile_that_knows_no_ticks_is_a_persons() {
    let page = include_str!("../../../docs/profiles.md");
    let (_, rest) = page.split_once("```toml\nname = \"mine\"").expect("the page has that profile");
    let (rest, _) = rest.split_once("```").expect("it ends");
    let mut profiles = Profiles::builtin();
    profiles.add_toml("mine.toml", &format!("name = \"mine\"{rest}")).expect("it is read");
    let profile = profiles.get("mine").unwrap();
    let asked = |rows: [&str; 2]| {
        let screen =
            shown(&[RULE, "Which ones?", "", rows[0], rows[1], "", "Enter to select · esc to cancel"]);
        look_by(&profile, &screen, false).question.map(|question| question.kind)
    };
    assert_eq!(asked(["❯ 1. [ ] A", "  2. [ ] B"]), Some(Kind::Dialog));
    assert_eq!(asked(["❯ 1. A", "  2. B"]), Some(Kind::Menu));
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

/// A model may call its own options as the program calls the rows that it adds: words for the question went to the model's
/// "Type something.", where a digit is the choice of another row, and its "Submit" was ticked on the way to the real one.
#[test]
fn an_option_that_is_called_like_an_added_row_is_an_option() {
    let asked = |rows: &[&str], box_: &str, end: &[&str]| {
        let row = |(at, label): (usize, &&str)| {
            format!("{} {}. {box_}{label}", if at == 0 { "❯" } else { " " }, at + 1)
        };
        let rows: Vec<String> = rows.iter().enumerate().map(row).collect();
        let rows = rows.iter().map(String::as_str);
        let head = [RULE, " ☐ Marks", "", "Which?", ""].into_iter();
        let hint = ["", "Enter to select · ↑/↓ to navigate · Esc to cancel"].into_iter();
        let lines: Vec<&str> = head.chain(rows).chain(end.iter().copied()).chain(hint).collect();
        question("claude", &lines)
    };
    use Role::{Aside, Choice, FreeText, Submit};
    let aside = [RULE, "  5. Chat about this"];
    let (typed, chat) = ("Type something.", "Chat about this");
    for (rows, roles) in [
        (["A", "B", typed, typed], [Choice, Choice, Choice, FreeText]),
        ([typed, chat, "B", typed], [Choice, Choice, Choice, FreeText]),
        (["Submit", chat, "Other", typed], [Submit, Choice, Choice, FreeText]),
        // Words stand in the row for them.
        (["A", typed, "B", "some words"], [Choice, Choice, Choice, FreeText]),
        (["Yes, and don't ask again", typed, "B", typed], [Choice, Choice, Choice, FreeText]),
    ] {
        let found = asked(&rows, "", &aside);
        let seen: Vec<Role> = found.options.iter().map(|row| row.role).collect();
        assert_eq!(seen, [&roles[..], &[Aside]].concat(), "{rows:?}");
    }
    let found = asked(&["Submit", "Reset", "Help", typed], "[ ] ", &["     Submit", aside[0], aside[1]]);
    let seen: Vec<Role> = found.options.iter().map(|row| row.role).collect();
    assert_eq!(seen, [Choice, Choice, Choice, FreeText, Submit, Aside]);
    // What sends the ticks has none itself, in view or not.
    let found = asked(&["A", "Submit", chat], "[ ] ", &[]);
    assert!(found.options[..2].iter().all(|row| row.role == Choice), "{found:?}");
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

/// prompt_toolkit shows in the last row of the screen why it does not take an answer: the checklist above it was no question any
/// more, and a first letter became a part of the words.
#[test]
fn a_complaint_in_the_last_row_leaves_the_question_what_it_was() {
    let bar = |words: &str| format!("\x1b[999;1H\x1b[97;41m{words}\x1b[m\x1b[1;18H");
    let list =
        ["\x1b[?25l\x1b[36m?\x1b[m Which colors? (space selects)", "   ○ red", " » \x1b[36m● green\x1b[m"];
    let mut asked = list.to_vec();
    let end = bar("Pick two");
    let last = format!("{}{end}", list[2]);
    asked[2] = &last;
    let seen = question("generic", &asked);
    assert_eq!((seen.labels(), seen.kind), (vec!["red", "green"], Kind::Multi), "{seen:?}");
    let typed = format!("\x1b[36m?\x1b[m Project name? d{}", bar("At least 3 letters"));
    let seen = question("generic", &[&typed]);
    assert_eq!((seen.prompt.as_str(), seen.kind), ("Project name?", Kind::Text), "{seen:?}");
}

/// "Do you want to create ls?" tells the bare name of a file: what rules are matched against is the act and the path.
#[test]
fn a_request_about_a_file_tells_the_act_and_the_fullest_path() {
    let dashes = "╌".repeat(60);
    let claude = |heading: &str, path: &[&str], ask: &str| {
        let mut lines = vec![RULE, heading];
        lines.extend(path);
        lines.extend([&dashes, "  1 echo evil", &dashes]);
        lines.extend([ask, " ❯ 1. Yes", "   2. No", "", " Esc to cancel"]);
        let found = question("claude", &lines);
        (found.subject.unwrap_or_default(), found.origin.request.unwrap_or_default())
    };
    let create = " Do you want to create ls?";
    let told = |subject: &str, request: &str| (subject.to_owned(), request.to_owned());
    assert_eq!(claude(" Create file", &[" ../bin/ls"], create), told("ls", "create ../bin/ls"));
    assert_eq!(claude(" Create file", &[" ls"], create), told("ls", "create ls"));
    let broken = [" ../a/folder/ls", " /that/goes/on/ls"];
    assert_eq!(claude(" Create file", &broken, create), told("ls", "create ../a/folder/ls/that/goes/on/ls"));
    assert_eq!(claude(" Create file", &[" other"], create), told("ls", "create …/ls"));
    let edit = " Do you want to make this edit to app.py?";
    assert_eq!(claude(" Edit file", &[" src/app.py"], edit), told("app.py", "edit src/app.py"));

    let plain = |heading: &str, body: &str, ask: &str| {
        let lines = [RULE, heading, "", body, "", ask, " ❯ 1. Yes", "   2. No", "", " Esc to cancel"];
        question("claude", &lines).origin.request
    };
    let proceed = " Do you want to proceed?";
    assert_eq!(plain(" Bash command", "   Read(x)", proceed), None);
    assert_eq!(plain(" Read file", "   Read(~/.ssh/id_rsa)", proceed).as_deref(), Some("read ~/.ssh/id_rsa"));
    let fetch =
        plain(" Fetch", "   url: \"https://a.org/x\"", " Do you want to allow Claude to fetch this content?");
    assert_eq!(fetch.as_deref(), Some("fetch https://a.org/x"));
}

/// The same of programs that name the file elsewhere, as they were recorded.
#[test]
fn recorded_requests_about_files_tell_the_act() {
    use crate::core::recording::asciicast::Asciicast;
    use crate::core::recording::replay::changes;
    for (profile, cast, request) in [
        ("claude", "claude-1.0.58-permedit-120x40", "edit app.py"),
        ("claude", "claude-2.1.329-permedit-60x20", "edit app.py"),
        ("claude", "kept/claude-2.0.33-permwrite-80x24", "create …/notes.py"),
        ("claude", "kept/claude-2.1.222-permfetch-120x40", "fetch http://127.0.0.1:8787/doc"),
        ("copilot", "copilot-1.0.102-permedit-120x40", "edit /home/dev/shop/app.py"),
        ("copilot", "copilot-1.0.102-permwrite-120x40", "create /home/dev/shop/notes.py"),
        ("gemini", "kept/gemini-0.61.0-permedit-120x40", "edit app.py: "),
        ("qwen", "kept/qwen-0.15.10-permedit-80x24", "edit app.py: "),
        ("opencode", "kept/opencode-1.18.33-permedit-120x40", "edit app.py"),
        ("claude", "claude-2.1.329-permbash-120x40", ""),
        ("codex", "codex-0.169.0-permescalate-120x40", ""),
        ("gemini", "gemini-0.61.0-resize-120x40", ""),
        ("opencode", "opencode-1.18.33-permbash-120x40", ""),
    ] {
        let path = format!("{}/tests/recordings/{cast}.cast", env!("CARGO_MANIFEST_DIR"));
        let cast_text = std::fs::read_to_string(path).unwrap();
        let cast_read = Asciicast::parse(&cast_text).unwrap();
        let verdicts = changes(&cast_read, &Profiles::builtin().get(profile).unwrap(), |_| {});
        let asked = verdicts.into_iter().filter_map(|(_, verdict)| verdict.question);
        let asked: Vec<Question> = asked.filter(|question| question.kind == Kind::Permission).collect();
        let whole = asked.iter().filter(|question| question.subject.is_some());
        let told: Vec<&str> = whole.map(|q| q.origin.request.as_deref().unwrap_or_default()).collect();
        let fits = |told: &&str| if request.is_empty() { told.is_empty() } else { told.starts_with(request) };
        assert!(!told.is_empty() && told.iter().all(fits), "{cast}: {told:?}");
    }
}

#[test]
fn a_question_in_words_holds_the_message_that_it_ends() {
    let lines = ["● Next I would push to main.", "", "  Shall I go on?", "", RULE, "❯ ", RULE];
    let found = verdict("claude", &shown(&lines)).question.unwrap();
    assert_eq!((found.prompt.as_str(), found.kind), ("Shall I go on?", Kind::Text));
    assert_eq!(found.origin.said.as_deref(), Some("Next I would push to main.\n\nShall I go on?"));
}

#[test]
fn a_notice_below_a_list_that_points_up_tells_of_nothing_below() {
    let drawn = |notice: &str| {
        question(
            "claude",
            &[
                "     what it does",
                "  2. [ ] Lock all tables",
                "     what it does",
                "  3. [ ] Write to both",
                "     what it does",
                "  4. [ ] Type something",
                "     Submit",
                RULE,
                "  5. Chat about this",
                notice,
                "Enter to select · ↑/↓ to navigate · Esc to cancel",
            ],
        )
    };
    let roles = |notice: &str| drawn(notice).options.iter().map(|row| row.role).collect::<Vec<_>>();
    let added = [Role::Choice, Role::Choice, Role::FreeText, Role::Submit, Role::Aside];
    assert_eq!(roles(" ↑ 5 more lines"), added);
    assert_ne!(roles(" ↓ 5 more lines"), added);
    assert!(drawn(" ↑ 5 more lines").partial);
}

#[test]
fn a_sign_in_that_waits_for_a_browser_or_a_key_is_a_login() {
    for (heading, told, last) in [
        (
            "  Finish signing in via your browser",
            "Finish signing in via your browser",
            "  Press esc to cancel",
        ),
        ("  Preparing device code login", "Preparing device code login", "  Press esc to cancel"),
        (
            "> Use your own OpenAI API key for usage-based billing",
            "Use your own OpenAI API key for usage-based billing",
            "  Press esc to go back",
        ),
    ] {
        let asked = question(
            "codex",
            &[
                "",
                "  Welcome to Codex, OpenAI's command-line coding agent",
                "",
                heading,
                "",
                "  Some words.",
                "",
                last,
            ],
        );
        assert_eq!((asked.kind, asked.prompt.as_str(), asked.options.len()), (Kind::Login, told, 0));
    }
}
