//! Whether each statement of the contract is proved: `claims.toml` has them all, and names the tests.

use std::collections::BTreeSet;
use std::path::Path;

use libtest_mimic::Trial;
use serde::Deserialize;

const CLAIMS: &str = include_str!("claims.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    part: Vec<Part>,
}

/// A section of the contract, or a verb of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    name: String,
    claims: Vec<Claim>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    says: String,
    proofs: Vec<String>,
}

/// `lines`: of the rows, and the names of the checks of the table itself.
pub fn trials(lines: BTreeSet<String>) -> Vec<Trial> {
    vec![
        Trial::test("every statement of the contract names the tests that prove it", move || {
            let claims: Claims = toml::from_str(CLAIMS).map_err(|error| error.to_string())?;
            let unproved = unproved(&claims, |proof| lines.contains(proof) || is_a_test(proof));
            if unproved.is_empty() { Ok(()) } else { Err(unproved.join("\n").into()) }
        }),
        Trial::test("a statement without a proof, or with one that is gone, is told", || {
            let text = "[[part]]\nname = \"P\"\nclaims = [{ says = \"a\", proofs = [] }, { says = \"b\", proofs = [\"tests/attach.rs::gone\", \"no row\"] }, { says = \"c\", proofs = [\"tests/attach.rs::a_viewer_outlives_its_server\"] }]\n";
            let claims: Claims = toml::from_str(text).map_err(|error| error.to_string())?;
            let told = unproved(&claims, is_a_test);
            let expected = ["P: a: nothing proves it", "P: b: no tests/attach.rs::gone", "P: b: no no row"];
            if told == expected { Ok(()) } else { Err(format!("{told:?}").into()) }
        }),
    ]
}

fn unproved(claims: &Claims, proves: impl Fn(&str) -> bool) -> Vec<String> {
    let mut all = Vec::new();
    for part in &claims.part {
        for claim in &part.claims {
            let place = format!("{}: {}", part.name, claim.says);
            if claim.proofs.is_empty() {
                all.push(format!("{place}: nothing proves it"));
            }
            let gone = claim.proofs.iter().filter(|proof| !proves(proof));
            all.extend(gone.map(|proof| format!("{place}: no {proof}")));
        }
    }
    all
}

/// Whether `FILE::FUNCTION` is a test: below `#[test]` or tokio's, or in the list of a table of tests.
pub fn is_a_test(proof: &str) -> bool {
    let Some((file, function)) = proof.split_once("::") else { return false };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let Ok(text) = std::fs::read_to_string(&path) else { return false };
    let defined = format!("fn {function}(");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let marked = lines.iter().enumerate().any(|(at, line)| {
        let above = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
        line.contains(&defined)
            && above.into_iter().any(|line| *line == "#[test]" || line.starts_with("#[tokio::test"))
    });
    let listed = |text: &str| {
        let words = text.split(|ch: char| !(ch.is_alphanumeric() || matches!(ch, '_' | ',')));
        words.into_iter().any(|word| word.strip_suffix(',') == Some(function))
    };
    // A folder's tests stand in the list of its `main.rs`, alone or behind the name of their file.
    let named = path.file_stem().map_or_else(String::new, |stem| format!("{}::{function}", stem.display()));
    let main = path.parent().map(|folder| folder.join("main.rs"));
    let main = main.and_then(|main| std::fs::read_to_string(main).ok()).unwrap_or_default();
    marked || listed(&text) || (text.contains(&defined) && (listed(&main) || main.contains(&named)))
}
