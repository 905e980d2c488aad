//! The keys that an agent heard: which of them a person typed together, and the words that they leave in a field.
//!
//! The judge asks.

use counsel::demo::truth::Did;

/// From a person's key being asked for to its being read by the agent.
pub const TYPED_US: u64 = 5_000_000;
/// Between a key's being read and what the clock of its asking says, the other way round.
pub const SKEW_US: u64 = 2_000;

/// What stands before and behind a bracketed paste.
const PASTE: &str = "\\x1b[200~";
const PASTED: &str = "\\x1b[201~";

#[derive(Debug, Clone)]
pub struct HeardKey {
    pub us: u64,
    pub bytes: String,
    pub did: Did,
    pub person: bool,
}

/// Marks the keys that a person typed and the agent read together, where it cut them up elsewhere: an Esc and an arrow behind it
/// are two of Esc, a bracket and a letter to it.
pub fn together<'a>(typed: &mut Vec<(u64, String)>, keys: impl Iterator<Item = &'a mut HeardKey>) {
    let mut keys: Vec<&mut HeardKey> = keys.collect();
    for from in 0..keys.len() {
        for count in 2..=4 {
            let Some(read) = keys.get(from..from + count) else { break };
            let bytes: String = read.iter().map(|key| key.bytes.as_str()).collect();
            let when = |us: u64| us.saturating_sub(SKEW_US) <= read[0].us && read[0].us <= us + TYPED_US;
            let same = |two: &[(u64, String)]| {
                two.iter().all(|(us, _)| when(*us)) && bytes == two[0].1.clone() + &two[1].1
            };
            let at_once = read.iter().all(|key| !key.person && key.us < read[0].us + 1_000);
            let cut = read.iter().all(|key| typed.iter().all(|(_, bytes)| *bytes != key.bytes));
            if let Some(at) = typed.windows(2).rposition(same).filter(|_| at_once && cut) {
                typed.drain(at..at + 2);
                keys[from..from + count].iter_mut().for_each(|key| key.person = true);
                break;
            }
        }
    }
}

#[test]
fn keys_of_a_person_that_are_read_together_are_theirs() {
    let heard = |bytes: &str| HeardKey { us: 10, bytes: bytes.into(), did: Did::Stray, person: false };
    let mut keys = ["\\x1b\\x1b", "[", "A", "\\x1b[B"].map(heard);
    let mut typed: Vec<(u64, String)> =
        [(1, "\\x1b"), (2, "\\x1b[A"), (3, "\\x1b[B")].map(|(us, bytes)| (us, bytes.to_owned())).into();
    together(&mut typed, keys.iter_mut());
    assert_eq!(keys.map(|key| key.person), [true, true, true, false]);
    assert_eq!(typed, [(3, "\\x1b[B".to_owned())]);
    // What nobody typed is nobody's.
    let mut keys = ["\\x1b\\x1b", "[", "B"].map(heard);
    together(&mut typed, keys.iter_mut());
    assert!(keys.iter().all(|key| !key.person));
}

/// Lets these keys, as a log shows them, follow the words that stand in a field: what a person's key cuts short is taken
/// back letter by letter. False for a backspace where none stands.
pub fn write(words: &mut String, keys: &str) -> bool {
    let keys = keys.trim_start_matches(PASTE).trim_end_matches(PASTED);
    if keys == "\\x7f" {
        return words.pop().is_some();
    }
    let mut bytes = Vec::new();
    let mut rest = keys.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let (byte, taken) = match (first, behind) {
            (b'\\', [b'x', hex @ ..]) => {
                let digits = hex.get(..2).and_then(|two| std::str::from_utf8(two).ok()).unwrap();
                (u8::from_str_radix(digits, 16).unwrap(), 3)
            }
            (b'\\', [b'r', ..]) => (b'\r', 1),
            (b'\\', [b'n', ..]) => (b'\n', 1),
            (b'\\', [b't', ..]) => (b'\t', 1),
            (b'\\', [itself, ..]) => (*itself, 1),
            (byte, _) => (*byte, 0),
        };
        bytes.push(byte);
        rest = &behind[taken..];
    }
    words.push_str(&String::from_utf8_lossy(&bytes));
    true
}

#[test]
fn words_are_followed_through_backspaces() {
    let mut words = String::new();
    for key in ["Gr", "\\xc3\\xbc", "n \\'", "\\x7f", "\\x7f", "\\x7f", "\\x7f"] {
        assert!(write(&mut words, key));
    }
    assert_eq!(words, "Gr");
    assert!(write(&mut words, "\\x1b[200~\\\\ \\\"a\\r\\x1b[201~"));
    assert_eq!(words, "Gr\\ \"a\r");
    words.clear();
    assert!(!write(&mut words, "\\x7f"));
}
