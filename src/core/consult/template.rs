//! A person's own words around a prompt's data: `[consult] template`.
//!
//! The configuration checks one as it is read; `brief.rs` fills its places. It knows no question.

/// Longest template: a page or two of house rules; files that go along are named in `context`.
const TEMPLATE_BYTES: usize = 16 * 1024;

/// Names a template may write between double braces.
const PLACES: [&str; 11] = [
    "id",
    "agent",
    "role",
    "seconds",
    "question",
    "subject",
    "options",
    "task",
    "context",
    "decisions",
    "screen",
];

/// Whether a template can be used, and if not, why.
pub fn check_template(template: &str) -> Result<(), String> {
    if template.len() > TEMPLATE_BYTES {
        return Err(format!("it is longer than {TEMPLATE_BYTES} bytes"));
    }
    for needed in ["question", "options"] {
        if !pieces(template).any(|piece| piece == Piece::Place(needed)) {
            return Err(format!("it does not say where the {needed} stands; write {{{{{needed}}}}}"));
        }
    }
    match pieces(template).find_map(|piece| if let Piece::Unknown(name) = piece { Some(name) } else { None })
    {
        Some(name) => Err(format!("it names {{{{{name}}}}}, which is none of {}", PLACES.join(", "))),
        None => Ok(()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Words(&'a str),
    Place(&'static str),
    Unknown(&'a str),
}

/// A template's words and places, in order. What is filled in is never looked at again.
pub(super) fn pieces(template: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(open) = rest.find("{{") else { return Some(Piece::Words(std::mem::take(&mut rest))) };
        if open > 0 {
            let (words, tail) = rest.split_at(open);
            rest = tail;
            return Some(Piece::Words(words));
        }
        let Some(close) = rest.find("}}") else { return Some(Piece::Words(std::mem::take(&mut rest))) };
        let name = rest[2..close].trim();
        rest = &rest[close + 2..];
        let place = PLACES.iter().find(|place| **place == name);
        Some(place.map_or(Piece::Unknown(name), |place| Piece::Place(place)))
    })
}
