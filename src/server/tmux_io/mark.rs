//! Finds the mark of an agent's end in what its pane prints, and takes it out.
//!
//! tmux cuts output where it likes: a mark may come in pieces.

use crate::core::tmux::END_OF_OUTPUT;

#[derive(Debug, Default)]
pub struct Mark {
    seen: bool,
    /// The beginning of what may become the mark; it begins with a byte that programs do not print.
    partial: Vec<u8>,
}

impl Mark {
    pub fn seen(&self) -> bool {
        self.seen
    }

    /// The output in these bytes, and whether the mark was in them.
    pub fn take(&mut self, bytes: Vec<u8>) -> (Vec<u8>, bool) {
        let mut bytes = [std::mem::take(&mut self.partial), bytes].concat();
        let length = END_OF_OUTPUT.len();
        if let Some(at) = bytes.windows(length).position(|window| window == END_OF_OUTPUT) {
            bytes.drain(at..at + length);
            self.seen = true;
            return (bytes, true);
        }
        let begun = (1..length.min(bytes.len() + 1)).rev();
        let begun = begun.into_iter().find(|count| bytes.ends_with(&END_OF_OUTPUT[..*count]));
        self.partial = bytes.split_off(bytes.len() - begun.unwrap_or(0));
        (bytes, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_found_wherever_it_is_cut() {
        let whole = [b"last words".as_slice(), END_OF_OUTPUT, b"of a child"].concat();
        for cut in 0..=whole.len() {
            let mut mark = Mark::default();
            let (first, before) = mark.take(whole[..cut].to_vec());
            let (second, after) = mark.take(whole[cut..].to_vec());
            assert_eq!([first, second].concat(), b"last wordsof a child", "cut at {cut}");
            assert!(mark.seen() && before != after, "cut at {cut}");
        }
    }

    #[test]
    fn what_only_begins_like_it_is_output() {
        let mut mark = Mark::default();
        assert_eq!(mark.take(b"a\x18\x1b]7".to_vec()), (b"a".to_vec(), false));
        assert_eq!(mark.take(b"8b".to_vec()), (b"\x18\x1b]78b".to_vec(), false));
    }
}
