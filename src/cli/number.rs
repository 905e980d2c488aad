//! Numbers as options take them: none below 0, and what is wrong said in words a person knows.
//!
//! clap asks these for each such option. They read; a time that is told by how long ago it was needs the clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::failure::{Failure, USAGE};

/// A larger Unix time is in milliseconds: in seconds this is in the year 5138.
const MILLISECONDS: u64 = 100_000_000_000;

/// Seconds, also parts of one.
pub fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "write a number of seconds, 0 or more".to_owned())
}

/// A whole number.
pub fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("write a whole number, 0 to {}", u64::MAX))
}

/// As messages carry it.
pub fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// A time in the past, as milliseconds since the epoch: so long ago (90, 5m, 2h, 3d), or a Unix time, in seconds or as
/// `--json` has it in milliseconds.
pub fn time(text: &str) -> Result<u64, Failure> {
    let bad = || Failure::new(USAGE, format!("'{text}' is not a time; write 90, 5m, 2h, 3d, or a Unix time"));
    let (number, unit) = match text.char_indices().last() {
        Some((at, 's')) => (&text[..at], 1),
        Some((at, 'm')) => (&text[..at], 60),
        Some((at, 'h')) => (&text[..at], 3_600),
        Some((at, 'd')) => (&text[..at], 86_400),
        _ => (text, 1),
    };
    let number: u64 = number.parse().map_err(|_| bad())?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    if unit == 1 && number > MILLISECONDS {
        return Ok(number);
    }
    // Nothing happened thirty years ago: a number that large is a date.
    let ago = number.checked_mul(unit).ok_or_else(bad)?;
    let seconds = if unit == 1 && number > 1_000_000_000 { number } else { now.saturating_sub(ago) };
    seconds.checked_mul(1000).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_are_none_are_refused_and_large_ones_do_not_wrap() {
        assert_eq!(time("1700000000"), Ok(1_700_000_000_000));
        // As `--json` prints it; it was taken for seconds, and nothing was found after the year 55,000.
        assert_eq!(time("1700000000123"), Ok(1_700_000_000_123));
        assert!(time("9999999d").is_ok_and(|ms| ms == 0));
        for bad in ["", "d", "yesterday", "-5", "1w", "999999999999999999d", "18446744073709551616", "5é"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn nothing_is_below_0_or_without_end() {
        assert_eq!((seconds("0.5"), whole("7")), (Ok(0.5), Ok(7)));
        for bad in ["-5", "inf", "nan", "x", ""] {
            assert!(seconds(bad).is_err() && whole(bad).is_err(), "{bad}");
        }
    }
}
