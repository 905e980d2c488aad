//! What else lies in the user's configuration folder: profiles of further programs, layouts and themes
//! of the dashboard, one TOML file each.
//!
//! The command line gives them to server and dashboard; `load.rs` checks the names a configuration uses
//! against them. It reads no file itself; one that cannot be read is a fault.

use crate::core::layout::Layout;
use crate::core::profile::Profiles;
use crate::core::toml_fault;

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
        let layout = Layout::parse(&text).map_err(|fault| ConfigError::of_text(file, &text, fault))?;
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

/// What `dashboard.theme` may be, and what is wrong with the first file that has no name: what is called for may stand there.
/// What else may be wrong in one the dashboard says.
pub(super) fn theme_names(places: &Places) -> Result<(Vec<String>, Option<ConfigError>), ConfigError> {
    let mut names: Vec<String> = ["auto"].into_iter().chain(THEMES).map(str::to_owned).collect();
    let mut fault = None;
    for (file, text) in themes(places)? {
        match toml_fault::read::<Named>(&text) {
            Ok(theme) => names.push(theme.name),
            Err(why) if fault.is_none() => fault = Some(ConfigError::of_text(file, &text, why)),
            Err(_) => {}
        }
    }
    Ok((names, fault))
}

/// What of a theme is known here.
#[derive(serde::Deserialize)]
struct Named {
    name: String,
}
