//! The contract as a table: every verb, option, JSON key, exit code and error that users and programs may build on, tried
//! on the program as it is built.
//!
//! Each row names the part of the contract that it holds to. What needs a terminal to be seen stands in tests of its own: the
//! dashboard, its keys and what it tells its terminal in `tests/dashboard.rs`, `tests/bindings.rs` and beside its code;
//! `attach` in `tests/attach.rs`; `trust` at a terminal in `tests/trust.rs`; what is typed, and its proof, in
//! `tests/delivery.rs`, `core/deliver` and `tests/real.rs`; kinds and states of screens in `tests/detection.rs`; `isolate` in
//! `tests/closed.rs` and `tests/attacks`; the tools of `mcp` in `tests/mcp.rs` and, by the official client, `tests/mcp_sdk.rs`.
//!
//! A row fails if the program departs from the contract. The first tests look at the table itself: every verb and every option
//! that the program has must stand in some row, and every statement of the contract (`claims.toml`) names what proves it. What a row needs and this machine lacks makes it ignored, with the reason;
//! with `CI=true` it fails.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod claims;
mod coverage;
mod rows;
mod table;
mod want;
#[path = "../world/mod.rs"]
mod world;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use table::Row;

fn main() {
    let args = Arguments::from_args();
    let rows = rows::all();
    let mut trials = coverage::trials(&rows);
    let checks = trials.iter().map(|trial| trial.name().to_owned());
    trials.extend(claims::trials(checks.chain(rows.iter().map(|row| row.line.to_owned())).collect()));
    trials.extend(rows.into_iter().map(trial));
    libtest_mimic::run(&args, trials).exit();
}

fn trial(row: Row) -> Trial {
    Trial::ignorable_test(row.line, move || {
        if let Some(why) = row.needs.iter().find_map(|need| need.missing()) {
            if std::env::var("CI").as_deref() == Ok("true") {
                return Err(Failed::from(why));
            }
            return Ok(Completion::ignored_with(why));
        }
        row.check().map(|()| Completion::Completed).map_err(Failed::from)
    })
}
