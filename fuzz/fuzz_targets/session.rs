//! One agent's session under anything that may reach it: the lives of `tests/session`, found by what they reach.
#![no_main]

#[path = "../../tests/session/world.rs"]
mod world;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| world::live(bytes));
