//! `counsel` without a verb: the dashboard.

use std::process::ExitCode;

use crate::os::paths;

use super::failure::Failure;
use super::link::Global;

pub fn run(_global: &Global) -> Result<ExitCode, Failure> {
    Err(Failure::from("could not open the dashboard"))
}

/// The layout named by `counsel up --layout`, for the dashboards to come.
pub fn remember_layout(layout: &str) -> Result<(), Failure> {
    let path = paths::state_dir()?.join("layout");
    std::fs::write(&path, layout)
        .map_err(|error| Failure::from(format!("could not write {}: {error}", path.display())))
}
