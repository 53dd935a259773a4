//! Is it Spanish, or a close relative that looks like it?
//!
//! Classifiers know few of the Romance languages and take the others for one that they know. What tells
//! close relatives apart are the small words and letters that one of them has and the other lacks.

use super::prose::languages_of;
use super::tables::{KIN, TABLES, has_kin};
use lycosa_model::Lang;

/// What a small word says that one of two languages has and the other lacks, or a word with such a letter.
const WORD: u32 = 2;
/// The same for a word of one letter, which may number a list or stand for a word.
const LETTER: u32 = 1;
/// How much more has to speak for a relative than for the language that a sentence was taken for.
const MORE: u32 = 3;

/// What speaks for languages in a sentence: for each word that does, the languages that have it (a bit for
/// each place in [`TABLES`], then in [`KIN`]) and how much it says.
struct Evidence(Vec<(u16, u32)>);

impl Evidence {
    fn of(sentence: &str) -> Evidence {
        let words = sentence.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        let told = words.filter_map(|word| match languages_of(word) {
            // Names may be from anywhere.
            0 if word.is_ascii() || word.starts_with(char::is_uppercase) => None,
            0 => Some((may_write(word), WORD)),
            languages => Some((languages, if word.len() == 1 { LETTER } else { WORD })),
        });
        Evidence(told.collect())
    }

    /// Whether some word is of a language that is neither of these.
    fn has_other_letters(&self) -> bool {
        self.0.iter().any(|(languages, _)| *languages == 0)
    }

    /// What only the one has, and what only the other.
    fn compare(&self, one: usize, other: usize) -> (u32, u32) {
        let only = |has: usize, lacks: usize| {
            let ours =
                self.0.iter().filter(|(all, _)| all >> has & 1 == 1 && all >> lacks & 1 == 0);
            ours.map(|(_, says)| says).sum()
        };
        (only(one, other), only(other, one))
    }

    /// How much the language explains.
    fn explained(&self, place: usize) -> u32 {
        self.0.iter().filter(|(all, _)| all >> place & 1 == 1).map(|(_, says)| says).sum()
    }
}

/// The language of a sentence that a classifier took for this one: a close relative, when more of its
/// small words and letters are in it. `None` is a relative without a code.
pub(super) fn nearest(taken_for: Lang, sentence: &str) -> Option<Lang> {
    let is_larger = |place: &usize| has_kin(TABLES[*place]);
    let larger = (0..TABLES.len()).filter(is_larger);
    let Some(taken) = larger.clone().find(|place| TABLES[*place] == taken_for.as_str()) else {
        return Some(taken_for);
    };
    let evidence = Evidence::of(sentence);
    if evidence.has_other_letters() {
        return Some(taken_for);
    }
    // Of equals the first, which has more speakers.
    let best = |places: &mut dyn Iterator<Item = usize>| {
        places.max_by_key(|place| (evidence.explained(*place), usize::MAX - place))
    };
    let kin = best(&mut (TABLES.len()..TABLES.len() + KIN.len()));
    let (Some(kin), Some(larger)) = (kin, best(&mut larger.clone())) else {
        return Some(taken_for);
    };
    let (ours, theirs) = evidence.compare(kin, taken);
    // A short sentence has no more than one such word, and nothing against it.
    let is_plain = taken_for == Lang::ES && theirs == 0 && ours >= WORD;
    if !is_plain && ours < theirs + MORE {
        return Some(taken_for);
    }
    let is_kin = evidence.explained(kin) > evidence.explained(larger);
    Lang::parse(if is_kin { KIN[kin - TABLES.len()] } else { TABLES[larger] })
}

/// The languages that write all letters of a word.
fn may_write(word: &str) -> u16 {
    let codes = TABLES.iter().chain(&KIN).enumerate();
    let may = codes.filter(|(_, code)| !is_foreign(word, code));
    may.fold(0, |all, (place, _)| all | 1 << place)
}

/// Whether a word has a letter that the language does not write.
fn is_foreign(word: &str, code: &str) -> bool {
    let letters = letters(code);
    let is_beyond = |c: &char| !c.is_ascii() && !matches!(c, 'ª' | 'º');
    let mut lower = word.chars().filter(is_beyond).flat_map(char::to_lowercase);
    lower.any(|c| !letters.contains(c))
}

/// The letters beyond ASCII that a language writes.
fn letters(code: &str) -> &'static str {
    match code {
        "es" | "gl" | "an" => "áéíóúüñï",
        "ast" => "áéíóúüñḥḷ",
        "ca" => "àèéíïòóúüç",
        "ro" => "ăâîșşțţ",
        "oc" => "áàèéíïòóúüç",
        "pt" => "áâãàçéêíóôõúü",
        "fr" => "àâæçéèêëîïôœùûüÿ",
        "it" => "àèéìíîòóùú",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_a_close_relative_is_not_spanish() {
        let french = Lang::parse("fr").unwrap();
        let portuguese = Lang::parse("pt").unwrap();
        for (sentence, taken_for, lang) in [
            ("Avui he trobat una curiosa imatge a la pàgina principal.", Lang::ES, Some("ca")),
            ("Ahir vam estar amb la família a prop del poble.", french, Some("ca")),
            ("El Joan va veure el mar des de el terrat i el cel també.", Lang::ES, Some("ca")),
            ("O neno foi coa súa nai á praia e xogou unha hora.", portuguese, Some("gl")),
            ("Onte choveu moito en toda a costa, pero hoxe xa non.", Lang::ES, Some("gl")),
            ("Lo gat es sus la taula amb los autres, e la cata tanben.", Lang::ES, Some("oc")),
            ("El ríu ye'l más llargu de la rexón y nun tien pontes.", Lang::ES, None),
            ("El pueblo celebra una fiesta con música y bailes.", Lang::ES, Some("es")),
            ("Els Castellers actuaron ayer con los niños y las familias.", Lang::ES, Some("es")),
            ("El jugador del Barça marcó dos goles en su casa.", Lang::ES, Some("es")),
            ("Le quan dira-t-on ne compte pas dans cette maison.", french, Some("fr")),
            ("O menino foi com a sua mãe à praia e não voltou.", portuguese, Some("pt")),
            ("Amb els pels avui.", Lang::EN, Some("en")),
        ] {
            let nearest = nearest(taken_for, sentence);
            assert_eq!(nearest.as_ref().map(Lang::as_str), lang, "{sentence}");
        }
    }
}
