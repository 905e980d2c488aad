//! Boxes with buttons at their foot, as whiptail and dialog draw them: a list above `<Ok>`, or `<Yes>` beside `<No>`.
//!
//! `detect/mod.rs` comes here before it looks for menus in the open. Nothing marks the row or the button that has the
//! keyboard but its ground. Buttons speak any language: of what they say only `<Yes>`, `<No>` and those that take a row are
//! known, and any other makes a dialog of the box, which a person answers.

use super::block::Block;
use super::cut;
use super::item::{self, Item};
use super::label;
use super::menu::Menu;
use super::page::{Line, Page, Rule};
use super::snapshot::Trace;
use super::words;
use crate::core::profile::{MenuRule, Profile, PromptRule};
use crate::core::question::{Choice, Kind, Origin, Question, Widget};
use crate::core::terminal::grid::Attrs;

/// What stands at the right of a list that is longer than its box: arrows, and the rail with its slide.
const RAIL: [char; 8] = ['↑', '↓', '▮', '▒', '█', '░', '▓', '▲'];

/// A box with buttons that has the keyboard.
struct Boxed {
    /// Its first row below the frame, and the row of its buttons.
    top: usize,
    foot: usize,
    labels: Vec<String>,
    /// The button with the keyboard; in some programs the list has it instead.
    focus: Option<usize>,
    /// The row of the field that is being filled.
    field: Option<usize>,
}

/// The question that a box with buttons asks.
pub fn find(profile: &Profile, page: &Page, trace: &mut Trace) -> Option<(String, Question)> {
    whole(profile, page, trace).or_else(|| cropped(&profile.menu, page, trace))
}

/// A box that is wider than the screen, whose sides are out of view: its words, above a list and the buttons. Of what is cut
/// off nobody can say how it ends, and it is answered in its pane.
fn cropped(rule: &MenuRule, page: &Page, trace: &mut Trace) -> Option<(String, Question)> {
    let pattern = rule.buttons.as_ref()?;
    let foot = page.lines.iter().rposition(|line| pattern.is_match(&line.text))?;
    let beyond = |row: usize| is_edge(&page.lines[row]) && page.lines[row].end >= page.cols;
    let edge = (0..foot).rev().find(|row| is_edge(&page.lines[*row])).filter(|row| beyond(*row))?;
    let below = (foot + 1..page.lines.len()).find(|row| !page.lines[*row].blank());
    let within = (edge..=foot).contains(&page.cursor.0);
    if !within
        || !below.is_some_and(beyond)
        || page.lines[edge + 1..foot].iter().any(|line| line.frame.closed)
    {
        return None;
    }
    let top = edge + 1;
    let rows =
        (top..foot).find(|row| !page.lines[*row].blank() && is_raised(&page.lines[*row], 0)).map(|row| {
            let beside = |above: &usize| {
                page.lines[*above].start == page.lines[row].start && !page.lines[*above].blank()
            };
            (top..row).rev().take_while(beside).last().unwrap_or(row)
        });
    let block = Block { top, rows: rows.unwrap_or(foot), hints: Vec::new(), heading: None, header: None };
    let prompt = words::prompt(rule, page, &block, PromptRule::Whole).text;
    if prompt.is_empty() {
        return None;
    }
    trace.note("buttons", true, || format!("lines {}-{}: wider than the screen", top + 1, foot + 1));
    let question = Question { partial: true, ..Question::new(Kind::Dialog, prompt) };
    Some(("buttons".to_owned(), question))
}

fn whole(profile: &Profile, page: &Page, trace: &mut Trace) -> Option<(String, Question)> {
    let rule = &profile.menu;
    let found = boxed(rule, page)?;
    let items = if found.field.is_some() { Vec::new() } else { rows(rule, page, &found) };
    // In a box where nothing has the keyboard, tags are what somebody wrote.
    if items.is_empty() && found.focus.is_none() && !found.field.is_some_and(|row| is_field(page, row)) {
        return None;
    }
    let question = match found.field {
        Some(field) => field_of(rule, page, &found, field),
        None if items.is_empty() => bare(rule, page, &found),
        None if items.iter().any(|item| is_parted(page, item)) => {
            words_only(rule, page, &found, items[0].row)
        }
        None => list(rule, page, &found, items)?,
    };
    trace.note("buttons", true, || {
        format!("lines {}-{}: {}", found.top + 1, found.foot + 1, found.labels.join(", "))
    });
    Some(("buttons".to_owned(), question))
}

/// The lowest row that holds nothing but the buttons of a box.
pub fn foot(rule: &MenuRule, page: &Page) -> Option<usize> {
    let pattern = rule.buttons.as_ref()?;
    // A rail may stand where the box had its right side.
    page.lines.iter().rposition(|line| line.frame.left.is_some() && pattern.is_match(&line.text))
}

/// The edge of a box, as drawn with `--ascii-lines` too.
fn is_edge(line: &Line) -> bool {
    line.rule.is_some() || (line.text.starts_with("+--") && line.text.ends_with("--+"))
}

fn boxed(rule: &MenuRule, page: &Page) -> Option<Boxed> {
    let silent = |line: &Line| line.blank() || line.rule.is_some() || rule.is_hint(&line.text);
    let foot = foot(rule, page)?;
    let inside = |row: &usize| {
        let line = &page.lines[*row];
        line.frame.left.is_some() || line.rule == Some(Rule::Across)
    };
    let top = (0..foot).rev().take_while(inside).last()?;
    // Rows between two bars alone are a table's. What lies above the screen may have closed the box.
    let above = top.checked_sub(1).is_none_or(|row| is_edge(&page.lines[row]));
    let below = (foot + 1..page.lines.len()).find(|row| !(inside(row) && page.lines[*row].blank()));
    if !above || !below.is_some_and(|row| is_edge(&page.lines[row])) {
        return None;
    }
    // The keyboard is where the cursor is, even one that is hidden: what was only printed left it below.
    let within = (top..=foot).contains(&page.cursor.0);
    if !within || !page.lines[foot + 1..].iter().all(|line| silent(line) || is_edge(line)) {
        return None;
    }
    // A field that is being filled has the cursor in sight.
    let field = Some(page.cursor.0).filter(|row| page.cursor_visible && *row != foot);
    let line = &page.lines[foot];
    let starts: Vec<usize> = line.text.match_indices('<').map(|(at, _)| at).collect();
    let labels = starts.iter().filter_map(|at| line.text[at + 1..].split('>').next());
    let labels = labels.map(|label| label.trim().to_owned()).collect();
    let mut raised = (0..starts.len()).filter(|at| is_raised(line, starts[*at]));
    let focus = raised.next().filter(|_| raised.next().is_none());
    Some(Boxed { top, foot, labels, focus, field })
}

/// Whether the cursor stands on a ground that is not the box's: a field to be filled.
fn is_field(page: &Page, row: usize) -> bool {
    let line = &page.lines[row];
    is_raised(line, line.byte_at_column(page.cursor.1)) || is_raised(line, 0) || line.text.contains(BLANKS)
}

/// Where words go in a field without a ground of its own.
const BLANKS: &str = "____";

/// Whether what stands there is drawn on another ground than its line.
fn is_raised(line: &Line, byte: usize) -> bool {
    let style = line.style_at(byte);
    style.attrs.has(Attrs::INVERSE) || style.bg != line.ground
}

/// The rows of the list above the buttons.
fn rows(rule: &MenuRule, page: &Page, found: &Boxed) -> Vec<Item> {
    let read = |row: usize| {
        let line = &page.lines[row];
        let item = item::read(row, line, rule).filter(|_| line.frame.closed)?;
        // A bracket in the words above is no box.
        (item.ticked.is_some() || is_raised(line, 0)).then_some(item)
    };
    let Some(anchor) = (found.top..found.foot).rev().find_map(read) else { return Vec::new() };
    let belongs = |row: &usize| {
        let line = &page.lines[*row];
        let item = item::read(*row, line, rule);
        let like = item.is_some_and(|item| item.ticked.is_some() == anchor.ticked.is_some());
        line.frame.closed && line.start == page.lines[anchor.row].start && like
    };
    let first = (found.top..anchor.row).rev().take_while(belongs).last().unwrap_or(anchor.row);
    let last = (anchor.row..found.foot).take_while(belongs).last().unwrap_or(anchor.row);
    (first..=last).filter_map(|row| item::read(row, &page.lines[row], rule)).collect()
}

/// Whether a stroke stands within a row: lists side by side, of which Enter takes the other one, or the branches of a tree.
fn is_parted(page: &Page, item: &Item) -> bool {
    let label = &page.text(item.row)[item.label_byte..];
    label.contains(['\u{2502}', '\u{251c}', '\u{2514}']) || label.split(' ').any(|word| word == "|")
}

/// The row with the keyboard: its label stands out by its ground, or the mark in its box does.
fn selected(page: &Page, items: &[Item]) -> Option<usize> {
    let only = |stands_out: &dyn Fn(&Line) -> bool| {
        let mut rows = (0..items.len()).filter(|at| stands_out(&page.lines[items[*at].row]));
        rows.next().filter(|_| rows.next().is_none())
    };
    let mark = |line: &Line| line.style_at(0).bg != line.style_at(1).bg;
    let boxes = items.iter().all(|item| item.ticked.is_some());
    let marked = if boxes { only(&mark) } else { None };
    marked.or_else(|| only(&|line: &Line| is_raised(line, 0)))
}

/// A list of rows: one is chosen, or several are ticked, and the first button takes that. What another button would do
/// with it nobody can say.
fn list(rule: &MenuRule, page: &Page, found: &Boxed, items: Vec<Item>) -> Option<Question> {
    let takes = |at: usize| {
        let label = found.labels.get(at);
        label.is_some_and(|label| rule.takes.as_ref().is_some_and(|pattern| pattern.is_match(label)))
    };
    let known = takes(0);
    let (first, last) = (items.first()?.row, items.last()?.row);
    let boxes = items.iter().all(|item| item.ticked.is_some());
    let many = boxes && page.text(first).starts_with('[');
    let widget = if boxes && !many { Widget::Radio } else { Widget::List };
    // With the keyboard on another button, Enter would press that.
    let keyboard = found.focus.is_none_or(|at| if known { takes(at) } else { at == 0 });
    let more = |row: usize| ["(+)", "(-)"].iter().any(|mark| page.text(row).contains(mark));
    // A row that begins otherwise, for its label looks like a box, stands right next to those that are read.
    let words = |row: usize| page.text(row).contains(char::is_alphanumeric);
    let apart = |row: usize| !words(row) || !page.lines[row].frame.closed || more(row);
    let whole = (last + 1 == found.foot || apart(last + 1)) && first.checked_sub(1).is_none_or(apart);
    let menu = Menu {
        selected: selected(page, &items).filter(|_| keyboard && whole),
        items,
        after: last + 1,
        cut: false,
        ..Menu::default()
    };
    let block = Block { top: found.top, rows: first, hints: vec![found.foot], heading: None, header: None };
    let mut options = label::choices(rule, page, &menu, false);
    let mut railed = false;
    for choice in &mut options {
        railed |= without_rail(&mut choice.label) | without_rail(&mut choice.description);
    }
    number(&mut options);
    let scrolled = railed || first.checked_sub(1).is_some_and(more) || more(last + 1);
    let prompt = words::prompt(rule, page, &block, PromptRule::Whole).text;
    let kind = match (known, many) {
        (false, _) => Kind::Dialog,
        (true, true) => Kind::Multi,
        (true, false) => Kind::Menu,
    };
    Some(Question {
        options,
        selected: menu.selected,
        multi: many,
        partial: scrolled || prompt.is_empty() || menu.selected.is_none() || cut_short(page, found),
        origin: Origin { widget, ..Origin::default() },
        ..Question::new(kind, prompt)
    })
}

/// Buttons alone. Of one there is nothing to choose.
fn bare(rule: &MenuRule, page: &Page, found: &Boxed) -> Question {
    let question = words_only(rule, page, found, found.foot);
    if found.labels.len() < 2 || question.prompt.is_empty() {
        return question;
    }
    let says = |at: usize, word: &str| found.labels[at].eq_ignore_ascii_case(word);
    let yes_or_no = found.labels.len() == 2 && says(0, "yes") && says(1, "no");
    let options = found.labels.iter().map(|label| Choice { label: label.clone(), ..Choice::default() });
    Question {
        kind: if yes_or_no { Kind::YesNo } else { Kind::Dialog },
        options: options.collect(),
        selected: found.focus,
        partial: found.focus.is_none() || cut_short(page, found),
        origin: Origin { widget: Widget::Buttons, ..Origin::default() },
        ..question
    }
}

/// What is asked for in a field: the words above it, and those in its own line.
fn field_of(rule: &MenuRule, page: &Page, found: &Boxed, field: usize) -> Question {
    let question = words_only(rule, page, found, field);
    let label = page.text(field).split(BLANKS).next().unwrap_or_default().trim();
    let label = if label.ends_with(':') { label } else { "" };
    let prompt = format!("{} {label}", question.prompt).trim().to_owned();
    Question { prompt, origin: Origin { widget: Widget::Field, ..question.origin }, ..question }
}

/// A box of which only its words are read, down to this row: a message, or what is asked for in a field.
fn words_only(rule: &MenuRule, page: &Page, found: &Boxed, until: usize) -> Question {
    let block = Block { top: found.top, rows: until, hints: Vec::new(), heading: None, header: None };
    let prompt = words::prompt(rule, page, &block, PromptRule::Whole).text;
    Question { partial: cut_short(page, found), ..Question::new(Kind::Dialog, prompt) }
}

/// Whether words of the box are scrolled out of view: a rail beside them, or a percentage at its foot.
fn cut_short(page: &Page, found: &Boxed) -> bool {
    let railed = |row: usize| page.text(row).chars().next_back().is_some_and(|ch| RAIL.contains(&ch));
    let told = |row: usize| page.text(row).contains('%') && page.lines[row].rule.is_some();
    (found.top..found.foot).any(|row| railed(row) || cut::is_scroll_mark(page.text(row)))
        || (found.top..page.lines.len()).any(told)
}

fn without_rail(text: &mut String) -> bool {
    let bare = text.trim_end_matches(RAIL).trim_end().len();
    let railed = text.len() > bare && text[bare..].trim_start().chars().count() == 1;
    if railed {
        text.truncate(bare);
    }
    railed
}

/// Where each row begins with a number, that is its number.
fn number(options: &mut [Choice]) {
    let parts = |choice: &Choice| {
        let whole = format!("{} {}", choice.label, choice.description);
        let (number, rest) = whole.trim().split_once(' ')?;
        let number = number.trim_end_matches(['.', ')', ':']).parse().ok().filter(|_| number.len() <= 3)?;
        Some((number, rest.trim().to_owned()))
    };
    let Some(numbered) = options.iter().map(parts).collect::<Option<Vec<(u32, String)>>>() else { return };
    for (choice, (number, label)) in options.iter_mut().zip(numbered) {
        (choice.number, choice.label, choice.description) = (Some(number), label, String::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::detect::tests::verdict;
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    /// A box of sixty columns as whiptail draws it from this column on, which may be left of the screen.
    fn drawn(cols: u16, from: isize) -> Question {
        let row = |inner: &str, side: char| format!("{side}{inner:<58}{side}");
        let mut lines = vec![
            format!("┌{}┤ Backup ├{}┐", "─".repeat(24), "─".repeat(24)),
            row(" Choose a backup target", '│'),
            row("", '│'),
            row(&format!("{:21}\x1b[41mlocal\x1b[47m Local disk{:21}", "", ""), '│'),
            row(&format!("{:21}nas   The NAS", ""), '│'),
            row(&format!("{:21}s3    Amazon S3", ""), '│'),
            row("", '│'),
            row(&format!("{:14}<Ok>{:18}<Cancel>", "", ""), '│'),
            row("", '│'),
        ];
        lines.push(format!("└{}┘", "─".repeat(58)));
        let mut screen = Screen::new(Size::new(cols, 20), TerminalIdentity::default());
        screen.feed(b"\x1b[?25l\x1b[?7l");
        for (at, line) in lines.iter().enumerate() {
            let line = if from < 0 { line.chars().skip(1).collect() } else { line.clone() };
            let column = usize::try_from(from + 1).unwrap_or(1).max(1);
            let line = match usize::from(cols) < 60 && column == 1 {
                true => line.trim_end_matches(['│', '┐', '┘']).to_owned(),
                false => line,
            };
            screen.feed(format!("\x1b[{};{column}H\x1b[47m{line}\x1b[m", at + 3).as_bytes());
        }
        screen.feed(b"\x1b[6;23H");
        verdict("generic", &screen).question.unwrap_or_else(|| panic!("no question at {cols}"))
    }

    /// Of a box that was cut at both sides the last of its rows was told as what is asked.
    #[test]
    fn a_box_that_is_wider_than_its_screen_tells_its_words_and_offers_nothing() {
        let whole = drawn(80, 10);
        assert_eq!((whole.kind, whole.prompt.as_str()), (Kind::Menu, "Choose a backup target"));
        assert_eq!(whole.options.len(), 3);
        let cropped = drawn(58, -1);
        assert_eq!((cropped.kind, cropped.prompt.as_str()), (Kind::Dialog, "Choose a backup target"));
        assert!(cropped.options.is_empty() && cropped.partial, "{cropped:?}");
    }
}
