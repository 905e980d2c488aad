//! Who is asked after whom: consultants in order, each with its share of a question's time.
//!
//! `[[agent]] consultant` and `[[rule]] with` are written as such a chain, `then` of a `[[consultant]]`
//! lengthens it, and the server's hub goes along it. It asks nobody and knows no clock.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::command::CommandConsultant;

/// One consultant's place. In a file it is a name, or a table with its time as well.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Link {
    pub name: String,
    /// Seconds it may take at most.
    pub secs: Option<u64>,
    /// Hundredths of the question's whole time that it may take.
    pub share: Option<u8>,
}

/// At least one consultant, in the order in which they are asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "OneOrMany", into = "OneOrMany")]
pub struct Chain(Vec<Link>);

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged, expecting = "a consultant's name, or a table { name, secs, share }")]
enum Written {
    Name(String),
    Table(Table),
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secs: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    share: Option<u8>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged, expecting = "a consultant's name, or a list of names and tables { name, secs, share }")]
enum OneOrMany {
    One(Link),
    Many(Vec<Link>),
}

impl From<Written> for Link {
    fn from(written: Written) -> Link {
        match written {
            Written::Name(name) => Link { name, secs: None, share: None },
            Written::Table(Table { name, secs, share }) => Link { name, secs, share },
        }
    }
}

impl From<Link> for Written {
    fn from(link: Link) -> Written {
        match link {
            Link { name, secs: None, share: None } => Written::Name(name),
            Link { name, secs, share } => Written::Table(Table { name, secs, share }),
        }
    }
}

impl TryFrom<OneOrMany> for Chain {
    type Error = &'static str;

    fn try_from(written: OneOrMany) -> Result<Chain, &'static str> {
        match written {
            OneOrMany::One(link) => Ok(Chain(vec![link])),
            OneOrMany::Many(links) if links.is_empty() => Err("is empty; name a consultant, or leave it out"),
            OneOrMany::Many(links) => Ok(Chain(links)),
        }
    }
}

impl From<Chain> for OneOrMany {
    fn from(Chain(mut links): Chain) -> OneOrMany {
        if links.len() == 1 { OneOrMany::One(links.remove(0)) } else { OneOrMany::Many(links) }
    }
}

/// One name, or several with commas between them, as a command line gives them.
impl From<&str> for Chain {
    fn from(names: &str) -> Chain {
        let link = |name: &str| Link { name: name.trim().to_owned(), secs: None, share: None };
        Chain(names.split(',').map(link).collect())
    }
}

impl From<String> for Chain {
    fn from(names: String) -> Chain {
        Chain::from(names.as_str())
    }
}

impl Chain {
    pub fn links(&self) -> &[Link] {
        &self.0
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|link| link.name.as_str())
    }

    /// Why it cannot stand, where it is the chain of the agent of this name.
    pub fn own_fault(&self, of: &str) -> Option<&'static str> {
        let own = self.names().any(|name| name == of);
        own.then_some("an agent cannot answer itself; name another agent or a [[consultant]]")
    }

    /// Why it cannot stand, where somebody is in it twice.
    pub fn twice_fault(&self) -> Option<String> {
        let names: Vec<&str> = self.names().collect();
        let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name))?.1;
        Some(format!("names '{twice}' twice; nobody is asked a second time"))
    }

    /// Why it cannot stand, where one of its names is nobody's of these: a slip of the keyboard, which would only be
    /// noticed when a question goes unanswered.
    pub fn nobody_among(&self, known: &BTreeSet<String>) -> Option<String> {
        let nobody = self.names().find(|name| !known.contains(*name))?;
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let mend = match known.as_slice() {
            [] => "start it first".to_owned(),
            known => format!("there are {}; or start it first", known.join(", ")),
        };
        Some(format!("there is no consultant '{nobody}'; {mend}"))
    }

    /// The chain without one who may not be asked; `None` if nobody is left.
    pub fn without(&self, name: &str) -> Option<Chain> {
        let links: Vec<Link> = self.0.iter().filter(|link| link.name != name).cloned().collect();
        (!links.is_empty()).then_some(Chain(links))
    }

    /// Everybody who is asked: the chain, then those its last one names in `then`, each once. A time that
    /// stands with a command holds where the chain gives none.
    pub fn expanded(&self, commands: &[CommandConsultant]) -> Vec<Link> {
        let mut all: Vec<Link> = Vec::new();
        let mut rest: Vec<Link> = self.0.iter().rev().cloned().collect();
        while let Some(mut link) = rest.pop() {
            if all.iter().any(|known| known.name == link.name) {
                continue;
            }
            let command = commands.iter().find(|command| command.name == link.name);
            if let (Some(command), None, None) = (command, link.secs, link.share) {
                (link.secs, link.share) = (command.secs, command.share);
            }
            let then = command.and_then(|command| command.then.clone());
            if let (Some(name), true) = (then, rest.is_empty()) {
                rest.push(Link { name, secs: None, share: None });
            }
            all.push(link);
        }
        all
    }
}

/// Milliseconds the next one may take. `whole`: what all of them had together; `left`: what is left of it;
/// `after`: how many come after this one. Who names no time gets an equal part of what is left.
pub fn turn_ms(link: &Link, whole: u64, left: u64, after: usize) -> u64 {
    let secs = link.secs.map(|secs| secs.saturating_mul(1000));
    let share = link.share.map(|share| whole / 100 * u64::from(share.min(100)));
    let own = match (secs, share) {
        (Some(secs), Some(share)) => secs.min(share),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => left / (after as u64 + 1),
    };
    own.min(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder {
        consultant: Chain,
    }

    fn read(text: &str) -> Result<Chain, String> {
        toml::from_str::<Holder>(text).map(|holder| holder.consultant).map_err(|e| e.message().to_owned())
    }

    fn command(name: &str, then: Option<&str>, secs: Option<u64>) -> CommandConsultant {
        CommandConsultant {
            name: name.into(),
            command: vec![name.into()],
            then: then.map(Into::into),
            secs,
            ..CommandConsultant::default()
        }
    }

    #[test]
    fn a_chain_is_a_name_a_list_or_tables() {
        assert_eq!(read("consultant = \"a\""), Ok(Chain::from("a")));
        assert_eq!(read("consultant = [\"a\", \"b\"]"), Ok(Chain::from("a, b")));
        let tables = read("consultant = [{ name = \"a\", share = 60 }, { name = \"b\", secs = 9 }]").unwrap();
        assert_eq!((tables.links()[0].share, tables.links()[1].secs), (Some(60), Some(9)));
        for bad in ["consultant = []", "consultant = 3", "consultant = [{ nam = \"a\" }]"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        for chain in [Chain::from("a"), Chain::from("a,b"), tables] {
            let text = toml::to_string(&Holder { consultant: chain.clone() }).unwrap();
            assert_eq!(read(&text), Ok(chain));
        }
    }

    #[test]
    fn everybody_is_asked_once_however_the_names_point_at_each_other() {
        let commands =
            [command("a", Some("b"), None), command("b", Some("a"), Some(7)), command("c", Some("d"), None)];
        let names = |chain: &str| -> Vec<String> {
            Chain::from(chain).expanded(&commands).into_iter().map(|link| link.name).collect()
        };
        assert_eq!(names("a"), ["a", "b"]);
        assert_eq!(names("a,c"), ["a", "c", "d"]);
        assert_eq!(names("pane,pane,b"), ["pane", "b", "a"]);
        assert_eq!(Chain::from("b").expanded(&commands)[0].secs, Some(7));
        assert_eq!(Chain::from("a,b").without("a"), Some(Chain::from("b")));
        assert_eq!(Chain::from("a").without("a"), None);
    }

    #[test]
    fn nobody_gets_more_time_than_there_is() {
        let link = |secs, share| Link { name: "a".into(), secs, share };
        assert_eq!(turn_ms(&link(None, None), 52_000, 52_000, 1), 26_000);
        assert_eq!(turn_ms(&link(None, None), 52_000, 40_000, 0), 40_000);
        assert_eq!(turn_ms(&link(None, Some(60)), 52_000, 52_000, 1), 31_200);
        assert_eq!(turn_ms(&link(Some(10), Some(60)), 52_000, 52_000, 1), 10_000);
        assert_eq!(turn_ms(&link(Some(900), None), 52_000, 52_000, 1), 52_000);
        assert_eq!(turn_ms(&link(None, Some(255)), 52_000, 9_000, 3), 9_000);
    }
}
