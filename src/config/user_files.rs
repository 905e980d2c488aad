//! What else lies in the user's configuration folder: profiles of further programs, layouts and themes
//! of the dashboard, one TOML file each.
//!
//! The command line gives them to server and dashboard; `load.rs` checks the names a configuration uses
//! against them. It reads no file itself; one that cannot be read is a fault.

use crate::core::layout::Layout;
use crate::core::profile::Profiles;

use super::error::ConfigError;
use super::places::{Places, tables};

/// The themes that come with the program, as the dashboard has them.
pub const THEMES: [&str; 5] = ["sixteen", "dark", "light", "colour-blind", "mono"];

/// The built-in profiles, and those in `profiles/`, which replace one of the same name.
///
/// # Errors
/// A file that cannot be read, or is no profile.
pub fn profiles(places: &Places) -> Result<Profiles, ConfigError> {
    let mut profiles = Profiles::builtin();
    for (file, text) in tables(places, "profiles")? {
        profiles.add_toml(&file, &text).map_err(|error| ConfigError {
            file: error.file,
            line: error.line,
            column: error.column,
            key: error.key,
            what: error.cause,
        })?;
    }
    Ok(profiles)
}

/// The built-in layouts, and those in `layouts/`, which replace one of the same name.
///
/// # Errors
/// A file that cannot be read, or is no layout.
pub fn layouts(places: &Places) -> Result<Vec<Layout>, ConfigError> {
    let mut layouts = Layout::built_in();
    for (file, text) in tables(places, "layouts")? {
        let layout = Layout::parse(&text).map_err(|what| ConfigError::of_file(file, what))?;
        match layouts.iter_mut().find(|known| known.name == layout.name) {
            Some(known) => *known = layout,
            None => layouts.push(layout),
        }
    }
    Ok(layouts)
}

/// The user's own themes of the dashboard, in `themes/`: each file's name and its text.
///
/// # Errors
/// A file that cannot be read.
pub fn themes(places: &Places) -> Result<Vec<(String, String)>, ConfigError> {
    tables(places, "themes")
}

/// What `dashboard.theme` may be. A file that makes no sense names none: the dashboard says what is wrong in it.
pub(super) fn theme_names(places: &Places) -> Result<Vec<String>, ConfigError> {
    let name =
        |text: &str| toml::from_str::<toml::Table>(text).ok()?.get("name")?.as_str().map(str::to_owned);
    let own: Vec<String> = themes(places)?.iter().filter_map(|(_, text)| name(text)).collect();
    let built_in = ["auto"].into_iter().chain(THEMES).map(str::to_owned);
    Ok(built_in.chain(own).collect())
}
