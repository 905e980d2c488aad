//! Random lives of one agent's session (`session/world.rs`). More of them: `PROPTEST_CASES=100000 cargo test --test session`.

#[path = "session/world.rs"]
mod world;

use proptest::prelude::*;

/// What a program prints that a session does more about than draw it.
const PRINTED: [&str; 10] = [
    "Overwrite? [y/N] ",
    "Project name: ",
    "Password: ",
    "\x1b[H\x1b[2JWhich database?\r\n\u{276f} PostgreSQL\r\n  SQLite\r\n  Redis\r\n",
    "\x1b[?2004h\x1b[H\x1b[2J\u{25cf} Done.\r\n\r\n\u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\r\n\u{276f} \r\n",
    "\x1b[?2026h",
    "\x1b[?2026l",
    "\x1b[?1049h",
    "\x1b[c\x1b[6n",
    "\r\ndone\r\n$ ",
];

/// One act: its kind, its argument, and its text. None of them holds the byte that ends it.
fn act() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![
        3 => (0..PRINTED.len()).prop_map(|at| PRINTED[at].as_bytes().to_vec()),
        1 => proptest::collection::vec(0..=254_u8, 0..40),
    ];
    // Output and time more often than the rest: without them nothing comes of it.
    let kind =
        prop_oneof![2 => Just(0_u8), 2 => Just(2_u8), 2 => Just(3_u8), 1 => Just(4_u8), 6 => 0..=254_u8];
    (kind, 0..=254_u8, text).prop_map(|(kind, with, text)| [vec![kind, with], text].concat())
}

proptest! {
    #[test]
    fn whatever_reaches_a_session_in_any_order_comes_to_an_end(
        profile in 0..=254_u8,
        acts in proptest::collection::vec(act(), 0..40),
    ) {
        let mut life = vec![profile];
        for act in acts {
            life.extend(act);
            life.push(0xff);
        }
        world::live(&life);
    }
}

/// A keeper that dies while an answer is being typed: found by chance, once in some thousand lives.
#[test]
fn an_answer_ends_with_its_program() {
    let acts = [&b"\x00\x00Project name: "[..], b"\x02\x01", b"\x03\xd5", b"\x05\x06"];
    let life: Vec<u8> = acts.iter().flat_map(|act| [act, &b"\xff"[..]].concat()).collect();
    world::live(&[&[84], &life[..]].concat());
}
