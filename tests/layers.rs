//! The layer table as a test: who may import whom, which words a layer never says, how long a file
//! and a function may be. It reads the sources as text, so it needs nothing but the checkout.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Longest file and longest function, in lines outside tests: what one sitting can hold.
const MAX_FILE: usize = 400;
const MAX_FUNCTION: usize = 60;

/// One row of the table: a layer, the layers it may import, the words it never says.
struct Layer {
    name: &'static str,
    imports: &'static [&'static str],
    never: &'static [&'static str],
}

const PURE: &[&str] = &[
    "tokio",
    "crossterm",
    "ratatui",
    "nix",
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "std::thread",
    "Instant::now",
    "SystemTime",
];

/// What runs a session: tasks and descriptors, and nothing of other agents, of questions' policy or of a client.
const TASK: &[&str] =
    &["crossterm", "ratatui", "tui_term", "std::fs", "std::env", "std::process", "std::thread"];

/// What the hub and its machines may know.
const HUB: &[&str] = &["core", "wire", "session", "server"];

/// What one person can hold in mind of the machine that everything else hangs on.
const MAX_HUB_FIELDS: usize = 12;
const MAX_HUB_METHODS: usize = 60;

/// A file belongs to the first row whose name begins its path.
const LAYERS: &[Layer] = &[
    Layer { name: "core/", imports: &["core"], never: PURE },
    Layer { name: "wire/", imports: &["core", "wire"], never: PURE },
    Layer {
        name: "config/load.rs",
        imports: &["core", "config", "os::regular_file"],
        never: &["tokio", "crossterm", "ratatui", "nix", "std::process", "std::net"],
    },
    Layer {
        name: "config/places.rs",
        imports: &["core", "config", "os::regular_file"],
        never: &["tokio", "crossterm", "ratatui", "nix", "std::process", "std::net"],
    },
    Layer {
        name: "config/agreed_files.rs",
        imports: &["core", "config", "os::git", "os::named_files"],
        never: &["tokio", "crossterm", "ratatui", "nix", "std::process", "std::net"],
    },
    Layer {
        name: "config/on_disk.rs",
        imports: &["core", "config"],
        never: &["tokio", "crossterm", "ratatui", "nix", "std::process", "std::net"],
    },
    Layer { name: "config/", imports: &["core", "config"], never: PURE },
    Layer { name: "os/", imports: &["core", "wire", "os"], never: &["ratatui", "crossterm"] },
    Layer { name: "keeper/", imports: &["core", "wire", "os", "keeper"], never: &["tokio", "ratatui"] },
    Layer { name: "session/mailbox.rs", imports: &["core", "wire", "session"], never: TASK },
    Layer { name: "session/pty", imports: &["core", "wire", "os", "session"], never: TASK },
    Layer { name: "session/setting.rs", imports: &["core", "wire", "session"], never: TASK },
    Layer { name: "session/task", imports: &["core", "wire", "os", "session"], never: TASK },
    Layer { name: "session/", imports: &["core", "wire", "session"], never: PURE },
    Layer { name: "server/hub", imports: HUB, never: PURE },
    Layer { name: "server/question", imports: HUB, never: PURE },
    Layer { name: "server/hooks", imports: HUB, never: PURE },
    Layer { name: "server/consultant", imports: HUB, never: PURE },
    Layer { name: "server/lifecycle", imports: HUB, never: PURE },
    Layer { name: "server/clients", imports: HUB, never: PURE },
    Layer { name: "server/standing.rs", imports: &["core", "wire", "session"], never: PURE },
    Layer { name: "server/effect.rs", imports: &["core", "wire", "session", "server"], never: PURE },
    Layer {
        name: "server/",
        imports: &["core", "wire", "config", "os", "session", "server"],
        never: &["ratatui", "crossterm", "tui_term"],
    },
    Layer {
        name: "dashboard/",
        imports: &[
            "core",
            "wire",
            "config",
            "os::interrupt",
            "os::job_control",
            "os::poll",
            "os::socket",
            "os::stdin",
            "dashboard",
        ],
        never: &["nix", "tokio"],
    },
    Layer { name: "demo/widget", imports: &["core", "demo"], never: PURE },
    Layer { name: "demo/", imports: &["core", "wire", "config", "os", "demo"], never: &["ratatui", "tokio"] },
    Layer {
        name: "cli/",
        imports: &["core", "wire", "config", "os", "keeper", "server", "dashboard", "demo", "cli"],
        never: &[],
    },
    Layer { name: "lib.rs", imports: &[], never: PURE },
    Layer { name: "main.rs", imports: &[], never: &["tokio", "crossterm", "ratatui", "nix"] },
];

/// A source with comments, literals and test items blanked out, line structure kept.
struct Code {
    text: String,
    /// Lines that belong to a `#[cfg(test)]` item.
    test_lines: usize,
}

/// Replaces what is not code by blanks, so that words in comments and strings count for nothing.
fn blank_literals(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = literal_end(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
            continue;
        }
        out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
        at = end;
    }
    out
}

/// Where the comment or literal that begins at `at` ends; `at` itself if none begins there.
fn literal_end(chars: &[char], at: usize) -> usize {
    let next = |n: usize| chars.get(at + n).copied().unwrap_or('\0');
    let until = |from: usize, stop: &str| {
        let stop: Vec<char> = stop.chars().collect();
        let found = (from..chars.len()).find(|&i| chars[i..].starts_with(&stop));
        found.map_or(chars.len(), |i| i + stop.len())
    };
    match chars[at] {
        '/' if next(1) == '/' => until(at, "\n") - 1,
        '/' if next(1) == '*' => until(at + 2, "*/"),
        '"' => quoted_end(chars, at + 1, '"'),
        'r' if next(1) == '"' || next(1) == '#' => {
            let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
            if next(1 + hashes) != '"' {
                return at; // A raw identifier.
            }
            until(at + 2 + hashes, &format!("\"{}", "#".repeat(hashes)))
        }
        // A character literal is escaped or closes after one character; a lifetime does neither.
        '\'' if next(1) == '\\' || next(2) == '\'' => quoted_end(chars, at + 1, '\''),
        _ => at,
    }
}

fn quoted_end(chars: &[char], from: usize, quote: char) -> usize {
    let mut at = from;
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// The end of the item that starts at `from`: its `;`, or the brace that closes it.
fn item_end(text: &str, from: usize) -> usize {
    let (mut round, mut depth) = (0_i32, 0_i32);
    for (offset, c) in text[from..].char_indices() {
        match c {
            '(' | '[' => round += 1,
            ')' | ']' => round -= 1,
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return from + offset + 1;
                }
            }
            ';' if depth == 0 && round == 0 => return from + offset + 1,
            _ => {}
        }
    }
    text.len()
}

fn code(source: &str) -> Code {
    let mut text = blank_literals(source);
    let mut test_lines = 0;
    while let Some(from) = text.find("#[cfg(test)]") {
        let end = item_end(&text, from);
        test_lines += text[from..end].lines().count();
        let blank: String = text[from..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        text.replace_range(from..end, &blank);
    }
    Code { text, test_lines }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Byte positions where `word` stands as a whole path segment or sequence of segments.
fn positions<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// Where a file says `word`, a name in a group (`std::{env, fs}`) counted as the path it stands for.
fn sayings(text: &str, word: &str) -> Vec<usize> {
    let mut said: Vec<usize> = positions(text, word).collect();
    if let Some((outer, inner)) = word.split_once("::") {
        for (at, group) in text.match_indices(&format!("{outer}::{{")) {
            let from = at + group.len();
            let names = &text[from..item_end(text, at).min(text.len())];
            said.extend(positions(names, inner).map(|offset| from + offset));
        }
    }
    said
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// The crate's own paths a file names, as `layer::item`, `super` resolved to the crate's root.
fn own_paths(path: &str, text: &str) -> Vec<(usize, String)> {
    let inside = path.trim_end_matches(".rs").trim_end_matches("/mod");
    let depth = inside.split('/').count();
    let mut found = Vec::new();
    for (prefix, bin) in [("crate::", false), ("counsel::", true)] {
        if bin && path != "main.rs" {
            continue;
        }
        for (at, _) in text.match_indices(prefix) {
            found.push((line_of(text, at), path_after(&text[at + prefix.len()..])));
        }
    }
    let climb = "super::".repeat(depth);
    for at in text.match_indices(&climb).map(|(at, _)| at) {
        found.push((line_of(text, at), path_after(&text[at + climb.len()..])));
    }
    found
}

fn path_after(rest: &str) -> String {
    rest.chars().take_while(|c| is_word(*c) || *c == ':').collect()
}

/// Everything wrong with one file; `path` is relative to `src/`.
fn faults(path: &str, source: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if !source.starts_with("//!") {
        faults.push(format!(
            "{path}:1: does not begin with `//!`: what it owns, who calls it, what it must never do"
        ));
    }
    if path.ends_with("_tests.rs") {
        return faults;
    }
    let Code { text, test_lines } = code(source);
    let lines = source.lines().count() - test_lines;
    if lines > MAX_FILE {
        faults.push(format!("{path}: {lines} lines outside tests, more than {MAX_FILE}"));
    }
    for at in positions(&text, "fn") {
        let length = text[at..item_end(&text, at)].lines().count();
        if length > MAX_FUNCTION && !path_after(text[at + 2..].trim_start()).is_empty() {
            let line = line_of(&text, at);
            faults.push(format!("{path}:{line}: a function of {length} lines, more than {MAX_FUNCTION}"));
        }
    }
    for (at, _) in text.match_indices(".unwrap()") {
        faults.push(format!("{path}:{}: `unwrap()` outside tests", line_of(&text, at)));
    }
    let Some(layer) = LAYERS.iter().find(|layer| path.starts_with(layer.name)) else {
        faults.push(format!("{path}: belongs to no layer of the table in this test"));
        return faults;
    };
    for word in layer.never {
        for at in sayings(&text, word) {
            faults.push(format!("{path}:{}: {} never says `{word}`", line_of(&text, at), layer.name));
        }
    }
    if layer.imports.is_empty() {
        return faults;
    }
    for (line, own) in own_paths(path, &text) {
        let first = own.split("::").next().unwrap_or_default();
        let allowed = layer.imports.iter().any(|may| match may.split_once("::") {
            None => *may == first,
            Some(_) => own == *may || own.starts_with(&format!("{may}::")),
        });
        // `crate::{a, b}` hides its names from this reader; one `use` each is the rule.
        if !allowed {
            let shown = if own.is_empty() { "{…}" } else { &own };
            faults.push(format!("{path}:{line}: {} may not import `crate::{shown}`", layer.name));
        }
    }
    faults
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("the source folder is readable");
    for entry in entries {
        let path = entry.expect("a folder entry is readable").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn every_source_keeps_to_its_layer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    assert!(files.len() > 10, "only {} sources found under {}", files.len(), root.display());
    let mut all = Vec::new();
    for file in &files {
        let path = file.strip_prefix(&root).expect("found under the root").to_string_lossy().into_owned();
        all.extend(faults(&path, &fs::read_to_string(file).expect("a source is readable text")));
    }
    assert!(all.is_empty(), "{} faults\n{}", all.len(), all.join("\n"));
}

#[test]
fn the_reader_sees_what_it_should() {
    let long = format!("//! x\nfn f() {{\n{}}}\n", "    x();\n".repeat(MAX_FUNCTION));
    let cases: &[(&str, &str, &str)] = &[
        ("core/a.rs", "use std::fs;\n", "begin with"),
        ("core/a.rs", "//! x\nuse std::fs::read;\n", "never says `std::fs`"),
        ("core/a.rs", "//! x\nuse std::{env, fmt};\n", "never says `std::env`"),
        ("core/a.rs", "//! x\nuse crate::os::pty;\n", "may not import `crate::os::pty`"),
        ("core/a.rs", "//! x\nuse super::super::wire::Reply;\n", "may not import `crate::wire::Reply`"),
        ("core/a.rs", "//! x\nuse crate::{os, wire};\n", "may not import `crate::{…}`"),
        ("core/detect/a.rs", "//! x\nuse super::super::super::os::pty;\n", "may not import"),
        ("dashboard/a.rs", "//! x\nuse crate::os::pty::open;\n", "may not import"),
        ("wire/a.rs", "//! x\nfn f() { let _ = \"}\"; g().unwrap(); }\n", "unwrap"),
        ("wire/a.rs", &long, "a function of"),
        ("stray.rs", "//! x\n", "no layer"),
    ];
    for (path, source, want) in cases {
        let got = faults(path, source).join("\n");
        assert!(got.contains(want), "{path}: wanted {want:?}, got {got:?}\n{source}");
    }
    let file = format!("//! x\n{}", "const A: u8 = 0;\n".repeat(MAX_FILE));
    assert!(faults("core/a.rs", &file)[0].contains("lines outside tests"));
}

#[test]
fn the_reader_lets_pass_what_is_allowed() {
    let cases = [
        ("core/a.rs", "//! x\n// std::fs is for others.\nconst A: &str = r#\"use tokio \"{ \"#;\n"),
        ("core/a.rs", "//! x\nfn f<'a>(c: &'a char) -> bool { *c == '\"' || *c == '{' || *c == '\\'' }\n"),
        (
            "core/a.rs",
            "//! x\n#[cfg(test)]\nmod tests {\n    use std::fs;\n    fn f() { fs::x().unwrap(); }\n}\n",
        ),
        ("core/a.rs", "//! x\n#[cfg(test)]\n#[path = \"a_tests.rs\"]\nmod tests;\nuse super::grid;\n"),
        ("core/detect/a.rs", "//! x\nuse super::super::grid;\nuse crate::core::terminal::keys;\n"),
        ("dashboard/a.rs", "//! x\nuse crate::os::socket::Connection;\n"),
        ("core/tokio_like.rs", "//! x\nfn tokio_like() {}\n"),
    ];
    for (path, source) in cases {
        assert_eq!(faults(path, source), Vec::<String>::new(), "{source}");
    }
}

/// Every source outside tests, by its path below `src/`, with what is not code blanked out.
fn all_code() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let texts = files.iter().filter_map(|file| {
        let path = file.strip_prefix(&root).expect("found under the root").to_string_lossy().into_owned();
        let text = fs::read_to_string(file).expect("a source is readable text");
        (!path.ends_with("_tests.rs")).then(|| (path, code(&text).text))
    });
    texts.collect()
}

/// The module a file holds, as path segments.
fn module_of(path: &str) -> Vec<String> {
    let inside = path.trim_end_matches(".rs").trim_end_matches("/mod");
    let root = matches!(inside, "lib" | "main" | "mod");
    if root { Vec::new() } else { inside.split('/').map(str::to_owned).collect() }
}

/// One `use`, its groups spread out: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn spread(prefix: &str, tree: &str, into: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((outer, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        return into.push(format!("{prefix}{path}"));
    };
    let inner = rest.trim_end().trim_end_matches('}');
    let (mut depth, mut from) = (0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[from..at].trim().is_empty() {
                    spread(&format!("{prefix}{}", outer.trim()), &inner[from..at], into);
                }
                from = at + 1;
            }
            _ => {}
        }
    }
}

/// The paths a file names: those of its `use` lines, and those it writes out.
fn named_paths(text: &str) -> (Vec<String>, Vec<(String, String)>) {
    let (mut paths, mut exported) = (Vec::new(), Vec::new());
    for at in positions(text, "use") {
        let end = text[at..].find(';').map_or(text.len(), |offset| at + offset);
        let mut own = Vec::new();
        spread("", &text[at + 3..end], &mut own);
        let line = text[..at].rfind('\n').map_or(0, |start| start + 1);
        if text[line..at].trim_start().starts_with("pub") {
            let name = |path: &String| path.rsplit("::").next().unwrap_or_default().to_owned();
            exported.extend(own.iter().map(|path| (name(path), path.clone())));
        }
        paths.extend(own);
    }
    for start in ["crate::", "super::", "self::"] {
        for at in positions(text, start.trim_end_matches("::")) {
            let path = path_after(&text[at..]);
            // What a group stands for was spread out above.
            if path.starts_with(start) && !path.ends_with("::") && !text[..at].ends_with("::") {
                paths.push(path);
            }
        }
    }
    paths.extend(children_named(text));
    (paths, exported)
}

/// The paths that begin with a module declared there, as `view::draw` does in the file that says `mod view;`.
fn children_named(text: &str) -> Vec<String> {
    let declared = positions(text, "mod").filter_map(|at| {
        let (name, _) = text[at + 3..].split_once(';')?;
        let name = name.trim();
        (!name.is_empty() && name.chars().all(is_word)).then_some(name)
    });
    let named = |name| {
        let bare = positions(text, name).filter(|at| !text[..*at].ends_with("::"));
        let paths = bare.map(|at| path_after(&text[at..])).filter(|path| path.contains("::"));
        paths.map(|path| format!("self::{path}")).collect::<Vec<String>>()
    };
    declared.flat_map(named).collect()
}

/// Which file each file needs, `super`, `crate` and re-exports resolved. That a module declares its children is
/// where they stand, not what it needs.
fn needs(texts: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let modules: BTreeMap<Vec<String>, &str> =
        texts.keys().filter(|path| *path != "main.rs").map(|path| (module_of(path), path.as_str())).collect();
    let named: BTreeMap<&str, _> =
        texts.iter().map(|(path, text)| (path.as_str(), named_paths(text))).collect();
    let find = |from: &[String], path: &str| -> Option<&str> {
        let (mut from, mut path) = (from.to_vec(), path.to_owned());
        for _ in 0..4 {
            let (mut here, mut rest) = (from.clone(), path.split("::").peekable());
            match *rest.peek()? {
                "crate" => {
                    here.clear();
                    rest.next();
                }
                "self" => drop(rest.next()),
                "super" => {
                    while rest.next_if_eq(&"super").is_some() {
                        here.pop();
                    }
                }
                first => {
                    let child = here.iter().cloned().chain([first.to_owned()]).collect::<Vec<_>>();
                    modules.get(&child)?;
                }
            }
            while let Some(next) = rest.peek() {
                let child = here.iter().cloned().chain([(*next).to_owned()]).collect::<Vec<_>>();
                if !modules.contains_key(&child) {
                    break;
                }
                here = child;
                rest.next();
            }
            let file = *modules.get(&here)?;
            let exported = rest.next().and_then(|name| named[file].1.iter().find(|(own, _)| own == name));
            let Some((_, further)) = exported else { return Some(file) };
            (from, path) = (here, further.clone());
        }
        None
    };
    named
        .iter()
        .map(|(path, (paths, _))| {
            let module = module_of(path);
            let files = paths.iter().filter_map(|named| find(&module, named)).filter(|file| file != path);
            (*path, files.collect())
        })
        .collect()
}

/// Files that need one another, around however many corners.
fn circles<'a>(needs: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<Vec<&'a str>> {
    let reach = |from: &'a str| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(file) = next.pop() {
            next.extend(needs.get(file).into_iter().flatten().copied().filter(|file| seen.insert(*file)));
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> = needs.keys().map(|file| (*file, reach(file))).collect();
    let knot = |file: &&'a str| -> Vec<&'a str> {
        reach[file]
            .iter()
            .copied()
            .filter(|other| reach.get(other).is_some_and(|back| back.contains(file)))
            .collect()
    };
    reach.keys().map(knot).filter(|knot| knot.len() > 1).collect()
}

#[test]
fn no_file_imports_what_imports_it() {
    let texts = all_code();
    let found = circles(&needs(&texts));
    assert!(found.is_empty(), "files that can only be read together: {found:#?}");
}

#[test]
fn the_reader_of_imports_sees_circles() {
    let texts = [
        ("lib.rs", "pub mod a; pub mod b; pub mod c; pub mod d; pub mod e;"),
        ("a/mod.rs", "pub mod one; pub use one::Thing;"),
        ("a/one.rs", "use crate::b::{x, y::Z};"),
        ("b.rs", "use crate::a::Thing;"),
        ("c.rs", "fn f() { crate::a::one::g(); }"),
        ("d/mod.rs", "pub mod one; use self::one::{f, g};"),
        ("d/one.rs", "use super::super::a::{one, Thing}; use crate::d::{one::h};"),
        ("e/mod.rs", "mod inner; fn f() { inner::g(); }"),
        ("e/inner.rs", "use super::f;"),
    ];
    let texts = texts.map(|(path, text)| (path.to_owned(), text.to_owned())).into_iter().collect();
    let needs = needs(&texts);
    assert_eq!(
        circles(&needs),
        BTreeSet::from([vec!["a/one.rs", "b.rs"], vec!["e/inner.rs", "e/mod.rs"]]),
        "{needs:?}"
    );
}

#[test]
fn the_hub_is_small_enough_to_be_read() {
    let texts = all_code();
    let hub = &texts["server/hub/mod.rs"];
    let at = hub.find("pub struct Hub {").expect("the hub stands in its file");
    let body = &hub[at..item_end(hub, at)];
    let fields = body.lines().skip(1).filter(|line| line.trim_end().ends_with(',')).count();
    assert!((1..=MAX_HUB_FIELDS).contains(&fields), "{fields} fields");
    let mut methods = 0;
    for text in texts.values() {
        for (at, _) in text.match_indices("impl Hub {") {
            methods += positions(&text[at..item_end(text, at)], "fn").count();
        }
    }
    assert!((1..=MAX_HUB_METHODS).contains(&methods), "{methods} methods");
}
