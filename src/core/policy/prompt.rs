//! What a prompt of a program that no profile describes asks for, by its words.
//!
//! Detection names the kind by it, the guard keeps from consultants what it does not know for harmless. Words are
//! poor evidence, so they are weighed one-sidedly: what is to be harmless must be said in words known for that, in
//! all that the program printed since it last took input none of the others may stand, and what fits neither is
//! `Unplaced` and a person's.

use std::sync::LazyLock;

use crate::core::pattern::{Pattern, PatternSet};
use crate::core::policy::{above, plain, rare_harm, yes_no};
use crate::core::question::normalize::normalize;
use crate::core::question::{Kind, Question, Widget};

/// What a prompt asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// A password, a token, a key.
    Secret,
    /// Who somebody is: a name to log in with, a code that was sent.
    Login,
    /// To believe a host, a key, a certificate.
    Trust,
    /// To let something be done.
    Approval(Act),
    /// To choose between ways of which none does harm.
    Choice,
    /// A plain value: a name, a title, a port.
    Value,
    /// It cannot be told.
    Unplaced,
}

/// What a yes lets a program do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Deletes,
    Overwrites,
    Publishes,
    Installs,
    Approves,
    Costs,
    Production,
    Credentials,
}

impl Act {
    /// The reason why a person decides it.
    pub fn why(self) -> &'static str {
        match self {
            Act::Deletes => "it deletes something",
            Act::Overwrites => "it overwrites or rewrites something",
            Act::Publishes => "it publishes or sends something",
            Act::Installs => "it runs or installs something",
            Act::Approves => "it approves something",
            Act::Costs => "it costs money",
            Act::Production => "it touches production",
            Act::Credentials => "it touches credentials",
        }
    }

    /// Whether it cannot be taken back: then no rule approves it either.
    pub fn is_grave(self) -> bool {
        match self {
            Act::Deletes
            | Act::Overwrites
            | Act::Publishes
            | Act::Costs
            | Act::Production
            | Act::Credentials => true,
            Act::Installs | Act::Approves => false,
        }
    }
}

/// Why these words ask for what cannot be taken back, if they do.
pub fn gravely(words: &str) -> Option<&'static str> {
    let acts = ACTS.0.matches(&normalize(words));
    acts.iter().map(|index| ACTS.1[index]).find(|act| act.is_grave()).map(Act::why)
}

/// How the prompt is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Yes or no.
    YesNo,
    /// One or several of the rows it offers.
    Rows,
    /// Words of one's own.
    Words,
}

/// A prompt as it was printed.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    pub form: Form,
    /// The question itself.
    pub words: &'a str,
    pub options: &'a [&'a str],
    /// All that was printed since the last input.
    pub printed: &'a str,
}

/// Longest prompt for a plain value; who explains more asks for more.
const LONGEST_VALUE: usize = 100;

/// What a question asks for, with all that was printed before it.
pub fn asks(question: &Question, printed: &str) -> Asks {
    let options: Vec<&str> = question.options.iter().map(|choice| choice.label.as_str()).collect();
    let form = match question.kind {
        Kind::YesNo => Form::YesNo,
        Kind::Permission if !options.is_empty() => Form::YesNo,
        Kind::Text | Kind::Password | Kind::Login | Kind::Trust | Kind::Permission => Form::Words,
        Kind::Dialog if question.origin.widget == Widget::Field => Form::Words,
        Kind::Menu | Kind::Multi | Kind::Review | Kind::Plan | Kind::Dialog => Form::Rows,
    };
    place(&Prompt { form, words: &question.prompt, options: &options, printed })
}

/// Places a prompt by its words.
pub fn place(prompt: &Prompt) -> Asks {
    let words = normalize(prompt.words);
    let printed = normalize(&plain::without_hints(prompt.printed));
    let options: Vec<String> = prompt.options.iter().map(|option| normalize(option)).collect();
    let form = if yes_or_no(&options) { Form::YesNo } else { prompt.form };
    let secret = SECRET.is_match(&words);
    if secret && form == Form::Words {
        return Asks::Secret;
    }
    if TRUST.is_match(&words) || TRUST_ABOVE.is_match(&printed) {
        return Asks::Trust;
    }
    if LOGIN.is_match(&words)
        || (form == Form::Words && CODE.is_match(&words) && !OTHER_CODE.is_match(&words))
    {
        return Asks::Login;
    }
    if secret && form == Form::YesNo {
        return Asks::Approval(Act::Credentials);
    }
    // In the words of a prompt for words these may be nouns: a release date, a start page.
    let named = if form == Form::Words { None } else { act(&words, &ACTS) };
    let labels = || options.iter().filter(|_| form == Form::Rows).find_map(|label| act(label, &ACTS));
    if let Some(act) = named.or_else(labels).or_else(|| act(&printed, &ACTS_ABOVE)) {
        return Asks::Approval(act);
    }
    // Letters of other alphabets can look like those of a known word, and be none.
    if VAGUE.is_match(&words) || foreign(&words) || DANGER_ABOVE.is_match(&printed) {
        return Asks::Unplaced;
    }
    let above = above::printed(prompt.printed, &words, &options, yes_no::is_hunk(&words));
    // Words are then an answer to that, or for one of those.
    if form == Form::Words && (above.lines().any(|line| line.ends_with('?')) || above::offers_rows(&above)) {
        return Asks::Unplaced;
    }
    if act(&words, &ACTS).is_some() || TOUCHY.is_match(&words) || !above::is_harmless(&above, names_harm) {
        return Asks::Unplaced;
    }
    match form {
        Form::Rows if names_a_choice(&words, &options) => Asks::Choice,
        Form::YesNo if yes_no::is_harmless(&words, &options, &above) => Asks::Choice,
        Form::Words if words.chars().count() <= LONGEST_VALUE && names_a_value(&words) => Asks::Value,
        Form::YesNo | Form::Rows | Form::Words => Asks::Unplaced,
    }
}

/// Whether rows are to be chosen from that name ways of which none does harm.
fn names_a_choice(words: &str, options: &[String]) -> bool {
    let harmful = |label: &String| foreign(label) || VAGUE.is_match(label) || TOUCHY.is_match(label);
    let named = NAMES.is_match(words);
    let (open, offered): (Vec<&String>, Vec<&String>) =
        options.iter().partition(|label| plain::leaves_open(label));
    // Alone they would be the answers to something that is not said.
    if offered.len() < open.len().max(1) {
        return false;
    }
    let fits = |label: &&String| {
        plain::is_plain(label) || (named && plain::is_name(label) && !rare_harm::may_harm(label))
    };
    plain::is_plain(words) && !offered.iter().any(|label| harmful(label)) && offered.iter().all(fits)
}

/// Whether a plain value is asked for, perhaps with one that is offered in brackets.
fn names_a_value(words: &str) -> bool {
    let bare = OFFERED.replace_all(words, " ");
    // Beside one word alone, what stands in brackets may say whose: "Name (card):".
    let offers = plain::is_plain(words) || plain::telling(&bare) > 1;
    let numbered = NUMBER.is_match(&COUNTED.replace_all(&bare, " "));
    VALUE.is_match(&bare) && plain::is_plain(&bare) && !numbered && offers
}

/// Whether a line above a prompt makes that a person's.
pub fn warns(line: &str) -> bool {
    let line = normalize(line);
    harms(&line) || !above::is_harmless(&line, names_harm)
}

/// Whether a line speaks of harm in so many words.
pub fn harms(line: &str) -> bool {
    TRUST_ABOVE.is_match(line) || act(line, &ACTS_ABOVE).is_some() || DANGER_ABOVE.is_match(line)
}

/// Whether a word by itself names an act, a secret or what no prompt speaks of harmlessly.
pub fn names_harm(word: &str) -> bool {
    let named = [&SECRET, &LOGIN, &TRUST, &VAGUE, &TOUCHY].iter().any(|words| words.is_match(word));
    named || act(word, &ACTS).is_some() || harms(word) || rare_harm::may_harm(word)
}

/// Whether these rows only say yes or no, whatever words they find for it.
fn yes_or_no(options: &[String]) -> bool {
    !options.is_empty() && options.iter().all(|option| yes_no::is_answer(option))
}

fn foreign(text: &str) -> bool {
    text.chars().any(|ch| ch.is_alphabetic() && !ch.is_ascii())
}

/// Acts with the words that name them; a word of an earlier one weighs more.
type Acts = (PatternSet, Vec<Act>);

/// The first of these acts that the text names.
fn act(text: &str, acts: &Acts) -> Option<Act> {
    acts.0.matches(text).iter().next().map(|index| acts.1[index])
}

fn words(pattern: &str) -> Pattern {
    Pattern::constant(&format!("(?i){pattern}"))
}

fn acts(table: &[(Act, &str)]) -> Acts {
    let patterns: Vec<String> = table.iter().map(|(_, pattern)| format!(r"(?i)\b(?:{pattern})\b")).collect();
    (PatternSet::constant(&patterns), table.iter().map(|(act, _)| *act).collect())
}

/// A value that is offered, or the few that are taken: "(my-app)", "[3000]", "(red/green/blue)".
static OFFERED: LazyLock<Pattern> = LazyLock::new(|| words(r"[\[(][^\s\])]{0,60}[\])]"));
/// A number that counts; any other may be a card's, a person's, a code.
static COUNTED: LazyLock<Pattern> =
    LazyLock::new(|| words(r"\bnumbers? (?:of|between|from)\b|\b(?:version|port) number\b"));
static NUMBER: LazyLock<Pattern> = LazyLock::new(|| words(r"\bnumbers?\b"));
/// What has names of its own, so that the rows may be words nobody has heard of.
static NAMES: LazyLock<Pattern> = LazyLock::new(|| {
    words(
        r"\b(?:framework|languages?|template|variant|themes?|colou?rs?|flavou?r|fruits?|toppings?|country|city|actor|animal|movie|song|book|font|icons?|time ?zone|food|drink|season|hobby|sport|topic)\b",
    )
});

static SECRET: LazyLock<Pattern> = LazyLock::new(|| {
    words(
        r"\bpass ?(?:word|phrase|code)s?\b|\bpasswd\b|\bPIN\b|\btokens?\b|\bsecrets?\b|\b(?:api|access|private|secret|encryption|license|recovery|master)[ _-]?keys?\b|\bcredentials?\b|\bCVV\b|\bcard number\b|\bseed phrase\b",
    )
});

static LOGIN: LazyLock<Pattern> = LazyLock::new(|| {
    words(
        r"\blog(?:ged)?[ -]?(?:in|on)\b|\bsign(?:ed)?[ -]?(?:in|up)\b|\buser ?(?:name|id)?\s*(?:\(|\[|:|\?|$)|\buser ?(?:name|id)s?\b|\be-?mail\b|\baccounts?\b|\bauthenticat\w*|\bOTP\b|\bone[- ]time\b|\bverif\w*|\b(?:2|two)[- ]?fa(?:ctor)?\b|\bMFA\b|\b(?:phone|mobile) ?(?:number|no)\b|\bpress enter to open\b.*\bbrowser\b|\bdevice code\b|\bmaiden\b|\bmother'?s?\b|\bfirst (?:school|pet|car|teacher)\b|\bgrew up\b|\bsocial security\b|\bSSN\b|\bpasskeys?\b|\bcard ?holder\b|\bname on (?:the|your) card\b|\bIBAN\b|\bpassport\b|\bbirth\w*\b|\bApple ID\b|\bgoogle id\b",
    )
});

/// A code that was sent or shown, where a code is to be typed.
static CODE: LazyLock<Pattern> = LazyLock::new(|| words(r"\bcodes?\b"));
static OTHER_CODE: LazyLock<Pattern> = LazyLock::new(|| {
    words(r"\b(?:source|country|language|lang|zip|postal|area|colou?r|exit|status|error) ?codes?\b")
});

static TRUST: LazyLock<Pattern> = LazyLock::new(|| {
    words(
        r"\bauthentic(?:ity)?\b|\bfingerprints?\b|\bhost[ -]?keys?\b|\bknown_hosts\b|\bcertificates?\b|\bcerts?\b|\b(?:un)?trust(?:ed|s)?\b|\bself-signed\b|\bsignatures?\b|\b(?:gpg|pgp|ssh|public|signing) keys?\b|\bimport\b.*\bkeys?\b|\bkeys?\b.*\bimport\b|\bcontinue connecting\b|\bunknown (?:host|publisher|issuer|source)\b|\b(?:in)?secure connection\b|\bidentity of\b",
    )
});

/// The same in what was printed above the prompt, where single words say less.
static TRUST_ABOVE: LazyLock<Pattern> = LazyLock::new(|| {
    words(
        r"\bauthenticity of\b|\bfingerprint\b|\bimporting\b.*\bkey\b|\bhost key\b|\bcertificate (?:is|was|has|verif\w*|chain|error|not)\b|\bself-signed\b|\b(?:not|never) trusted\b|\buntrusted\b|\bunknown (?:host|publisher|issuer)\b|\bdo you (?:want to )?trust\b|\bmay belong to\b",
    )
});

/// Words that approve something without naming it, or insist.
static VAGUE: LazyLock<Pattern> = LazyLock::new(|| {
    words(
        r"\bsure\b|\breally\b|\bo\.?k(?:ay)?\b|\bcontinue\b|\bgo (?:on|ahead|without)\b|\b(?:should|shall|can|could|must|may|might|would|will|to|has|have|let) go\b|\bgoes\b|\bgoing\b|\bwithout\W*$|\b(?:done|finished|through) with\b|\b(?:take|taken|takes|put|puts|shut) (?:\w+ ){0,3}down\b|\bg[ia]ve(?:n|s)? (?:\w+ ){0,3}up\b|\b(?:ends?|ended|finish(?:ed)?|cancel|quit)\b|\bcorrect\b|\bright\b|\bready\b|\blooks? (?:good|fine)\b|\bunderstand\b|\bknow what\b|\banyway\b|\bdangerous\b|\bunsafe\b|\bexperimental\b|\bexactly\b|\bagain\b|\bre-?(?:type|enter)\b|\bdo (?:it|this|that)\b|\b(?:yes|'y'|'yes')\b.*\bto\b",
    )
});

/// Plain values, by what they are called.
static VALUE: LazyLock<Pattern> = LazyLock::new(|| {
    let noun = r"(?:names?|named|called|titles?|subtitle|description|summary|tagline|version|port(?: number)?|author|homepage|keywords?|labels?|topics?|language|framework|template|theme|colou?rs?|size|width|height|length|depth|counts?|numbers? (?:of|between|from)|version number|how many|age|year|month|day|date|time ?zone|timeout|interval|city|country|units?|prefix|suffix|package manager|indent(?:ation)?|tab width|slug|category|nickname|greeting|licen[cs]e|(?:country|language|lang|zip|postal|area|colou?r) code)";
    let created = r"where (?:should|would|do) (?:we|you|i)(?: \w+){0,4} (?:project|app|application|site|package)(?: \w+)*|(?:project|app|application|site|package|workspace) (?:dir|directory|folder|path|location|root)";
    words(&format!(r"\b(?:{noun}|{created})\b"))
});

/// What is done when one says yes, by the words of the prompt itself and of the rows it offers. The first that fits
/// is named.
static ACTS: LazyLock<Acts> = LazyLock::new(|| {
    acts(&[
        (
            Act::Deletes,
            r"(?:to|be) (?:keep|kept|retain(?:ed)?)|retention|delet\w*|remov\w*|eras\w*|wip(?:e|es|ed|ing)|destroy\w*|drop(?:s|ped|ping)?|purg\w*|prun\w*|unlink|trash|clean(?:s|ed|ing|up)?|clear(?:s|ed|ing)?|truncat\w*|rm|discard\w*|nuke|shred|evict\w*|flush|expire|revok\w*|uninstall\w*|unpublish|empty (?:the )?(?:trash|bin|cache)|obliterat\w*|scrub|zap|kill\w*|terminat\w*|teardown|tear down|decommission|deprovision|forget|detach|abandon",
        ),
        (
            Act::Overwrites,
            r"overwrit\w*|over-write|replac\w*|clobber|existing|already exists?|not empty|merg(?:e|es|ed|ing)|reset\w*|revert\w*|restor\w*|roll ?back|rebas\w*|amend|squash|forc(?:e|es|ed|ing)|undo|renam\w*|mov(?:e|es|ed|ing)|mv|cp|save|saving|write|patch|modif\w*|edit|chang(?:e|es|ing)|swap|recover|migrat\w*|convert|downgrad\w*|unlock",
        ),
        (
            Act::Publishes,
            r"push\w*|publish\w*|releas\w*|deploy\w*|upload\w*|submit\w*|send\w*|post|posts|shar(?:e|es|ing)|notif\w*|announc\w*|tweet|pull request|merge request|PR|sync\w*|transfer\w*|broadcast|invite|expos(?:e|es)|open(?:s|ing)? (?:a |the )?(?:port|firewall|url|browser|link)|public|(?:new|next) version",
        ),
        (
            Act::Installs,
            r"add\b.{0,30}\b(?:packages|(?:the|this|that|missing|required) package|dependenc(?:y|ies)|deps)|run|runs|running|exec\w*|install\w*|reinstall\w*|upgrad\w*|updat\w*|download\w*|fetch\w*|pull|clone|launch\w*|boot\w*|reboot\w*|restart\w*|start|stop|shut ?down|halt|power ?off|suspend|sudo|root|admin\w*|superuser|privileg\w*|elevat\w*|driver|kernel|firmware|flash|reformat\w*|format (?:the |this |your )?(?:disk|drive|card|volume|partition|/dev/\w+)|partitions?|mount|unmount|appl(?:y|ies|ied)|provision\w*|scal(?:e|ing)|drain|perform these actions|compose\W+(?:\S+\s+)*?(?:up|down|stop|start|restart|rm|kill|pull|push|exec|run|build|create)",
        ),
        (
            Act::Approves,
            r"proceed\w*|accept\w*|agree\w*|approv\w*|confirm\w*|allow\w*|grant\w*|permit\w*|permission|authori[sz]\w*|consent|acknowledg\w*|terms|EULA|(?:the|this|our) licen[cs]e|privacy|telemetry|analytics|usage|statistics|crash reports?|diagnostics|tracking|data collection",
        ),
        (
            Act::Costs,
            r"buy|purchas\w*|pay|pays|payments?|orders?|charg\w*|subscri\w*|bill\w*|checkout|invoices?|refund\w*|amount|price|donat\w*",
        ),
        (Act::Production, r"prod|production|live"),
    ])
});

/// Words beside which no yes and no value is harmless: what opens a machine to others, and what names something that
/// is there already.
static TOUCHY: LazyLock<Pattern> = LazyLock::new(|| {
    words(
        r"\b(?:ssh|remotes?|servers?|hosts?|cards?|pid|new name|forward|firewall|internet|users?|guest|anonymous|keys?|clusters?|instances?|buckets?|volumes?|disks?|devices?|/dev/\w+|sd[a-z]\d?|branch|commit|tags?|origin|upstream|main|master|system-?wide|globally|shell|profile|bashrc|cron|hooks?|commands?|scripts?|files?|file ?names?|to (?:your |the )?path|urls?|address|domain|database name|swap|quota|services?|daemons?|home|instead|chmod|chown|burn|vanish|environments?|targets?|tunnel|bastion|proxy|world|roll ?out|777|(?:full|real|legal|given|family|sur) ?names?)\b|\b(?:zero|0|blank|empty)[ -](?:\w+ )?(?:databases?|dbs?|tables?|schemas?|stores?|sessions?)\b|\bdown\W*(?:[?(\[]|$)|(?:^|\s)[a-z]:(?:\W|$)|(?:^|\s)[/~](?:\s|\?|$|\w+(?:\s|\?|$))|[;&{}]",
    )
});

/// What it takes above a prompt to make any answer below it an approval: words of loss, and of an operation about
/// to begin.
static ACTS_ABOVE: LazyLock<Acts> = LazyLock::new(|| {
    acts(&[
        (
            Act::Deletes,
            r"delet(?:e|es|ed|ing|ion)|will (?:now )?(?:remove|erase|drop|clear|discard|wipe|purge|terminate)|will be (?:removed|erased|lost|dropped|cleared|discarded|wiped|purged|terminated)|would remove|removing|to remove|destroy\w*|eras(?:e|es|ed|ing)|wip(?:e|es|ed|ing)|irreversibl\w*|cannot be (?:undone|reversed|recovered)|can't be undone|permanent\w*|data loss|lose (?:all|your|data)|all (?:the )?data|truncate|purg(?:e|ed|ing)|uninstall\w*|vanish\w*|will be gone",
        ),
        (
            Act::Overwrites,
            r"overwrit\w*|will (?:now )?(?:replace|reset|rewrite|modify|change)|will be (?:replaced|overwritten|reset|rewritten|modified|changed)|force-?push|--force|rewrit\w+ history",
        ),
        (
            Act::Publishes,
            r"will (?:now )?(?:publish|push|deploy|upload|send|post)|will be (?:published|pushed|deployed|uploaded|sent|public)|about to (?:publish|push|deploy|send|release)|publishing|deploying",
        ),
        (
            Act::Installs,
            r"will (?:now )?(?:install|upgrade|downgrade|update|download|execute|run|restart|start|stop|apply|format)|will be (?:installed|upgraded|downgraded|updated|downloaded|executed|run|restarted|started|stopped|applied|formatted)|\d+ to install|need to install|newly installed|about to (?:run|execute|install|apply|format)|sudo|as root|administrator|disk space will be used|perform these actions|only 'yes' will be",
        ),
        (
            Act::Approves,
            r"to confirm|to approve|to proceed|to accept|licen[cs]e agreement|terms of (?:service|use)|you agree",
        ),
        (Act::Production, r"production|live (?:site|server|system|database)"),
    ])
});

/// Words above a prompt that warn, or speak of who somebody is and of money, without naming an act.
static DANGER_ABOVE: LazyLock<Pattern> = LazyLock::new(|| {
    words(
        r"\b(?:exists?|existing|(?:is|are) (?:here|there|present)|destructive|danger(?:ous)?|caution|irrevoc\w*|insecure\w*|unsafe|unsigned|unencrypted|non-?empty|empt(?:y|ies|ied|ying)|goodbye|gone|lost|one-time|verification|authenticat\w*|two-factor|otp|[46]-digit|codes? (?:was|were|has|have|we|is)|card|billing|payment|checkout|invoice|bypass\w*|yolo)\b",
    )
});

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
