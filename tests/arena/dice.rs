//! Chance that one number tells: every choice of the arena comes from here.

/// SplitMix64.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// `path`: what the choices are for, so that each part has its own and none depends on the order in
    /// which parts ask.
    pub fn new(seed: u64, path: &str) -> Dice {
        let mixed = path.bytes().fold(seed ^ 0x5eed, |state, byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
        });
        Dice(mixed)
    }

    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.roll(n) == 0
    }

    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.roll(high - low + 1)
    }

    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.roll(all.len() as u64) as usize]
    }
}
