//! The witness: what a fake agent and a fake consultant write down while they live, one JSON line each.
//! Times are microseconds since 1970, so that the files of one machine can be laid side by side.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use counsel::demo::truth::Did;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Record {
    Begun {
        us: u64,
    },
    /// A page has been written to the terminal.
    Shown {
        us: u64,
        round: usize,
        page: String,
    },
    /// Bytes arrived while this page was up, and did this.
    Heard {
        us: u64,
        round: usize,
        page: String,
        bytes: String,
        did: Did,
    },
    /// The dialog was answered: each page with its labels.
    Given {
        us: u64,
        round: usize,
        answers: Vec<(String, Vec<String>)>,
    },
    /// So many numbered lines have been written to the terminal, all told.
    Printed {
        us: u64,
        lines: usize,
    },
    Cancelled {
        us: u64,
        round: usize,
    },
    /// All rounds are over.
    End {
        us: u64,
    },
}

/// One run of a fake consultant, written when it begins and when it has said all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consulted {
    pub page: String,
    pub began_us: u64,
    pub ended_us: u64,
}

pub fn now_us() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()).unwrap()
}

/// A file that is only added to, a whole line at a time.
pub struct Log(File);

impl Log {
    pub fn open(path: &Path) -> Log {
        Log(OpenOptions::new().create(true).append(true).open(path).unwrap())
    }

    pub fn write<T: Serialize>(&mut self, record: &T) {
        let line = format!("{}\n", serde_json::to_string(record).unwrap());
        self.0.write_all(line.as_bytes()).unwrap();
    }
}

/// The records of a file; none if it is not there, without a last line cut short by a kill.
pub fn read<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
