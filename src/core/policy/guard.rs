//! Guards for what cannot be taken back: no rule and no consultant approves it, a person does.
//!
//! `core/policy/route.rs` asks before a permission is answered automatically. It errs on the side of a person:
//! a guard that stops too much costs a keystroke, one that stops too little costs a disk.

use std::sync::LazyLock;

use crate::core::pattern::Pattern;
use crate::core::policy::given_command::{Given, given_command};
use crate::core::policy::outside::{empties_outside, leaves, removal, unpacks_outside};
use crate::core::policy::prompt::{self, Asks};
use crate::core::policy::row_words::{
    CONSENT, DESTRUCTION, ORDER, PUBLICATION, REFUSAL, SWEEPING, WIDER, insensitive,
};
use crate::core::policy::sentences::sentences;
use crate::core::policy::shell::{Line, Simple, split};
use crate::core::policy::starters::{ADMINS, DISKS, SHELLS, STARTERS, VALUED, WRAPPERS};
use crate::core::policy::{
    fetched, git_verbs, glob_verbs, globs, mixed_letters, printed_commands, program_options, rare_harm,
    readings, request, runs_more, secret_reads, sed_awk, shell_again, together, transfers, writers,
};
use crate::core::question::{Kind, Question};

/// Words that are enough, wherever they stand in what is asked for, with the reason.
static WORDS: LazyLock<Vec<(&str, Pattern)>> = LazyLock::new(|| {
    let reasons: [(&str, &str); 8] = [
        (
            "it touches credentials",
            r"\.(?:ssh|aws|gnupg|kube|azure|docker/config|config/gcloud|config/gh)(?:/|\b)|\bid_(?:rsa|dsa|ecdsa|ed25519)|/etc/(?:shadow|sudoers|passwd)|\.(?:netrc|pgpass|npmrc|pypirc|git-credentials|htpasswd)\b|(?:^|[\s/'={,:])\.env(?:rc|\.[\w-]+)?\b|\boauth_creds\b|\.claude\.json\b|\brclone\.conf\b|\.config/(?:hub|rclone|op)\b|\bkeyrings?\b|\blogins\.json\b|\bkey[34]\.db\b|\bcookies\.sqlite\b|\.tfstate\b|\.Xauthority\b|\.(?:pem|p12|pfx|keystore|jks|kdbx)\b|/auth\.json\b|/proc/[^\s/]+/environ\b|\.vault-token\b|\.my\.cnf\b|/ssl/private\b|\b(?:master|server|private|tls|ssl|client|host)[\w-]*\.key\b|\bcredentials?\b|\bpasswords?\b|\bpasswd\b|\bapi[ _-]?keys?\b|\b(?:aws|access|ssh|gpg|signing|deploy) (?:keys?|tokens?)\b|\bsecrets?\b|\bkeychain\b|\bprivate[_-]key",
        ),
        (
            "it touches credentials",
            r"\bgh\s+auth|\baws\s+(?:configure|sts|iam|secretsmanager)|\bgcloud\s+auth|\bgpg\b.*--export-secret|\bpass\s+show|\bop\s+(?:read|item)|\bvault\s+(?:read|kv|login)|\bsecurity\s+(?:find|add|delete)-|\bprintenv\b|(?:^|[;&|]\s*)env\s*(?:$|[;&|>])|\bssh-(?:keygen|add|copy-id)\b|_(?:TOKEN|SECRET|KEY|PASSWORD)\b",
        ),
        (
            "it touches payments",
            r"\b(?:stripe|paypal|braintree|adyen|klarna|plaid)\b|\b(?:payments?|payouts?|refunds?|purchases?|invoices?|billing|checkouts?/sessions?|wire[ -]transfers?|credit[ -]cards?|subscriptions?\s+(?:create|cancel|update))\b|\b\d[\d.,]*\s?(?:eur|usd|gbp|chf|euros?|dollars?)\b|[€£]\s?\d",
        ),
        (
            "it touches production",
            r"\b(?:prod|production|prd)\b|[-_.](?:prod|prd)\b|\blive[-_ ](?:site|server|database|db|system)\b|\bgo(?:es|ing)? live\b",
        ),
        (
            "it changes running systems",
            r"\bterraform\b.*\b(?:apply|destroy|import|taint|state)\b|\bpulumi\b.*\b(?:up|destroy)\b|\bkubectl\b.*\b(?:delete|apply|drain|replace|patch|scale|edit|exec)\b|\bhelm\b.*\b(?:install|upgrade|uninstall|delete|rollback)\b|\bansible(?:-playbook)?\b|\b(?:aws|gcloud|az|doctl|heroku|flyctl|fly|vercel|netlify|firebase|wrangler)\b.*\b(?:delete\S*|destroy\S*|terminate\S*|remove\S*|rm|rb|deploy\S*|release\S*|purge\S*|reset\S*|stop\S*)|--prod\b|\bcap\s+\S+\s+deploy|\bsystemctl\s+(?:stop|disable|mask)",
        ),
        (
            "it deletes data",
            r"\b(?:drop|truncate)\s+(?:table|database|schema|index|view|user|role|collection)\b|\btruncate\s+\w+\s*(?:;|$|cascade)|\bdelete\s+from\b|\bdropdb\b|\bflush(?:all|db)\b|\bdropDatabase\b|\b(?:db|database|migrate)[:\s](?:drop|reset|fresh|wipe)\b|\bdocker\s+(?:system|volume|image|container)\s+(?:prune|rm)|\bmigrate\s+reset\b|\bmysqladmin\b.*\bdrop\b|\bmanage\.py\s+(?:flush|reset_db)\b|--force-reset\b|\b(?:docker|podman|nerdctl)\s+(?:rm|rmi)\b|\bcompose\b.*\bdown\b.*\s(?:-v|--volumes|--rmi)\b",
        ),
        (
            "it publishes",
            r"\b(?:npm|pnpm|yarn|cargo|bun|deno|flit|poetry|uv|hatch|vsce|lerna)\s+(?:\S+\s+)*?(?:un)?(?:publ(?:i(?:sh?)?)?|yank)\b|\btwine\s+upload|\bgem\s+push|\bdocker\s+(?:\S+\s+)*?push\b|\bgh\s+(?:release|repo|secret|workflow)\s+(?:create|delete|edit|set|run|archive|rename)|\bgh\s+pr\s+merge|\bmvn\b.*\bdeploy\b|\bgradlew?\b.*\bpublish|\bnuget\s+push\b|\bsemantic-release\b|\bgoreleaser\b|\bchangeset\s+publish\b|\b(?:sendmail|mailx?|mutt)\s",
        ),
        (
            "it runs what it downloads",
            r"\b(?:curl|wget|fetch|iwr|invoke-webrequest)\b[^;\n]*\|\s*(?:sudo\s+)?(?:env\s+)?\S*(?:sh|python\d*|perl|ruby|node|iex)\b|\b(?:sh|bash|zsh|eval|source|\.)\s+[^;\n]*(?:<\(|\$\(|`)\s*(?:curl|wget)\b|\b(?:npx|pnpx)\s+(?:-\S+\s+)*(?:-y|--yes)\b|\b(?:pnpm|yarn)\s+dlx\b|\b(?:bunx|uvx)\s|\bpipx\s+run\b",
        ),
    ];
    reasons.into_iter().map(|(why, words)| (why, insensitive(words))).collect()
});

/// Why nobody but a person answers one of a program's own dialogs.
const RESERVED: &str = "it sets up the program itself: what it may do, what it costs, or who is logged in";

/// Whether choosing this row allows more than what is asked for, or for longer than now.
pub fn widens(label: &str) -> bool {
    WIDER.is_match(&crate::core::question::normalize::normalize(label))
}

/// Whether choosing this row only refuses. A refusal can always be taken back.
pub fn refuses(label: &str) -> bool {
    REFUSAL.is_match(&crate::core::question::normalize::normalize(label))
}

/// What a program may ask of a consultant. Of one that nobody described: nothing but what is known for harmless.
pub fn misplaced(q: &Question) -> Option<&'static str> {
    if q.origin.reserved {
        return Some(RESERVED);
    }
    match &q.origin.printed {
        Some(printed) => out_of_place(prompt::asks(q, printed)),
        None => consent(q),
    }
}

fn out_of_place(asks: Asks) -> Option<&'static str> {
    match asks {
        Asks::Choice | Asks::Value => None,
        Asks::Approval(act) => Some(act.why()),
        Asks::Secret | Asks::Login | Asks::Trust => Some("only a person answers this"),
        Asks::Unplaced => Some("not all of its words are known to do no harm"),
    }
}

/// The same of a described program. What it does it asks for in a dialog of its own; a yes or no in a line may be that
/// dialog, a menu of yes and no gives consent by its words, and a row may order what cannot be taken back.
fn consent(q: &Question) -> Option<&'static str> {
    match q.kind {
        Kind::YesNo => out_of_place(prompt::asks(q, &q.prompt)),
        Kind::Menu | Kind::Multi | Kind::Text => {
            let agrees = |label: &str| CONSENT.is_match(&crate::core::question::normalize::normalize(label));
            let asked = q.options.iter().any(|choice| agrees(&choice.label) || refuses(&choice.label));
            let gravely = |text: &str| words(text).or_else(|| prompt::gravely(text)).or_else(|| rarely(text));
            // What a yes does may stand beside it, and the question only ask for that.
            let beside = || {
                q.options.iter().filter(|choice| !refuses(&choice.label)).map(|choice| &*choice.description)
            };
            let why = || gravely(&q.prompt).or_else(|| beside().find_map(gravely));
            let row = || {
                q.options
                    .iter()
                    .find_map(|choice| orders(&choice.label).or_else(|| orders(&choice.description)))
            };
            let text = q.kind == Kind::Text;
            asked
                .then(why)
                .flatten()
                .or_else(row)
                .or_else(|| text.then(|| told(q)).flatten())
                .or_else(|| mixed_letters::in_words_of(q))
        }
        // What a review sends off is what was just decided.
        Kind::Review
        | Kind::Permission
        | Kind::Plan
        | Kind::Dialog
        | Kind::Trust
        | Kind::Login
        | Kind::Password => None,
    }
}

/// The same of words that a message ends with. They may be a yes, and are about the work as often as not: what cannot be taken
/// back is a person's. "Shall I go on?" asks for what stands above it.
fn told(q: &Question) -> Option<&'static str> {
    let weighed = |text: &str| words(text).or_else(|| rarely(text)).or_else(|| sweeps(text));
    let above =
        || q.origin.said.as_deref().and_then(|said| sentences(said).iter().find_map(|one| weighed(one)));
    weighed(&q.prompt).or_else(above)
}

/// The same of a sentence that names such an order with an object that makes it one for good.
fn sweeps(prompt: &str) -> Option<&'static str> {
    let prompt = crate::core::question::normalize::normalize(prompt);
    let named = DESTRUCTION.is_match(&prompt) || PUBLICATION.is_match(&prompt);
    (named && SWEEPING.is_match(&prompt)).then_some("it asks for what cannot be taken back")
}

/// Why a row that orders something is a person's to choose.
fn orders(label: &str) -> Option<&'static str> {
    let label = crate::core::question::normalize::normalize(label);
    let sweeping = || SWEEPING.is_match(&label).then_some("one of its rows cannot be taken back");
    ORDER.is_match(&label).then(|| words(&label).or_else(sweeping)).flatten()
}

/// Of those, what no rule may approve either: it cannot be taken back.
fn grave(q: &Question, printed: &str) -> Option<&'static str> {
    match prompt::asks(q, printed) {
        Asks::Approval(act) => act.is_grave().then(|| act.why()),
        Asks::Secret | Asks::Login | Asks::Trust => Some("only a person answers this"),
        Asks::Choice | Asks::Value | Asks::Unplaced => None,
    }
}

/// Whether choosing this row throws something away, by its own words.
pub fn destroys(label: &str) -> bool {
    DESTRUCTION.is_match(&crate::core::question::normalize::normalize(label))
}

/// Why this question may not be approved without a person; `None` if a rule may.
pub fn veto(q: &Question) -> Option<&'static str> {
    if q.origin.reserved {
        return Some(RESERVED);
    }
    if let Some(printed) = &q.origin.printed {
        let consent = matches!(q.kind, Kind::YesNo | Kind::Permission);
        let rare = || (consent && rare_harm::may_order(&q.prompt)).then_some(RARE);
        let ordered = || consent.then(|| printed_commands::harm(printed, command, words)).flatten();
        return words(&q.prompt).or_else(|| grave(q, printed)).or_else(rare).or_else(ordered);
    }
    match q.kind {
        Kind::Permission | Kind::Plan | Kind::Dialog | Kind::YesNo => {}
        // These choose between ways, and what is then done is asked for by itself; but for those that ask for a yes.
        Kind::Menu | Kind::Multi | Kind::Review | Kind::Text => return consent(q),
        Kind::Trust | Kind::Login | Kind::Password => return Some("only a person answers this"),
    }
    let subject = readings::as_told(q);
    let request = request::of(q);
    command(&subject)
        .or_else(|| in_rows(&subject))
        .or_else(|| words(&q.prompt))
        .or_else(|| request.as_deref().and_then(words))
        .or_else(|| {
            request::changed(q).filter(|path| request::is_run_by_itself(path)).map(|_| request::STARTED)
        })
}

const OUTSIDE: &str = "it changes files outside the folder";

const RARE: &str = "its words may mean what cannot be taken back";

fn rarely(prompt: &str) -> Option<&'static str> {
    rare_harm::orders(prompt).then_some(RARE)
}

fn words(text: &str) -> Option<&'static str> {
    let text = crate::core::question::normalize::normalize(text);
    let text = secret_reads::without_samples(&text);
    WORDS.iter().find(|(_, pattern)| pattern.is_match(&text)).map(|(why, _)| *why)
}

/// The same of a path, of which the shell may make others.
fn named(path: &str) -> Option<&'static str> {
    words(path).or_else(|| globs::hides_a_secret(&[path.to_owned()]))
}

/// Why this command line (or file, or address) may not be approved without a person.
pub fn command(line: &str) -> Option<&'static str> {
    at_depth(line, DEPTH)
}

/// Commands within `sh -c` and the like: two levels are followed, more is not written by hand.
const DEPTH: usize = 3;

fn at_depth(line: &str, depth: usize) -> Option<&'static str> {
    if depth == 0 {
        return Some(UNFOLLOWED);
    }
    let parts = split(line);
    // What was cut off may be the worst of it.
    harm(line, &parts, depth).or(parts.opaque.then_some(UNFOLLOWED))
}

fn harm(line: &str, parts: &Line, depth: usize) -> Option<&'static str> {
    // As they are written, and as the shell takes them: quotes may stand in the middle of a name.
    let plainly = |command: &Simple| {
        words(&command.text())
            .or_else(|| globs::hides_a_secret(&command.words))
            .or_else(|| simple(command, depth))
    };
    let of = |command: &Simple| {
        plainly(command).or_else(|| match globs::expanded(&command.words) {
            Ok(made) => made.and_then(|words| plainly(&Simple { words })),
            Err(()) => Some(UNFOLLOWED),
        })
    };
    let hidden = || globs::hides_by_brackets(line).then_some(UNFOLLOWED);
    let found = words(line).or_else(hidden).or_else(|| parts.commands.iter().find_map(of));
    let found = found.or_else(|| together::harm(&parts.commands, named));
    found.or_else(|| shell_again::harm(line, &parts.commands))
}

/// The same of rows that may belong together: `rm` and `-rf ~` may stand in two. A quote that was opened in a row above is open.
fn in_rows(subject: &str) -> Option<&'static str> {
    if readings::is_too_long(subject) {
        return Some(UNFOLLOWED);
    }
    readings::joined(subject)
        .chain(readings::ended(subject))
        .find_map(|line| harm(&line, &split(&line), DEPTH))
}

/// Why nobody approves what is not seen.
const UNFOLLOWED: &str = "what it runs cannot be followed";

fn simple(command: &Simple, depth: usize) -> Option<&'static str> {
    let mut words = command.words.as_slice();
    while let [first, rest @ ..] = words {
        let assigned = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        let wrapper = WRAPPERS.contains(&program(first));
        if !assigned && !wrapper {
            break;
        }
        if let Some(why) = shell_again::assigns(first) {
            return Some(why);
        }
        words = if wrapper { behind_options(program(first), rest) } else { rest };
    }
    let (first, args) = words.split_first()?;
    let name = program(first);
    match name {
        "rm" | "rmdir" | "unlink" | "trash" | "del" | "erase" | "rimraf" => removal(args),
        "mv" | "cp" | "ln" | "tee" | "install" | "rsync" | "chmod" | "chown" | "chgrp" | "truncate" => {
            let out = args.iter().any(|word| leaves(word)).then_some(OUTSIDE);
            out.or_else(|| writers::starts(name, args))
                .or_else(|| transfers::harm(name, args))
                .or_else(|| runs_more::harm(name, args))
        }
        ">" => args
            .iter()
            .any(|word| leaves(word))
            .then_some("it writes outside the folder")
            .or_else(|| writers::starts(name, args)),
        "tar" | "bsdtar" | "unzip" | "7z" if unpacks_outside(args) => Some(OUTSIDE),
        "find" | "fd" => found(args),
        _ if glob_verbs::hides_a_verb(name, args) => Some(UNFOLLOWED),
        "git" => git_verbs::harm(args),
        "dd" => args.iter().any(|word| word.starts_with("of=")).then_some("it writes to a disk"),
        "kill" | "pkill" | "killall" => {
            args.iter().any(|word| word == "-1" || name != "kill").then_some("it ends other programs")
        }
        "crontab" | "at" | "launchctl" => Some("it changes what runs later"),
        _ if ADMINS.contains(&name) => Some("it acts as the administrator"),
        _ if DISKS.split(' ').any(|known| known == name) || name.starts_with("mkfs.") => {
            Some("it can destroy a disk or the machine")
        }
        _ if SHELLS.contains(&name) => inner(args, name == "eval", depth),
        _ if STARTERS.contains(&name) && !args.is_empty() => Some(UNFOLLOWED),
        _ if first.starts_with('$') || spaced(first) || is_made(first) => Some(UNFOLLOWED),
        _ => shell_again::builtin(name, args)
            .or_else(|| secret_reads::harm(name, args))
            .or_else(|| transfers::harm(name, args))
            .or_else(|| sed_awk::harm(name, args))
            .or_else(|| program_options::acts(name, args))
            .or_else(|| fetched::harm(name, args))
            .or_else(|| runs_more::harm(name, args))
            .or_else(|| empties_outside(name, args).then_some(OUTSIDE))
            .or_else(|| writers::starts(name, args))
            .or_else(|| by_words(name, args, depth)),
    }
}

/// What stands behind a wrapper's own options, their values, and the number some of them take; not a whole command in one word
/// (`env -S`).
fn behind_options<'a>(wrapper: &str, words: &'a [String]) -> &'a [String] {
    let number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let valued = VALUED.iter().find(|(name, _)| *name == wrapper).map_or("", |(_, options)| options);
    let mut at = 0;
    while let Some(word) =
        words.get(at).filter(|word| !spaced(word) && (word.starts_with('-') || number(word)))
    {
        at += if valued.split(' ').any(|option| option == word) { 2 } else { 1 };
    }
    words.get(at..).unwrap_or_default()
}

/// Whether the shell makes another word of a program's name: `s[u]do`, `su{do,}`.
fn is_made(name: &str) -> bool {
    // A subject may be an address.
    !["[", "[["].contains(&name)
        && !name.contains("://")
        && name.len() > 1
        && name.contains(['*', '?', '[', '{'])
}

fn spaced(word: &str) -> bool {
    word.contains(char::is_whitespace)
}

/// The same of a program that does other things and is given a command to run.
fn by_words(name: &str, args: &[String], depth: usize) -> Option<&'static str> {
    match given_command(name, args) {
        Given::Nothing => None,
        Given::Unseen => Some(UNFOLLOWED),
        Given::Words(words) if depth > 1 => simple(&Simple { words: words.to_vec() }, depth - 1),
        Given::Words(_) => Some(UNFOLLOWED),
    }
}

fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The line a shell is given to run.
fn inner(args: &[String], all: bool, depth: usize) -> Option<&'static str> {
    if all {
        return at_depth(&args.join(" "), depth - 1);
    }
    let flag = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    let at = args.iter().position(flag)?;
    args.get(at + 1).and_then(|line| at_depth(line, depth - 1))
}

fn found(args: &[String]) -> Option<&'static str> {
    let acts = |word: &String| {
        matches!(
            word.as_str(),
            "-delete" | "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
        ) || word.starts_with("-fprint")
            || word.starts_with("-fls")
    };
    // A variable may hold any of them.
    let made = |word: &String| {
        word.split('$')
            .skip(1)
            .any(|rest| rest.starts_with(|ch: char| ch.is_alphanumeric() || "_({@*".contains(ch)))
    };
    args.iter().any(|word| acts(word) || made(word)).then_some("it acts on whatever it finds")
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
