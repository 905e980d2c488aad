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

/// Whether a word that is on no other list may name what is done.
pub fn may_harm(word: &str) -> bool {
    WORDS.is_match(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::plain::is_known;

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
