//! What may stand above a prompt without making it a person's: harmless words, and one name.
//!
//! `core/policy/prompt.rs` comes here once none of its words of harm was found above. A command, a sum of money or a
//! sentence in another language says what the next answer does just as well as those words, so a line passes only if
//! all of it is known, or all but one name. It never decides what a prompt asks for.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::plain::{self, FRAME_WORDS, is_known, is_letter, parts, words_of};
use crate::core::pattern::{Pattern, PatternSet};
use crate::core::question::normalize::normalize;

/// Letters one by one, in a line or a line each: as many spell a word, fewer are sizes or answers.
const SPELLED: usize = 3;
/// Letters a name has at least; shorter ones are pieces of words.
const SHORTEST_NAME: usize = 3;

/// Programs that delete, send, stop or open something. Where one of them stands, its line is a command.
const COMMANDS: &str = "rm rmdir unlink shred srm rimraf del erase trash wipefs mkfs mke2fs mkswap dd fdisk sfdisk gdisk \
    parted blkdiscard diskutil cryptsetup reboot shutdown halt poweroff kill killall pkill chmod chown chgrp chattr \
    setfacl mv cp scp rsync sftp ftp ssh ssh-copy-id telnet nc ncat netcat socat curl wget dropdb dropuser createuser \
    mysqladmin pg_restore redis-cli truncate tee eval exec sudo su doas pkexec chroot xargs crontab iptables nft ufw \
    systemctl launchctl kubectl helm terraform tofu pulumi ansible ansible-playbook aws gcloud az doctl heroku vercel \
    netlify flyctl gh twine sh ksh pwsh powershell mount umount useradd userdel usermod passwd visudo sendmail mailx mutt \
    apt apt-get aptitude dpkg gpg ssh-keygen ssh-add fsck e2fsck openssl";
static COMMAND_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| COMMANDS.split_whitespace().collect());

/// What no line above a harmless prompt looks like, whatever its words.
static SHAPES: LazyLock<PatternSet> = LazyLock::new(|| {
    PatternSet::constant(&[
        // Money.
        r"[$€£¥₹₽₿] ?\d|\d ?[$€£¥₹₽₿]",
        r"(?i)\b(?:usd|eur|gbp|chf|jpy|cny|inr|btc|eth|dollars?|euros?|costs?|fees?|prices?|pays?|paid|owed?|bills?|charges?)\b",
        r"(?i)\btotal\W{1,3}\d+(?:[.,]\d+)*\W*$",
        // A home folder, and what stands in it.
        r#"(?:^|[\s=:"'(])~"#,
        // A pipe into a program, and a file that is written.
        r"[^\s|] \| ?[A-Za-z]",
        r"(?:^|\s)[12&]?>>? ?[^\s@>|]*[./][^\s@]*$",
        // A list of what is taken away, and a number of files that something happens to.
        r"^\W*\[-\]",
        r"^\W*D\s+\S",
        // A file that is there already.
        r"(?i)\S\.\w{1,5}\W+(?:was |is |are )?(?:found|detected|present|there|here|exist\w*)\b|\b(?:found|detected)\W+(?:an? |the |your )?\S+\.[a-z]\w{0,4}\b|\bexists?\b",
        r"(?i)^\W*\d[\d.,]* (?:files?|folders?|director(?:y|ies)|rows?|tables?|databases?|projects?|entries|items)\W*$",
        r"(?i)^\W*(?:files?|folders?|director(?:y|ies)|rows?|tables?|databases?|projects?|entries|items)\W+\d[\d.,]*\W*$",
    ])
});

/// What makes a command of a line with a word nobody knows: options, assignments, signs of a shell, numbers.
static COMMAND_LIKE: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(r"(?:^|\s)--?(?:\w|\s|$)|[;&|<=*\\{}!]|\S.*>|(?:^|\s)\d+(?:[.,]\d+)?(?:\s|$)|\?$")
});

/// What says outright that it explains itself: it announces nothing that is done.
static ANNOUNCED: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(r"(?i)\bwill (?:walk|guide|help|ask|show)(?: you)?\b"));

/// The head of a patch, which names its files.
static PATCH: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(r"(?i)^(?:--- |\+\+\+ |diff --git |index [0-9a-f]+\.\.)"));

/// What was printed above: all of it but the question and its rows, which are weighed by themselves. `of_patch`: the
/// question is about a piece of a patch, which is code from its head on.
pub fn printed(printed: &str, words: &str, options: &[String], of_patch: bool) -> String {
    let printed = plain::without_hints(printed);
    let patch = of_patch.then(|| printed.find("@@ -")).flatten();
    let lines = printed[..patch.unwrap_or(printed.len())].lines().map(normalize);
    let lines = lines.filter(|line| patch.is_none() || !PATCH.is_match(line));
    let rest = lines.map(|line| {
        let line = ANSWERS.replace_all(&line.replace(words, " "), " ").into_owned();
        // The row it begins with; what stands behind it describes it.
        let bare = line.trim_start_matches(|ch: char| !ch.is_alphabetic());
        let row = options.iter().filter(|label| label.len() > 1 && bare.starts_with(label.as_str()));
        match row.map(String::len).max() {
            Some(length) => bare[length..].to_owned(),
            None => line,
        }
    });
    rest.collect::<Vec<_>>().join("\n")
}

/// The answers that a question drawn a second time has behind it once more, and those that stand side by side.
static ANSWERS: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(r"(?i)[\[(]y(?:es)?/no?[\])]|[●○] ?yes / [●○] ?no\b"));

/// The head of a row with a number or a letter: "1) React", "[1] React", "a - React".
static ROW: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(r"^\W*(?:\d{1,2}|[A-Za-z])(?:[.)\]:]| -) +\S"));

/// Whether rows stand here to choose from that were not read: one that is missing makes no list of them.
pub fn offers_rows(text: &str) -> bool {
    text.lines().filter(|line| ROW.is_match(line)).count() > 1
}

/// Whether everything printed above a prompt may stand there. `harms`: whether a word by itself names an act or a secret.
pub fn is_harmless(text: &str, harms: fn(&str) -> bool) -> bool {
    let mut spelled = 0;
    for line in text.lines() {
        let words: Vec<&str> = words_of(line).collect();
        spelled = match words.as_slice() {
            [] => spelled,
            [word] if is_letter(word) => spelled + 1,
            _ => 0,
        };
        if spelled >= SPELLED || !line_is_harmless(line, harms) {
            return false;
        }
    }
    true
}

fn line_is_harmless(line: &str, harms: fn(&str) -> bool) -> bool {
    // Letters of other alphabets are nobody's name here: their sentences need no blanks. A micro sign is a unit's.
    let foreign = |ch: char| ch.is_alphabetic() && !ch.is_ascii() && ch != '\u{3bc}';
    if line.contains(foreign) || SHAPES.is_match(line) || is_spelled(line) || runs_a_command(line) {
        return false;
    }
    if !paths_are_a_projects(line) {
        return false;
    }
    let line = ANNOUNCED.replace_all(line, "");
    let words: Vec<&str> = words_of(&line).filter(|word| word.chars().any(char::is_alphabetic)).collect();
    // Paths, versions and packages are names, whatever they consist of.
    let spoken: Vec<&str> = words.iter().copied().filter(|word| !word.contains(['/', '.', '@'])).collect();
    let unknown: Vec<&str> = spoken.iter().copied().filter(|word| !is_known(word)).collect();
    match unknown.as_slice() {
        [] => true,
        [name] => {
            let framed = words.iter().any(|word| FRAME_WORDS.contains(word.to_lowercase().as_str()));
            // What comes first is what is done; a name stands behind that, or alone.
            let first = spoken.len() > 1 && spoken[0] == *name;
            !framed && !first && is_name(name, &line, harms)
        }
        _ => false,
    }
}

/// Whether an unknown word may be what something is called, and not what is done.
fn is_name(word: &str, line: &str, harms: fn(&str) -> bool) -> bool {
    let letters = |part: &str| {
        let bare = part.trim_end_matches(|ch: char| ch.is_ascii_digit());
        !bare.is_empty() && bare.chars().all(|ch| ch.is_ascii_alphabetic())
    };
    let goes_on = line.contains(&format!("{word}...")) || line.contains(&format!("> {word}"));
    word.len() >= SHORTEST_NAME
        && parts(word).all(|part| letters(part) && !harms(part))
        && !harms(word)
        && !goes_on
        && !COMMAND_LIKE.is_match(line)
}

/// Whether a word is spelled, letter by letter.
fn is_spelled(line: &str) -> bool {
    let (mut run, mut longest) = (0, 0);
    for part in line.split_whitespace().flat_map(parts) {
        run = if is_letter(part) { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest >= SPELLED
}

fn runs_a_command(line: &str) -> bool {
    let words = line.split(|ch: char| !(ch.is_alphanumeric() || "_-./".contains(ch)));
    words.map(|word| word.rsplit('/').next().unwrap_or(word)).any(|word| {
        let word = word.trim_matches(['.', '-']).to_lowercase();
        is_command(&word)
    })
}

/// Whether a word, in lower case, is a program that deletes, sends, stops or opens something.
pub fn is_command(word: &str) -> bool {
    COMMAND_WORDS.contains(word) || word.starts_with("mkfs.")
}

/// Whether whatever this program asks is a person's. A shell may ask for anything.
pub fn acts(program: &str) -> bool {
    let shell = ["sh", "ksh", "pwsh", "powershell"].contains(&program);
    // Of a reader it is no word of a sentence: its `-ok` asks whether to run a command.
    program == "find" || (COMMAND_WORDS.contains(program) && !shell)
}

/// Whether at most one path from the root stands here, and that deep enough to be a project's.
fn paths_are_a_projects(line: &str) -> bool {
    let words = line.split(|ch: char| ch.is_whitespace() || "=,:()[]\"'".contains(ch));
    let mut paths = words.filter(|word| word.starts_with('/'));
    let Some(path) = paths.next() else { return true };
    let mut folders = path.split('/').filter(|folder| !folder.trim_matches('.').is_empty());
    let system = ["dev", "etc", "boot", "sys", "proc", "bin", "sbin", "lib"];
    // The first of a home's folders names a person.
    let least = match folders.next() {
        Some("home" | "Users") => 2,
        Some(first) if !system.contains(&first) => 1,
        _ => return false,
    };
    folders.count() >= least && paths.next().is_none()
}

#[cfg(test)]
#[path = "above_tests.rs"]
mod tests;
