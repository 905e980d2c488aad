//! A file of variables (`.env`): which names it has, and which of its values are secrets.
//!
//! What goes along with a question is told without them, and a file itself with its names alone. Pure.

use super::redact::{LEAST_SECRET, REMOVED, known_secrets, names_a_secret};

/// The quotes that hold a value, also over several lines.
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// The values that are secrets, as their names say, and the passwords of addresses. Of one that goes on over several lines, as a
/// private key does, each line: a screen shows them one by one.
pub fn secrets(text: &str) -> Vec<String> {
    let pairs: Vec<(&str, &str)> = text.lines().filter_map(pair).collect();
    let in_addresses = pairs.iter().filter_map(|(_, value)| password(value)).map(str::to_owned);
    let known = known_secrets(pairs.iter().copied()).chain(in_addresses);
    let of_lines = parts(text).into_iter().filter(|part| names_a_secret(part.name));
    let lines = of_lines.flat_map(|part| part.goes_on.lines()).map(|line| line.trim_matches(QUOTES).trim());
    known.chain(lines.filter(|line| line.len() >= LEAST_SECRET).map(str::to_owned)).collect()
}

/// The file with its names alone. Comments hold examples.
pub fn names_only(text: &str) -> String {
    parts(text).iter().map(|part| format!("{}={REMOVED}\n", part.written)).collect()
}

/// One variable.
struct Part<'a> {
    /// Its name, and what stands before the sign.
    name: &'a str,
    written: &'a str,
    /// The lines of its value after the first.
    goes_on: &'a str,
}

/// The variables of a file. A quote that nothing ends goes on to the end of what is there: the rest may be cut off.
fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        let Some((name, _)) = pair(line) else { continue };
        let Some((written, value)) = line.split_once(['=', ':']) else { continue };
        let value = value.trim_start();
        let open = QUOTES
            .into_iter()
            .find(|quote| value.starts_with(*quote) && end_of(&value[1..], *quote).is_none());
        let goes_on = match open {
            None => "",
            Some(quote) => {
                let end = end_of(after, quote).map_or(after.len(), |at| at + quote.len_utf8());
                rest = after[end..].split_once('\n').map_or("", |(_, rest)| rest);
                &after[..end]
            }
        };
        parts.push(Part { name, written, goes_on });
    }
    parts
}

/// `NAME=value` and `NAME: value`, as shells and the readers of such files in many languages take them.
fn pair(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let bare = ["export", "declare -x", "set"]
        .into_iter()
        .find_map(|word| line.strip_prefix(word).filter(|rest| rest.starts_with([' ', '\t'])))
        .unwrap_or(line)
        .trim_start();
    let (name, value) = bare.split_once(['=', ':'])?;
    let named = !name.starts_with('#') && !name.trim().contains(char::is_whitespace);
    named.then(|| (name.trim(), value_of(value.trim())))
}

/// A value without its quotes and without the remark behind it.
fn value_of(text: &str) -> &str {
    let quoted = ['"', '\'', '`'].into_iter().find_map(|quote| within(text, quote));
    let bare = || text.split(" #").next().unwrap_or(text).split("\t#").next().unwrap_or(text).trim();
    quoted.unwrap_or_else(bare)
}

/// What stands between this quote and the next that no backslash hides.
fn within(text: &str, quote: char) -> Option<&str> {
    let inside = text.strip_prefix(quote)?;
    Some(&inside[..end_of(inside, quote).unwrap_or(inside.len())])
}

/// Where the next such quote stands that no backslash hides.
fn end_of(inside: &str, quote: char) -> Option<usize> {
    let ends = |(at, _): &(usize, &str)| !inside[..*at].ends_with('\\');
    inside.match_indices(quote).find(ends).map(|(at, _)| at)
}

/// Shorter passwords would be removed wherever they stand as words.
const LEAST_PASSWORD: usize = 6;

/// The password of an address, whatever the variable is called.
fn password(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let (user, _) = rest.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password).filter(|password| password.len() >= LEAST_PASSWORD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_with_its_names_alone() {
        let told = names_only("# TOKEN=x\nA=b\nexport C=\"d\ne\"\n");
        assert_eq!(told, format!("A={REMOVED}\nexport C={REMOVED}\n"));
    }

    /// The second line of a quoted value was told, its last one even where names alone were: base64 ends in `=`.
    #[test]
    fn a_value_of_several_lines_is_no_line_of_its_own() {
        let key = "A_KEY=\"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhki\n/aSecondLine8==\n-----END-----\"\nDEBUG=1\nB=\"x\ny\"\n";
        let known = secrets(key);
        for line in ["MIIEvQIBADANBgkqhki", "/aSecondLine8==", "-----END-----"] {
            assert!(known.iter().any(|secret| secret == line), "{line}: {known:?}");
        }
        assert_eq!(
            names_only(key),
            "A_KEY=[removed]\nDEBUG=[removed]\nB=[removed]\n".replace("[removed]", REMOVED)
        );
        // What is cut off within it, or what a quote that nothing ends begins.
        assert_eq!(names_only("A_KEY='one\nabc==\nC=d").lines().count(), 1);
        assert!(secrets("A='x\nB_TOKEN=red-house-8\n").contains(&"red-house-8".to_owned()));
    }
}
