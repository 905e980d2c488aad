//! What this machine offers to keep agents from each other and from counsel, and whether people can be told
//! from them.

use std::path::Path;

use crate::core::ancestry::Verdict;
use crate::os::{ancestry, landlock, program};

use super::Finding;

/// Whether a program may press keys in its own terminal; absent on kernels that always let it.
const TYPING: &str = "/proc/sys/dev/tty/legacy_tiocsti";

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
    match program::find("bwrap", program::DEFAULT_PATH, Path::new("/")) {
        Ok(path) => Finding::ok("isolate", format!("namespace can be had, by {}", path.display())),
        Err(_) => Finding::ok("isolate", "namespace cannot be had; it needs bubblewrap (bwrap)"),
    }
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
