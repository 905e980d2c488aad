//! The time of day where the person is.
//!
//! Server, dashboard and attach ask it whether a person is to be left alone now.

/// Minutes since midnight, by the system's time zone.
pub fn minute_of_day() -> u16 {
    let now = jiff::Zoned::now();
    let (hour, minute) = (u16::try_from(now.hour()), u16::try_from(now.minute()));
    hour.unwrap_or_default() * 60 + minute.unwrap_or_default()
}
