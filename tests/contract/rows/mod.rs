//! The rows, one file for each part of the contract.

mod agents;
pub mod docs;
mod exec;
mod files;
mod output;
mod questions;
mod usage;
mod work;

use crate::table::Row;

pub fn all() -> Vec<Row> {
    let parts = [
        usage::rows(),
        agents::rows(),
        output::rows(),
        exec::rows(),
        questions::rows(),
        files::rows(),
        work::rows(),
        docs::rows(),
    ];
    parts.into_iter().flatten().collect()
}
