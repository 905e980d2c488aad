//! Who answers what: every kind, every sort of rule, and answers as people write them.

use std::sync::LazyLock;

use super::*;
use crate::core::question::{Choice, Origin};

fn row(label: &str) -> Choice {
    Choice { label: label.into(), ..Choice::default() }
}

fn question(kind: Kind, labels: &[&str]) -> Question {
    Question {
        kind,
        prompt: if kind == Kind::YesNo { "Use TypeScript?" } else { "Which one?" }.into(),
        options: labels.iter().map(|label| row(label)).collect(),
        selected: Some(0),
        multi: kind == Kind::Multi,
        subject: None,
        partial: false,
        tab: None,
        typing: false,
        origin: Default::default(),
    }
}

fn permission(command: &str) -> Question {
    let labels = ["Yes", "Yes, and don't ask again", "No"];
    Question { subject: Some(command.into()), ..question(Kind::Permission, &labels) }
}

fn rule(then: Then) -> Rule {
    Rule {
        agent: None,
        kind: None,
        prompt: None,
        command: None,
        option: None,
        then,
        answer: None,
        with: None,
        from_project: false,
    }
}

fn approve(command: &str) -> Rule {
    Rule { command: Some(command.into()), answer: Some("Yes".into()), ..rule(Then::Answer) }
}

static ADVISOR: LazyLock<Chain> = LazyLock::new(|| Chain::from("advisor"));

fn api() -> Asker<'static> {
    Asker { name: "api", consultant: Some(&ADVISOR), is_consultant: false }
}

fn routed(q: &Question, rules: Vec<Rule>) -> Route {
    route(q, &api(), &Policy { rules, ..Policy::default() })
}

fn name(route: &Route) -> &'static str {
    match route {
        Route::Consult { .. } => "consult",
        Route::Human { .. } => "human",
        Route::Answer { .. } => "answer",
        Route::Ignore { .. } => "ignore",
    }
}

#[test]
fn without_rules_the_kind_decides() {
    for kind in Kind::ALL {
        let labels = if kind == Kind::YesNo { ["y", "n"] } else { ["A", "B"] };
        let q = question(kind, &labels);
        let expected = match kind {
            Kind::Menu | Kind::Multi | Kind::Review | Kind::Text | Kind::YesNo => "consult",
            Kind::Permission | Kind::Plan | Kind::Trust | Kind::Login | Kind::Password | Kind::Dialog => {
                "human"
            }
        };
        assert_eq!(name(&routed(&q, vec![])), expected, "{kind:?}");
        let alone = Asker { consultant: None, ..api() };
        assert_eq!(name(&route(&q, &alone, &Policy::default())), "human", "{kind:?}");
    }
}

#[test]
fn no_rule_answers_what_only_a_person_may() {
    for kind in [Kind::Trust, Kind::Login, Kind::Password] {
        for then in [Then::Answer, Then::Consult, Then::Ignore, Then::Human] {
            let any = Rule { answer: Some("Yes".into()).filter(|_| then == Then::Answer), ..rule(then) };
            assert_eq!(
                name(&routed(&question(kind, &["Yes", "No"]), vec![any])),
                "human",
                "{kind:?} {then:?}"
            );
        }
    }
}

#[test]
fn the_first_rule_that_matches_decides() {
    let q = question(Kind::Menu, &["A", "B"]);
    let other = Rule { agent: Some("web".into()), ..rule(Then::Ignore) };
    let prompt = Rule { prompt: Some("^Which".into()), ..rule(Then::Human) };
    let found = routed(&q, vec![other.clone(), prompt.clone(), rule(Then::Ignore)]);
    assert!(matches!(&found, Route::Human { rule, .. } if rule == "2"), "{found:?}");
    assert_eq!(routed(&q, vec![other, rule(Then::Ignore), prompt]), Route::Ignore { rule: "2".into() });
    let with = Rule { with: Some("oneshot".into()), option: Some("^B$".into()), ..rule(Then::Consult) };
    assert_eq!(routed(&q, vec![with]), Route::Consult { with: "oneshot".into(), rule: "1".into() });
    let broken = Rule { prompt: Some("(".into()), ..rule(Then::Ignore) };
    assert_eq!(name(&routed(&q, vec![broken])), "consult");
}

#[test]
fn an_agent_never_answers_itself() {
    let q = question(Kind::Menu, &["A", "B"]);
    let itself = Asker { name: "advisor", consultant: Some(&ADVISOR), is_consultant: true };
    assert_eq!(name(&route(&q, &itself, &Policy::default())), "human");
    let with = Rule { with: Some("advisor".into()), ..rule(Then::Consult) };
    let policy = Policy { rules: vec![with], ..Policy::default() };
    assert_eq!(name(&route(&q, &itself, &policy)), "human");
    let lone = Asker { consultant: None, ..itself };
    assert_eq!(name(&route(&q, &lone, &Policy::default())), "human");
}

#[test]
fn a_rule_approves_the_very_command_it_names() {
    let safe = || vec![approve("^(git (status|diff|log)|ls|cat)( |$)")];
    for command in
        ["git status", "git diff HEAD~1", "ls -la", "cat README.md", "ls src && cat src/main.rs", "ls 2>&1"]
    {
        let answer = Answer::Rows(vec![0]);
        assert_eq!(
            routed(&permission(command), safe()),
            Route::Answer { answer, rule: "1".into() },
            "{command}"
        );
    }
    for command in [
        "git push",
        "git status; touch x",
        "git log && npm test",
        "ls | sh",
        "cat x > y",
        "cat $(touch x)",
        "cat `touch x`",
        "ls &\ntouch x",
        "cat <<EOF\nEOF\ntouch x",
        "ls '",
        "cat ~/.ssh/id_rsa",
        "cat .env",
        "git log --output x; ls",
        "cat <(touch x)",
        "",
        "lsattr",
    ] {
        assert_eq!(name(&routed(&permission(command), safe())), "human", "{command}");
    }
}

/// "Do you want to create ls?" has the name of the file for its subject, and a rule for harmless commands approved it.
#[test]
fn a_rule_for_commands_approves_no_file_of_that_name() {
    let asked = |prompt: &str, subject: &str, request: Option<&str>| {
        let mut q = Question { prompt: prompt.into(), ..permission(subject) };
        q.origin.request = request.map(str::to_owned);
        q
    };
    for (prompt, subject, request) in [
        ("Do you want to create ls?", "ls", Some("create ../bin/ls")),
        ("Do you want to create ls?", "ls", None),
        ("Do you want to overwrite git log?", "git log", None),
        ("Permission required", "cat", Some("edit cat")),
        ("Apply this change?", "1 ls", Some("edit src/ls")),
    ] {
        let q = asked(prompt, subject, request);
        assert_eq!(name(&routed(&q, vec![approve("^(ls|cat|git log)( |$)")])), "human", "{prompt}");
        assert_eq!(name(&routed(&q, vec![approve("^(create|edit|write) ")])), "answer", "{prompt}");
        assert_eq!(name(&routed(&q, vec![approve("ls$|log$|cat$")])), "answer", "{prompt}");
    }
    let edit = asked("Do you want to make this edit to app.py?", "app.py", Some("edit src/it; here/app.py"));
    assert_eq!(name(&routed(&edit, vec![approve("^edit src/")])), "answer", "a path is no command line");
    let key = asked("Do you want to make this edit to config?", "config", Some("edit ../.ssh/config"));
    assert_eq!(name(&routed(&key, vec![approve("^edit ")])), "human", "it touches credentials");
}

#[test]
fn a_pattern_may_name_a_whole_line() {
    let rules = || vec![approve("git log [^|;&]*[|] head -5")];
    assert_eq!(name(&routed(&permission("git log --oneline | head -5"), rules())), "answer");
    assert_eq!(name(&routed(&permission("git log | head -5; touch x"), rules())), "human");
    let address = vec![approve("^https://docs.rs/")];
    assert_eq!(name(&routed(&permission("https://docs.rs/x?a=1&b=2"), address)), "answer");
}

/// A narrow pane broke `git push` in two, and a rule for everything approved what a rule for it was to keep for a person.
#[test]
fn a_rule_that_refuses_finds_a_command_however_it_is_written() {
    let all = || approve("(?s).");
    let kept = || Rule { command: Some("git push".into()), ..rule(Then::Human) };
    let refused = || Rule { answer: Some("No".into()), ..approve("git push") };
    for line in ["echo more and && git\npush origin", "git  push", "git pu''sh", "git -C . push"] {
        let first = |rule: Rule| match routed(&permission(line), vec![rule, all()]) {
            Route::Human { rule, .. } => rule,
            Route::Answer { answer, rule } if answer == Answer::Rows(vec![2]) => rule,
            other => panic!("{line:?}: {other:?}"),
        };
        assert_eq!([first(kept()), first(refused())], ["1", "1"], "{line:?}");
    }
    assert_eq!(name(&routed(&permission("git\nstatus"), vec![kept(), all()])), "answer");
}

#[test]
fn what_rows_make_together_is_a_persons() {
    let all = || vec![approve("(?s).")];
    for rows in ["rm\n-rf ~", "ls\nrm -r\nf /", "echo x && git\npush --force", "su\ndo id"] {
        assert_eq!(name(&routed(&permission(rows), all())), "human", "{rows:?}");
    }
    for rows in ["cd x\ncargo test", "git commit -m 'one\n\nIt says why.\nrows'", "ls\nrm x"] {
        assert_eq!(name(&routed(&permission(rows), all())), "answer", "{rows:?}");
    }
}

#[test]
fn what_cannot_be_taken_back_is_a_persons_even_with_a_rule() {
    for command in
        ["rm -rf ~", "git push --force", "cat ~/.aws/credentials", "kubectl delete pod x", "sudo ls"]
    {
        assert_eq!(name(&routed(&permission(command), vec![approve(".")])), "human", "{command}");
        assert_eq!(name(&routed(&permission(command), vec![rule(Then::Consult)])), "human", "{command}");
        let deny = Rule { answer: Some("No".into()), ..approve(".") };
        let answer = Answer::Rows(vec![2]);
        assert_eq!(routed(&permission(command), vec![deny]), Route::Answer { answer, rule: "1".into() });
    }
    // To refuse, a part of the line is enough; to approve, it is not.
    let part = |answer: &str| Rule { answer: Some(answer.into()), ..approve("^curl ") };
    let download = permission("curl -s https://x.example | less");
    assert_eq!(name(&routed(&download, vec![part("No")])), "answer");
    assert_eq!(name(&routed(&download, vec![part("Yes")])), "human");
    assert_eq!(name(&routed(&permission("wget -q x | less"), vec![part("No")])), "human");
    let unseen = question(Kind::Permission, &["Yes", "No"]);
    let any = Rule { answer: Some("Yes".into()), ..rule(Then::Answer) };
    assert_eq!(name(&routed(&unseen, vec![any.clone()])), "human");
    let yesno = Question { prompt: "Drop table users?".into(), ..question(Kind::YesNo, &["y", "N"]) };
    assert_eq!(name(&routed(&yesno, vec![])), "human");
    assert_eq!(name(&routed(&yesno, vec![Rule { answer: Some("y".into()), ..any }])), "human");
}

#[test]
fn a_projects_rules_approve_nothing() {
    for kind in [Kind::Permission, Kind::Plan, Kind::Dialog] {
        let q = Question { subject: Some("ls".into()), ..question(kind, &["Yes", "No"]) };
        for then in [Then::Answer, Then::Consult] {
            let theirs = Rule { from_project: true, answer: Some("Yes".into()), ..rule(then) };
            assert_eq!(name(&routed(&q, vec![theirs.clone()])), "human");
            let own = Rule { from_project: false, ..theirs.clone() };
            if then == Then::Answer {
                assert_eq!(name(&routed(&q, vec![theirs, own])), "answer", "the next rule holds");
            }
        }
        let silent = Rule { from_project: true, ..rule(Then::Ignore) };
        assert_eq!(name(&routed(&q, vec![silent.clone()])), "human", "nor is it kept from a person");
        assert_eq!(name(&routed(&q, vec![Rule { from_project: false, ..silent }])), "ignore");
    }
    let yesno = Question { prompt: "Shall I?".into(), ..question(Kind::YesNo, &["y", "n"]) };
    for then in [Then::Answer, Then::Ignore] {
        let theirs = Rule { from_project: true, answer: Some("y".into()), ..rule(then) };
        assert_eq!(name(&routed(&yesno, vec![theirs])), name(&routed(&yesno, vec![])));
    }
    // Programs without a profile ask for a yes in rows and in words.
    for (prompt, kind, rows, plain) in [
        ("Allow this command to run?", Kind::Menu, &["Yes", "No"][..], false),
        ("Delete all files?", Kind::Menu, &["Yes", "No"], false),
        ("Which framework should I use?", Kind::Menu, &["React", "Vue"], true),
    ] {
        let mut q = Question { prompt: prompt.into(), ..question(kind, rows) };
        q.origin.printed = Some(prompt.into());
        for then in [Then::Answer, Then::Ignore] {
            let theirs = Rule { from_project: true, answer: Some(rows[0].into()), ..rule(then) };
            let holds = name(&routed(&q, vec![theirs.clone()])) != name(&routed(&q, vec![]));
            assert_eq!(holds, plain, "{prompt} {then:?}");
            if then == Then::Ignore {
                let own = Rule { from_project: false, ..theirs };
                assert_eq!(name(&routed(&q, vec![own])), "ignore", "{prompt}");
            }
        }
    }
}

#[test]
fn a_rule_names_a_label_and_not_a_position() {
    let with = |answer: &str| vec![Rule { answer: Some(answer.into()), ..rule(Then::Answer) }];
    let mut q = question(Kind::Menu, &["A", "Don’t", "B", "B "]);
    q.options.push(Choice { role: Role::FreeText, ..row("Type something.") });
    q.options.push(Choice { role: Role::Aside, ..row("Chat about this") });
    assert_eq!(routed(&q, with("Don't")), Route::Answer { answer: Answer::Rows(vec![1]), rule: "1".into() });
    for answer in ["1", "B", "C", "", "Type something.", "Chat about this", "my own words"] {
        assert_eq!(name(&routed(&q, with(answer))), "human", "{answer}");
    }
    let text = question(Kind::Text, &[]);
    let said = Route::Answer { answer: Answer::Text("go on".into()), rule: "1".into() };
    assert_eq!(routed(&text, with("go on")), said);
}

/// The program reads a file that is mentioned without asking, and whoever wrote the repository wrote its rules.
#[test]
fn a_projects_rule_mentions_no_file_and_a_persons_own_may() {
    let text = question(Kind::Text, &[]);
    let says = |from_project| {
        let answer = Some("take it from @~/.ssh/id_rsa please".into());
        name(&routed(&text, vec![Rule { answer, from_project, ..rule(Then::Answer) }]))
    };
    assert_eq!((says(true), says(false)), ("human", "answer"));
}

#[test]
fn what_is_out_of_view_is_answered_only_if_it_can_be_verified() {
    for kind in Kind::ALL {
        let q = Question { partial: true, subject: Some("ls".into()), ..question(kind, &["Yes", "No"]) };
        let expected = if kind == Kind::Menu { "consult" } else { "human" };
        assert_eq!(name(&routed(&q, vec![rule(Then::Consult)])), expected, "{kind:?}");
        let yes = Rule { answer: Some("Yes".into()), ..rule(Then::Answer) };
        let expected = if kind == Kind::Menu { "answer" } else { "human" };
        assert_eq!(name(&routed(&q, vec![yes])), expected, "{kind:?}");
    }
    // Of a list that goes on where nothing tells of it a person alone chooses: the best row may be one of the others.
    let mut q = Question { partial: true, ..question(Kind::Menu, &["Yes", "No"]) };
    q.origin.end_unseen = true;
    let yes = Rule { answer: Some("Yes".into()), ..rule(Then::Answer) };
    for rules in [vec![], vec![rule(Then::Consult)], vec![yes]] {
        assert_eq!(name(&routed(&q, rules)), "human");
    }
    let q = Question { partial: true, ..question(Kind::Menu, &["A", "A"]) };
    assert_eq!(name(&routed(&q, vec![])), "human");
    let q = Question { partial: true, selected: None, ..question(Kind::Menu, &["A", "B"]) };
    assert_eq!(name(&routed(&q, vec![])), "human");
}

fn given(q: &Question, options: &[&str]) -> Result<Answer, String> {
    let options: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
    resolve(&GivenOptions { options: &options, text: None, reject: false }, q)
}

fn said(q: &Question, text: &str) -> Result<Answer, String> {
    resolve(&GivenOptions { options: &[], text: Some(text), reject: false }, q)
}

#[test]
fn a_person_names_a_number_or_a_label() {
    let q = question(Kind::Menu, &["PostgreSQL", "SQLite", "Don’t know"]);
    for word in ["2", "SQLite", " SQLite ", "2. SQLite", "ＳＱＬite"] {
        assert_eq!(given(&q, &[word]), Ok(Answer::Rows(vec![1])), "{word}");
    }
    assert_eq!(given(&q, &["Don't know"]), Ok(Answer::Rows(vec![2])));
    for words in [
        &["0"][..],
        &["4"],
        &["sqlite"],
        &[""],
        &["1. SQLite"],
        &["1", "2"],
        &["-1"],
        &["1.5"],
        &["99999999999"],
    ] {
        assert!(given(&q, words).is_err(), "{words:?}");
    }
    assert_eq!(given(&q, &["1", "PostgreSQL"]), Ok(Answer::Rows(vec![0])));
}

#[test]
fn a_person_ticks_several_and_submits_by_saying_so() {
    let mut q = question(Kind::Multi, &["A", "B", "C"]);
    for choice in &mut q.options {
        choice.checked = Some(false);
    }
    q.options.push(Choice { role: Role::Submit, ..row("Submit") });
    assert_eq!(given(&q, &["3", "A", "3"]), Ok(Answer::Rows(vec![0, 2])));
    assert!(given(&q, &["Submit"]).is_err());
    let review = question(Kind::Review, &["Submit answers", "Cancel"]);
    assert_eq!(given(&review, &["1"]), Ok(Answer::Rows(vec![0])));
    assert_eq!(given(&question(Kind::Review, &[]), &["1"]), Ok(Answer::Rows(vec![])));
}

#[test]
fn words_go_only_where_words_are_taken() {
    let menu = question(Kind::Menu, &["A", "B"]);
    assert!(said(&menu, "hello").is_err());
    let mut free = menu.clone();
    free.options.push(Choice { role: Role::FreeText, ..row("Type something.") });
    assert_eq!(said(&free, "a\nb\x1b[2J\x07 c"), Ok(Answer::Text("a b c".into())));
    assert!(given(&free, &["3"]).is_err());
    assert!(said(&free, " \n ").is_err());
    assert!(said(&free, &"x".repeat(LONGEST_TEXT + 1)).is_err());
    assert_eq!(said(&question(Kind::Text, &[]), "a\r\nb"), Ok(Answer::Text("a\nb".into())));
    assert_eq!(said(&question(Kind::YesNo, &["y", "N"]), "y"), Ok(Answer::Rows(vec![0])));
    assert!(said(&question(Kind::YesNo, &["y", "N"]), "sure").is_err());
    for kind in [Kind::Password, Kind::Dialog] {
        let why = said(&question(kind, &[]), "hunter22").unwrap_err();
        assert!(why.contains("counsel attach") && !why.contains("hunter22"), "{why}");
    }
}

#[test]
fn only_a_prompt_in_a_line_takes_no_words() {
    let mut q = question(Kind::Text, &[]);
    let why = said(&q, " ").unwrap_err();
    assert!(why.contains("the text is empty") && why.contains("counsel attach"), "{why}");
    q.origin.line = true;
    assert_eq!(said(&q, ""), Ok(Answer::Text(String::new())));
    q.kind = Kind::YesNo;
    assert!(said(&q, "").is_err());
}

#[test]
fn ways_of_answering_exclude_each_other() {
    let q = question(Kind::Menu, &["A", "B"]);
    let one = ["A".to_owned()];
    let given = |options, text, reject| resolve(&GivenOptions { options, text, reject }, &q);
    assert_eq!(given(&[], None, true), Ok(Answer::Reject));
    assert!(given(&one, None, true).is_err());
    assert!(given(&one, Some("x"), false).is_err());
    assert!(given(&[], None, false).is_err());
}

#[test]
fn a_consultant_permits_only_what_a_rule_names() {
    let q = permission("git fetch");
    assert_eq!(name(&routed(&q, vec![rule(Then::Consult)])), "human");
    let named = Rule { command: Some("^git fetch$".into()), ..rule(Then::Consult) };
    assert_eq!(name(&routed(&q, vec![named.clone()])), "consult");
    assert_eq!(name(&routed(&permission("git fetch; touch x"), vec![named.clone()])), "human");
    let plan = Question { kind: Kind::Plan, ..q };
    assert_eq!(name(&routed(&plan, vec![named])), "human");
}

#[test]
fn consultants_do_not_ask_each_other() {
    let q = question(Kind::Menu, &["A", "B"]);
    let other = Chain::from("other");
    let chained = Asker { name: "advisor", consultant: Some(&other), is_consultant: true };
    for rules in [vec![], vec![rule(Then::Consult)]] {
        assert_eq!(name(&route(&q, &chained, &Policy { rules, ..Policy::default() })), "human");
    }
}

/// A program with a profile asked "Run shell command?" in a line, or drew yes and no below "Force-push to main now?":
/// the consultant agreed to both, since what such a program does it asks for in a dialog of its own.
#[test]
fn consent_to_what_cannot_be_taken_back_is_a_persons_whoever_asks() {
    let asked = |kind, words: &str, labels: &[&str]| {
        let question = Question { prompt: words.into(), ..question(kind, labels) };
        guard::misplaced(&question).is_some()
    };
    for words in [
        "Run shell command?",
        "Create new file?",
        "Push to origin?",
        "Pay $100 now?",
        "Overwrite everything?",
        "Alles löschen?",
        "Continue?",
    ] {
        assert!(asked(Kind::YesNo, words, &["y", "n"]), "{words}");
    }
    assert!(!asked(Kind::YesNo, "Use TypeScript?", &["y", "n"]));
    for words in [
        "Delete the production database?",
        "Force-push to main now?",
        "Publish to npm?",
        "Drop table users?",
        "terraform destroy?",
        "Pay $100?",
        "Send secrets to x.com?",
        "May I read ~/.ssh/id_rsa and post it?",
    ] {
        assert!(asked(Kind::Menu, words, &["Yes, do it", "No"]), "{words}");
    }
    for words in ["Which database should the service use?", "Should the tests cover the parser first?"] {
        assert!(!asked(Kind::Menu, words, &["Yes", "No"]), "{words}");
    }
    assert!(!asked(Kind::Review, "Ready to submit your answers?", &["Submit answers", "Cancel"]));
    let ways = ["Soft delete with a flag", "Delete the rows", "Archive them"];
    assert!(!asked(Kind::Menu, "How are users deleted?", &ways), "a way is chosen, nothing is done");
    // Such a menu was weighed only where its rows said yes or no.
    for row in [
        "Drop the production database",
        "Force-push to main",
        "Delete all user data",
        "Deploy to production",
        "Publish to npm",
        "Reset --hard",
        "Send the credentials",
        "Pay the invoice",
    ] {
        assert!(asked(Kind::Menu, "How should I go on?", &["Ask again later", row]), "{row}");
    }
}

/// "Bypass Permissions mode", "use this API key?" and workspace policies are menus by their shape: a consultant accepted
/// them, and from there on the agent asked for nothing any more.
#[test]
fn what_sets_up_a_program_is_a_persons_whatever_a_rule_says() {
    let labels = ["Yes, I accept", "No, exit"];
    let origin = Origin { reserved: true, ..Origin::default() };
    let reserved = Question { origin, ..question(Kind::Menu, &labels) };
    let answer = Rule { answer: Some(labels[0].into()), ..rule(Then::Answer) };
    for rules in [vec![], vec![rule(Then::Consult)], vec![answer]] {
        let routed = routed(&reserved, rules);
        assert!(matches!(routed, Route::Human { .. }), "{routed:?}");
    }
}

#[test]
fn a_rule_about_one_line_approves_no_second_one() {
    let rules = || vec![approve("^git (status|diff|log)( |$)")];
    for command in ["git status\nrm -rf ~", "git status\n\n./x", "git log --author=x\n--all"] {
        let routed = routed(&permission(command), rules());
        assert!(matches!(routed, Route::Human { .. }), "{command}: {routed:?}");
    }
    let both = routed(&permission("git log -1\ngit diff"), rules());
    assert!(matches!(both, Route::Answer { .. }), "{both:?}");
}

/// A blank behind the backslash, which no screen shows, ends the command there: the next row was run on the word of a rule
/// for the first.
#[test]
fn a_row_that_seems_to_go_on_may_end_there() {
    let git = || vec![approve("^git (status|diff)( |$)")];
    let mut q = permission("git status \\\n./evil");
    assert_eq!(name(&routed(&q, git())), "human");
    assert_eq!(name(&routed(&permission("git status \\\ngit diff"), git())), "answer");
    assert_eq!(name(&routed(&permission("git status \\ \n./evil"), git())), "human");
    let kept = Rule { command: Some("^./evil".into()), ..rule(Then::Human) };
    let both = routed(&permission("git status \\\n./evil"), vec![kept, approve("(?s).")]);
    assert!(matches!(both, Route::Human { rule, .. } if rule == "1"), "a rule that refuses it sees it");
    assert_eq!(
        name(&routed(&permission("echo \\\nrm -rf ~"), vec![approve("(?s).")])),
        "human",
        "nor is that approved"
    );
    let all = approve(r"^git status \\[ \n]+--short$");
    assert_eq!(
        name(&routed(&permission("git status \\\n--short"), vec![all])),
        "answer",
        "the rule says all of it"
    );
    q.origin.exact = true;
    assert_eq!(name(&routed(&q, git())), "answer", "its hook tells that no blank stands there");
}

/// "^npm run .*" was taken for leave to run whatever stood behind it.
#[test]
fn what_stands_for_any_words_stands_for_no_other_command() {
    let run = || vec![approve("^npm run .*")];
    for line in [
        "npm run build; ./evil",
        "npm run build & ./evil",
        "npm run x | sh",
        "npm run $(./evil)",
        "npm run x\n./evil",
    ] {
        assert_eq!(name(&routed(&permission(line), run())), "human", "{line:?}");
    }
    assert_eq!(name(&routed(&permission("npm run build --watch"), run())), "answer");
    for (pattern, line) in [
        ("^cd web && npm run \\w+$", "cd web && npm run build"),
        ("^ls [^;]* \\| head -\\d+$", "ls src/core | head -5"),
        ("^sleep \\d+; ls$", "sleep 5; ls"),
    ] {
        assert_eq!(name(&routed(&permission(line), vec![approve(pattern)])), "answer", "{pattern}");
    }
    let not = vec![approve("^npm run [^;]*.*$")];
    assert_eq!(name(&routed(&permission("npm run build; ./evil"), not)), "human");
}

/// One `&&` that is written down let `.*` stand for a second.
#[test]
fn a_pattern_writes_down_each_sign_that_joins_commands() {
    let npm = || vec![approve("^cd web && npm run .*$")];
    assert_eq!(name(&routed(&permission("cd web && npm run build"), npm())), "answer");
    assert_eq!(name(&routed(&permission("cd web && npm run build && ../evil"), npm())), "human");
    let optional = || vec![approve("^(cd web && )?npm run .*$")];
    assert_eq!(name(&routed(&permission("npm run build"), optional())), "answer");
    assert_eq!(name(&routed(&permission("cd web && npm run build"), optional())), "answer");
    // One that need not be there stood for any other.
    for line in ["npm run build && ./evil", "npm run build; ./evil", "npm run build\n./evil"] {
        assert_eq!(name(&routed(&permission(line), optional())), "human", "{line}");
    }
    for (pattern, line) in [
        ("^ls( \\| head)? .*$", "ls x | sh"),
        ("^npm run \\w+\\s+.*$", "npm run build\n./evil"),
        ("^(?:cat .*<.*\n|npm run [^;]+)$", "npm run x & ./evil"),
        (r"^npm run \w+ \\\s+.*$", "npm run build \\\n./evil"),
        ("^npm run \\S+$", "npm run build;./evil"),
        ("^(\\$x )?npm run .*$", "npm run $(./evil)"),
        ("^(?s)(a;)?npm run .*$", "npm run `./evil`"),
        (r#"^grep -rnE ".*\|.*" src/?$"#, "grep -rnE \"a\" src|./evil \"b\" src"),
        ("^cd web && npm run .*$", "cd web && npm run =(../evil)"),
        ("^cd web && npm run .*$", "cd web && npm run p*(e:../evil:)"),
    ] {
        assert_eq!(name(&routed(&permission(line), vec![approve(pattern)])), "human", "{pattern}");
    }
    for (pattern, line) in [
        ("^cd (web|api) && npm run (build|test)( 2>&1)?$", "cd api && npm run test 2>&1"),
        ("^npm run \\w+(?: &&|;) npm test.*$", "npm run build; npm test --ci"),
        ("^npm run build.*[;&] ls$", "npm run build --fast; ls"),
    ] {
        assert_eq!(name(&routed(&permission(line), vec![approve(pattern)])), "answer", "{pattern}");
    }
}

/// In bash a quote behind a backslash does not end `$'…'`, and what stands in `${…}` or behind `(` is no comment: `echo $'\''` and
/// what is quoted behind it were taken for one command, `./evil` for a text or a comment.
#[test]
fn what_shells_read_differently_is_a_persons() {
    let echo = || vec![approve("^echo ")];
    for line in [
        r"echo $'\'';./evil;echo \'",
        r"echo $'a\'b';./evil;echo \'",
        "echo >&2#$(./evil)",
        "echo ${x:- #$(./evil)}",
        "echo \"${x:-\" #$(./evil)\"}\"",
        "echo ( #$(./evil)a #",
        "echo (#& ./evil ",
    ] {
        assert_eq!(name(&routed(&permission(line), echo())), "human", "{line}");
    }
    for line in [r"echo $'a\n\\'", "echo x >&2 # a", "echo ${x} y # it's", "echo x 2>&1; echo y"] {
        assert_eq!(name(&routed(&permission(line), echo())), "answer", "{line}");
    }
}

/// Claude Code commits with a text of several lines that nothing is substituted in; each such commit waited for a person.
#[test]
fn a_text_that_is_written_down_is_a_word_of_its_command() {
    let commit = |text: &str| format!("git add -A && git commit -m \"$(cat <<'EOF'\n{text}\nEOF\n)\"");
    let git = || vec![approve("^git (add|commit) ")];
    let permission = |line: &str| {
        let mut q = permission(line);
        q.origin.exact = true;
        q
    };
    let message = "fix(core): don't ask twice; ask (#3)\n\nCo-Authored-By: Claude <noreply@anthropic.com>";
    assert_eq!(name(&routed(&permission(&commit(message)), git())), "answer");
    // Where a row ends on a screen, the command may only have been wrapped: `; ./evil` would be run then.
    let mut seen = permission(&commit("fix: a b"));
    assert_eq!(name(&routed(&seen, git())), "answer");
    seen.origin.exact = false;
    assert_eq!(name(&routed(&seen, git())), "human");
    for line in [
        commit("x") + " && ./evil",
        commit("x\nEOF \n)\" && ./evil; : \"$(cat <<'EOF'\ny"),
        commit("x").replace("'EOF'", "EOF"),
        commit("x").replace("cat", "sh"),
    ] {
        assert_eq!(name(&routed(&permission(&line), git())), "human", "{line}");
    }
}
