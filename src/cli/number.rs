//! Numbers as options take them: none below 0, and what is wrong said in words a person knows.
//!
//! clap asks these for each such option. They only read.

/// Seconds, also parts of one.
pub fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "write a number of seconds, 0 or more".to_owned())
}

/// A whole number.
pub fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("write a whole number, 0 to {}", u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_below_0_or_without_end() {
        assert_eq!((seconds("0.5"), whole("7")), (Ok(0.5), Ok(7)));
        for bad in ["-5", "inf", "nan", "x", ""] {
            assert!(seconds(bad).is_err() && whole(bad).is_err(), "{bad}");
        }
    }
}
