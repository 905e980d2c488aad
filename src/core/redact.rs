//! Takes out of a text what a consultant has no business with: secrets, control characters, direction
//! marks.
//!
//! `core/consult.rs` passes everything through here that it did not write itself.

use std::sync::LazyLock;

use regex::Regex;

use super::fold::is_invisible;

/// What stands where a secret stood.
const REMOVED: &str = "[removed]";

/// Shapes of secrets. Each takes the whole secret, or has it as the group `secret`.
static SECRETS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let patterns = [
        // Keys and tokens by their issuers' prefixes.
        r"\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{8,}",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})",
        r"\bxox[abeprs]-[A-Za-z0-9-]{8,}",
        r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
        r"\bAIza[A-Za-z0-9_-]{8,}",
        r"\b(?:npm_[A-Za-z0-9]{20,}|pypi-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{16,}|[rsp]k_(?:live|test)_[A-Za-z0-9]{8,})",
        // JSON web tokens.
        r"\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*",
        // Private keys, to their end or the end of the text.
        r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
        // Bearer headers, and passwords in addresses.
        r"(?i)\b(?:bearer|basic)\s+(?P<secret>[A-Za-z0-9+/_.=~-]{12,})",
        r"\b[a-z][a-z0-9+.-]*://[^\s/:@]*:(?P<secret>[^\s/@]+)@",
        // `API_KEY=…`, `"password": "…"`, `export TOKEN='…'`: a name that says so, and its value.
        r#"(?im)(?:^|[\s,{(;])["']?[A-Z0-9_.-]*(?:api[_-]?key|secret|token|passwo?r?d|passphrase|credential|private[_-]?key)[A-Z0-9_]*["']?\s*[:=]\s*(?P<secret>"[^"\n]{3,}"|'[^'\n]{3,}'|[^\s"',;{}]{6,})"#,
    ];
    patterns
        .iter()
        .map(|pattern| Regex::new(pattern).expect("the patterns are constant and tested"))
        .collect()
});

/// The text without secrets.
pub fn secrets(text: &str) -> String {
    let mut clean = text.to_owned();
    for pattern in SECRETS.iter() {
        clean = pattern
            .replace_all(&clean, |found: &regex::Captures| {
                let whole = &found[0];
                match found.name("secret") {
                    Some(secret) => whole.replacen(secret.as_str(), REMOVED, 1),
                    None => REMOVED.to_owned(),
                }
            })
            .into_owned();
    }
    clean
}

/// The text without control characters (line feeds and tabs stay) and without what is invisible.
pub fn controls(text: &str) -> String {
    let keep = |ch: &char| (!ch.is_control() || matches!(ch, '\n' | '\t')) && !is_invisible(*ch);
    text.chars().filter(keep).collect()
}

/// Both, controls first: a secret must not hide behind a zero-width blank.
pub fn clean(text: &str) -> String {
    secrets(&controls(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_every_shape_are_removed() {
        let list = [
            "sk-ant-api03-abcdefghijklmnop",
            "sk-proj-abcdefgh12345678",
            "ghp_abcdefghijklmnopqrstuvwx",
            "github_pat_11ABCDEFG0abcdefghijkl",
            "glpat-abcdefghijklmnopqrst",
            "xoxb-123456789-abcdef",
            "AKIAIOSFODNN7EXAMPLE",
            "AIzaSyA-abcdefghijkl",
            "npm_abcdefghijklmnopqrstuvwxyz",
            "hf_abcdefghijklmnopqr",
            "sk_live_abcdefgh1234",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\nMIIEcut off",
            "s\u{200b}k-ant-api03-abcdefghijklmnop",
        ];
        for secret in list {
            let text = clean(&format!("before {secret} after"));
            assert!(text.contains("[removed]") && text.starts_with("before "), "{secret}: {text}");
            assert!(!text.contains("abcdef") && !text.contains("MIIE"), "{text}");
        }
    }

    #[test]
    fn values_of_telling_names_are_removed_and_the_names_stay() {
        for (text, name) in [
            ("DATABASE_PASSWORD=hunter2hunter2", "DATABASE_PASSWORD="),
            ("export API_KEY='abc-def-ghi'", "API_KEY="),
            ("{\"client_secret\": \"s3cr3t-value\"}", "client_secret"),
            ("Authorization: Bearer abcdefghijklmnop.qrst", "Bearer "),
            ("postgres://app:pa55word@db.example/shop", "postgres://app:"),
        ] {
            let clean = clean(text);
            assert!(clean.contains(name) && clean.contains("[removed]"), "{clean}");
            for secret in ["hunter2", "abc-def", "s3cr3t", "abcdefghij", "pa55word"] {
                assert!(!clean.contains(secret), "{clean}");
            }
        }
    }

    #[test]
    fn ordinary_text_stays() {
        for text in
            ["Which database should I use?", "token count: 12", "the key is under the mat", "a:\tb\nc"]
        {
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn controls_and_direction_marks_go() {
        assert_eq!(controls("a\x1b[31m\u{202e}b\u{200b}\r\nc\x07"), "a[31mb\nc");
    }
}
