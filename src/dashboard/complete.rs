//! Ways to go on with a word of the form for a new agent: programs on the path, files, folders.
//!
//! The loop asks it when a person presses tab. It only looks.

use std::fs;
use std::path::Path;

use super::form::Field;
use super::options::home;

/// More than a person reads; a folder may hold a hundred thousand files.
const MOST: usize = 200;

/// What there is that begins with this word.
pub fn offers(field: Field, word: &str, first: bool) -> Vec<String> {
    let mut found = match (field, first && !word.contains('/')) {
        (Field::Command, true) => programs(word),
        (Field::Command, false) => paths(word, false),
        (Field::Folder, _) => paths(word, true),
        _ => Vec::new(),
    };
    found.sort();
    found.dedup();
    found.truncate(MOST);
    found
}

fn programs(word: &str) -> Vec<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = |folder: std::path::PathBuf| names_in(&folder, word, false);
    std::env::split_paths(&path).flat_map(names).collect()
}

fn paths(word: &str, folders: bool) -> Vec<String> {
    let (folder, begin) = word.rsplit_once('/').map_or(("", word), |(folder, begin)| (folder, begin));
    let shown = if word.contains('/') { format!("{folder}/") } else { String::new() };
    let place = match shown.as_str() {
        "" => Path::new(".").to_path_buf(),
        "/" => Path::new("/").to_path_buf(),
        _ => home(folder),
    };
    let mut found = Vec::new();
    for name in names_in(&place, begin, folders) {
        let end = if place.join(&name).is_dir() { "/" } else { "" };
        found.push(format!("{shown}{name}{end}"));
    }
    found
}

fn names_in(folder: &Path, begin: &str, folders: bool) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        // What is hidden is asked for by its dot.
        let wanted = name.starts_with(begin) && (begin.starts_with('.') || !name.starts_with('.'));
        (wanted && (!folders || entry.path().is_dir())).then_some(name)
    };
    entries.flatten().filter_map(name).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_paths_are_offered() {
        assert!(offers(Field::Command, "sh", true).contains(&"sh".to_owned()));
        let root = offers(Field::Folder, "/u", false);
        assert!(root.contains(&"/usr/".to_owned()), "{root:?}");
        let file = offers(Field::Command, "Cargo.t", false);
        assert_eq!(file, ["Cargo.toml"]);
        assert!(offers(Field::Folder, "Cargo.t", false).is_empty(), "a file is no folder");
    }
}
