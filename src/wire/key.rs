//! The binary form of one key: the payload of a `KIND_KEY` frame.
//!
//! `wire/frame.rs` calls it for a `Request::Keys` of a single key that is pressed, which is what a person at a keyboard
//! sends, and whose echo they wait for: reading and writing it as JSON takes longer than all else that is done for it.
//! Whatever else can be typed (pastes, the mouse, several keys) goes as JSON.
//!
//! Numbers and texts are as in `wire/binary.rs`:
//! ```text
//! key = id agent:text mods:u8 code     code: a Unicode scalar value, or behind the last of them a key by its number
//! ```

use crate::core::terminal::keys::{Action, Input, Key, KeyPress, Mods};

use super::binary::{LARGEST, Unread, number, text};
use super::frame::{KIND_KEY, Malformed, Message};
use super::message::{ClientMessage, Request};

/// The first number behind all characters.
const NAMED: usize = char::MAX as usize + 1;
/// F1 is one more.
const FUNCTION: usize = NAMED + 0x20;
/// The keys with names; never renumber them.
const NAMES: [Key; 14] = [
    Key::Enter,
    Key::Esc,
    Key::Tab,
    Key::Backspace,
    Key::Up,
    Key::Down,
    Key::Left,
    Key::Right,
    Key::Home,
    Key::End,
    Key::PageUp,
    Key::PageDown,
    Key::Insert,
    Key::Delete,
];

/// A project's whole file with hundreds of agents has some ten thousand; each takes a hundred bytes of the server at most.
const MOST_VALUES: usize = 250_000;

impl Message for ClientMessage {
    const MOST_VALUES: usize = MOST_VALUES;

    fn encode_binary(&self, payload: &mut Vec<u8>) -> Option<u8> {
        let Request::Keys { name, input } = &self.request else { return None };
        let [Input::Key(KeyPress { key, mods, action: Action::Press })] = input[..] else { return None };
        let id = usize::try_from(self.id).ok().filter(|id| *id <= LARGEST)?;
        number(id, payload);
        text(name, payload);
        payload.push(mods.0);
        number(code(key), payload);
        Some(KIND_KEY)
    }

    fn decode_binary(kind: u8, payload: &[u8]) -> Option<Result<ClientMessage, Malformed>> {
        (kind == KIND_KEY).then(|| decode(payload))
    }
}

fn code(key: Key) -> usize {
    match key {
        Key::Char(ch) => ch as usize,
        Key::F(number) => FUNCTION + usize::from(number),
        named => {
            NAMED + NAMES.iter().position(|key| *key == named).expect("each key without a value has a number")
        }
    }
}

fn key(code: usize) -> Option<Key> {
    if let Some(number) = code.checked_sub(FUNCTION) {
        return u8::try_from(number).ok().map(Key::F);
    }
    match code.checked_sub(NAMED) {
        Some(number) => NAMES.get(number).copied(),
        None => u32::try_from(code).ok().and_then(char::from_u32).map(Key::Char),
    }
}

fn decode(payload: &[u8]) -> Result<ClientMessage, Malformed> {
    let mut rest = Unread(payload);
    let (id, name, mods) = (rest.number()? as u64, rest.text()?.to_owned(), Mods(rest.byte()?));
    let key = key(rest.number()?).ok_or(Malformed("an unknown key"))?;
    rest.end()?;
    let input = vec![Input::Key(KeyPress { key, mods, action: Action::Press })];
    Ok(ClientMessage { id, request: Request::Keys { name, input } })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pressed(key: Key, mods: u8) -> ClientMessage {
        let input = vec![Input::Key(KeyPress { key, mods: Mods(mods), action: Action::Press })];
        ClientMessage { id: 300, request: Request::Keys { name: "api".into(), input } }
    }

    fn there_and_back(message: &ClientMessage) {
        let mut payload = Vec::new();
        let kind = message.encode_binary(&mut payload).expect("a key has a form of its own");
        assert_eq!(ClientMessage::decode_binary(kind, &payload), Some(Ok(message.clone())));
    }

    #[test]
    fn every_key_comes_back() {
        NAMES.into_iter().for_each(|key| there_and_back(&pressed(key, 4)));
        (0..=u8::MAX).for_each(|number| there_and_back(&pressed(Key::F(number), 0)));
        ['a', '\u{0}', 'ж', '漢', char::MAX]
            .into_iter()
            .for_each(|ch| there_and_back(&pressed(Key::Char(ch), 255)));
    }

    #[test]
    fn what_is_no_single_press_goes_as_json() {
        let request = |input| ClientMessage { id: 1, request: Request::Keys { name: "api".into(), input } };
        let release = KeyPress { action: Action::Release, ..KeyPress::ctrl('c') };
        for input in [
            vec![Input::Key(release)],
            vec![Input::Text("x".into())],
            vec![Input::Key(KeyPress::ctrl('c')), Input::Key(KeyPress::ctrl('c'))],
            vec![],
        ] {
            assert_eq!(request(input).encode_binary(&mut Vec::new()), None);
        }
        let late = ClientMessage { id: 1 << 28, ..pressed(Key::Enter, 0) };
        assert_eq!(late.encode_binary(&mut Vec::new()), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_key_or_refused(payload in prop::collection::vec(any::<u8>(), 0..24)) {
            if let Some(Ok(message)) = ClientMessage::decode_binary(KIND_KEY, &payload) {
                there_and_back(&message);
            }
        }
    }
}
