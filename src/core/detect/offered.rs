//! The answers that a prompt in a line offers: `[y/N]`, `(yes/no/[fingerprint])`, `[y,n,q,a,d,j,J]`.
//!
//! `lines.rs` asks with what stands between the brackets. What is typed is the label, letter by letter: a capital that only marks
//! what Enter takes must not be typed, and one that tells two answers apart must.

use crate::core::question::Choice;

/// As choices, in the case in which each is typed; `(Y)es/(N)o` as the words they are, and `[y]es, [N]one` as the keys in brackets.
pub fn split(group: &str) -> Vec<Choice> {
    if let Some(keys) = keyed_words(group) {
        return keys;
    }
    if group.starts_with('(') && group.contains(')') && !group.ends_with(')') {
        let words = group.split('/').map(|word| word.replace(['(', ')'], ""));
        return words.map(|word| choice(word.trim())).collect();
    }
    let words = group.split(['/', ',', '|']).map(|word| word.trim().trim_matches(['[', ']', '(', ')']));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let keys = group.contains(',');
    // Between commas a slash, or a bar, is a key like any other.
    let words: Vec<&str> = match keys && group.split(',').any(|key| ["/", "|"].contains(&key.trim())) {
        true => group.split(',').map(str::trim).filter(|key| !key.is_empty()).collect(),
        false => words,
    };
    words.iter().map(|word| choice(&typed(word, &words, keys))).collect()
}

/// Words with the key of each in brackets. None of them are offered where one key stands for two.
fn keyed_words(group: &str) -> Option<Vec<Choice>> {
    let words = group.split([',', '/', ' ']).filter(|word| !word.is_empty() && *word != "or");
    let keyed = |word: &str| {
        let (key, rest) = word.strip_prefix('[')?.split_once(']')?;
        let plain = key.chars().count() == 1 && !rest.is_empty() && rest.chars().all(char::is_alphabetic);
        plain.then(|| Choice { description: format!("{key}{rest}"), ..choice(key) })
    };
    let keys = words.map(keyed).collect::<Option<Vec<Choice>>>().filter(|keys| keys.len() > 1)?;
    let twice = |at: usize| keys[..at].iter().any(|before| before.label == keys[at].label);
    Some(if (0..keys.len()).any(twice) { Vec::new() } else { keys })
}

/// A word as it is typed. Where one word begins with a capital and others do not, Enter takes that one; in a list of keys, as git has
/// them (`y,n,q,K`), only a yes or a no is marked so.
fn typed(word: &str, words: &[&str], keys: bool) -> String {
    let lower = word.to_lowercase();
    if keys && !matches!(lower.as_str(), "y" | "n" | "yes" | "no") {
        return word.to_owned();
    }
    let begins_large = |word: &str| word.chars().find(|ch| ch.is_alphabetic()).is_none_or(char::is_uppercase);
    let two_cases = words.iter().any(|other| *other != word && other.to_lowercase() == lower);
    if two_cases || words.len() > 1 && words.iter().all(|word| begins_large(word)) {
        word.to_owned()
    } else {
        lower
    }
}

pub fn choice(label: &str) -> Choice {
    Choice { label: label.to_owned(), ..Choice::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `A` was typed as `a`, which means something else; a script that asks for `Y` took `y` for a no.
    #[test]
    fn a_capital_is_typed_unless_it_only_marks_what_enter_takes() {
        for (group, labels) in [
            ("y/N", "y n"),
            ("Y/n", "y n"),
            ("yes/No", "yes no"),
            ("yes/no/[fingerprint]", "yes no fingerprint"),
            ("y,n,q,a,d,e,?", "y n q a d e ?"),
            ("y/N/q/?", "y n q ?"),
            ("Y/N", "Y N"),
            ("Yes/No", "Yes No"),
            ("Y/N/?", "Y N ?"),
            ("y/n/a/A", "y n a A"),
            ("Y/n/a/A", "y n a A"),
            ("y,n,q,a,d,j,J,g,?", "y n q a d j J g ?"),
            ("y,n,q,a,d,K,g,?", "y n q a d K g ?"),
            ("y,n,q,a,d,j,J,g,/,e,p,?", "y n q a d j J g / e p ?"),
            ("Y,n", "y n"),
            ("[y]/n", "y n"),
            ("(Y)es/(N)o", "Yes No"),
            ("[y]es, [n]o, [A]ll, [N]one, [r]ename", "y n A N r"),
            ("[A]ll, [N]one or [S]kip", "A N S"),
            ("[S]kip/[S]top", ""),
        ] {
            let seen: Vec<String> = split(group).into_iter().map(|choice| choice.label).collect();
            assert_eq!(seen.join(" "), labels, "{group}");
        }
    }
}
