//! The `counsel` command: hands over to the keeper, a hook, or the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    counsel::os::children::hear();
    // Started by counsel itself; no words of the command line that a person types.
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("keep") => return counsel::keeper::keep_main(),
        Some("hook") => return counsel::cli::hook::hook_main(),
        // A server that ran when counsel was replaced by a newer one calls it by its earlier name.
        Some("reaper" | "tend") => return counsel::keeper::reaper_main(std::env::args_os().skip(2)),
        Some("demo-agent") => return counsel::demo::agent::agent_main(args.next().as_deref()),
        _ => {}
    }
    counsel::cli::main()
}
