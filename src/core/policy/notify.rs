//! How a person is told that they are needed, and when they are left alone.
//!
//! The configuration reads it, the server runs its command by it, dashboard and attach ring by it. Pure: the time of day
//! comes from whoever asks.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// `[notify]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Notify {
    /// Run with the question as JSON on stdin.
    pub command: Vec<String>,
    /// Seconds after which an unanswered escalation is announced again; 0 never.
    pub repeat_secs: u64,
    /// The terminal's bell.
    pub bell: bool,
    /// The terminal's own notification.
    pub terminal: Terminal,
    /// What the terminal's title says of the team.
    pub title: bool,
    /// Nobody is rung or called while these last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_hours: Option<QuietHours>,
}

impl Default for Notify {
    fn default() -> Notify {
        Notify {
            command: Vec::new(),
            repeat_secs: 0,
            bell: true,
            terminal: Terminal::Auto,
            title: true,
            quiet_hours: None,
        }
    }
}

impl Notify {
    /// Whether a person is to be left alone at this minute of the day.
    pub fn quiet(&self, minute: u16) -> bool {
        self.quiet_hours.is_some_and(|hours| hours.hold(minute))
    }
}

/// How a terminal takes a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Terminal {
    /// As the terminal is known to take it.
    #[default]
    Auto,
    Osc9,
    Osc777,
    Osc99,
    None,
}

const MINUTES_OF_A_DAY: u16 = 24 * 60;

/// From one minute of the day up to another; over midnight where that is the earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    from: u16,
    to: u16,
}

impl QuietHours {
    pub fn hold(self, minute: u16) -> bool {
        match self.from <= self.to {
            true => (self.from..self.to).contains(&minute),
            false => minute >= self.from || minute < self.to,
        }
    }

    /// Minutes until they are over, seen from a minute within them.
    pub fn left(self, minute: u16) -> u16 {
        (self.to + MINUTES_OF_A_DAY - minute) % MINUTES_OF_A_DAY
    }
}

fn minute(text: &str) -> Option<u16> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(hours) || !digits(minutes) || minutes.len() != 2 || !(1..=2).contains(&hours.len()) {
        return None;
    }
    let (hours, minutes): (u16, u16) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

impl FromStr for QuietHours {
    type Err = String;

    fn from_str(text: &str) -> Result<QuietHours, String> {
        let parts = text.split_once('-').and_then(|(from, to)| Some((minute(from)?, minute(to)?)));
        let (from, to) =
            parts.ok_or_else(|| format!("'{text}' are no hours; write them as \"22:00-07:00\""))?;
        if from == to {
            return Err(format!(
                "'{text}' begins and ends at the same time; leave it out, or write two times"
            ));
        }
        debug_assert!(from < MINUTES_OF_A_DAY && to < MINUTES_OF_A_DAY);
        Ok(QuietHours { from, to })
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let QuietHours { from, to } = self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

impl Serialize for QuietHours {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for QuietHours {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<QuietHours, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_hours_go_over_midnight() {
        let hours: QuietHours = "22:00-7:30".parse().unwrap();
        assert_eq!(hours.to_string(), "22:00-07:30");
        let quiet = |hours: QuietHours, at: &str| hours.hold(minute(at).unwrap());
        for (at, holds) in
            [("21:59", false), ("22:00", true), ("00:00", true), ("7:29", true), ("7:30", false)]
        {
            assert_eq!(quiet(hours, at), holds, "{at}");
        }
        let left = |at: &str| hours.left(minute(at).unwrap());
        assert_eq!((left("22:00"), left("00:00"), left("7:29")), (570, 450, 1));
        let lunch: QuietHours = "12:00-13:00".parse().unwrap();
        assert!(quiet(lunch, "12:30") && !quiet(lunch, "13:00") && !quiet(lunch, "03:00"));
    }

    #[test]
    fn what_is_no_time_is_told() {
        for text in
            ["", "22", "22:00", "22:00-", "24:00-07:00", "22:60-07:00", "22:0-07:00", "x-y", "+1:00-02:00"]
        {
            let said = text.parse::<QuietHours>().unwrap_err();
            assert!(said.contains("\"22:00-07:00\""), "{text}: {said}");
        }
        assert!("08:00-8:00".parse::<QuietHours>().is_err());
    }
}
