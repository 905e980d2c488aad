//! Names that a glob may stand for: the shell makes `server.pem` of `serv[e]r.p[e]m` where that file is.
//!
//! `guard.rs` asks for each command, `writers.rs` and `outside.rs` for each word. Pure; quotes are gone by then, so that a quoted pattern
//! counts as one.

use std::sync::LazyLock;

use super::given_command::hidden_pattern;
use crate::core::pattern::Pattern;

/// What a word of braces and sets is followed into; who writes more hides something.
const READINGS: usize = 64;
/// Bytes by which a command may grow that way: each look at it costs as much, and an agent may ask for any.
const MADE: usize = 2048;
/// Letters around a star that make it stand for a name, and not for all there is.
const NAMED: usize = 2;
/// How files of any kind end: `*.json` is everybody's.
const KINDS: [&str; 7] = [".json", ".yml", ".yaml", ".toml", ".conf", ".sqlite", ".db"];

/// Names of files that hold credentials, one of each kind. Hidden ones are known by their pattern alone.
const SECRETS: &str = "shadow sudoers passwd environ id_rsa id_dsa id_ecdsa id_ed25519 server.pem server.key private.key \
    master.key credentials credentials.json secrets.json secrets.yml secrets.toml auth.json oauth_creds.json rclone.conf \
    logins.json key4.db cookies.sqlite terraform.tfstate keyrings cert.p12 cert.pfx release.keystore release.jks \
    passwords.kdbx token tokens.json access_token";

/// Why nobody but a person approves a command: the shell may make the name of a file that holds credentials of one of its words.
pub(super) fn hides_a_secret(command: &[String]) -> Option<&'static str> {
    let filter = filter(command);
    let hides = command.iter().enumerate().any(|(at, word)| filter != Some(at) && may_name_a_secret(word));
    hides.then_some("its pattern may mean files that hold credentials")
}

fn may_name_a_secret(word: &str) -> bool {
    let within = word.contains(".docker/") && is_glob(word);
    hidden_pattern(word) || within || is_glob(word) && (may_be_secret(word) || lies_among_secrets(word))
}

/// jq's options that take no word of their own (jq(1)).
const OF_JQ: &str = "-r -c -s -n -e -S -C -M -j -a -rc -cr -rs -sr -rn -nr -er -re --raw-output --compact-output --slurp \
    --null-input --exit-status --sort-keys --color-output --monochrome-output --join-output --ascii-output --tab";

/// Where jq's filter stands, if the shell makes no file's name of it: what has blanks is quoted, and `.[0]` is no such name.
fn filter(command: &[String]) -> Option<usize> {
    let name = command.first()?.rsplit('/').next()?;
    let is_option = |word: &&String| OF_JQ.split_whitespace().any(|option| option == *word);
    let at = 1 + command.get(1..)?.iter().take_while(is_option).count();
    let filter = ["jq", "gojq", "jaq"].contains(&name).then(|| command.get(at)).flatten()?;
    let is_place = || PLACE.is_match(filter);
    (!filter.starts_with('-') && (filter.contains(' ') || is_place())).then_some(at)
}

static PLACE: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r"^\.(?:[\w.]*\[\d?\])+[\w.]*$"));

/// Whether a pattern that some shells have with brackets stands for a hidden name, anywhere in a line: its brackets end a word
/// for all others.
pub(super) fn hides_by_brackets(line: &str) -> bool {
    EXTENDED.iter().any(|opening| line.match_indices(opening).any(|(at, _)| line[..at].ends_with('.')))
}

/// What some shells take for the beginning of a pattern.
const EXTENDED: [&str; 3] = ["@(", "+(", "!("];

/// Whether the shell may make other words of this one.
pub(super) fn is_glob(word: &str) -> bool {
    word.contains(['*', '?', '[', '{']) || EXTENDED.iter().any(|opening| word.contains(opening))
}

/// The words it is written for: one for each in its braces, and for each letter of a set that names them. `None`: too many.
fn readings(word: &str) -> Option<Vec<String>> {
    let mut open = vec![word.to_owned()];
    let mut done = Vec::new();
    while let Some(word) = open.pop() {
        match parts(&word) {
            Some((_, choices, _)) if choices.len() > READINGS => return None,
            Some((before, choices, after)) => {
                open.extend(choices.iter().map(|choice| format!("{before}{choice}{after}")));
            }
            None => done.push(word),
        }
        if open.len() + done.len() > READINGS {
            return None;
        }
    }
    done.sort_unstable();
    done.dedup();
    Some(done)
}

/// A command with all the words that each of its own may become, one behind the other; `None`: they are its own.
/// `Err`: too many.
pub(super) fn expanded(words: &[String]) -> Result<Option<Vec<String>>, ()> {
    if !words.iter().any(|word| is_glob(word) || word.contains('$')) {
        return Ok(None);
    }
    let mut made: Vec<String> = Vec::new();
    let mut room = words.iter().map(String::len).sum::<usize>() + MADE;
    for word in words {
        for reading in readings(word).ok_or(())?.into_iter().filter(|reading| !reading.is_empty()) {
            room = room.checked_sub(reading.len()).ok_or(())?;
            made.push(reading);
        }
    }
    Ok((made != words).then_some(made))
}

/// What a variable may become within a word: nothing, as those of an empty command line are, or what the word has for that case.
fn variable(word: &str) -> Option<(&str, Vec<String>, &str)> {
    let (before, rest) = word.split_once('$')?;
    let nothing = |length: usize| Some((before, vec![String::new()], &rest[length..]));
    match rest.bytes().next()? {
        b'@' | b'*' | b'!' => nothing(1),
        b'{' => {
            let end = rest.find('}')?;
            let inside = &rest[1..end];
            let name = inside.trim_start_matches(|ch: char| ch.is_alphanumeric() || "_@*!#".contains(ch));
            let value = name.trim_start_matches(':').strip_prefix(['-', '=', '+']);
            Some((
                before,
                value.into_iter().map(str::to_owned).chain([String::new()]).collect(),
                &rest[end + 1..],
            ))
        }
        _ => None,
    }
}

/// The letters or numbers from one to another, as `{a..z}` has them.
fn sequence(inside: &str) -> Option<Vec<String>> {
    let mut ends = inside.split("..");
    let (first, last) = (ends.next()?, ends.next()?);
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let (low, high) = (first.min(last), first.max(last));
        return Some((low..=high).take(READINGS + 1).map(|number| number.to_string()).collect());
    }
    let letter =
        |text: &str| text.bytes().next().filter(|byte| text.len() == 1 && byte.is_ascii_alphabetic());
    let (first, last) = (letter(first)?, letter(last)?);
    Some((first.min(last)..=first.max(last)).map(|byte| char::from(byte).to_string()).collect())
}

/// The first variable, brace or set of letters in a word, with what it may be, and what stands before and behind it.
fn parts(word: &str) -> Option<(&str, Vec<String>, &str)> {
    if let Some(found) = variable(word) {
        return Some(found);
    }
    let set = word.match_indices('[').find_map(|(at, _)| {
        let (letters, after) = word[at + 1..].split_once(']')?;
        let named =
            !letters.is_empty() && letters.chars().all(|ch| ch.is_alphanumeric() || "._/".contains(ch));
        named.then(|| (&word[..at], letters.chars().map(String::from).collect(), after))
    });
    // The innermost: the last that opens before the first that closes.
    let brace = word.find('}').and_then(|end| {
        let start = word[..end].rfind('{')?;
        let inside = &word[start + 1..end];
        let listed = inside.contains(',').then(|| inside.split(',').map(str::to_owned).collect());
        let choices = listed.or_else(|| sequence(inside)).filter(|_| !word[..start].ends_with('$'))?;
        Some((&word[..start], choices, &word[end + 1..]))
    });
    brace.or(set)
}

/// Whether one of its names may be a file that holds credentials.
fn may_be_secret(word: &str) -> bool {
    word.split(['/', '=', ':']).any(|part| SECRETS.split_whitespace().any(|name| may_be(part, name)))
}

/// Hidden folders of a project that hold no credentials.
const OPEN: [&str; 14] = [
    ".",
    "..",
    ".github",
    ".gitlab",
    ".circleci",
    ".venv",
    ".next",
    ".nuxt",
    ".cargo",
    ".claude",
    ".storybook",
    ".husky",
    ".changeset",
    ".vscode",
];

/// Whether the files that it may mean lie where a system, or a program in a home folder, has its credentials: there every name may be
/// one.
fn lies_among_secrets(word: &str) -> bool {
    let path = word.rsplit(['=', ':']).next().unwrap_or(word);
    let known = path.find(['*', '?', '[', '{']).and_then(|at| path[..at].rsplit_once('/'));
    let Some((folder, _)) = known else { return false };
    let system = ["/etc", "/proc", "/run", "/var/run", "/var/lib"];
    let within =
        |root: &str| folder.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let hidden = |part: &str| part.starts_with('.') && !OPEN.contains(&part);
    system.into_iter().any(within) || folder.split('/').any(hidden)
}

/// Whether a part of a path may stand for this name. `*`, `[a-z]*` and `*.json` are everybody's, and stand for no name.
pub(super) fn may_be(part: &str, name: &str) -> bool {
    if !part.contains(['*', '?', '[']) {
        return part == name;
    }
    let begun = KINDS.iter().find_map(|kind| part.strip_suffix(kind)).unwrap_or(part);
    let named = part.contains(['?', '[']) || begun.chars().filter(|ch| *ch != '*').count() >= NAMED;
    named && !is_all(part) && matches(&pieces(&part.to_lowercase()), name.as_bytes())
}

static SEQUENCE: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r"\{\w+\.\.\w+\}"));

/// Whether it is made of signs alone, and so means whatever is there: `?*`, `[a-z]*`, `{.,}*`.
pub(super) fn is_all(part: &str) -> bool {
    let part = &*SEQUENCE.replace_all(part, "?");
    let pieces = pieces(part);
    let letters =
        pieces.iter().any(|piece| matches!(piece, Piece::Letter(byte) if byte.is_ascii_alphanumeric()));
    pieces.contains(&Piece::Many)
        && !letters
        && !part.contains(|ch: char| ch.is_alphabetic() && !ch.is_ascii())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Letter(u8),
    /// One letter of these, a bit each.
    OneOf(u128),
    Many,
}

impl Piece {
    fn fits(self, letter: u8) -> bool {
        match self {
            Piece::Letter(own) => own == letter,
            Piece::OneOf(letters) => letter.is_ascii() && letters >> letter & 1 == 1,
            Piece::Many => true,
        }
    }
}

fn pieces(part: &str) -> Vec<Piece> {
    let bytes = part.as_bytes();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(first) = bytes.get(at) {
        let (piece, length) = match first {
            b'*' => (Piece::Many, 1),
            b'?' => (Piece::OneOf(u128::MAX), 1),
            b'[' => set(&bytes[at + 1..]).map_or((Piece::Letter(b'['), 1), |(set, length)| (set, length + 1)),
            letter => (Piece::Letter(*letter), 1),
        };
        pieces.push(piece);
        at += length;
    }
    pieces
}

/// The letters of a set, whose opening bracket stands before it, and its length with the closing one.
fn set(inside: &[u8]) -> Option<(Piece, usize)> {
    let other = inside.first().is_some_and(|first| b"!^".contains(first));
    let from = usize::from(other);
    // A bracket that comes first is one of the letters.
    let end = from + 1 + inside.get(from + 1..)?.iter().position(|byte| *byte == b']')?;
    let within = &inside[from..end];
    // Of `[:alpha:]` and its like it may be any.
    if within.contains(&b'[') {
        let end = end + inside[end..].iter().take_while(|byte| **byte == b']').count();
        return Some((Piece::OneOf(u128::MAX), end));
    }
    let mut letters = 0;
    for (index, letter) in within.iter().enumerate() {
        let ends = within.get(index + 2).filter(|_| within.get(index + 1) == Some(&b'-'));
        let last = ends.copied().unwrap_or(*letter);
        (*letter..=last).filter(u8::is_ascii).for_each(|letter| letters |= 1 << letter);
    }
    // What is no ASCII letter is in no name here.
    Some((Piece::OneOf(if other { !letters } else { letters }), end + 1))
}

/// By all places of the name that the pieces so far may lead to, so that no pattern costs more than its length.
fn matches(pieces: &[Piece], name: &[u8]) -> bool {
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for piece in pieces {
        if *piece == Piece::Many {
            let first = reached.iter().position(|at| *at).unwrap_or(reached.len());
            reached[first..].fill(true);
            continue;
        }
        for at in (0..name.len()).rev() {
            reached[at + 1] = reached[at] && piece.fits(name[at]);
        }
        reached[0] = false;
    }
    reached[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::guard::command;

    #[test]
    fn no_glob_hides_a_name() {
        for line in [
            "cat serv[e]r.p[e]m",
            "cat serv?r.p?m",
            "cat {server,x}.{pem,txt}",
            "cat server.{p,q}em",
            "cat /etc/shad[o]w",
            "cat /etc/sh[aA]do?",
            "cat /etc/shad*",
            "cat ~/.docker/conf[i]g.json",
            "cat /pro[c]/self/enviro?",
            "head cred*",
            "git show HEAD:.en[v]",
            "git show HEAD:cred[e]ntials",
            "rm -rf ?*",
            "rm -rf {.,}*",
            "rm -rf [a-z]*",
            "rm -rf [!.]*",
            "rm -rf dist ?*",
            "rm -rf ./[a-z]*/",
            "git push --f{o..o}rce origin HEAD:main",
            "git reset --h{a..a}rd",
            "git -{c..c} core.pager=./x log",
            "rm -rf {src,docs,*}",
            "rm -rf {a..z}*",
            "cat server.p{e..e}m",
            "find . -d[e]lete",
            "rg --p[r]e ./x y",
            "cat ~/.docker/c*",
            "npm pub$@lish",
            "npm pub${x}lish",
            "cat server.p$@em",
            "cat ${x:-.env}",
            "cat /etc/${x:-shadow}",
            "make ${x:-SHELL=./evil}",
            "python3 ${x:--c} y",
            "su$@do ls",
            "touch .@(git)/hooks/x",
            "cat *.key",
            "cat certs/*.key",
            "cat *_rsa",
            "cat *hadow",
            "cd /etc && cat s*w",
            "cat p*wd",
            "cat *cret*",
            "cat .env.example/../.env",
            "cat .env.examples",
            "cat .env.sample.local",
            "cp .env.example .env",
            "cat .env.local",
            "jq -n env .[a]",
            "jq .x .[e]nv",
            "jq --args .x .e*",
            "jq -f .[p]rog x",
            "heroku pg:reset DATABASE",
            "cat /etc/*w",
            "cat /proc/self/e*",
            "cat *oken*",
            "cat *.p12",
            "cat ~/.docker/*.json",
            "cd ~/.docker && cat *.json",
            "head ~/.local/share/x/*",
        ] {
            assert!(command(line).is_some(), "{line}");
        }
        for line in [
            "cat *",
            "cat *.json",
            "cat src/*.rs",
            "cat src/{lib,main}.rs",
            "cat log[0-9].txt",
            "cat file?.txt",
            "ls [a-m]*.rs",
            "grep -n x src/*_test.[ch]",
            "rm -f build/*.o",
            "rm -rf build/*",
            "rm [0-9].tmp",
            "rm test?.log",
            "ls {src,tests}/*.rs",
            "wc -l *.{c,h}",
            "grep '[[:space:]]$' x",
            "grep -n 'error:.*' log",
            "grep -c '[0-9]*' x",
            "sed -n 's/[a-z]*//p' x",
            "awk '{print $1,$2}' x",
            "rm -f [0-9]*.tmp",
            "cat *.toml",
            "cat *s.json",
            "ls *.test.js",
            "ls *_test.go",
            "cat s*",
            "ls -la *.yml *.yaml *.conf",
            "cat .env.example",
            "cat ./.env.sample config/.env.template",
            "diff .env.dist .env.example",
            "jq -r '.dependencies | keys[]' package.json",
            "jq '.[0]' x.json",
            "jq '.[] | .name' x.json",
            "git ls-files '*.md'",
            "cat .github/workflows/*.yml",
            "ls ./src/*.rs ../web/*.ts",
            "ls .venv/lib/python3*/",
            "cat /home/u/p/src/*.rs",
            "cd web && cat *.json",
        ] {
            assert_eq!(command(line), None, "{line}");
        }
    }

    #[test]
    fn braces_and_sets_are_followed_as_far_as_they_go() {
        let of = |word: &str| readings(word).unwrap();
        assert_eq!(of("a{b,c}d"), ["abd", "acd"]);
        assert_eq!(of("{a,b{c,d}}"), ["a", "bc", "bd"]);
        assert_eq!(of("p[eE]m"), ["pEm", "pem"]);
        assert_eq!(of("${x}[a-c]"), ["[a-c]"]);
        assert_eq!(of("f{o..o}r{1..2}"), ["for1", "for2"]);
        assert_eq!(of("pub$@lish"), ["publish"]);
        assert_eq!(of("${x:-.env}"), ["", ".env"]);
        assert_eq!(readings(&"{a,b}".repeat(8)), None);
        assert_eq!(readings(&format!("x[{}]", "a".repeat(100_000))), None);
        let long: Vec<String> = (0..100).map(|at| format!("{}{at}{{a,b}}{{c,d}}", "x".repeat(60))).collect();
        assert_eq!(expanded(&long), Err(()));
        assert_eq!(expanded(&["a{b,c}".into()]), Ok(Some(vec!["ab".into(), "ac".into()])));
        assert_eq!(expanded(&["a".into()]), Ok(None));
        assert!(command(&format!("cat {}", "{a,b}".repeat(8))).is_some());
    }

    #[test]
    fn a_glob_is_matched_as_the_shell_does() {
        for (part, name) in
            [("p?m", "pem"), ("[!x]em", "pem"), ("[]p]em", "pem"), ("pe*", "pem"), ("p?m*", "pem")]
        {
            assert!(may_be(part, name), "{part}");
        }
        for (part, name) in [
            ("*", "pem"),
            ("*m", "pem"),
            ("*.json", "credentials.json"),
            ("p?", "pem"),
            ("x*", "pem"),
            ("ä?", "pem"),
            ("[", "pem"),
        ] {
            assert!(!may_be(part, name), "{part}");
        }
    }
}
