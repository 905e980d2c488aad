//! The server, if one runs, and the agents that wait for one.

use std::path::Path;

use crate::core::agent::AgentInfo;
use crate::os::socket::{Connection, Error, connect_and_greet};
use crate::os::{keeper_link, paths};
use crate::wire::{Reply, Request, VERSION};

use super::super::link::{Global, token};
use super::super::out;
use super::finding::Finding;

pub fn server(global: &Global) -> Vec<Finding> {
    // What is wrong with the path itself is the folders' matter.
    let Ok(socket) = paths::socket_place(global.named().as_deref()) else { return Vec::new() };
    match connect_and_greet(&socket, token()) {
        Ok(connection) => running(connection, &socket),
        Err(Error::Absent(_)) => {
            let mut findings = vec![none(global.socket.as_deref())];
            let waiting = keepers(&socket, &[]);
            if !waiting.is_empty() {
                let what = format!("agents run on without a server: {}", waiting.join(", "));
                findings.push(Finding::warn("agents", what, "run 'counsel ls': a server takes them back"));
            }
            findings
        }
        Err(error @ Error::Version { .. }) => {
            vec![Finding::fail("server", error.to_string(), "run 'counsel down' with the older program")]
        }
        Err(error) => {
            let mend = "see server.log in the state folder; end that server and run any command";
            vec![Finding::fail("server", format!("{}: {error}", socket.display()), mend)]
        }
    }
}

/// Who named a socket means a server that runs: a slip of the keyboard is not to start another.
fn none(named: Option<&Path>) -> Finding {
    match named {
        None => Finding::ok("server", "none runs; the first command that needs one starts it"),
        Some(path) => {
            let what = format!("none listens at {}", path.display());
            Finding::warn("server", what, "name the socket of one that runs, or leave out --socket")
        }
    }
}

fn running(mut connection: Connection, socket: &Path) -> Vec<Finding> {
    let (server, pid) = (connection.server.clone(), connection.server_pid);
    let what = format!("{server} at {} (pid {pid}), protocol {VERSION}", socket.display());
    let own = format!("counsel {}", env!("CARGO_PKG_VERSION"));
    let mut findings = vec![if server == own {
        Finding::ok("server", what)
    } else {
        let mend = "run 'counsel down' and start again to use the new one";
        Finding::warn("server", format!("{what}; this program is {own}"), mend)
    }];
    let Ok(Reply::Agents { agents }) = connection.request(Request::List) else {
        findings.push(Finding::fail("agents", "the server does not list them", "see server.log"));
        return findings;
    };
    let lost = keepers(socket, &agents);
    findings.push(if lost.is_empty() {
        Finding::ok(
            "agents",
            format!("{} known to the server, no keeper without it", out::count(agents.len(), "agent")),
        )
    } else {
        let what = format!("keepers the server does not know of: {}", lost.join(", "));
        Finding::warn("agents", what, "end those 'counsel keep' processes; their agents end with them")
    });
    findings
}

/// The agents whose keepers answer, without those of the server's own list: their keepers are busy with it.
fn keepers(socket: &Path, known: &[AgentInfo]) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(paths::keeper_place(socket)) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter_map(|path| Some((keeper_link::agent_of(&path)?.to_owned(), path)))
        .filter(|(name, _)| !known.iter().any(|agent| agent.name == *name))
        .filter(|(_, path)| keeper_link::answers(path))
        .map(|(name, _)| name)
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::finding::Level;

    #[test]
    fn who_named_a_socket_is_not_told_to_start_a_server_there() {
        let finding = none(Some(Path::new("/run/mistyped.sock")));
        assert_eq!(
            (finding.level, finding.what.as_str()),
            (Level::Warn, "none listens at /run/mistyped.sock")
        );
        assert_eq!(none(None).level, Level::Ok);
    }
}
