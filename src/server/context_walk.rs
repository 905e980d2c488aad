//! The paths that a pattern of `[consult] context` names, looked for within bounds.
//!
//! For `context_io.rs`. Agents write in the folders that are walked: no link to a folder is entered, so none leads the
//! walk around the disk, and however much lies there, it is over in time for the question. Opens and reads nothing.

use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use glob::{MatchOptions, Pattern};
use walkdir::WalkDir;

/// Of the 55 s in which a question is to be answered, what finding its files may take.
const LONGEST: Duration = Duration::from_secs(2);
/// Entries of folders looked at for one question. A walk of so many takes half a second where the disk is slow.
const MAX_ENTRIES: usize = 100_000;
/// As everybody writes patterns: a star stays in its folder.
const BY_FOLDER: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// What one question's patterns may still cost.
#[derive(Debug)]
pub struct Allowance {
    until: Instant,
    entries: usize,
}

impl Allowance {
    pub fn begin() -> Allowance {
        Allowance { until: Instant::now() + LONGEST, entries: MAX_ENTRIES }
    }

    /// Whether one more entry may be looked at.
    pub fn spend(&mut self) -> bool {
        let left = self.entries > 0 && Instant::now() < self.until;
        self.entries = self.entries.saturating_sub(1);
        left
    }
}

/// Where one pattern's files are looked for.
#[derive(Debug)]
pub struct Search {
    /// What they must lie in: the agent's folder, or for a path that the user's own configuration gives in full (a project's
    /// may not), what stands before its first wildcard.
    pub within: PathBuf,
    /// What stands before the first wildcard, without links.
    base: PathBuf,
    /// The rest, and how deep below the base it reaches; none where the pattern is a path.
    wild: Option<(Pattern, usize)>,
}

impl Search {
    /// `None` where there is nothing that it could name, or nothing within the agent's folder.
    pub fn of(pattern: &str, cwd: &Path) -> Option<Search> {
        let parts: Vec<Component<'_>> = Path::new(pattern).components().collect();
        let is_wild = |part: &Component<'_>| part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
        let (fixed, rest) = parts.split_at(parts.iter().position(is_wild).unwrap_or(parts.len()));
        let base = cwd.join(fixed.iter().collect::<PathBuf>()).canonicalize().ok()?;
        let within = if pattern.starts_with('/') { base.clone() } else { cwd.to_path_buf() };
        if !base.starts_with(&within) {
            tracing::warn!(pattern, "a context pattern leads out of its folder and is not followed");
            return None;
        }
        let depth = if rest.iter().any(|part| part.as_os_str() == "**") { usize::MAX } else { rest.len() };
        let rest = rest.iter().collect::<PathBuf>();
        let wild = match depth {
            0 => None,
            _ => Some((Pattern::new(rest.to_str()?).ok()?, depth)),
        };
        Some(Search { within, base, wild })
    }

    /// The paths that it names, as far as the allowance goes.
    pub fn paths<'a>(&'a self, allowance: &'a mut Allowance) -> Box<dyn Iterator<Item = PathBuf> + 'a> {
        let Some((pattern, depth)) = &self.wild else { return Box::new(std::iter::once(self.base.clone())) };
        let entries = WalkDir::new(&self.base).min_depth(1).max_depth(*depth).into_iter();
        let looked_at = entries.take_while(move |_| {
            let left = allowance.spend();
            if !left {
                tracing::warn!(%pattern, base = %self.base.display(), "too much to look through for context files; what was found is told");
            }
            left
        });
        let named = |path: &PathBuf| {
            path.strip_prefix(&self.base).is_ok_and(|below| pattern.matches_path_with(below, BY_FOLDER))
        };
        Box::new(looked_at.flatten().map(walkdir::DirEntry::into_path).filter(named))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn named(cwd: &Path, pattern: &str) -> Vec<String> {
        let Some(search) = Search::of(pattern, cwd) else { return Vec::new() };
        let mut allowance = Allowance::begin();
        let below = |path: PathBuf| path.strip_prefix(cwd).unwrap().to_string_lossy().into_owned();
        let mut paths: Vec<String> = search.paths(&mut allowance).map(below).collect();
        paths.sort();
        paths
    }

    #[test]
    fn patterns_name_what_a_shell_would_say() {
        let top = tempfile::tempdir().unwrap();
        let cwd = top.path().canonicalize().unwrap().join("a[1]");
        fs::create_dir_all(cwd.join("docs/deep/er")).unwrap();
        for file in
            ["plan.md", "docs/a.md", "docs/b.txt", "docs/deep/c.md", "docs/deep/er/d.md", "docs/.e.md"]
        {
            fs::write(cwd.join(file), "").unwrap();
        }
        symlink("docs", cwd.join("linked")).unwrap();
        for (pattern, want) in [
            ("plan.md", vec!["plan.md"]),
            ("./plan.md", vec!["plan.md"]),
            ("gone.md", vec![]),
            ("*.md", vec!["plan.md"]),
            ("docs/*.md", vec!["docs/.e.md", "docs/a.md"]),
            ("docs/../docs/?.md", vec!["docs/a.md"]),
            ("docs/[ab].*", vec!["docs/a.md", "docs/b.txt"]),
            ("docs/*/*.md", vec!["docs/deep/c.md"]),
            ("**/d.md", vec!["docs/deep/er/d.md"]),
            ("docs/**/*.md", vec!["docs/.e.md", "docs/a.md", "docs/deep/c.md", "docs/deep/er/d.md"]),
            // A link that is named is the person's word; one that is met is the agent's.
            ("linked/a.md", vec!["docs/a.md"]),
            ("linked/*.txt", vec!["docs/b.txt"]),
            ("*/b.txt", vec!["docs/b.txt"]),
        ] {
            assert_eq!(named(&cwd, pattern), want, "{pattern}");
        }
    }

    /// `ln -s / x` started a walk of the whole disk for each question, on a thread that nothing ended.
    #[test]
    fn a_link_leads_no_walk_out_of_the_folder() {
        let top = tempfile::tempdir().unwrap();
        let cwd = top.path().canonicalize().unwrap().join("work");
        fs::create_dir_all(cwd.join("docs")).unwrap();
        fs::create_dir(top.path().join("out")).unwrap();
        fs::write(top.path().join("out/secret.md"), "").unwrap();
        fs::write(cwd.join("docs/a.md"), "").unwrap();
        symlink(top.path().join("out"), cwd.join("x")).unwrap();
        symlink(&cwd, cwd.join("docs/again")).unwrap();
        assert_eq!(named(&cwd, "**/*.md"), ["docs/a.md"]);
        assert!(Search::of("x/**/*.md", &cwd).is_none() && Search::of("../out/*.md", &cwd).is_none());
        assert_eq!(
            Search::of(&format!("{}/x/*.md", cwd.display()), &cwd).unwrap().base,
            top.path().canonicalize().unwrap().join("out")
        );
    }

    #[test]
    fn a_walk_ends_with_its_allowance() {
        let top = tempfile::tempdir().unwrap();
        for n in 0..20 {
            fs::write(top.path().join(format!("{n}.md")), "").unwrap();
        }
        let search = Search::of("**/*.md", &top.path().canonicalize().unwrap()).unwrap();
        let paths = |mut allowance: Allowance| search.paths(&mut allowance).count();
        assert_eq!(paths(Allowance { entries: 7, ..Allowance::begin() }), 7);
        assert_eq!(paths(Allowance { until: Instant::now(), ..Allowance::begin() }), 0);
        assert_eq!(paths(Allowance::begin()), 20);
    }
}
