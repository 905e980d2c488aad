//! Any bytes as key names and as what comes over the socket or a keeper's line; what is read is encoded
//! again the same, and inputs become bytes under any modes.
#![no_main]

use counsel::core::terminal::encode;
use counsel::core::terminal::keys::{Input, KeyPress};
use counsel::core::terminal::modes::Modes;
use counsel::wire::frame::{KIND_JSON, KIND_PICTURE};
use counsel::wire::keeper::{FromKeeper, ToKeeper};
use counsel::wire::{ClientMessage, Decoder, Message, ServerMessage, encode as frame};
use libfuzzer_sys::fuzz_target;

/// The stream as it is, and as the payload of one sound frame of each kind.
fn read<M: Message>(bytes: &[u8]) {
    let framed = |kind| {
        let mut framed = u32::try_from(bytes.len() + 1).expect("inputs are small").to_be_bytes().to_vec();
        framed.push(kind);
        framed.extend_from_slice(bytes);
        framed
    };
    for stream in [bytes.to_vec(), framed(KIND_JSON), framed(KIND_PICTURE)] {
        let mut decoder = Decoder::default();
        for piece in stream.chunks(7) {
            decoder.push(piece);
            while let Ok(Some(message)) = decoder.take::<M>() {
                let once = frame(&message);
                let mut second = Decoder::default();
                second.push(&once);
                let again: Option<M> = second.take().expect("what was encoded is read");
                assert_eq!(once, frame(&again.expect("the frame is whole")));
            }
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    read::<ClientMessage>(bytes);
    read::<ServerMessage>(bytes);
    read::<ToKeeper>(bytes);
    read::<FromKeeper>(bytes);
    let modes = bytes.first().map(|bits| Modes {
        application_cursor: bits & 1 != 0,
        bracketed_paste: bits & 2 != 0,
        mouse_click: bits & 4 != 0,
        mouse_sgr: bits & 8 != 0,
        focus_events: bits & 16 != 0,
        kitty: bits >> 3,
        ..Modes::default()
    });
    let modes = modes.unwrap_or_default();
    if let Ok(input) = serde_json::from_slice::<Input>(bytes) {
        encode::encode(&input, &modes);
    }
    let text = String::from_utf8_lossy(bytes);
    if let Ok(press) = KeyPress::parse(&text) {
        encode::encode(&Input::Key(press), &modes);
    }
    let pasted = encode::encode(&Input::Paste(text.into_owned()), &Modes { bracketed_paste: true, ..modes });
    assert_eq!(pasted.iter().filter(|byte| **byte == 0x1b).count(), 2, "a paste holds its two brackets only");
});
