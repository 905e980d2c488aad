//! Rarer words of harm, and those of other languages: nobody calls a project by one of them.
//!
//! `core/policy/prompt.rs` comes here with a word that is on no other list and would pass for a name: one that stands alone,
//! above a prompt or in a row. The list is not complete. It never says that a word is harmless.

use std::sync::LazyLock;

use crate::core::pattern::Pattern;

/// Beginnings of words that delete, overwrite, publish, pay or lock, in the languages of most keyboards and without their
/// accents: a word with letters beyond ASCII passes for no name anyway.
const STEMS: &str = "\
    loesch|geloesch|vernicht|entfern|entfall|ueberschr|zerstoer|zuruecks|veroeff|hochlad|bezahl|zahlung|kauf|freigeb|verwerf|verworf|verlier|verlor|leeren|geleert|endgueltig|unwiderruf|herunterfahr|sperr|abmeld|\
    suppr|effac|detrui|ecras|remplac|reinit|vider|vidage|perdu|payer|paiement|achet|envoy|publier|formater|desinst|definitivem|irrevers|\
    borra|elimin|destru|sobrescr|sobreescr|reempla|restable|vacia|pagar|pago|compra|envia|publicar|perder|perdid|formatear|\
    cancell|distrugg|sovrascr|rimuov|rimoz|svuot|paga|acquist|invia|pubblic|perdut|formatta|\
    apag|exclu|esvazi|substitu|remov|\
    verwijder|wissen|gewist|overschr|vernietig|leegma|betaal|verstuur|verzend|verlies|\
    rader|radera|slett|slet|fjern|overskr|skrivover|forstor|odelegg|betala|betal|tabort|\
    poista|tuhoa|korvaa|maksa|\
    usun|usuw|skasuj|nadpis|zniszcz|wyczysc|zaplac|\
    smaz|odstran|prepis|znic|vymaz|zaplat|\
    torol|torl|felulir|megsemm|\
    silin|silme|kaldir|uzerineyaz|yoket|\
    sterge|stergere|suprascr|distrug|\
    hapus|timpa|musnah|bayar|\
    udal|unichtozh|sterety|oplat|\
    sakujo|shokyo|uwagaki|shanchu|fugai|xoabo|\
    diagraf|katastr";

/// Rarer verbs of English, whole.
const VERBS: &str = "\
    annihilat\\w*|expung\\w*|nullif\\w*|vapori[sz]\\w*|scrap(?:s|ped|ping)?|ditch\\w*|dispos\\w*|axe[sd]?|cull\\w*|demolish\\w*|raz(?:e|es|ed|ing)|\
    zeroi[sz]\\w*|zeroing|zeroed|degauss\\w*|incinerat\\w*|yank\\w*|retir(?:e|es|ed|ing)|sunset\\w*|reap\\w*|reclaim\\w*|invalidat\\w*|ban(?:s|ned|ning)?|\
    banish\\w*|eject\\w*|disown\\w*|surrender\\w*|forfeit\\w*|waiv\\w*|sell\\w*|sold|trad(?:e|es|ed|ing)|bet(?:s|ting)?|wager\\w*|lend\\w*|invest\\w*|withdraw\\w*|\
    deposit\\w*|remit\\w*|mint(?:s|ed|ing)|sacrific\\w*|lockout|lockdown|doxx\\w*|leak\\w*|exfiltrat\\w*|wreck\\w*|ruin\\w*|gut(?:s|ted|ting)";

static WORDS: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(&format!(r"(?i)\b(?:(?:{STEMS})\w*|(?:{VERBS})\b)")));

/// What a yes does that is named by several words, and the same in languages that are not written in Latin letters.
static ORDERS: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(
        r"(?ix) \bformat\b.*(?:/dev/|\b(?:disks?|drives?|partitions?|volumes?|cards?)\b) | \bsudo\b | \bas\ (?:the\ )?(?:root|admin\w*)\b
        | \breboot\b | \bpaid\ (?:plan|tier|version|account)\b | \brent(?:s|al)?\b.*\b(?:servers?|machines?|gpus?)\b
        | \b(?:renew|buy|upgrade|cancel)\w*\b.*\b(?:domains?|licen[cs]es?|subscriptions?)\b | \brotat\w+\b.*\bkeys?\b
        | \btake\ (?:\w+\ ){0,3}down\b | \bscale\ (?:\w+\ )?(?:to|down)\b | \bapply\b.*\b(?:terraform|migrations?)\b | ^apply\ (?:the\ )?plan\b
        | \bcharg(?:e[sd]?|ing)\b.*(?:\b(?:cards?|customers?|accounts?)\b|\d) | \b(?:disable|open|turn\ off)\b.*\bfirewall\b
        | \bempty\b.*\bbuckets?\b | \bjust\ downloaded\b | \bstop\ (?:all|every\w*)\b
        | 删除|刪除|删掉|清空|覆盖|格式化|支付|购买|发布 | 削除|上書き|消去|支払|購入|公開 | 삭제|덮어|지우|결제
        | удал|стер[еи]|перезапи|опла|купить | διαγρα",
    )
});

/// Whether a prompt asks for something that no rule approves, in words that are on no other list. Single words are held against
/// it in other languages only: in English "leak" and "exclude" are what code is about.
pub fn orders(prompt: &str) -> bool {
    let foreign = prompt.chars().any(|ch| !ch.is_ascii() && (ch.is_alphabetic() || ch == '¿'));
    ORDERS.is_match(prompt) || foreign && WORDS.is_match(&latin(prompt))
}

/// The same of a yes or no of a program that nobody described, which asks about itself and not about code.
pub fn may_order(prompt: &str) -> bool {
    ORDERS.is_match(prompt) || WORDS.is_match(&latin(prompt))
}

/// Small letters without their accents, as the lists have them.
fn latin(text: &str) -> String {
    let letters = [
        "ä ae", "ö oe", "ü ue", "ß ss", "é e", "è e", "ê e", "á a", "à a", "ç c", "ñ n", "í i", "ó o", "ú u",
    ];
    letters.iter().fold(text.to_lowercase(), |text, pair| {
        let (letter, plain) = pair.split_once(' ').unwrap_or((pair, ""));
        text.replace(letter, plain)
    })
}

/// Whether a word that is on no other list may name what is done.
pub fn may_harm(word: &str) -> bool {
    WORDS.is_match(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::plain::is_known;

    #[test]
    fn prompts_that_order_harm_are_known_in_several_languages() {
        for prompt in [
            "Format /dev/sda?",
            "Use sudo?",
            "Run as root?",
            "Upgrade to the paid plan?",
            "Apply plan?",
            "Stop all containers?",
            "Scale to 0?",
            "Reboot now?",
            "Yank version 1.2?",
            "Withdraw?",
            "Renew domain?",
            "Rent a server?",
            "Alles löschen?",
            "¿Borrar todo?",
            "全部删除?",
            "Rotate keys?",
            "Should I charge the customer's card 500 EUR?",
            "Empty the S3 bucket?",
            "Disable the firewall?",
            "Take down the site?",
            "Удалить всё?",
            "すべて削除しますか?",
        ] {
            assert!(may_order(prompt), "{prompt}");
        }
        for prompt in [
            "Use TypeScript?",
            "Format the code with prettier?",
            "Möchten Sie fortfahren?",
            "Initialize a git repository?",
        ] {
            assert!(!orders(prompt), "{prompt}");
        }
    }

    /// Of a described program: most of what it asks is about code.
    #[test]
    fn what_code_is_about_is_no_order() {
        for prompt in [
            "Should I fix the memory leak?",
            "Should I investigate further?",
            "Should I exclude the tests from the lint?",
            "Should I remove the unused import?",
            "Spring Boot or Quarkus?",
            "Should the component subscribe to the store?",
            "Should I add cancellation to the request?",
        ] {
            assert!(!orders(prompt), "{prompt}");
        }
        for prompt in
            ["Alles löschen?", "¿Borrar todo?", "全部删除?", "Use sudo?", "Upgrade to the paid plan?"]
        {
            assert!(orders(prompt), "{prompt}");
        }
    }

    #[test]
    fn words_of_other_languages_are_no_names() {
        for word in [
            "Loeschen",
            "Vernichtung",
            "Borrando",
            "Supprimer",
            "Effacement",
            "Cancellazione",
            "Verwijderen",
            "Overschrijf",
            "Poista",
            "Usuwanie",
            "Smazat",
            "Hapus",
            "Shanchu",
            "Annihilation",
            "Zeroing",
        ] {
            assert!(may_harm(word), "{word}");
        }
        for word in
            ["frobnix", "zlib", "Heliotrope", "serde", "tokio", "lodash", "Vanilla", "urllib3", "Frobnix"]
        {
            assert!(!may_harm(word), "{word}");
        }
    }

    /// A word that is known for harmless and listed here as well would be two things at once.
    #[test]
    fn no_harmless_word_is_among_them() {
        let words = include_str!("plain_words.txt").lines().filter(|line| !line.starts_with("# "));
        let both: Vec<&str> =
            words.flat_map(str::split_whitespace).filter(|word| is_known(word) && may_harm(word)).collect();
        assert!(both.is_empty(), "{both:?}");
    }
}
