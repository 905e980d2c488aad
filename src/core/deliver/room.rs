//! Whether what is typed behind a prompt can be seen whole.
//!
//! No Enter goes behind words that are not seen to stand there, and what has scrolled off a screen is not seen: such words would
//! lie in their line for whoever comes next. That is known before the first of them is typed.

use unicode_width::UnicodeWidthStr;

use super::plan::as_typed;
use crate::core::question::{Answer, Question};
use crate::core::terminal::grid::Size;

/// Columns that a program may draw before its prompt or behind it, beside what is known of it: `? `, a default, the cursor.
const BESIDE: usize = 8;

/// Why these words are not typed behind this prompt on a screen of this size; none: there is room, or they do not go there.
pub fn room_fault(q: &Question, answer: &Answer, size: Size) -> Option<String> {
    let Answer::Text(text) = answer else { return None };
    let in_a_line = q.origin.line && q.options.is_empty() && !q.origin.enter_takes;
    if in_a_line { too_long(q, &as_typed(text), size) } else { None }
}

/// The same of a text as it is typed.
pub(super) fn too_long(q: &Question, text: &str, size: Size) -> Option<String> {
    let (cols, rows) = (usize::from(size.cols).max(1), usize::from(size.rows));
    let prompt = q.prompt.width() + q.origin.offered.as_deref().map_or(0, UnicodeWidthStr::width) + BESIDE;
    // What did not fit on the row below a prompt begins on it.
    let apart = usize::from(q.origin.mark.is_some());
    let needed = (prompt + text.width()).div_ceil(cols) + apart;
    (needed > rows).then(|| {
        format!(
            "with its prompt the answer takes {needed} rows and the pane has {rows}, where nothing would show that it went in whole; \
             nothing was typed: shorten it, or put it into a file and name that, or make the pane larger and answer again"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::question::{Kind, Origin};

    fn asked() -> Question {
        let origin = Origin { line: true, ..Origin::default() };
        Question { origin, ..Question::new(Kind::Text, "Describe the feature:") }
    }

    #[test]
    fn words_that_the_screen_cannot_hold_are_refused() {
        let size = |cols, rows| Size { cols, rows };
        let fault = |q: &Question, chars: usize, size| room_fault(q, &Answer::Text("x".repeat(chars)), size);
        assert_eq!(fault(&asked(), 1_100, size(58, 20)), None);
        let why = fault(&asked(), 1_349, size(58, 20)).unwrap();
        assert!(
            why.contains("takes 24 rows and the pane has 20") && why.contains("nothing was typed"),
            "{why}"
        );
        assert_eq!(fault(&asked(), 1_349, size(80, 24)), None);
        let wide = Answer::Text("日".repeat(700));
        assert!(room_fault(&asked(), &wide, size(58, 20)).is_some(), "two columns each");
    }

    #[test]
    fn what_goes_into_an_input_line_of_its_own_or_is_no_text_has_room() {
        let dialog = Question::new(Kind::Text, "What next?");
        let size = Size { cols: 20, rows: 2 };
        assert_eq!(room_fault(&dialog, &Answer::Text("x".repeat(4_000)), size), None);
        assert_eq!(room_fault(&asked(), &Answer::Rows(vec![0]), size), None);
    }
}
