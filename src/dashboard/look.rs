//! How the dashboard looks: the theme in force, the others to step through, whether all must be ASCII.
//!
//! The loop makes it from the configuration, the views read it. Pure: themes are text until `parse`.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};

use crate::core::toml_fault::{self, Fault};

/// The built-in themes, in the order in which they are stepped through.
const BUILT_IN: [&str; 5] = [
    include_str!("../../themes/sixteen.toml"),
    include_str!("../../themes/dark.toml"),
    include_str!("../../themes/light.toml"),
    include_str!("../../themes/colour-blind.toml"),
    include_str!("../../themes/mono.toml"),
];

/// What each part looks like.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    pub name: String,
    pub styles: [Style; Part::ALL.len()],
}

/// The parts a theme gives a style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Lines and whatever else only gives structure.
    Frame,
    /// Where the keyboard is.
    Focus,
    /// Less important words.
    Quiet,
    Strong,
    /// A person is needed.
    Needed,
    /// Little time is left, or something cannot go on.
    Urgent,
    Selected,
    /// What no one may overlook: broadcast, no connection.
    Warning,
    Working,
    Idle,
    Paused,
    Failed,
    Unknown,
    /// A consultant is at it.
    Consulting,
    Suggested,
    Done,
    Match,
}

impl Part {
    pub const ALL: [Part; 17] = [
        Part::Frame,
        Part::Focus,
        Part::Quiet,
        Part::Strong,
        Part::Needed,
        Part::Urgent,
        Part::Selected,
        Part::Warning,
        Part::Working,
        Part::Idle,
        Part::Paused,
        Part::Failed,
        Part::Unknown,
        Part::Consulting,
        Part::Suggested,
        Part::Done,
        Part::Match,
    ];

    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

impl Theme {
    /// Reads a theme: `name`, and a style for each part, as `"bold yellow on #202020"`.
    ///
    /// # Errors
    /// A part that is missing or unknown, a word that is no colour and no attribute.
    pub fn parse(text: &str) -> Result<Theme, Fault> {
        let mut table: BTreeMap<String, String> = toml_fault::read(text)?;
        let fault = |key: &str, what: String| {
            let at = toml_fault::value_at(text, key);
            Fault { at, key: key.to_owned(), what }
        };
        let name = table.remove("name");
        let name = name.ok_or_else(|| fault("name", "is missing; write name = \"mine\"".to_owned()))?;
        // A slip of the keyboard leaves a part without a style besides, and has a place.
        if let Some(key) = table.keys().find(|key| Part::ALL.iter().all(|part| part.name() != **key)) {
            return Err(fault(key, "is no part of the dashboard".to_owned()));
        }
        let mut styles = [Style::new(); Part::ALL.len()];
        let mut missing = Vec::new();
        for part in Part::ALL {
            let key = part.name();
            match table.remove(&key) {
                Some(words) => styles[part as usize] = style(&words).map_err(|what| fault(&key, what))?,
                None => missing.push(key),
            }
        }
        // All at once: there are many parts, and whoever begins a theme has none of them.
        match missing.split_first() {
            None => Ok(Theme { name, styles }),
            Some((first, rest)) => {
                let rest =
                    if rest.is_empty() { String::new() } else { format!(", and so are {}", rest.join(", ")) };
                let what = "is missing; write a style, for example \"bold yellow\"";
                Err(fault(first, format!("{what}{rest}")))
            }
        }
    }

    /// The themes that come with the program.
    pub fn built_in() -> Vec<Theme> {
        let parse = |text: &&str| Theme::parse(text).expect("the embedded themes are tested");
        BUILT_IN.iter().map(parse).collect()
    }
}

fn style(words: &str) -> Result<Style, String> {
    let mut style = Style::new();
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        let attribute = match word {
            "bold" => Some(Modifier::BOLD),
            "dim" => Some(Modifier::DIM),
            "italic" => Some(Modifier::ITALIC),
            "underline" => Some(Modifier::UNDERLINED),
            "reverse" => Some(Modifier::REVERSED),
            _ => None,
        };
        style = match (attribute, word) {
            (Some(attribute), _) => style.add_modifier(attribute),
            (None, "on") => {
                let word = words.next().ok_or("'on' wants a colour after it")?;
                style.bg(color(word)?)
            }
            (None, _) => style.fg(color(word)?),
        };
    }
    Ok(style)
}

fn color(word: &str) -> Result<Color, String> {
    let what = || {
        format!("'{word}' is no colour; write default, a name like red or bright-red, 0 to 255, or #rrggbb")
    };
    let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
    let index = |name: &str| names.iter().position(|known| *known == name);
    if word == "default" {
        return Ok(Color::Reset);
    }
    if let Some(hex) = word.strip_prefix('#').filter(|hex| hex.len() == 6) {
        let number = u32::from_str_radix(hex, 16).map_err(|_| what())?;
        let [_, r, g, b] = number.to_be_bytes();
        return Ok(Color::Rgb(r, g, b));
    }
    if let Some(bright) = word.strip_prefix("bright-").and_then(index) {
        return u8::try_from(bright + 8).map(Color::Indexed).map_err(|_| what());
    }
    if let Some(at) = index(word) {
        return u8::try_from(at).map(Color::Indexed).map_err(|_| what());
    }
    word.parse().map(Color::Indexed).map_err(|_| what())
}

/// The theme in force and what goes with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    pub themes: Vec<Theme>,
    pub theme: usize,
    /// The locale has no UTF-8: everything is shown in ASCII.
    pub ascii: bool,
    /// Nobody has chosen the theme, and the terminal's own word on its background may.
    pub by_terminal: bool,
}

impl Default for Look {
    fn default() -> Look {
        Look { themes: Theme::built_in(), theme: 0, ascii: false, by_terminal: false }
    }
}

impl Look {
    pub fn of(&self, part: Part) -> Style {
        self.themes.get(self.theme).map_or(Style::new(), |theme| theme.styles[part as usize])
    }

    /// The same over something that has a style of its own, such as a border.
    pub fn over(&self, part: Part) -> Style {
        Style::reset().patch(self.of(part))
    }

    pub fn step(&mut self) -> String {
        self.theme = (self.theme + 1) % self.themes.len().max(1);
        self.themes.get(self.theme).map(|theme| theme.name.clone()).unwrap_or_default()
    }

    /// The theme of this name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.themes.iter().position(|theme| theme.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_theme_loads() {
        let themes = Theme::built_in();
        let names: Vec<&str> = themes.iter().map(|theme| theme.name.as_str()).collect();
        assert_eq!(names, crate::config::THEMES);
        for theme in &themes {
            let grey = theme.styles.iter().any(|style| style.fg == Some(Color::Indexed(8)));
            assert!(!grey, "{}: colour 8 is the background of some terminals", theme.name);
        }
        let mono = themes.last().unwrap();
        assert!(mono.styles.iter().all(|style| style.fg.is_none() && style.bg.is_none()));
    }

    /// The page for people who make their own.
    #[test]
    fn the_examples_of_the_documentation_are_a_layout_and_a_theme() {
        let page = include_str!("../../docs/looks.md");
        let examples = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        let [layout, theme] = examples.collect::<Vec<&str>>()[..] else { panic!("one of each") };
        assert_eq!(crate::core::layout::Layout::parse(layout).map(|layout| layout.main), Ok(65));
        assert_eq!(Theme::parse(theme).unwrap().name, "ink");
        for name in crate::config::THEMES {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }

    #[test]
    fn a_theme_that_makes_no_sense_is_refused() {
        let whole = BUILT_IN[0];
        let fault = |text: &str| {
            let Fault { at, key, what } = Theme::parse(text).unwrap_err();
            let (line, column) = toml_fault::place(text, at);
            format!("{line}:{column}: key {key}: {what}")
        };
        let line = whole.lines().position(|line| line.starts_with("needed")).unwrap() + 1;
        let slip = fault(&whole.replace("\nneeded", "\nneded"));
        let place = format!("{line}:");
        assert!(
            slip.starts_with(&place) && slip.ends_with("key neded: is no part of the dashboard"),
            "{slip}"
        );
        let missing = fault(&whole.replace("\nneeded", "\n# needed"));
        assert!(missing.contains("key needed: is missing; write a style"), "{missing}");
        let colour = fault("name = \"x\"\nframe = \"mauve\"");
        assert!(colour.starts_with("2:9: key frame: 'mauve' is no colour; write"), "{colour}");
        let begun = fault("name = \"x\"\nframe = \"red\"");
        assert!(begun.contains("key focus: is missing; write a style, for example \"bold yellow\", and so are quiet, strong, "), "{begun}");
        assert!(!begun.contains("frame, "), "{begun}");
        assert!(fault("frame = \"red\"").contains("key name: is missing; write name = "));
        assert!(fault("name = \"x\"\nframe = 3").starts_with("2:9: key frame: "));
        assert_eq!(style("bold bright-red on #102030").unwrap().bg, Some(Color::Rgb(16, 32, 48)));
    }
}
