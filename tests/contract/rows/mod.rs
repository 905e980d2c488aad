//! The rows, one file for each part of the contract.

mod agents;
mod consulting;
pub mod docs;
mod exec;
mod files;
mod odd;
mod output;
mod questions;
mod rights;
mod small_print;
mod typing;
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
        typing::rows(),
        consulting::rows(),
        rights::rows(),
        small_print::rows(),
        odd::rows(),
        docs::rows(),
    ];
    parts.into_iter().flatten().collect()
}
