//! docs/security.md as a test: each promise names the tests that keep it, and there are such tests.

use std::fs;
use std::path::Path;

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// `file::function` between backquotes, as the page names a test.
fn named(page: &str) -> Vec<(&str, &str)> {
    let quoted = page.split('`').skip(1).step_by(2);
    quoted.filter_map(|word| word.split_once(".rs::")).collect()
}

#[test]
fn each_promise_names_tests_that_there_are() {
    let page = text("docs/security.md");
    let rows = page.lines().skip_while(|line| !line.starts_with("| promise")).skip(2);
    let mut promises = 0;
    for row in rows.take_while(|line| line.starts_with('|')) {
        promises += 1;
        let shown = row.rsplit('|').nth(1).unwrap_or_default();
        let excused = shown.contains("not testable");
        assert!(excused || !named(shown).is_empty(), "this promise names no test:\n{row}");
    }
    assert!(promises > 15, "the table of promises is not where it was");
    for (file, function) in named(&page) {
        let path = if file.starts_with("tests/") { format!("{file}.rs") } else { format!("src/{file}.rs") };
        let there = text(&path).lines().any(|line| {
            let line = line.trim_start().trim_start_matches("pub ");
            line.starts_with(&format!("fn {function}("))
        });
        assert!(there, "{path} has no test {function}");
    }
}
