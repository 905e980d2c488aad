//! What may not leave a screen or a file towards a consultant: control characters, and secrets.
//!
//! `core/consult/mod.rs` passes everything it quotes through here, in this order: clean, then redact. It
//! removes too much rather than too little, and never looks anything up.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::core::question::normalize::invisible;

/// Stands where a secret stood.
pub const REMOVED: &str = "[secret removed]";

/// Escape sequences that files and programs' output carry: CSI, OSC and other strings, two-byte ones.
static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]|\x{9b}[0-?]*[ -/]*[@-~]",
    )
});

/// Stands for a token until all of them are found.
const TOKEN: char = '\u{1}';

/// A token that goes on in the next line: a terminal breaks them anywhere, also within a box.
static TOKEN_ENDS: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"{TOKEN}(?:[ \t]*[│|]?[ \t]*\n[ \t│|]*[0-9A-Za-z_=+/.-]{{6,}})?")));

/// Tokens known by their form.
static TOKENS: LazyLock<Regex> = LazyLock::new(|| {
    let forms = [
        r"sk-ant-[\w-]{4,}",
        r"\bsk-(?:proj-|svcacct-|or-v1-)?[\w-]{16,}",
        r"\b(?:sk|rk|pk)_(?:live|test)_\w{8,}",
        r"\bwhsec_\w{8,}",
        r"\bgh[pousr]_\w{10,}",
        r"\bgithub_pat_\w{16,}",
        r"\bgl(?:pat|dt|rt|ptt|cbt|soat)-[\w-]{16,}",
        r"\bATATT[\w=-]{20,}",
        r"\bxox[a-z]-[\w-]{8,}",
        r"\bxapp-[\w-]{8,}",
        r"\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{12,}",
        r"\bAIza[\w-]{30,}",
        r"\bya29\.[\w-]{16,}",
        r"\bGOCSPX-[\w-]{16,}",
        r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",
        r"\bnpm_\w{20,}",
        r"\bpypi-[\w-]{20,}",
        r"\bcio\w{24,}",
        r"\bhf_\w{20,}",
        r"\br8_\w{20,}",
        r"\bgsk_\w{20,}",
        r"\bxai-\w{20,}",
        r"\bSG\.[\w-]{12,}\.[\w-]{12,}",
        r"\bkey-[0-9a-f]{24,}",
        r"\bAC[0-9a-f]{32}\b",
        r"\bdo[opr]_v1_\w{16,}",
        r"\bgl[cs]a?_[\w=-]{20,}",
        r"\bhv[sbr]\.[\w-]{16,}",
        r"\bshp(?:at|ca|pa|ss)_\w{16,}",
        r"\bdckr_pat_[\w-]{16,}",
        r"\btfp_\w{20,}",
        r"\blin_api_\w{16,}",
        r"\bntn_\w{20,}",
        r"\bAGE-SECRET-KEY-1\w{16,}",
        r"\bdapi[0-9a-f]{24,}",
        r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.\w{16,}",
        r"\bfm[12]_[\w+/=-]{20,}",
        r"\bfo1_[\w-]{20,}",
        r"\bsbp_\w{20,}",
        r"\bsntry[su]_[\w=+/-]{20,}",
        r"\bNRAK-\w{16,}",
        r"\bPMAK-[\w-]{20,}",
        r"\bpul-\w{20,}",
        r"\bfigd_[\w-]{20,}",
        r"\bsq0[a-z]{3}-[\w-]{20,}",
        r"\bSK[0-9a-f]{32}\b",
        r"\brubygems_\w{20,}",
        r"\bnvapi-[\w-]{20,}",
        r"\bpplx-\w{20,}",
        r"\b\d{8,10}:[\w-]{20,}",
        r"hooks\.slack\.com/services/[\w/]+",
        r"discord(?:app)?\.com/api/webhooks/[\w/-]+",
    ];
    // ASCII letters only: the classes of all scripts would make the pattern a hundred times as large.
    pattern(&format!(r"(?-u:{})", forms.join("|")))
});

/// A private key, to its end or, cut off, to the end of the text.
static KEYS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*-----|\z)")
});

/// The end of one that began above what is to be seen, and lines from the middle of one.
static KEY_ENDS: LazyLock<Regex> = LazyLock::new(|| {
    let edge = r"[ \t│|]*";
    pattern(&format!(
        r"(?m)(?:^{edge}[0-9A-Za-z+/=]{{8,}}{edge}\n)+{edge}-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|(?:^{edge}[0-9A-Za-z+/]{{56,80}}={{0,2}}{edge}(?:\n|\z)){{3,}}"
    ))
});

/// A name and a password in an address, or a key in the place of both. A password may hold what should have been
/// escaped in it; a port and a path that holds an `@` are none.
static ADDRESSES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)(?P<keep>\b[a-z][a-z0-9+.-]*://)(?:[^\s/@:"'<>]*:(?:[^\s/@"'<>0-9][^\s"'<>]*|[^\s/@"'<>]*[^\s/@"'<>0-9][^\s"'<>]*|[0-9]+)@|[^\s/@:"'<>]{20,}@)"#,
    )
});

/// Headers that carry a secret.
static HEADERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)(?P<keep>\b(?:(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|digest)?|bearer|(?:set-)?cookie:|x-[a-z-]*(?:key|token|secret)["']?\s*:)\s+)[^\s"',]{8,}"#,
    )
});

/// A secret by its name, as in `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    let name = r"(?-u:[\w.-]*)(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|account[_-]?key|shared[_-]?key|key-data|signature|credential|auth[_-]?key|oauth2-bearer)s?(?-u:[\w.-]*)|(?-u:[\w.]*)(?:[_-](?:pass|pw)|(?-i:PASS))\b";
    pattern(&format!(
        r#"(?i)(?P<name>{name})["']?(?P<sign>\s*(?:=>|:=|=|:|,)\s*|\s+is\s+|\s+)(?P<value>"[^"\n]*"|'[^'\n]*'|[^\s"',;]+)"#
    ))
});

/// Names and passwords as `.netrc`, `curl -u`, `mysql -p`, SQL, XML and docker's settings write them.
static PAIRS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)(?P<keep>\bmachine\s+\S+\s+login\s+\S+\s+password\s+|\bcurl\b[^\n]{0,200}?[\s"'](?:-u|--user)["']?[\s=,]*["']?[^\s:"']+:|["']auth["']\s*:\s*["']|\bsshpass["']?[\s,]+["']?-p["']?[\s,]*["']?|\b(?:mysql|mariadb)[a-z-]*\b[^\n]{0,200}?[\s"']-p["']?|\bidentified\s+by\s+(?:password\s+)?["']?|\bset\s+(?:password|pass)\s+|<(?:password|passwd|passphrase|secret|token|api-?key)>\s*|[?&](?:sig|key|code)=)[^\s"'&]{4,}"#,
    )
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant that a test compiles")
}

/// Plain text: line ends made alike, no escape sequences, no control characters, nothing invisible or
/// turning the reading direction.
pub fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = ESCAPES.replace_all(&text, "");
    let mut plain = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '\n' | '\u{2028}' | '\u{2029}' | '\u{85}' | '\u{b}' | '\u{c}' => plain.push('\n'),
            '\t' => plain.push_str("    "),
            ch if ch.is_control() || invisible(ch) => {}
            ch => plain.push(ch),
        }
    }
    plain
}

/// The text without what looks like a secret.
pub fn redact(text: &str) -> String {
    let text = KEYS.replace_all(text, REMOVED);
    let text = KEY_ENDS.replace_all(&text, key_end);
    let text = TOKENS.replace_all(&text, TOKEN.to_string());
    let text = ADDRESSES.replace_all(&text, |found: &Captures| format!("{}{REMOVED}@", &found["keep"]));
    let text = HEADERS.replace_all(&text, |found: &Captures| format!("{}{REMOVED}", &found["keep"]));
    let text = PAIRS.replace_all(&text, |found: &Captures| format!("{}{REMOVED}", &found["keep"]));
    let text = without_named(&text);
    // Last: the next line may begin with the name of another secret.
    TOKEN_ENDS.replace_all(&text, REMOVED).into_owned()
}

/// Of variables and their values, the values that are secrets, as their names say.
pub fn known_secrets<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> impl Iterator<Item = String> {
    pairs.filter(|(name, value)| is_secret(name, value)).map(|(_, value)| value.to_owned())
}

/// Shorter values are words, which would be removed wherever they stand.
pub const LEAST_SECRET: usize = 8;
/// The same of what is no word: it has a digit or a sign in it.
const LEAST_MIXED: usize = 5;
/// Names, by their parts, that say what the value is.
const SECRET_NAMES: [&str; 17] = [
    "KEY",
    "APIKEY",
    "TOKEN",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PWD",
    "PW",
    "CREDENTIAL",
    "CREDENTIALS",
    "PAT",
    "AUTH",
    "COOKIE",
    "DSN",
];

/// The same where others stand before them without a mark: PGPASSWORD, DBPASS.
const GLUED_NAMES: [&str; 8] =
    ["PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "SECRET", "TOKEN", "APIKEY", "CREDENTIALS"];

fn is_secret(name: &str, value: &str) -> bool {
    let least = if value.bytes().all(|byte| byte.is_ascii_alphabetic()) { LEAST_SECRET } else { LEAST_MIXED };
    if value.len() < least || value.starts_with(['/', '~', '.', '$']) || value.contains('\n') {
        return false;
    }
    names_a_secret(name) && !value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a variable of this name holds a secret.
pub fn names_a_secret(name: &str) -> bool {
    let upper = name.to_uppercase();
    let part =
        |part: &str| SECRET_NAMES.contains(&part) || GLUED_NAMES.iter().any(|glued| part.ends_with(glued));
    upper.split(|ch: char| !ch.is_alphanumeric()).any(part)
}

/// The text without this value, also where a line ends in the middle of it and `seam` begins the next.
pub fn without(text: &str, secret: &str, seam: &str) -> String {
    if REMOVED.contains(secret) {
        return text.to_owned();
    }
    let mut out = text.replace(secret, REMOVED);
    // Both its halves must be long enough to be no chance.
    for (at, _) in secret.char_indices() {
        if at.min(secret.len() - at) >= LEAST_SECRET / 2 {
            out = out.replace(&format!("{}{seam}{}", &secret[..at], &secret[at..]), REMOVED);
        }
    }
    out
}

/// A text as it may stand in a log or be told elsewhere: without what looks like a secret, and without these values.
pub fn withheld(text: &str, secrets: &[String]) -> String {
    let known = |text: String, secret: &String| without(&text, secret, "\n");
    // These first: a token's form would take the beginning of one in the next line for its own end.
    redact(&secrets.iter().filter(|secret| !secret.is_empty()).fold(text.to_owned(), known))
}

fn key_end(found: &Captures) -> String {
    let line_end = if found[0].ends_with('\n') { "\n" } else { "" };
    let both_cases = found[0].contains(char::is_uppercase) && found[0].contains(char::is_lowercase);
    // A list of checksums is none.
    if both_cases { format!("{REMOVED}{line_end}") } else { found[0].to_owned() }
}

/// Without the values that their names call secrets. What stands behind a name and is none may be the name of another one.
fn without_named(text: &str) -> String {
    let (mut out, mut kept, mut at) = (String::with_capacity(text.len()), 0, 0);
    while let Some(found) = NAMED.captures_at(text, at) {
        let group = |group| found.name(group).expect("each is part of every match");
        let (name, sign, value) = (group("name"), group("sign"), group("value"));
        at = name.end();
        if secret(name.as_str(), sign.as_str(), value.as_str()) {
            out.push_str(&text[kept..value.start()]);
            out.push_str(REMOVED);
            (kept, at) = (value.end(), value.end());
        }
    }
    out.push_str(&text[kept..]);
    out
}

/// Whether what stands behind such a name is a secret and not a type, a variable or prose.
fn secret(name: &str, sign: &str, value: &str) -> bool {
    let quoted = value.starts_with(['"', '\'']);
    let bare = value.trim_matches(['"', '\'']);
    let reference = bare.starts_with(['$', '<', '%', '[', '{', '(', '*']) || bare.is_empty();
    if reference || bare.contains(REMOVED) || bare.contains(TOKEN) {
        return false;
    }
    if sign.trim() == "," {
        // `["--token", "abc…"]`, but not a list of options.
        return name.starts_with("--") && quoted && bare.len() >= 6 && !bare.starts_with('-');
    }
    if sign.trim().is_empty() {
        // `--token abc…`, but not "the token store".
        return name.starts_with("--") && bare.len() >= 6;
    }
    let shouted = name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase);
    let mixed = bare.chars().any(|c| c.is_ascii_digit()) && !bare.chars().all(|c| c.is_ascii_digit());
    let call = bare.contains(['(', '<']) || bare.contains("::");
    if quoted || shouted && sign.trim() == "=" {
        return bare.len() >= 4;
    }
    bare.len() >= 6 && mixed && !call || (sign.trim() == "=" && sign == "=" && bare.len() >= 6 && !call)
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
