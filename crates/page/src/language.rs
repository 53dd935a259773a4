//! In which languages is a text written? i-Bot: a page counts as Spanish when some of it is.
//!
//! Each line is cut into sentences, and each sentence of some length is asked by itself. Its script
//! decides what may be asked: most scripts have one language; of Latin sentences many are plain by their
//! small words (`the`, `der`, `los`), and the others go to whichlang (16 languages, quick); whatlang (70
//! languages, slower) is asked where whichlang cannot know: for Cyrillic, Arabic and Devanagari, and on
//! pages that claim or show a language outside the 16. On a page that is plainly in one language, headings
//! and fragments that say nothing against it are in that language. Every sentence counts for the shares;
//! beside the main language, only prose puts a language on the list.

mod codes;
mod neighbours;
mod paragraphs;
mod prose;
mod script;
mod sentences;

pub(crate) use paragraphs::paragraphs;

use codes::{of_whatlang, of_whichlang};
use lycosa_model::{Lang, LangShare};
use prose::SmallWords;
use script::Script;
use sentences::{Marks, sentences};

/// Shorter sentences are not asked. In bytes, so that seven Chinese characters weigh what twenty Latin
/// letters do.
const MIN_BYTES: usize = 20;
/// Bytes of a usual sentence.
const USUAL_BYTES: usize = 64;
/// Sentences with fewer letters are dates and numbers.
const MIN_LETTERS: usize = 7;
/// A sentence or paragraph this long proves its language; shorter ones only count for the share.
const PROOF_LETTERS: usize = 24;
/// The same for scripts without spaces, whose signs say more.
const PROOF_SIGNS: usize = 12;
/// Up to this many letters, a language beside the main one whose small words we do not know needs a
/// second opinion.
const SURE_LETTERS: usize = 120;
/// How much of a page is asked about as a whole.
const SAMPLE_BYTES: usize = 4_096;
/// Of a page without doubt, so many letters are in sentences that are plain for one that is not.
const DOUBT: usize = 10;
/// Headings and entries of lists that are asked; an index or a table of symbols has thousands, and they
/// prove nothing.
const MAX_LABELS: usize = 200;
/// How much of a text is looked at.
const MAX_BYTES: usize = 512 * 1024;
/// Sentences of one language that are asked for a second opinion before it is given up.
const MAX_SECOND_OPINIONS: usize = 8;

#[derive(Clone, Copy)]
struct Tally {
    lang: Lang,
    letters: usize,
    proven: bool,
    asked: usize,
}

/// A sentence that may be asked about.
struct Unit<'t> {
    text: &'t str,
    /// Where it begins in the text.
    at: usize,
    script: Script,
    letters: usize,
    /// Of a sentence in Latin letters.
    small: SmallWords,
    lang: Option<Lang>,
}

impl Unit<'_> {
    /// Whether it is no prose of any language that whichlang knows, all of which have small words.
    fn is_label(&self) -> bool {
        self.script == Script::Latin && !self.small.may_be_prose()
    }
}

/// The languages of a text by their share of its letters, largest first. `claimed` is what the page
/// says of itself; it decides alone only when there is no sentence to ask.
pub(crate) fn shares(text: &str, claimed: Option<Lang>) -> Vec<LangShare> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let units = told_units(text, claimed);
    let mut tallies: Vec<Tally> = Vec::new();
    for unit in &units {
        if let Some(lang) = unit.lang {
            count(&mut tallies, lang, unit.letters);
        }
    }
    if tallies.is_empty() {
        let has_words = text.chars().any(char::is_alphabetic);
        let only = claimed.filter(|_| has_words);
        return only.map(|lang| LangShare { lang, share: 1.0 }).into_iter().collect();
    }
    prove(&mut tallies, &units);
    let total: usize = tallies.iter().map(|tally| tally.letters).sum();
    let mut shares: Vec<LangShare> = tallies
        .iter()
        .filter(|tally| tally.proven)
        .map(|tally| LangShare {
            lang: tally.lang,
            share: tally.letters as f32 / total.max(1) as f32,
        })
        .collect();
    shares.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.lang.cmp(&b.lang)));
    shares
}

/// The sentences of a text that are long enough, with the languages of those that have one.
fn told_units(text: &str, claimed: Option<Lang>) -> Vec<Unit<'_>> {
    let mut units = units(text);
    let is_plain = tell_plain(&mut units);
    let in_doubt = !is_plain && units.iter().any(|unit| unit.script == Script::Latin);
    let outside = if in_doubt { outside_language(text, claimed) } else { None };
    let mut labels = 0;
    for unit in &mut units {
        if unit.lang.is_none() || (outside.is_some() && unit.script == Script::Latin) {
            if outside.is_none() && unit.is_label() {
                labels += 1;
                if labels > MAX_LABELS {
                    continue;
                }
            }
            unit.lang = ask(unit, outside);
        }
    }
    units
}

/// The sentences of a text that are long enough.
fn units(text: &str) -> Vec<Unit<'_>> {
    let marks = Marks::of(text);
    let mut long = Vec::with_capacity(text.len() / USUAL_BYTES);
    for places in sentences(text, &marks).filter(|places| places.len() >= MIN_BYTES) {
        let sentence = &text[places.clone()];
        let at = places.start;
        let is_beyond = marks.beyond.any(places.clone());
        let (script, letters) = if is_beyond {
            script::dominant(sentence)
        } else {
            (Script::Latin, marks.letters.count(places.clone()))
        };
        if letters < MIN_LETTERS {
            continue;
        }
        let small = if script == Script::Latin {
            SmallWords::of(text, places, &marks.letters, is_beyond)
        } else {
            SmallWords::default()
        };
        long.push(Unit { text: sentence, at, script, letters, small, lang: small.plain() });
    }
    long
}

/// Gives the sentences of a page that is plainly in one language that language where nothing speaks against
/// it. Whether that leaves no doubt about the page.
fn tell_plain(units: &mut [Unit<'_>]) -> bool {
    let mut all = SmallWords::default();
    units.iter().for_each(|unit| all.join(&unit.small));
    let Some(plain) = all.plain_page() else { return false };
    let (mut told, mut open) = (0, 0);
    for unit in units.iter_mut().filter(|unit| unit.script == Script::Latin) {
        if unit.lang.is_none() && unit.small.may_be(plain) && !has_foreign_letters(unit.text) {
            unit.lang = Some(plain);
        }
        *(if unit.lang.is_some() { &mut told } else { &mut open }) += unit.letters;
    }
    !has_neighbours(plain) && open * DOUBT <= told
}

fn has_foreign_letters(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(|c| !c.is_ascii() && c.is_alphabetic())
}

fn count(tallies: &mut Vec<Tally>, lang: Lang, letters: usize) {
    match tallies.iter_mut().find(|tally| tally.lang == lang) {
        Some(tally) => tally.letters += letters,
        None => tallies.push(Tally { lang, letters, proven: false, asked: 0 }),
    }
}

/// Marks the languages that some sentence proves. The language of most of the page needs no proof.
fn prove(tallies: &mut [Tally], units: &[Unit<'_>]) {
    let Some(most) = tallies.iter().map(|tally| tally.letters).max() else {
        return;
    };
    let mut main_seen = false;
    for tally in tallies.iter_mut() {
        if tally.letters == most && !main_seen {
            tally.proven = true;
            main_seen = true;
        }
    }
    for Unit { text: sentence, letters, lang, .. } in units {
        let Some(lang) = lang else { continue };
        let Some(tally) = tallies.iter_mut().find(|tally| tally.lang == *lang) else {
            continue;
        };
        if tally.proven {
            continue;
        }
        tally.proven = if !has_spaces(*lang) {
            *letters >= PROOF_SIGNS
        } else if *letters < PROOF_LETTERS || !prose::is_prose(sentence, *lang) {
            false
        } else if prose::has_table(*lang) || *letters >= SURE_LETTERS {
            true
        } else if tally.asked < MAX_SECOND_OPINIONS {
            tally.asked += 1;
            second_opinion(sentence, *lang)
        } else {
            false
        };
    }
}

fn has_spaces(lang: Lang) -> bool {
    !matches!(lang.as_str(), "zh" | "ja" | "th" | "km" | "my")
}

/// Whether whatlang sees the same language.
fn second_opinion(sentence: &str, lang: Lang) -> bool {
    whatlang::detect(sentence).and_then(|info| of_whatlang(info.lang())) == Some(lang)
}

/// A language that whichlang does not know, when the page claims it or is clearly written in it.
fn outside_language(text: &str, claimed: Option<Lang>) -> Option<whatlang::Lang> {
    let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    let info = whatlang::detect(sample)?;
    let lang = of_whatlang(info.lang())?;
    if info.script() != whatlang::Script::Latin || codes::whichlang_knows(lang) {
        return None;
    }
    (claimed == Some(lang) || info.is_reliable()).then(|| info.lang())
}

/// Whether a language that whichlang does not know may pass for this one by its small words.
fn has_neighbours(lang: Lang) -> bool {
    !matches!(lang.as_str(), "en" | "de" | "fr" | "tr" | "vi")
}

/// The language of one sentence.
fn ask(unit: &Unit<'_>, outside: Option<whatlang::Lang>) -> Option<Lang> {
    let sentence = unit.text;
    match unit.script {
        Script::Latin => {
            if let Some(outside) = outside
                && let Some(info) = whatlang::detect(sentence)
                && (info.lang() == outside
                    || (info.confidence() < 0.5 && unit.letters < SURE_LETTERS))
            {
                return of_whatlang(outside);
            }
            let lang = of_whichlang(whichlang::detect_language(sentence))
                .filter(|lang| codes::is_written_in_latin(*lang))?;
            // whichlang does not know Catalan, and takes it for one of its neighbours.
            Some(neighbours::catalan_or(lang, sentence))
        }
        Script::One(code) => Lang::parse(code),
        Script::Several => whatlang::detect_lang(sentence).and_then(of_whatlang),
        Script::None => None,
    }
}

#[cfg(test)]
mod tests;
