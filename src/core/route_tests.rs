//! Who answers what, and what no rule can change.

use super::*;
use crate::core::question::Choice;

fn question(kind: Kind, subject: Option<&str>, labels: &[&str]) -> Question {
    let row = |(at, label): (usize, &&str)| Choice {
        label: (*label).into(),
        number: Some(at as u32 + 1),
        role: if label.starts_with("Type") { Role::FreeText } else { Role::Choice },
        ..Choice::default()
    };
    Question {
        kind,
        prompt: "May I?".into(),
        options: labels.iter().enumerate().map(row).collect(),
        selected: Some(0),
        multi: false,
        subject: subject.map(str::to_owned),
        partial: false,
        tab: None,
        typing: false,
    }
}

fn policy(toml: &str) -> Policy {
    #[derive(serde::Deserialize)]
    struct Rules {
        rule: Vec<Rule>,
    }
    Policy { rules: toml::from_str::<Rules>(toml).unwrap().rule, ..Policy::default() }
}

const WORKER: Asker = Asker { name: "api", consultant: Some("advisor"), is_consultant: false };

fn who(q: &Question, policy: &Policy) -> String {
    match route(q, &WORKER, policy) {
        Route::Consult { with, .. } => with,
        Route::Human { .. } => "human".into(),
        Route::Answer { answer, .. } => format!("{answer:?}"),
        Route::Ignore { .. } => "nobody".into(),
    }
}

#[test]
fn the_built_in_rules() {
    for kind in Kind::ALL {
        let expected = match kind {
            Kind::Menu | Kind::Multi | Kind::Review | Kind::Text | Kind::YesNo => "advisor",
            _ => "human",
        };
        assert_eq!(who(&question(kind, None, &["A"]), &Policy::default()), expected, "{}", kind.name());
    }
    let lone = Asker { consultant: None, ..WORKER };
    assert!(matches!(
        route(&question(Kind::Menu, None, &["A"]), &lone, &Policy::default()),
        Route::Human { .. }
    ));
}

#[test]
fn no_rule_takes_trust_login_or_password_from_a_person() {
    for then in ["answer", "consult", "ignore"] {
        let rules = policy(&format!("[[rule]]\nthen = \"{then}\"\nanswer = \"Yes\""));
        for kind in [Kind::Trust, Kind::Login, Kind::Password] {
            assert_eq!(who(&question(kind, None, &["Yes"]), &rules), "human", "{then} {}", kind.name());
        }
    }
}

#[test]
fn a_consultant_never_permits_and_never_asks_itself() {
    let rules = policy("[[rule]]\nthen = \"consult\"");
    for kind in [Kind::Permission, Kind::Plan] {
        assert_eq!(who(&question(kind, Some("ls"), &["Yes"]), &rules), "human");
    }
    let own = Asker { name: "advisor", consultant: Some("advisor"), is_consultant: true };
    assert!(matches!(
        route(&question(Kind::Menu, None, &["A"]), &own, &Policy::default()),
        Route::Human { .. }
    ));
    let chained = Asker { name: "advisor", consultant: Some("other"), is_consultant: true };
    assert!(matches!(
        route(&question(Kind::Menu, None, &["A"]), &chained, &Policy::default()),
        Route::Human { .. }
    ));
}

#[test]
fn the_first_rule_that_matches_decides() {
    let rules = policy(
        "[[rule]]\nkind = \"permission\"\ncommand = \"^(git status|ls)( |$)\"\nthen = \"answer\"\nanswer = \"Yes\"\n\
         [[rule]]\nkind = \"menu\"\nprompt = \"(?i)may\"\nagent = \"web\"\nthen = \"human\"\n\
         [[rule]]\nkind = \"menu\"\noption = \"^Ship\"\nthen = \"consult\"\nwith = \"boss\"\n\
         [[rule]]\nkind = \"menu\"\noption = \"^Skip\"\nthen = \"ignore\"\n",
    );
    let permission =
        |command| question(Kind::Permission, Some(command), &["Yes", "Yes, and don't ask again", "No"]);
    assert_eq!(who(&permission("git status"), &rules), "Rows([0])");
    assert_eq!(who(&permission("cargo build"), &rules), "human");
    assert_eq!(who(&question(Kind::Menu, None, &["Ship it", "Wait"]), &rules), "boss");
    assert_eq!(who(&question(Kind::Menu, None, &["Skip", "Wait"]), &rules), "nobody");
    assert_eq!(who(&question(Kind::Menu, None, &["A", "B"]), &rules), "advisor");
}

#[test]
fn what_cannot_be_undone_is_not_answered_by_a_rule() {
    let rules = policy("[[rule]]\nkind = \"permission\"\nthen = \"answer\"\nanswer = \"Yes\"");
    let permission = |command| question(Kind::Permission, Some(command), &["Yes", "No"]);
    assert_eq!(who(&permission("cargo test"), &rules), "Rows([0])");
    for command in ["rm -rf /", "git push --force", "sudo make install", "ls && rm -rf ~/x"] {
        assert_eq!(who(&permission(command), &rules), "human", "{command}");
    }
    assert_eq!(
        who(&Question { subject: None, ..permission("") }, &rules),
        "human",
        "nobody knows what it would do"
    );
    assert_eq!(who(&Question { partial: true, ..permission("cargo test") }, &rules), "human");
}

#[test]
fn a_project_may_not_permit() {
    let mut rules = policy("[[rule]]\nthen = \"answer\"\nanswer = \"Yes\"");
    rules.rules[0].from_project = true;
    for kind in [Kind::Permission, Kind::Plan, Kind::Dialog] {
        assert_eq!(who(&question(kind, Some("ls"), &["Yes"]), &rules), "human");
    }
    assert_eq!(who(&question(Kind::Menu, None, &["Yes"]), &rules), "Rows([0])");
}

#[test]
fn a_rule_that_does_not_fit_answers_nothing() {
    let rules = policy("[[rule]]\nkind = \"menu\"\nthen = \"answer\"\nanswer = \"Yes\"");
    assert_eq!(who(&question(Kind::Menu, None, &["Yes, always", "No"]), &rules), "human");
    assert_eq!(who(&question(Kind::Menu, None, &["Yes", "Yes"]), &rules), "human");
}

fn given(options: &[&str], q: &Question) -> Result<Answer, String> {
    let options: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
    resolve(&GivenOptions { options: &options, text: None, reject: false }, q)
}

#[test]
fn options_are_named_by_label_or_number() {
    let q = question(Kind::Menu, None, &["Yes", "Don't", "3", "Type something."]);
    assert_eq!(given(&["Yes"], &q), Ok(Answer::Rows(vec![0])));
    assert_eq!(given(&["Don\u{2019}t"], &q), Ok(Answer::Rows(vec![1])));
    assert_eq!(given(&["2"], &q), Ok(Answer::Rows(vec![1])));
    assert_eq!(given(&["3"], &q), Ok(Answer::Rows(vec![2])), "the label 3 and the number 3 agree");
    for bad in ["0", "9", "yes", "-1", "4", "Type something."] {
        assert!(given(&[bad], &q).is_err(), "{bad}");
    }
    assert!(given(&["1", "2"], &q).is_err());
    assert_eq!(given(&["2", "1", "2"], &Question { multi: true, ..q }), Ok(Answer::Rows(vec![0, 1])));
}

#[test]
fn words_need_a_place_to_go() {
    let text =
        |text, q: &Question| resolve(&GivenOptions { options: &[], text: Some(text), reject: false }, q);
    let free = question(Kind::Menu, None, &["A", "Type something."]);
    assert_eq!(text("mine\x1b[A\n", &free), Ok(Answer::Text("mine[A".into())));
    assert!(text("mine", &question(Kind::Menu, None, &["A"])).is_err());
    assert!(text(" \x07 ", &free).is_err());
    assert_eq!(text("go", &question(Kind::Text, None, &[])), Ok(Answer::Text("go".into())));
    assert_eq!(text("n", &question(Kind::YesNo, None, &["y", "n"])), Ok(Answer::Rows(vec![1])));
    let reject = GivenOptions { options: &[], text: None, reject: true };
    assert_eq!(resolve(&reject, &free), Ok(Answer::Reject));
}
