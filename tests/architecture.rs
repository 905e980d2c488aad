//! The walks of docs/architecture.md name a function for every hop: each of them is where the page says.

use std::path::Path;

/// The file and function pairs of the page's walks, as they are written: `file.rs` `function`.
fn hops(page: &str) -> Vec<(String, String)> {
    let walks = page.split("## Four walks").nth(1).and_then(|rest| rest.split("\n## ").next());
    let words: Vec<&str> = walks.expect("the page has its walks").split('`').skip(1).step_by(2).collect();
    let pairs =
        words.windows(2).filter(|pair| pair[0].ends_with(".rs") && !pair[1].contains(['/', '.', ' ']));
    pairs.map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect()
}

#[test]
fn every_hop_of_the_walks_is_where_the_page_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let hops = hops(&page);
    assert!(hops.len() > 30, "the walks name {} hops only", hops.len());
    let gone: Vec<String> = hops
        .iter()
        .filter(|(file, function)| {
            let base = if file.starts_with("tests/") { root.to_owned() } else { root.join("src") };
            let source = std::fs::read_to_string(base.join(file)).unwrap_or_default();
            !source.contains(&format!("fn {function}(")) && !source.contains(&format!("fn {function}<"))
        })
        .map(|(file, function)| format!("{file} has no function {function}"))
        .collect();
    assert!(gone.is_empty(), "{gone:#?}");
}
