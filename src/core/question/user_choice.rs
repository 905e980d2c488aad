//! What a person chose in a dialog, told by the keys they pressed and the screen they pressed them on.
//!
//! The hub follows each open question with it; shadow mode is scored by it, and it goes into the log. Where the
//! screen had not shown yet what an earlier key did, the choice is unknown: nothing is guessed.

use crate::core::question::option_lookup;
use crate::core::question::{Answer, Composer, Kind, Question};
use crate::core::terminal::keys::{Action, Input, Key, Mods};

/// The last key that may have committed an answer, and what it would have committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserChoice {
    answer: Option<Answer>,
    /// The screen is older than the last key.
    behind: bool,
    /// What was typed at a prompt for yes or no; `None` once a key was pressed whose effect there nobody knows.
    word: Option<String>,
}

impl Default for UserChoice {
    fn default() -> UserChoice {
        UserChoice { answer: None, behind: false, word: Some(String::new()) }
    }
}

impl UserChoice {
    /// The screen was judged anew after the last key.
    pub fn looked(&mut self) {
        self.behind = false;
    }

    /// Follows one input of the person, typed while the screen shows `q` and this input line.
    pub fn follow(&mut self, q: &Question, composer: Option<&Composer>, input: &Input) {
        let Input::Key(press) = input else {
            if let Input::Text(_) | Input::Paste(_) | Input::Raw(_) = input {
                *self = UserChoice { answer: None, behind: true, word: None };
            }
            return;
        };
        if press.action == Action::Release {
            return;
        }
        let bare = press.mods == Mods::default();
        let in_a_line = q.kind == Kind::YesNo && q.selected.is_none();
        self.answer = match press.key {
            key if in_a_line => self.in_a_line(q, key, press.mods),
            Key::Enter if bare && !self.behind => committed(q, composer),
            Key::Esc if bare => Some(Answer::Reject),
            Key::Char(digit @ '1'..='9') if bare && !q.multi && !q.typing => {
                let row = digit.to_digit(10).and_then(|number| option_lookup::by_number(q, number));
                row.filter(|row| option_lookup::choosable(q, *row)).map(|row| Answer::Rows(vec![row]))
            }
            _ => None,
        };
        self.behind = true;
    }

    /// At a prompt that takes a letter or a word, which shows no highlight: one that takes a letter goes at once, one that
    /// takes a line by Enter.
    fn in_a_line(&mut self, q: &Question, key: Key, mods: Mods) -> Option<Answer> {
        match key {
            Key::Char(letter) if mods == Mods::default() || mods == Mods::SHIFT => {
                self.word.as_mut()?.push(letter);
            }
            Key::Backspace if mods == Mods::default() => {
                self.word.as_mut()?.pop();
                return None;
            }
            Key::Enter if mods == Mods::default() => {}
            _ => self.word = None,
        }
        let word = self.word.as_deref()?.to_lowercase();
        let meant = |label: &str| {
            let label = label.to_lowercase();
            label == word || matches!((label.as_str(), word.as_str()), ("y", "yes") | ("n", "no"))
        };
        let row = q.options.iter().position(|choice| meant(&choice.label))?;
        Some(Answer::Rows(vec![row]))
    }

    /// The answer, if the dialog went by the last key.
    pub fn answer(&self) -> Option<&Answer> {
        self.answer.as_ref()
    }
}

fn committed(q: &Question, composer: Option<&Composer>) -> Option<Answer> {
    if q.kind == Kind::Text {
        let draft = composer.map(|composer| composer.draft.trim()).filter(|draft| !draft.is_empty());
        return draft.map(|draft| Answer::Text(draft.to_owned()));
    }
    if q.multi {
        let ticked = q.options.iter().enumerate().filter(|(_, choice)| choice.checked == Some(true));
        return Some(Answer::Rows(ticked.map(|(row, _)| row).collect()));
    }
    let row = q.selected?;
    option_lookup::choosable(q, row).then(|| Answer::Rows(vec![row]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::question::{Choice, Role};
    use crate::core::terminal::keys::KeyPress;

    fn question() -> Question {
        let row = |label: &str, role| Choice { label: label.into(), role, ..Choice::default() };
        Question {
            kind: Kind::Menu,
            prompt: "Which?".into(),
            options: vec![row("A", Role::Choice), row("B", Role::Choice), row("Chat", Role::Aside)],
            selected: Some(0),
            multi: false,
            subject: None,
            partial: false,
            tab: None,
            typing: false,
            origin: Default::default(),
        }
    }

    fn press(chosen: &mut UserChoice, q: &Question, key: Key) {
        chosen.follow(q, None, &Input::Key(KeyPress::plain(key)));
    }

    #[test]
    fn enter_takes_the_highlight_that_is_on_the_screen() {
        let (mut q, mut chosen) = (question(), UserChoice::default());
        press(&mut chosen, &q, Key::Down);
        q.selected = Some(1);
        chosen.looked();
        press(&mut chosen, &q, Key::Enter);
        assert_eq!(chosen.answer(), Some(&Answer::Rows(vec![1])));
        q.selected = Some(2);
        chosen.looked();
        press(&mut chosen, &q, Key::Enter);
        assert_eq!(chosen.answer(), None, "leaving the question is no answer");
    }

    /// A person's `y` at `[y/N]` stood in the log without a word of what it was.
    #[test]
    fn a_word_typed_at_a_prompt_is_the_answer() {
        let option = |label: &str| Choice { label: label.into(), ..Choice::default() };
        let options = vec![option("y"), option("n")];
        let q = Question { kind: Kind::YesNo, options, selected: None, ..question() };
        let typed = |keys: &[Key]| {
            let mut chosen = UserChoice::default();
            keys.iter().for_each(|key| press(&mut chosen, &q, *key));
            chosen.answer().cloned()
        };
        let (yes, no) = (Some(Answer::Rows(vec![0])), Some(Answer::Rows(vec![1])));
        assert_eq!(typed(&[Key::Char('y')]), yes, "a prompt of one key goes at once");
        assert_eq!(typed(&[Key::Char('Y'), Key::Char('e'), Key::Char('s'), Key::Enter]), yes);
        assert_eq!(typed(&[Key::Char('y'), Key::Backspace, Key::Char('n'), Key::Enter]), no);
        for unknown in
            [&[Key::Enter][..], &[Key::Char('x'), Key::Enter], &[Key::Up, Key::Char('y'), Key::Enter]]
        {
            assert_eq!(typed(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn what_the_screen_had_not_shown_is_unknown() {
        let (q, mut chosen) = (question(), UserChoice::default());
        press(&mut chosen, &q, Key::Down);
        press(&mut chosen, &q, Key::Enter);
        assert_eq!(chosen.answer(), None);
        chosen.looked();
        chosen.follow(&q, None, &Input::Text("x".into()));
        press(&mut chosen, &q, Key::Enter);
        assert_eq!(chosen.answer(), None);
    }

    #[test]
    fn digits_ticks_words_and_esc_are_answers() {
        let (mut q, mut chosen) = (question(), UserChoice::default());
        press(&mut chosen, &q, Key::Char('2'));
        assert_eq!(chosen.answer(), Some(&Answer::Rows(vec![1])));
        press(&mut chosen, &q, Key::Char('7'));
        assert_eq!(chosen.answer(), None);
        press(&mut chosen, &q, Key::Esc);
        assert_eq!(chosen.answer(), Some(&Answer::Reject));
        (q.multi, q.kind) = (true, Kind::Multi);
        q.options[1].checked = Some(true);
        chosen.looked();
        press(&mut chosen, &q, Key::Enter);
        assert_eq!(chosen.answer(), Some(&Answer::Rows(vec![1])));
        (q.multi, q.kind) = (false, Kind::Text);
        chosen.looked();
        let draft = Composer { draft: " yes, do ".into() };
        chosen.follow(&q, Some(&draft), &Input::Key(KeyPress::plain(Key::Enter)));
        assert_eq!(chosen.answer(), Some(&Answer::Text("yes, do".into())));
    }
}
