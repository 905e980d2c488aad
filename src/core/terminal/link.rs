//! Links in a terminal (OSC 8): which a program may put on its screen, and the sequences that write them on another.
//!
//! The emulator's door asks `checked`, whoever paints a screen for a terminal asks `sequence`. An address is the only
//! text of a program that reaches another terminal within a sequence, so nothing may pass that could end one.

use crate::core::terminal::grid::Link;

/// Bytes of an address. Longer ones carry data, not places; terminals cut at about twice this.
const LONGEST: usize = 1024;
/// Bytes of a program's own name for a link.
const LONGEST_ID: usize = 100;
/// Kinds of address that a terminal may be asked to open: none of them runs anything by itself.
const SCHEMES: [&str; 6] = ["http", "https", "ftp", "mailto", "file", "ssh"];

/// The link, unless it is one that must not be shown.
pub fn checked(id: &str, uri: &str) -> Option<Link> {
    let (scheme, rest) = uri.split_once(':')?;
    let known = SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let graphic = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    let short = uri.len() <= LONGEST && id.len() <= LONGEST_ID;
    let sound = known && !rest.is_empty() && short && graphic(uri) && graphic(id);
    sound.then(|| Link { id: id.into(), uri: uri.into() })
}

/// What begins a link, or ends one. `number` names it for the terminal, so that pieces of it written at different
/// times are one link there.
pub fn sequence(link: Option<(&Link, u16)>) -> String {
    match link {
        Some((link, number)) => format!("\x1b]8;id=c{number};{}\x1b\\", link.uri),
        None => "\x1b]8;;\x1b\\".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_a_place_and_carries_nothing_else() {
        assert!(checked("", "https://example.org/a?b=c;d#e").is_some());
        assert!(checked("7", "file:///src/lib.rs").is_some());
        for bad in [
            "",
            "https:",
            "example.org",
            "javascript:alert(1)",
            "https://a\x1b\\b",
            "https://a b",
            "https://ä",
        ] {
            assert_eq!(checked("", bad), None, "{bad:?} was taken");
        }
        assert_eq!(checked("", &format!("https://{}", "a".repeat(2000))), None);
        assert_eq!(checked("a\x07b", "https://example.org"), None);
    }
}
