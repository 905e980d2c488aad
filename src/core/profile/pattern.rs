//! Regular expressions of a profile, compiled when it is read.
//!
//! `core/profile/schema.rs` has them in its tables; the detector matches lines of a screen with them.

use regex::Regex;
use serde::{Deserialize, Deserializer, de::Error as _};

/// A regular expression, compiled when the profile is read.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// The first group, or the whole match if there is no group.
    pub fn capture<'t>(&self, text: &'t str) -> Option<&'t str> {
        let found = self.0.captures(text)?;
        found.get(1).or_else(|| found.get(0)).map(|group| group.as_str())
    }

    pub fn find(&self, text: &str) -> Option<std::ops::Range<usize>> {
        self.0.find(text).map(|found| found.range())
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pattern, D::Error> {
        let text = String::deserialize(deserializer)?;
        let built = regex::RegexBuilder::new(&text).size_limit(1 << 20).build();
        built.map(Pattern).map_err(|error| D::Error::custom(first_line(&error.to_string())))
    }
}

/// The last line of a regex error names the cause; the lines above draw a picture of it.
fn first_line(text: &str) -> String {
    text.lines().last().unwrap_or(text).trim_start_matches("error: ").to_owned()
}
