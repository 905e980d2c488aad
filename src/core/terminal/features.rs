//! What a terminal can show beyond the plainest attributes, as far as its name tells.
//!
//! The dashboard and `attach` ask it about the terminal they are in. One that is not known to fail gets everything:
//! what a terminal does not know it leaves out.

use crate::core::terminal::grid::{Attrs, Color, Style};

/// What may be written to a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// Underlines of other kinds than a plain one, and in another colour.
    pub underlines: bool,
    pub links: bool,
}

impl Default for Features {
    fn default() -> Features {
        Features { underlines: true, links: true }
    }
}

/// Terminals that would take parts of these sequences for text or for other attributes.
const PLAIN: [&str; 6] = ["linux", "ansi", "dumb", "cons25", "cygwin", "sun"];

impl Features {
    /// Of the terminal these variables describe.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Features {
        let is = |name: &str, value: &str| variable(name).is_some_and(|known| known == value);
        let term = variable("TERM").unwrap_or_default();
        let plain = PLAIN.iter().any(|name| term == *name || term.starts_with(&format!("{name}-")))
            || term.starts_with("vt1")
            || term.starts_with("vt2")
            || is("TERM_PROGRAM", "Apple_Terminal");
        // GNU Screen has that name, too; tmux says besides who it is.
        let screen = term.starts_with("screen") && variable("TMUX").is_none();
        Features { underlines: !plain && !screen, links: !plain && !screen }
    }
}

impl Features {
    /// The nearest style this terminal can show.
    pub fn style(self, style: Style) -> Style {
        if self.underlines {
            return style;
        }
        let kinds = [Attrs::DOUBLE, Attrs::CURLY, Attrs::DOTTED, Attrs::DASHED];
        let attrs = kinds.iter().fold(style.attrs.0, |attrs, kind| attrs & !kind.0);
        Style { attrs: Attrs(attrs), underline: Color::Default, ..style }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Features {
        Features::of(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_terminal_gets_all_unless_it_is_known_to_fail() {
        let all = Features::default();
        assert_eq!(of(&[("TERM", "xterm-256color")]), all);
        assert_eq!(of(&[("TERM", "screen-256color"), ("TMUX", "/tmp/tmux")]), all);
        assert_eq!(of(&[]), all);
        for plain in ["linux", "vt100", "vt220", "screen", "ansi", "cons25"] {
            assert_eq!(of(&[("TERM", plain)]), Features { underlines: false, links: false }, "{plain}");
        }
        assert!(!of(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "Apple_Terminal")]).underlines);
    }
}
