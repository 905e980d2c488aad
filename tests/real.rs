//! Real agent programs, offline: each scenario starts the released counsel with pinned Claude Code, Codex or
//! Gemini CLI against a scripted model on loopback, in namespaces of its own, and judges by what the model
//! received. `tests/real/install.sh` installs the programs; without them every scenario is skipped.
//! `COUNSEL_BIN` names another counsel to test.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may fail where its fixture does")]

#[path = "real/anthropic.rs"]
mod anthropic;
#[path = "real/api.rs"]
mod api;
#[path = "real/gemini.rs"]
mod gemini;
#[path = "real/home.rs"]
mod home;
#[path = "real/http.rs"]
mod http;
#[path = "real/lane.rs"]
mod lane;
#[path = "real/model.rs"]
mod model;
#[path = "real/responses.rs"]
mod responses;
#[path = "real/selfcheck.rs"]
mod selfcheck;
#[path = "real/terminal.rs"]
mod terminal;

use home::Program;

const CLAUDE: Program = Program::Claude("2.1.329");

/// Each scenario is a test of its own name, which is how the copy inside the namespaces finds it.
macro_rules! scenarios {
    ($($(#[$doc:meta])* $name:ident, $needs:expr, $body:expr;)*) => {$(
        $(#[$doc])*
        #[test]
        fn $name() {
            lane::run(stringify!($name), $needs, || $body($needs));
        }
    )*};
}

scenarios! {
    the_model_and_the_home_hold_without_counsel, CLAUDE, selfcheck::claude;
    the_model_and_the_home_hold_for_claude_2_1_150, Program::Claude("2.1.150"), selfcheck::claude;
    the_model_and_the_home_hold_for_claude_2_0_70, Program::Claude("2.0.70"), selfcheck::claude;
    the_model_and_the_home_hold_for_codex, Program::Codex, selfcheck::codex;
    the_model_and_the_home_hold_for_gemini, Program::Gemini, selfcheck::gemini;
}
