//! The rows, one file for each part of the contract.

mod agents;
mod exec;
mod files;
mod output;
mod questions;
mod usage;

use crate::table::Row;

pub fn all() -> Vec<Row> {
    let parts =
        [usage::rows(), agents::rows(), output::rows(), exec::rows(), questions::rows(), files::rows()];
    parts.into_iter().flatten().collect()
}
