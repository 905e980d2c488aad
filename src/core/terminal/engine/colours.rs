//! The colours and attributes that programs set most (SGR), read without the emulator's parser.
//!
//! `engine/text.rs` asks for them. Whatever is not plainly one of them is left to that parser, the whole sequence: nothing
//! here decides what an unusual one means.

use alacritty_terminal::vte::ansi::{Attr, Color, NamedColor, Rgb};

/// Numbers of one sequence: a pair of colours as red, green and blue, and what programs set with them.
const NUMBERS: usize = 16;

/// The eight that have a number of their own, and the same in bright.
const NORMAL: [NamedColor; 8] = [
    NamedColor::Black,
    NamedColor::Red,
    NamedColor::Green,
    NamedColor::Yellow,
    NamedColor::Blue,
    NamedColor::Magenta,
    NamedColor::Cyan,
    NamedColor::White,
];
const BRIGHT: [NamedColor; 8] = [
    NamedColor::BrightBlack,
    NamedColor::BrightRed,
    NamedColor::BrightGreen,
    NamedColor::BrightYellow,
    NamedColor::BrightBlue,
    NamedColor::BrightMagenta,
    NamedColor::BrightCyan,
    NamedColor::BrightWhite,
];

/// What a sequence sets: its numbers, each of which is known.
#[derive(Debug)]
pub struct Attributes {
    numbers: [u16; NUMBERS],
    count: usize,
}

impl Attributes {
    /// Reads what stands between `ESC [` and `m`.
    pub fn read(parameters: &[u8]) -> Option<Attributes> {
        let (mut numbers, mut count) = ([0; NUMBERS], 0);
        for field in parameters.split(|byte| *byte == b';') {
            *numbers.get_mut(count)? = number(field)?;
            count += 1;
        }
        let read = Attributes { numbers, count };
        (read.iter().map(|(_, taken)| taken).sum::<usize>() == count).then_some(read)
    }

    /// What is set, in this order, each with how many numbers say so; it ends at what is not known.
    pub fn iter(&self) -> impl Iterator<Item = (Attr, usize)> {
        let mut rest = &self.numbers[..self.count];
        std::iter::from_fn(move || {
            let (attr, taken) = attribute(rest)?;
            rest = &rest[taken..];
            Some((attr, taken))
        })
    }
}

/// Up to three digits; none at all are a zero.
fn number(digits: &[u8]) -> Option<u16> {
    let all = digits.len() <= 3 && digits.iter().all(u8::is_ascii_digit);
    all.then(|| digits.iter().fold(0, |number, digit| number * 10 + u16::from(digit - b'0')))
}

/// What the first of these numbers sets, and how many belong to it.
fn attribute(numbers: &[u16]) -> Option<(Attr, usize)> {
    let first = *numbers.first()?;
    let named = |from: u16, names: [NamedColor; 8]| Color::Named(names[usize::from(first - from)]);
    let attr = match first {
        0 => Attr::Reset,
        1 => Attr::Bold,
        2 => Attr::Dim,
        3 => Attr::Italic,
        4 => Attr::Underline,
        7 => Attr::Reverse,
        22 => Attr::CancelBoldDim,
        23 => Attr::CancelItalic,
        24 => Attr::CancelUnderline,
        27 => Attr::CancelReverse,
        30..=37 => Attr::Foreground(named(30, NORMAL)),
        39 => Attr::Foreground(Color::Named(NamedColor::Foreground)),
        40..=47 => Attr::Background(named(40, NORMAL)),
        49 => Attr::Background(Color::Named(NamedColor::Background)),
        90..=97 => Attr::Foreground(named(90, BRIGHT)),
        100..=107 => Attr::Background(named(100, BRIGHT)),
        38 => return colour(&numbers[1..]).map(|(colour, taken)| (Attr::Foreground(colour), taken + 1)),
        48 => return colour(&numbers[1..]).map(|(colour, taken)| (Attr::Background(colour), taken + 1)),
        _ => return None,
    };
    Some((attr, 1))
}

/// One of 256 colours, or red, green and blue.
fn colour(numbers: &[u16]) -> Option<(Color, usize)> {
    let byte = |number: u16| u8::try_from(number).ok();
    match *numbers {
        [5, index, ..] => Some((Color::Indexed(byte(index)?), 2)),
        [2, r, g, b, ..] => Some((Color::Spec(Rgb { r: byte(r)?, g: byte(g)?, b: byte(b)? }), 4)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use alacritty_terminal::vte::ansi::{Handler, Processor};

    use super::super::Unbuffered;
    use super::*;

    #[derive(Default)]
    struct Told(Vec<Attr>);

    impl Handler for Told {
        fn terminal_attribute(&mut self, attr: Attr) {
            self.0.push(attr);
        }
    }

    /// What the emulator's own parser makes of it.
    fn by_parser(parameters: &str) -> Vec<Attr> {
        let (mut told, mut parser) = (Told::default(), Processor::<Unbuffered>::new());
        parser.advance(&mut told, format!("\x1b[{parameters}m").as_bytes());
        told.0
    }

    fn read(parameters: &str) -> Option<Vec<Attr>> {
        Attributes::read(parameters.as_bytes()).map(|read| read.iter().map(|(attr, _)| attr).collect())
    }

    #[test]
    fn what_is_read_is_what_the_parser_reads() {
        let numbers = || (0..=300).chain([999]);
        let single = numbers().map(|number| number.to_string());
        let pairs = numbers().map(|number| format!("1;{number};4"));
        let indexed = numbers().flat_map(|number| [format!("38;5;{number}"), format!("48;5;{number};7")]);
        let mixed = numbers().map(|number| format!("38;2;{number};2;3;48;2;4;{number};6"));
        let odd = ["", ";", "1;", ";;1", "38", "38;5", "38;2;1;2", "38;7;1", "0001", "4:3", "38:2::1:2:3"];
        let odd = odd.into_iter().map(str::to_owned);
        let mut known = 0;
        for parameters in single.chain(pairs).chain(indexed).chain(mixed).chain(odd) {
            if let Some(read) = read(&parameters) {
                assert_eq!(read, by_parser(&parameters), "{parameters:?}");
                known += 1;
            }
        }
        assert!(known > 800, "{known}");
    }

    #[test]
    fn what_is_unusual_is_left_to_the_parser() {
        for parameters in
            ["4:3", "38:5:1", "58;5;1", "5", "21", "38;5", "38;5;256", "38", "1000", "0001", "1;38;6"]
        {
            assert!(read(parameters).is_none(), "{parameters:?}");
        }
        let long = "1;".repeat(NUMBERS) + "1";
        assert!(read(&long).is_none());
    }
}
