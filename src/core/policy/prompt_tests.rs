//! What prompts are placed as, by their words.

use super::*;

fn yesno(words: &str) -> Asks {
    place(&Prompt { form: Form::YesNo, words, options: &["y", "n"], printed: words })
}

fn value(words: &str) -> Asks {
    place(&Prompt { form: Form::Words, words, options: &[], printed: words })
}

#[test]
fn letters_that_only_look_latin_place_nothing() {
    assert_eq!(yesno("Use TypeScript? [Y/n]"), Asks::Choice);
    assert_eq!(yesno("Use Typ\u{435}Script? [Y/n]"), Asks::Unplaced);
    assert_eq!(value("Pr\u{43e}ject name:"), Asks::Unplaced);
}

#[test]
fn what_stands_above_counts() {
    let below =
        |printed| place(&Prompt { form: Form::YesNo, words: "Use defaults? [Y/n]", options: &[], printed });
    assert_eq!(below("Use defaults? [Y/n]"), Asks::Choice);
    assert_eq!(below("All data on it will be erased.\nUse defaults? [Y/n]"), Asks::Approval(Act::Deletes));
}

/// A harmless beginning made all that came behind it harmless too.
#[test]
fn a_harmless_head_does_not_carry_the_rest_of_the_sentence() {
    let harmful = [
        "Use TypeScript and format C:? [Y/n]",
        "Use TypeScript and chmod 777 /? [Y/n]",
        "Use TypeScript and chown -R nobody /? [Y/n]",
        "Use TypeScript and burn it down? [Y/n]",
        "Use TypeScript and :(){ :|:& };: ? [Y/n]",
        "Use TypeScript with your Apple ID? [Y/n]",
        "Would you like to use a new empty home folder instead of yours? [Y/n]",
    ];
    for words in harmful {
        assert_ne!(yesno(words), Asks::Choice, "{words}");
    }
    let named = [
        "Mother's maiden name:",
        "Name of your mother before marriage:",
        "Name of your first school:",
        "Name of the street you grew up on:",
        "Name of the first pet:",
        "Social security name:",
        "Passkey name:",
        "Cardholder name:",
        "Name on the card:",
        "IBAN name:",
        "Name of the environment to roll out to:",
        "Environment name:",
        "Target name:",
        "Port to open to the world:",
        "Port of the bastion to tunnel through:",
    ];
    for words in named {
        assert_ne!(value(words), Asks::Value, "{words}");
    }
    let gone = "Everything under /home is about to vanish.\nUse TypeScript? [Y/n]";
    let words = "Use TypeScript? [Y/n]";
    assert_ne!(place(&Prompt { form: Form::YesNo, words, options: &[], printed: gone }), Asks::Choice);
    for words in ["Would you like to use `src/` directory? [y/N]", "Use ESLint and Prettier? [Y/n]"] {
        assert_eq!(yesno(words), Asks::Choice, "{words}");
    }
}

#[test]
fn rows_that_say_yes_or_no_are_a_question_of_that() {
    let rows = |words, options| place(&Prompt { form: Form::Rows, words, options, printed: words });
    assert_eq!(rows("Frobnicate?", &["Yes", "No"]), Asks::Unplaced);
    assert_eq!(rows("Pick a colour", &["Red", "Green"]), Asks::Choice);
    assert_eq!(rows("What next?", &["Look", "Delete all"]), Asks::Approval(Act::Deletes));
}

/// Each word was known for harmless, and together they stop what runs or empty what is there.
#[test]
fn harmless_words_that_stop_or_empty_something_together_are_a_persons() {
    for words in [
        "Would you like to use docker compose down? [Y/n]",
        "Use `docker-compose down`? [Y/n]",
        "Use compose down for tests? [Y/n]",
        "Use docker compose up? [Y/n]",
        "Use zero databases? [Y/n]",
        "Use zero tables? [Y/n]",
        "Use a blank database? [Y/n]",
    ] {
        assert_ne!(yesno(words), Asks::Choice, "{words}");
    }
    for words in ["Use docker compose? [Y/n]", "Use a database? [Y/n]"] {
        assert_eq!(yesno(words), Asks::Choice, "{words}");
    }
}

/// To add a package is to install it, and the next version is one that is published.
#[test]
fn packages_and_versions_are_a_persons() {
    for words in
        ["Use npm to add the package? [Y/n]", "Add dependencies? [Y/n]", "Add missing dependencies? [Y/n]"]
    {
        assert_eq!(yesno(words), Asks::Approval(Act::Installs), "{words}");
    }
    assert_eq!(value("New version? (1.0.1)"), Asks::Unplaced);
    assert_eq!((yesno("Add a package.json? [Y/n]"), value("version: (1.0.0)")), (Asks::Choice, Asks::Value));
}
