//! `counsel man`: the manual pages, made of what `--help` says.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use crate::core::visible::visible;

use super::failure::{Failure, unwritten};
use super::link::Acting;
use super::out;

/// Write the manual pages
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder they go to; else man's own for this user, ~/.local/share/man/man1
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    #[command(flatten)]
    acting: Acting,
}

/// What no option says.
const MORE: &str = r#".SH "EXIT STATUS"
.TP
\fB0\fR
done
.TP
\fB1\fR
it could not be done
.TP
\fB2\fR
bad usage, or a bad configuration: file, line, column and key are named
.TP
\fB3\fR
no such agent or question
.TP
\fB4\fR
refused by policy
.TP
\fB124\fR
the time was up
.TP
\fB130\fR
interrupted, or ended by a signal
.SH FILES
.TP
\fI./counsel.toml\fR
the team of a project, searched up to the root of its git repository
.TP
\fI$XDG_CONFIG_HOME/counsel/config.toml\fR
your own settings, which a project's file cannot raise
.TP
\fI$XDG_STATE_HOME/counsel/\fR
the decision log, recordings, worktrees, the server's log; \fBCOUNSEL_STATE_DIR\fR names another folder
.TP
\fI$XDG_RUNTIME_DIR/counsel/\fR
sockets; \fBCOUNSEL_RUNTIME_DIR\fR names another folder
.SH ENVIRONMENT
.TP
\fBNO_COLOR\fR
no colours, unless \fB\-\-color always\fR
.TP
\fBCOUNSEL_LOG\fR
how much the server writes into its log: \fIerror\fR, \fIwarn\fR, \fIinfo\fR, \fIdebug\fR
"#;

/// `command` is the whole command line.
pub fn run(args: &Args, command: clap::Command) -> Result<ExitCode, Failure> {
    let doing = |failure: Failure| failure.doing("write the manual pages");
    // Man's own folder for this user may lack its parents; in one that is named, a parent that is not there is a slip.
    let (folder, made) = match &args.folder {
        Some(folder) => (folder.clone(), make(folder)),
        None => own().map(|folder| (folder.clone(), std::fs::create_dir_all(&folder)))?,
    };
    let failed = |error: std::io::Error| doing(unwritten(&folder, &error));
    made.map_err(failed)?;
    clap_mangen::generate_to(command, &folder).map_err(failed)?;
    let first = folder.join("counsel.1");
    let page = std::fs::read_to_string(&first).map_err(failed)?;
    std::fs::write(&first, page + MORE).map_err(failed)?;
    let pages = pages(&folder).map_err(failed)?;
    let words = written(pages, &folder);
    let shown = folder.to_string_lossy();
    args.acting.did(&json!({ "did": "written", "folder": shown, "pages": pages }), Some(&words))?;
    Ok(ExitCode::SUCCESS)
}

/// A folder may be called what acts on a terminal.
fn written(pages: usize, folder: &Path) -> String {
    format!("{} in {}", out::count(pages, "page"), visible(&folder.to_string_lossy()))
}

/// The last folder of the path, if it is not there yet.
fn make(folder: &Path) -> std::io::Result<()> {
    match std::fs::create_dir(folder) {
        Err(_) if folder.is_dir() => Ok(()),
        made => made,
    }
}

/// Where man looks for what a user has installed.
fn own() -> Result<PathBuf, Failure> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")));
    let base = base.ok_or("HOME is not set; name a folder")?;
    Ok(base.join("man/man1"))
}

fn pages(folder: &Path) -> std::io::Result<usize> {
    let names = std::fs::read_dir(folder)?.flatten().map(|entry| entry.file_name());
    let ours = |name: &std::ffi::OsString| {
        let name = name.to_string_lossy();
        name.starts_with("counsel") && name.ends_with(".1")
    };
    Ok(names.filter(ours).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_s_name_does_not_act_on_the_terminal() {
        assert_eq!(written(2, Path::new("x\u{1b}]0;y\u{7}\nz")), "2 pages in x\\u{1b}]0;y\\u{7}\\u{a}z");
    }
}
