//! What is written to a terminal, apart from where it is drawn: its letters without what stands between them, and rows that a
//! string took in.
//!
//! A program may colour or place each letter by itself, and whoever else has its terminal open can begin a string (OSC, DCS,
//! APC, PM, SOS) in the middle of what it writes: what follows is then not drawn at all. `Overdrawn` asks both of each block.

use std::borrow::Cow;

use super::effect::{self, ESC};

/// The letters of a block, of which the beginning of a sequence stood at the end of the block before.
pub(super) fn spelled<'a>(begun: &[u8], bytes: &'a [u8]) -> Cow<'a, [u8]> {
    if begun.is_empty() && !bytes.contains(&ESC) {
        return Cow::Borrowed(bytes);
    }
    let all = match begun.is_empty() {
        true => Cow::Borrowed(bytes),
        false => Cow::Owned([begun, bytes].concat()),
    };
    let (mut letters, mut rest) = (Vec::with_capacity(all.len()), &all[..]);
    while !rest.is_empty() {
        let (text, sequence) = rest.split_at(rest.iter().position(|byte| *byte == ESC).unwrap_or(rest.len()));
        letters.extend_from_slice(text);
        rest = &sequence[effect_length(sequence)..];
    }
    Cow::Owned(letters)
}

fn effect_length(sequence: &[u8]) -> usize {
    if sequence.is_empty() { 0 } else { effect::first(sequence, 1).0 }
}

/// The string that output is in, if it is in one.
#[derive(Debug, Default)]
pub(super) struct Strings {
    /// What `ESC` is followed by at its beginning.
    open: Option<u8>,
    /// It has a line end in it …
    line: bool,
    /// … and a blank: no string that is meant as one has both, images and copies in lines of base64 included.
    blank: bool,
    swallowed: bool,
}

impl Strings {
    /// How much of these bytes is the rest of a string that began before.
    pub(super) fn rest(&mut self, bytes: &[u8]) -> Option<usize> {
        let end = effect::string_end(self.open?, bytes);
        self.holds(&bytes[..end.unwrap_or(bytes.len())]);
        if end.is_some() {
            self.open = None;
        }
        // An ESC ends it and begins something of its own.
        end.or(Some(bytes.len())).filter(|length| *length > 0)
    }

    /// A piece as `effect::first` cuts it: a string begins with it, or none.
    pub(super) fn note(&mut self, piece: &[u8]) {
        let [ESC, kind @ (b']' | b'P' | b'_' | b'^' | b'X'), held @ ..] = piece else { return };
        (self.line, self.blank) = (false, false);
        self.holds(held);
        let ended = effect::string_end(*kind, held).is_some();
        self.open = (!ended).then_some(*kind);
    }

    /// The same for output that is not followed piece by piece: nothing but the beginning of a string is looked for, since
    /// a flood is passed here.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        let mut rest = &bytes[self.rest(bytes).unwrap_or(0)..];
        while let Some(begin) = rest.iter().position(|byte| *byte == ESC) {
            rest = &rest[begin..];
            let length = match rest {
                [_, b']' | b'P' | b'_' | b'^' | b'X', ..] => {
                    let (length, _) = effect::first(rest, 1);
                    self.note(&rest[..length]);
                    length
                }
                _ => 1,
            };
            rest = &rest[length..];
        }
    }

    /// Whether one has taken in rows of what was written, since that was last asked.
    pub(super) fn take_swallowed(&mut self) -> bool {
        std::mem::take(&mut self.swallowed)
    }

    fn holds(&mut self, held: &[u8]) {
        self.line |= held.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        self.blank |= held.contains(&b' ');
        self.swallowed |= self.line && self.blank;
    }
}
