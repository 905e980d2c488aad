//! Attacks, each a program that succeeds where its guard is missing. An agent is this very program in another
//! part: same user, a shell at hand, and whatever it was told to do by what it read.
//!
//! docs/security.md names the test for each promise. Part of the attacks are told from the outside by
//! `tests/ancestry.rs` and `tests/trust.rs`. Each is tried at every level of `isolate` that the machine offers.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../world/needs.rs"]
mod needs;
#[path = "../world/mod.rs"]
mod world;

#[cfg(target_os = "linux")]
mod below;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod keepers;
#[cfg(target_os = "linux")]
mod levels;
#[cfg(target_os = "linux")]
mod part;
#[cfg(target_os = "linux")]
mod person;
#[cfg(target_os = "linux")]
mod place;
#[cfg(target_os = "linux")]
mod questions;
#[cfg(target_os = "linux")]
mod screen;
#[cfg(target_os = "linux")]
mod told;

/// The guards are those of Linux.
#[cfg(not(target_os = "linux"))]
fn main() {}

/// The same attacks by an agent of this level.
#[cfg(target_os = "linux")]
macro_rules! at {
    ($level:ident, $missing:path, [$($file:ident::$attack:ident),* $(,)?]) => {
        [$((
            concat!(stringify!($level), " ", stringify!($file), "::", stringify!($attack)),
            $missing as fn() -> Option<needs::Missing>,
            (|| $file::$attack(place::Level::$level)) as fn(),
        )),*]
    };
}

/// Attacks that do not ask at which level.
#[cfg(target_os = "linux")]
macro_rules! once {
    ($missing:path, [$($file:ident::$attack:ident),* $(,)?]) => {
        [$((
            concat!(stringify!($file), "::", stringify!($attack)),
            $missing as fn() -> Option<needs::Missing>,
            $file::$attack as fn(),
        )),*]
    };
}

/// All that are tried at each level.
#[cfg(target_os = "linux")]
macro_rules! everywhere {
    ($level:ident, $missing:path) => {
        at!(
            $level,
            $missing,
            [
                person::seventy_nested_forks_make_no_person,
                person::a_child_that_connected_and_is_gone_is_no_person,
                person::a_server_that_was_stopped_meanwhile_takes_nobody_for_a_person,
                person::the_first_millisecond_makes_no_person,
                person::a_daemon_that_killed_its_keeper_is_no_person,
                person::connections_without_end_make_no_person_and_keep_none_out,
                person::connections_that_come_and_go_are_counted,
                person::descriptors_used_up_make_no_person_and_keep_none_out,
                person::an_agent_restarts_no_server,
                person::a_killed_server_is_not_an_agents_to_replace,
                keepers::an_agent_does_not_get_another_agents_terminal,
                keepers::an_agent_does_not_hide_from_the_next_server,
                files::a_program_that_never_opens_stops_no_session,
                levels::an_agent_puts_nothing_in_the_place_of_what_counsel_keeps,
                told::what_the_page_says_of_a_level_is_so,
            ]
        )
    };
}

/// What an agent does with its own terminal, and with its own token.
#[cfg(target_os = "linux")]
macro_rules! by_itself {
    ($level:ident, $missing:path) => {
        at!(
            $level,
            $missing,
            [
                screen::a_request_that_cannot_be_read_is_a_persons,
                screen::a_request_that_was_drawn_to_suit_a_rule_is_a_persons,
                questions::a_forged_hook_ends_no_question_that_stands,
            ]
        )
    };
}

#[cfg(target_os = "linux")]
fn main() {
    if let Ok(part) = std::env::var("ATTACK_PART") {
        return part::play(&part);
    }
    let mut tests: Vec<needs::Test> = Vec::new();
    tests.extend(everywhere!(None, needs::nothing));
    tests.extend(everywhere!(Landlock, needs::landlock));
    tests.extend(everywhere!(Namespace, needs::bubblewrap));
    tests.extend(everywhere!(Uid, needs::root));
    tests.extend(once!(
        needs::nothing,
        [
            told::each_row_of_the_page_is_an_attack,
            person::a_person_stays_one_and_an_agent_looks_on,
            person::a_persons_scripts_and_containers_are_the_persons,
            person::the_agents_socket_makes_no_person,
            below::what_a_persons_counsel_starts_is_no_person,
            below::what_is_asked_for_its_version_is_no_person,
            person::an_agents_orphans_keep_no_other_agent_out,
            files::sockets_that_an_agent_deleted_keep_no_server_from_starting,
            files::a_restart_ends_no_other_program_of_the_persons,
            below::an_agents_own_server_gains_it_nothing,
            files::what_lies_in_a_files_place_holds_no_server_up,
            files::what_stands_in_a_servers_way_is_moved_aside,
            files::a_lock_that_an_agent_holds_keeps_no_server_from_starting,
            files::who_holds_a_lock_is_named,
            files::who_reads_what_counsel_keeps_does_not_wait,
            files::a_cloned_file_that_never_ends_costs_an_error,
            files::whoever_listens_and_says_nothing_delays_nobody,
            files::a_link_in_the_sockets_place_is_replaced,
            files::a_listener_whose_process_is_gone_is_not_believed,
            files::a_server_that_was_stopped_goes_on,
            keepers::an_agent_that_listens_in_a_keepers_place_is_not_believed,
            keepers::nobody_is_a_keeper_in_a_pane_that_is_not_there,
            keepers::an_agent_that_keeps_its_keeper_stopped_is_ended,
            keepers::who_only_forks_and_ends_does_not_outlive_its_agent,
            keepers::an_agent_starts_no_server_beside_its_own_keeper,
            keepers::nothing_of_an_agent_lies_beside_its_keeper,
            keepers::a_forged_decision_shows,
            questions::a_server_that_is_killed_at_the_enter_types_none_again,
            keepers::servers_and_keepers_are_closed_to_their_users_other_processes,
        ]
    ));
    tests.extend(once!(
        needs::tmux,
        [
            person::what_counsels_own_tmux_starts_is_no_person,
            keepers::an_agent_is_not_told_what_a_pane_is_started_with,
        ]
    ));
    tests.extend(by_itself!(None, needs::nothing));
    tests.extend(by_itself!(Landlock, needs::landlock));
    tests.extend(by_itself!(Namespace, needs::bubblewrap));
    tests.extend(at!(
        None,
        needs::root,
        [levels::an_agent_presses_no_keys_in_its_own_terminal, levels::an_agent_changes_no_line_discipline,]
    ));
    tests.extend(at!(
        Landlock,
        needs::landlock,
        [
            levels::it_keeps_an_agent_from_everything,
            levels::an_agent_changes_nothing_of_the_kernels,
            levels::an_agent_makes_no_configuration_where_there_is_none,
            levels::an_agent_moves_no_folder_above_what_is_kept_from_it,
            levels::what_links_lead_to_is_kept_as_well,
            levels::an_agent_leads_no_link_elsewhere,
            levels::what_an_agent_leaves_in_its_folder_is_not_run_for_it,
        ]
    ));
    tests.extend(at!(
        Namespace,
        needs::bubblewrap,
        [
            levels::it_keeps_an_agent_from_everything,
            levels::an_agent_changes_nothing_of_the_kernels,
            levels::an_agent_makes_no_configuration_where_there_is_none,
            levels::an_agent_moves_no_folder_above_what_is_kept_from_it,
            levels::what_links_lead_to_is_kept_as_well,
            levels::an_agent_waits_for_nobody_where_tmux_will_be,
            levels::it_keeps_an_agent_from_whoever_starts_programs,
            levels::what_an_agent_leaves_in_its_folder_is_not_run_for_it,
        ]
    ));
    tests.extend(at!(
        Uid,
        needs::root,
        [levels::it_keeps_an_agent_from_everything, levels::an_agent_changes_nothing_of_the_kernels]
    ));
    // Before any is tried, and whichever are.
    told::each_attack_has_its_word_at_each_level(&tests);
    needs::run(&tests);
}
