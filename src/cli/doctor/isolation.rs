//! What this machine offers to keep agents from each other and from counsel, and whether people can be told
//! from them.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::core::ancestry::Verdict;
use crate::os::{ancestry, landlock, program, run_command};

use super::finding::Finding;

/// Whether a program may press keys in its own terminal; absent on kernels that always let it.
const TYPING: &str = "/proc/sys/dev/tty/legacy_tiocsti";

/// Namespaces are made in milliseconds.
const TRIAL: Duration = Duration::from_secs(5);

pub fn isolation() -> Vec<Finding> {
    vec![person(), landlock(), namespaces(), typing()]
}

/// Whoever stands here is to be let answer.
fn person() -> Finding {
    match ancestry::own_verdict() {
        Verdict::Person(_) => Finding::ok("person", "where this comes from can be read to its beginning"),
        Verdict::Agent(_) | Verdict::ByToken => Finding::ok("person", "this runs inside an agent"),
        Verdict::Refused(why) => Finding::warn(
            "person",
            format!("counsel would not let this terminal answer: {why}"),
            "let /proc be read (mount option hidepid), or come by another way",
        ),
    }
}

fn landlock() -> Finding {
    match landlock::prepare(&[]) {
        Ok(_) => Finding::ok("isolate", "landlock can be had"),
        Err(why) => Finding::warn(
            "isolate",
            format!("landlock cannot be had: {why}"),
            "use a kernel of 6.12 or newer",
        ),
    }
}

fn namespaces() -> Finding {
    let Ok(path) = program::find("bwrap", program::DEFAULT_PATH, Path::new("/")) else {
        return Finding::ok("isolate", "namespace cannot be had; it needs bubblewrap (bwrap)");
    };
    let arguments = ["--unshare-user", "--unshare-pid", "--bind", "/", "/", "true"];
    let why = match run_command::run(Command::new(&path).args(arguments), TRIAL) {
        Ok(said) if said.status.success() => {
            return Finding::ok("isolate", format!("namespace can be had, by {}", path.display()));
        }
        Ok(said) => said.err.lines().next().unwrap_or_default().trim().to_owned(),
        Err(error) => error.to_string(),
    };
    let what = format!("namespace cannot be had, {} says: {why}", path.display());
    Finding::warn("isolate", what, "let users make namespaces, or use isolate = \"landlock\"")
}

fn typing() -> Finding {
    match std::fs::read_to_string(TYPING) {
        Ok(text) if text.trim() == "0" => {
            Finding::ok("isolate", "no program types into its own terminal (legacy_tiocsti)")
        }
        Ok(_) | Err(_) if nix::unistd::geteuid().is_root() => {
            Finding::ok("isolate", "no agent types into its own terminal")
        }
        Ok(_) | Err(_) => Finding::warn(
            "isolate",
            "with isolate = \"none\" an agent's own child can press keys in its dialogs (TIOCSTI)",
            "sysctl dev.tty.legacy_tiocsti=0, or isolate = \"landlock\"",
        ),
    }
}
