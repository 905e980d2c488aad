//! Real agent programs, offline: each scenario starts the released counsel with pinned Claude Code, Codex or
//! Gemini CLI against a scripted model on loopback, in namespaces of its own, and judges by what the model
//! received. `tests/real/install.sh` installs the programs; a scenario whose program is missing is ignored, with the reason.
//! `COUNSEL_BIN` names another counsel to test.
#![allow(clippy::expect_used, clippy::panic, reason = "a test may fail where its fixture does")]

#[path = "real/anthropic.rs"]
mod anthropic;
#[path = "real/api.rs"]
mod api;
mod bare;
#[path = "real/consultants.rs"]
mod consultants;
#[path = "real/gemini.rs"]
mod gemini;
#[path = "real/home.rs"]
mod home;
#[path = "real/hooks.rs"]
mod hooks;
#[path = "real/http.rs"]
mod http;
#[path = "real/lane.rs"]
mod lane;
#[path = "real/model.rs"]
mod model;
#[path = "real/pane.rs"]
mod pane;
#[path = "real/paused.rs"]
mod paused;
#[path = "real/responses.rs"]
mod responses;
#[path = "real/rounds.rs"]
mod rounds;
#[path = "real/scenarios.rs"]
mod scenarios;
#[path = "real/selfcheck.rs"]
mod selfcheck;
#[path = "real/team.rs"]
mod team;
#[path = "real/terminal.rs"]
mod terminal;
#[path = "real/tools.rs"]
mod tools;

use home::Program;
use libtest_mimic::{Arguments, Trial};

const CLAUDE: Program = Program::Claude("2.1.332");
const OLDER: Program = Program::Claude("2.1.150");
const OLDEST: Program = Program::Claude("2.0.70");

/// Each scenario is a test of its own name, which is how the copy inside the namespaces finds it.
macro_rules! scenarios {
    ($($name:ident, $needs:expr, $body:expr;)*) => {
        /// What takes seconds.
        fn scenarios() -> Vec<Trial> {
            vec![$(lane::trial(stringify!($name), $needs, || $body($needs)),)*]
        }
    };
}

scenarios! {
    the_model_and_the_home_hold_without_counsel, CLAUDE, selfcheck::claude;
    the_model_and_the_home_hold_for_claude_2_1_150, OLDER, selfcheck::claude;
    the_model_and_the_home_hold_for_claude_2_0_70, OLDEST, selfcheck::claude;
    a_menu_is_answered_as_the_advisor_says, CLAUDE, scenarios::menu;
    a_label_among_prose_is_as_good_as_a_number, CLAUDE, scenarios::menu_by_label;
    a_form_is_answered_question_by_question, CLAUDE, scenarios::form;
    trust_waits_for_a_person_and_takes_an_answer_at_once, CLAUDE, scenarios::trust;
    a_denied_command_is_not_run, CLAUDE, scenarios::permission_denied;
    a_granted_command_is_run, CLAUDE, scenarios::permission_granted;
    a_plan_waits_for_a_person, CLAUDE, scenarios::plan;
    a_question_in_words_is_answered_in_words, CLAUDE, scenarios::text_question;
    nonsense_is_asked_once_more_and_then_a_person, CLAUDE, scenarios::nonsense;
    silence_ends_at_the_deadline_with_a_person, CLAUDE, scenarios::silence;
    an_answer_typed_by_a_person_withdraws_the_question, CLAUDE, scenarios::overtaken;
    claude_2_1_150_menu, OLDER, scenarios::menu;
    claude_2_1_150_form, OLDER, scenarios::form;
    claude_2_1_150_granted_command, OLDER, scenarios::permission_granted;
    claude_2_1_150_text_question, OLDER, scenarios::text_question;
    claude_2_0_70_menu, OLDEST, scenarios::menu;
    claude_2_0_70_form, OLDEST, scenarios::form;
    claude_2_0_70_granted_command, OLDEST, scenarios::permission_granted;
    claude_2_0_70_text_question, OLDEST, scenarios::text_question;
    a_menu_is_answered_through_the_hook, CLAUDE, hooks::menu;
    claude_2_1_150_menu_by_hook, OLDER, hooks::menu;
    claude_2_0_70_menu_by_hook, OLDEST, hooks::menu;
    a_form_is_answered_through_the_hook_at_once, CLAUDE, hooks::form;
    claude_2_1_150_form_by_hook, OLDER, hooks::form;
    claude_2_0_70_form_by_hook, OLDEST, hooks::form;
    ticks_are_given_through_the_hook, CLAUDE, hooks::ticks;
    claude_2_1_150_ticks_by_hook, OLDER, hooks::ticks;
    claude_2_0_70_ticks_by_hook, OLDEST, hooks::ticks;
    words_are_given_through_the_hook, CLAUDE, hooks::words;
    claude_2_1_150_words_by_hook, OLDER, hooks::words;
    claude_2_0_70_words_by_hook, OLDEST, hooks::words;
    a_rule_grants_a_command_through_the_hook, CLAUDE, hooks::granted;
    claude_2_1_150_granted_by_hook, OLDER, hooks::granted;
    claude_2_0_70_granted_by_hook, OLDEST, hooks::granted;
    a_rule_refuses_a_command_through_the_hook, CLAUDE, hooks::refused;
    a_person_at_the_pane_is_faster_than_the_hook, CLAUDE, hooks::overtaken;
    claude_2_0_70_person_faster_than_the_hook, OLDEST, hooks::overtaken;
    an_answer_typed_is_confirmed_by_the_hook, CLAUDE, hooks::confirmed;
    claude_2_1_150_typed_answer_confirmed, OLDER, hooks::confirmed;
    claude_2_0_70_typed_answer_confirmed, OLDEST, hooks::confirmed;
    a_form_typed_is_confirmed_by_the_hook, CLAUDE, hooks::form_confirmed;
    a_question_in_words_is_known_by_the_hook, CLAUDE, hooks::text_question;
    a_menu_drawn_over_a_dialog_is_a_persons, CLAUDE, hooks::drawn_over;
    the_persons_own_settings_stay_in_force, CLAUDE, hooks::own_settings;
    claude_2_0_70_own_settings_stay_in_force, OLDEST, hooks::own_settings;
    paused_in_mid_stream_it_finishes_its_turn, CLAUDE, paused::stream;
    paused_in_mid_question_it_is_answered_afterwards, CLAUDE, paused::question;
    claude_2_0_70_paused_in_mid_stream, OLDEST, paused::stream;
    claude_2_0_70_paused_in_mid_question, OLDEST, paused::question;
    a_command_that_draws_a_question_is_a_persons, CLAUDE, scenarios::drawing_command;
    claude_2_1_150_command_that_draws, OLDER, scenarios::drawing_command;
    claude_2_0_70_command_that_draws, OLDEST, scenarios::drawing_command;
    codex_command_that_draws, Program::Codex, scenarios::drawing_command;
    gemini_command_that_draws, Program::Gemini, scenarios::drawing_command;
    codex_granted_command, Program::Codex, scenarios::first_row_grants;
    gemini_granted_command, Program::Gemini, scenarios::first_row_grants;
    codex_advises_in_a_pane, Program::Codex, consultants::words;
    gemini_advises_in_a_pane, Program::Gemini, consultants::words;
    gemini_advises_over_acp, Program::GeminiAcp, consultants::acp;
    claude_advises_over_acp, Program::ClaudeAcp, consultants::acp;
    a_dev_server_is_run_through_the_tools, CLAUDE, tools::dev_server;
    claude_2_0_70_dev_server_through_the_tools, OLDEST, tools::dev_server;
    an_agent_asks_through_the_tools, CLAUDE, tools::advice;
    claude_2_0_70_asks_through_the_tools, OLDEST, tools::advice;
    claude_in_a_pane_equals_a_bare_terminal, CLAUDE, pane::claude;
    codex_in_a_pane_equals_a_bare_terminal, Program::Codex, pane::codex;
    codex_asking_in_a_pane_equals_a_bare_terminal, Program::Codex, pane::codex_asking;
    gemini_in_a_pane_equals_a_bare_terminal, Program::Gemini, pane::gemini;
    gemini_on_the_whole_screen_in_a_pane_equals_a_bare_terminal, Program::Gemini, pane::gemini_on_the_whole_screen;
    the_model_and_the_home_hold_for_codex, Program::Codex, selfcheck::codex;
    the_model_and_the_home_hold_for_gemini, Program::Gemini, selfcheck::gemini;
}

/// The same, but long: run by name.
macro_rules! rounds {
    ($($name:ident, $needs:expr, $body:expr;)*) => {
        fn rounds() -> Vec<Trial> {
            vec![$(lane::long_trial(stringify!($name), $needs, rounds::DEADLINE, || $body($needs)),)*]
        }
    };
}

rounds! {
    rounds_claude_2_1_329, CLAUDE, rounds::claude;
    rounds_claude_2_1_150, OLDER, rounds::claude;
    rounds_claude_2_0_70, OLDEST, rounds::claude;
    rounds_by_hook_claude_2_1_329, CLAUDE, rounds::claude_by_hook;
    rounds_by_hook_claude_2_1_150, OLDER, rounds::claude_by_hook;
    rounds_by_hook_claude_2_0_70, OLDEST, rounds::claude_by_hook;
    rounds_starts_claude_2_1_329, CLAUDE, rounds::claude_starts;
    rounds_starts_claude_2_1_150, OLDER, rounds::claude_starts;
    rounds_starts_claude_2_0_70, OLDEST, rounds::claude_starts;
    rounds_commands_codex, Program::Codex, rounds::commands;
    rounds_commands_gemini, Program::Gemini, rounds::commands;
    rounds_questions_codex, Program::Codex, rounds::others;
    rounds_questions_gemini, Program::Gemini, rounds::others;
}

fn main() {
    let args = Arguments::from_args();
    let trials = scenarios().into_iter().chain(rounds()).collect();
    libtest_mimic::run(&args, trials).exit();
}
