//! The text of `"$(cat <<'EOF' …)"`: the form in which agents write messages of several lines.
//!
//! `shell.rs` asks at each substitution within double quotes of a command that a hook has told: where a row ends on a screen, the
//! command need not have a line's end. What is told here is a text that no shell runs anything of; in doubt nothing is told, and
//! the line stays one that cannot be followed. Pure.

/// Characters of the word that ends a text: one that a pane may have broken is none.
const LONGEST_END: usize = 12;

/// What the substitution stands for, whose opening bracket comes first here, and its length up to the closing one.
pub(super) fn text(line: &[char]) -> Option<(String, usize)> {
    let mut at = opening(line)?;
    let end = quoted(line, &mut at)?;
    at += blanks(&line[at..]);
    if line.get(at) != Some(&'\n') {
        return None;
    }
    let rest: String = line[at + 1..].iter().collect();
    // A row that only looks like the end would put the end elsewhere, and bash 5.2 ends the text where a row begins with the word
    // and has a bracket.
    let mut ends = rest.split('\n').filter(|row| row.trim_start().starts_with(&end));
    if ends.next()? != end || ends.next().is_some() {
        return None;
    }
    let body: Vec<&str> = rest.split('\n').take_while(|row| *row != end).collect();
    let behind = at + 1 + body.iter().map(|row| row.chars().count() + 1).sum::<usize>() + end.len();
    let closing = line[behind..].iter().position(|ch| !ch.is_whitespace())?;
    let length = behind + closing + 1;
    let closes = line[behind + closing] == ')' && !line[length..].contains(&')');
    let body = body.join("\n");
    (closes && is_balanced(&body)).then_some((body, length))
}

/// What stands before the word that ends it.
fn opening(line: &[char]) -> Option<usize> {
    let mut at = usize::from(line.first() == Some(&'('));
    at += blanks(&line[at..]);
    at += line[at..].starts_with(&['c', 'a', 't']).then_some(3)?;
    at += Some(blanks(&line[at..])).filter(|blanks| *blanks > 0)?;
    at += line[at..].starts_with(&['<', '<']).then_some(2)?;
    Some(at + blanks(&line[at..]))
}

/// The word within its quotes: without them the shell would look for substitutions in the text.
fn quoted(line: &[char], at: &mut usize) -> Option<String> {
    let mark = line.get(*at).filter(|mark| ['\'', '"'].contains(*mark))?;
    let length = line[*at + 1..].iter().take(LONGEST_END + 1).position(|ch| ch == mark)?;
    let word: String = line[*at + 1..*at + 1 + length].iter().collect();
    *at += length + 2;
    let named = !word.is_empty() && word.chars().all(|ch| ch.is_ascii_alphanumeric() || ch == '_');
    named.then_some(word)
}

fn blanks(line: &[char]) -> usize {
    line.iter().take_while(|ch| [' ', '\t'].contains(*ch)).count()
}

/// Whether no bracket of the text can close the substitution. Old shells (bash 3.2 among them) look for that one without knowing
/// of the text, and step over what stands between quotes in it, or behind a `#`: with each piece in balance, none that they step
/// over makes them end early. A backslash makes them step over a bracket alone.
fn is_balanced(body: &str) -> bool {
    if body.contains("\\(") || body.contains("\\)") {
        return false;
    }
    body.split(['\n', '\'', '"', '`']).all(|piece| {
        let mut open = 0_usize;
        let mut steps = piece.chars().filter(|ch| ['(', ')'].contains(ch));
        steps.all(|ch| {
            let next = if ch == '(' { open.checked_add(1) } else { open.checked_sub(1) };
            open = next.unwrap_or(0);
            next.is_some()
        }) && open == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::guard::command;
    use crate::core::policy::shell::{Simple, quoted_texts, split};

    fn of(line: &str) -> Option<String> {
        let line: Vec<char> = line.chars().collect();
        let (body, length) = text(&line)?;
        assert!(line[..length].ends_with(&[')']));
        Some(body)
    }

    #[test]
    fn a_text_that_no_shell_reads_is_told_whole() {
        for (line, body) in [
            ("(cat <<'EOF'\nfix: x\n\nBy: A <a@b>\nEOF\n)", "fix: x\n\nBy: A <a@b>"),
            ("( cat  << \"MSG\" \nfix(core): don't (#3)\nMSG\n  ) && x", "fix(core): don't (#3)"),
            ("(cat <<'E'\n$(rm -rf ~) `x`\nE\n)", "$(rm -rf ~) `x`"),
            ("(cat <<'EOF'\nEOF\n)", ""),
            ("(cat <<'EOF'\n\nEOF\n)", ""),
            ("(cat <<'EOF'\nähm …\nEOF\n)", "ähm …"),
        ] {
            assert_eq!(of(line).as_deref(), Some(body), "{line}");
        }
    }

    #[test]
    fn what_may_end_elsewhere_is_not_told() {
        for line in [
            // The shell runs what stands in it.
            "(cat <<EOF\n$(./evil)\nEOF\n)",
            // Something else reads it, or more than it is read.
            "(sh <<'EOF'\n./evil\nEOF\n)",
            "(cat x <<'EOF'\na\nEOF\n)",
            "(cat <<'EOF' | sh\na\nEOF\n)",
            "(cat <<'EOF'; ./evil\na\nEOF\n)",
            "(cat <<'EOF'\na\nEOF\n./evil)",
            "(cat <<'EOF'\na\nEOF\n| sh)",
            "(cat <<-'EOF'\na\nEOF\n)",
            // A row that seems to be the end.
            "(cat <<'EOF'\na\nEOF \n)\" ; : '\nEOF\n)",
            "(cat <<'EOF'\na\n EOF\n)",
            "(cat <<'EOF'\na\nEOF (touch x)\nb\nEOF\n)",
            "(cat <<'EOF'\na\nEOFs are read\nEOF\n)",
            "(cat <<'EOF'\na\nEOF\n)\" \"$(x)",
            // An old shell ends at the bracket.
            "(cat <<'EOF'\na ) \nEOF\n)",
            "(cat <<'EOF'\n`'` ) '\nEOF\n)",
            "(cat <<'EOF'\n# (\n)\nEOF\n)",
            "(cat <<'EOF'\n\\( )\nEOF\n)",
            "(cat <<'EOF'\na",
            "(cat <<'EOF",
            "(cat <<",
            "(",
            "",
            "(cat <<'E;x'\nE;x\n)",
            "(cat <<'LONGERTHANAPANE'\nLONGERTHANAPANE\n)",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    /// Claude Code commits so: what it is asked for is one command, whose words are known.
    #[test]
    fn a_message_of_several_lines_is_a_word() {
        let of = |line: &str| {
            let quoted = quoted_texts(line);
            (command(&quoted), split(&quoted).commands.iter().map(Simple::text).collect::<Vec<_>>())
        };
        let body = "fix: x; y\n\n`a` \"b\" $(c) \\d\nCo-Authored-By: C <n@a.com>";
        let commit = format!("git add -A && git commit -m \"$(cat <<'EOF'\n{body}\nEOF\n)\"");
        assert_eq!(of(&commit).1, ["git add -A".to_owned(), format!("git commit -m {body}")]);
        let plain = commit.replace("$(c)", "c");
        assert_eq!(of(&plain).0, None);
        assert!(command(&plain).is_some(), "only where a hook told it");
        let within_others = "echo '\"$(cat <<'EOF'\nx\nEOF\n)\"'";
        assert_eq!(quoted_texts(within_others), within_others);
        for line in [
            // Outside of quotes its words are words of the command.
            "git commit -m $(cat <<'EOF'\nx --amend\nEOF\n)",
            "git commit -m \"$(cat <<'EOF'\nit is in production\nEOF\n)\"",
            "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\" && rm -rf ~",
            "sh -c \"$(cat <<'EOF'\nrm -rf ~\nEOF\n)\"",
            "\"$(cat <<'EOF'\nsudo\nEOF\n)\" ls",
            "git commit -m \"$(cat <<EOF\n$(./evil)\nEOF\n)\"",
        ] {
            assert!(of(line).0.is_some(), "{line}");
        }
    }
}
