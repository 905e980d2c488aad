//! Whether sections are tables, lists of tables hold tables, and no value is of a kind that no key has.
//!
//! `source.rs` asks before it reads a file into its types: those take a list for a table, key after key in the
//! order in which they are declared, and would leave out in silence what somebody meant to set or to forbid.

use toml::de::{DeArray, DeTable, DeValue};
use toml::{Spanned, Value};

use crate::core::toml_fault::Fault;

use super::types::File;

/// Keys of a list of tables that name consultants: each of them a name, or a table of its own.
const CHAINS: [(&str, &str); 2] = [("agent", "consultant"), ("rule", "with")];

/// The first section that is something else than its name says.
pub fn fault(table: &DeTable<'_>) -> Option<Fault> {
    let known = toml::Table::try_from(File::default()).expect("the defaults are a file themselves");
    let misshapen = known.iter().find_map(|(name, default)| {
        let value = table.get(name.as_str())?;
        match default {
            Value::Array(_) => not_tables(name, value),
            _ if value.get_ref().is_table() => None,
            _ => Some(misfit(name, value, &format!("[{name}], and its keys below"))),
        }
    });
    misshapen.or_else(|| table.iter().find_map(|(name, value)| no_value_of_ours(name.get_ref(), value)))
}

/// A date, which the reader hands to a table of names as one of its own, or a text that no program can be given.
fn no_value_of_ours(key: &str, value: &Spanned<DeValue<'_>>) -> Option<Fault> {
    match value.get_ref() {
        DeValue::Datetime(_) => Some(misfit(key, value, "it in quotes")),
        DeValue::String(text) if text.contains('\0') => {
            let what = "holds a zero byte, which no program takes; leave it out".to_owned();
            Some(Fault { at: value.span().start, key: key.to_owned(), what })
        }
        DeValue::Array(items) => items.iter().find_map(|item| no_value_of_ours(key, item)),
        DeValue::Table(table) => table
            .iter()
            .find_map(|(name, value)| no_value_of_ours(&format!("{key}.{}", name.get_ref()), value)),
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::String(_) => None,
    }
}

/// A list of tables that is none, or holds something else.
fn not_tables(name: &str, list: &Spanned<DeValue<'_>>) -> Option<Fault> {
    let mend = format!("[[{name}]], and its keys below");
    let Some(items) = list.get_ref().as_array() else { return Some(misfit(name, list, &mend)) };
    items.iter().find_map(|item| match item.get_ref().as_table() {
        Some(table) => chain_fault(name, table),
        None => Some(misfit(name, item, &mend)),
    })
}

fn chain_fault(name: &str, table: &DeTable<'_>) -> Option<Fault> {
    CHAINS.iter().filter(|(holder, _)| *holder == name).find_map(|(_, key)| {
        let links: &DeArray<'_> = table.get(*key)?.get_ref().as_array()?;
        let odd = links.iter().find(|link| !link.get_ref().is_str() && !link.get_ref().is_table())?;
        Some(misfit(&format!("{name}.{key}"), odd, "a name, or { name = \"…\", secs = … }"))
    })
}

fn misfit(key: &str, value: &Spanned<DeValue<'_>>, mend: &str) -> Fault {
    let found = match value.get_ref() {
        DeValue::String(text) => format!("'{text}'"),
        DeValue::Integer(number) => format!("'{}'", number.as_str()),
        DeValue::Float(number) => format!("'{}'", number.as_str()),
        DeValue::Boolean(yes) => format!("'{yes}'"),
        DeValue::Datetime(time) => format!("'{time}'"),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    };
    let what = format!("{found} does not fit here; write {mend}");
    Fault { at: value.span().start, key: key.to_owned(), what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(String, String)> {
        fault(DeTable::parse(text).unwrap().get_ref()).map(|fault| (fault.key, fault.what))
    }

    /// Each of these was taken for a file that sets nothing, and so were a list of what is denied and a deadline.
    #[test]
    fn a_section_that_is_a_list_is_not_taken_for_one_without_keys() {
        let sections = toml::Table::try_from(File::default()).unwrap();
        assert!(sections.len() >= 12, "{sections:?}");
        for (name, default) in &sections {
            let list_of_tables = default.is_array();
            for value in ["5", "\"x\"", "true", "[30]", "[[]]", "[[\"a\"]]"] {
                let (key, what) = found(&format!("{name} = {value}")).unwrap_or_default();
                assert_eq!(&key, name, "{name} = {value}");
                let mend =
                    if list_of_tables { format!("write [[{name}]]") } else { format!("write [{name}]") };
                assert!(what.contains(&mend), "{name} = {value}: {what}");
            }
            assert_eq!(found(&format!("{name} = []")).is_none(), list_of_tables, "{name}");
            let right = if list_of_tables { format!("[[{name}]]\n") } else { format!("[{name}]\n") };
            assert_eq!(found(&right), None);
        }
    }

    /// A date in the place of a table of variables was taken for a variable, and a zero byte told only when a start failed.
    #[test]
    fn what_no_key_takes_is_told_with_its_key() {
        for (text, key) in [
            ("[[agent]]\nenv = 2026-01-01", "agent.env"),
            ("[[agent]]\nenv = { A = 2026-01-01 }", "agent.env.A"),
            ("[[agent]]\nenv = { A = \"\\u0000\" }", "agent.env.A"),
            ("[[agent]]\nargs = [\"a\", \"b\\u0000\"]", "agent.args"),
            ("[dashboard]\nprefix = 10:00:00", "dashboard.prefix"),
        ] {
            assert_eq!(found(text).map(|(key, _)| key).as_deref(), Some(key), "{text}");
        }
    }

    #[test]
    fn a_chain_holds_names_and_tables() {
        for text in ["[[agent]]\nconsultant = [\"a\", 5]", "[[rule]]\nwith = [[\"a\", 5]]"] {
            assert!(found(text).is_some_and(|(key, _)| key.contains('.')), "{text}");
        }
        for text in ["[[agent]]\nconsultant = \"a\"", "[[rule]]\nwith = [\"a\", { name = \"b\", secs = 5 }]"]
        {
            assert_eq!(found(text), None);
        }
    }
}
