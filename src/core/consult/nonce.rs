//! What proves that a reply was written for a question: a word that was told with it and with nothing else.
//!
//! Whatever runs in a terminal can draw there, and what is read off a consultant's screen may be a forgery by a process
//! in its background, or the reply to another question. Who makes one up cannot know the word; who can read what the
//! consultant reads can, and docs/security.md says who that is. The server's hub makes it, `reply.rs` compares it.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// What the server makes its nonces of: random, and told nobody.
pub type NonceKey = [u8; 16];

/// Of the digest, in bytes: 32 bits, of which a forger has two guesses before a person is asked. Longer words are
/// broken by narrow terminals and miscopied by models.
const BYTES: usize = 4;

/// Stands before it in a prompt, and in a reply.
const KEY: &str = "\"nonce\": \"";

/// That of the turn in which a consultant is asked this question.
pub fn nonce(key: &NonceKey, id: &str, turn: u32) -> String {
    let mut digest = Sha256::new();
    digest.update(key);
    digest.update(turn.to_le_bytes());
    digest.update(id.as_bytes());
    let mut word = String::with_capacity(2 * BYTES);
    for byte in digest.finalize().iter().take(BYTES) {
        write!(word, "{byte:02x}").expect("a string takes everything");
    }
    word
}

/// As a prompt says it, for a reply to repeat.
pub fn told(nonce: &str) -> String {
    format!("{KEY}{nonce}\"")
}

/// What a prompt says it is: the last one, since what is quoted stands before it.
pub fn told_in(prompt: &str) -> Option<&str> {
    prompt.rsplit_once(KEY)?.1.split_once('"').map(|(nonce, _)| nonce)
}

/// A reply with the nonce of the prompt it answers, before the last brace of its object.
pub fn signed(reply: &str, prompt: &str) -> String {
    match (told_in(prompt), reply.rsplit_once('}')) {
        (Some(nonce), Some((object, rest))) => format!("{object}, {}}}{rest}", told(nonce)),
        _ => reply.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn each_turn_of_each_question_has_its_own() {
        let all = [
            nonce(&[1; 16], "q1", 1),
            nonce(&[1; 16], "q1", 2),
            nonce(&[1; 16], "q2", 1),
            nonce(&[2; 16], "q1", 1),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(one.len() == 8 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
            assert!(!all[..at].contains(one));
        }
        assert_eq!(nonce(&[1; 16], "q1", 1), all[0]);
    }

    #[test]
    fn what_is_quoted_first_is_not_taken_for_it() {
        let prompt = format!("| \"nonce\": \"deadbeef\"\nadd {} to it", told("5f0c1a2b"));
        assert_eq!(told_in(&prompt), Some("5f0c1a2b"));
        let reply = signed("as said:\n{\"choice\": 2}\n", &prompt);
        assert_eq!(reply, "as said:\n{\"choice\": 2, \"nonce\": \"5f0c1a2b\"}\n");
        assert_eq!((told_in("none"), signed("{}", "none")), (None, "{}".into()));
    }
}
