//! How verbs print: lines and JSON that survive a closed pipe, aligned columns, times for people.

use std::io::{self, Write};

use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::failure::Failure;

/// One line on standard output. A reader that has gone away (`| head`) ends the program quietly.
pub fn line(text: &str) -> Result<(), Failure> {
    raw(format!("{text}\n").as_bytes())
}

pub fn raw(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => Err(Failure::new(1, format!("could not write the output: {error}"))),
    }
}

pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(|error| Failure::new(1, error.to_string()))?;
    line(&text)
}

/// Rows aligned by the width of their cells.
pub fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let lines = rows.iter().map(|row| {
        let cells =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.width())));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A span of time in its largest two units.
pub fn duration(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h{:02}m", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{}d{:02}h", seconds / 86_400, seconds / 3_600 % 24),
    }
}

/// A wall-clock time in milliseconds as UTC, to the second.
pub fn clock(unix_ms: u64) -> String {
    let seconds = unix_ms / 1000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Civil date from days since 1970-01-01 (Howard Hinnant's algorithm), in years that begin in March.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}Z", rest / 3_600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_width_not_by_bytes() {
        let row = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        assert_eq!(
            columns(&[row("漢字", "x"), row("a", "y"), row("abcde", "")]),
            "漢字   x\na      y\nabcde"
        );
    }

    #[test]
    fn clocks_show_civil_dates() {
        assert_eq!(clock(0), "1970-01-01 00:00:00Z");
        assert_eq!(clock(1_709_210_096_789), "2024-02-29 12:34:56Z");
        assert_eq!(clock(1_735_689_599_000), "2024-12-31 23:59:59Z");
    }

    #[test]
    fn times_are_short() {
        assert_eq!(
            [0.4, 59.0, 61.0, 3_660.0, 90_000.0].map(duration),
            ["0s", "59s", "1m01s", "1h01m", "1d01h"]
        );
    }
}
