//! What a terminal says of its background's colour.
//!
//! `decode.rs` reads the reply out of its input, the dashboard takes a theme for it. Pure.

/// Whether the background that such a reply names is nearer to white than to black: `OSC 11 ; rgb:RRRR/GGGG/BBBB` with one to four
/// digits for each, as XParseColor takes them, without its end.
pub fn is_light(reply: &[u8]) -> Option<bool> {
    let colour = std::str::from_utf8(reply.strip_prefix(b"\x1b]11;rgb:")?).ok()?;
    let parts = colour.split('/').map(thousandths).collect::<Option<Vec<u32>>>()?;
    let [red, green, blue] = parts[..] else { return None };
    // How bright each is to the eye, in thousandths (ITU-R BT.601).
    Some((299 * red + 587 * green + 114 * blue) / 1000 > 500)
}

/// A part of a colour, of the most that so many digits can say.
fn thousandths(digits: &str) -> Option<u32> {
    let digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(digits)?;
    let most = match digits.len() {
        1 => 0xf,
        2 => 0xff,
        3 => 0xfff,
        4 => 0xffff,
        _ => return None,
    };
    Some(u32::from_str_radix(digits, 16).ok()? * 1000 / most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_background_is_light_or_dark_or_not_told() {
        let light = |text: &str| is_light(text.as_bytes());
        for white in
            ["rgb:ffff/ffff/ffff", "rgb:ff/ff/ff", "rgb:f/f/f", "rgb:fdfd/f6f6/e3e3", "rgb:ffff/ffff/0000"]
        {
            assert_eq!(light(&format!("\x1b]11;{white}")), Some(true), "{white}");
        }
        for black in ["rgb:0000/0000/0000", "rgb:1e1e/1e1e/2e2e", "rgb:00/00/ff"] {
            assert_eq!(light(&format!("\x1b]11;{black}")), Some(false), "{black}");
        }
        for other in [
            "\x1b]10;rgb:ffff/ffff/ffff",
            "\x1b]11;white",
            "\x1b]11;rgb:ff/ff",
            "\x1b]11;rgb:fffff/0/0",
            "\x1b]11;rgb://",
            "\x1b]11;rgb:+f/f/f",
        ] {
            assert_eq!(light(other), None, "{other:?}");
        }
    }
}
