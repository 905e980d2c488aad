//! This very program as a command line that tmux can run: with the environment that leads to the same
//! server, quoted for the shell and for tmux's own parser.

use crate::os::daemon;

use super::super::failure::Failure;
use super::super::link::Global;

/// What decides which server and which configuration a counsel means. tmux runs commands in its own
/// environment, which may lack them.
const PLACES: [&str; 5] =
    ["COUNSEL_RUNTIME_DIR", "COUNSEL_STATE_DIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"];

/// `counsel ARGS` for a shell.
pub fn shell(global: &Global, args: &[&str]) -> Result<String, Failure> {
    let exe = daemon::exe_for_others()?;
    let mut words = Vec::new();
    for name in PLACES {
        if let Ok(value) = std::env::var(name) {
            words.push(format!("{name}={value}"));
        }
    }
    if !words.is_empty() {
        words.insert(0, "env".to_owned());
    }
    words.push(exe.to_string_lossy().into_owned());
    if global.socket.is_some() {
        words.push("--socket".to_owned());
        words.push(global.socket_path()?.to_string_lossy().into_owned());
    }
    words.extend(args.iter().map(|arg| (*arg).to_owned()));
    if words.iter().any(|word| word.contains(char::is_control)) {
        return Err(Failure::from(
            "a path of this counsel has a control character in it; install it elsewhere",
        ));
    }
    Ok(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
}

/// One word for a shell: as it is, or in single quotes.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Text where tmux looks for formats and for times: it stays as it is.
pub fn unformatted(text: &str) -> String {
    text.replace('#', "##").replace('%', "%%")
}

/// One word for tmux's configuration: in double quotes, where only these four mean something.
pub fn word(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_they_must_be() {
        assert_eq!(quoted("/usr/bin/counsel"), "/usr/bin/counsel");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(word("a \"b\" $HOME \\"), "\"a \\\"b\\\" \\$HOME \\\\\"");
        assert_eq!(unformatted("#{x} 5%"), "##{x} 5%%");
    }
}
