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
mod tables;

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
/// A sentence this long may prove its language; shorter ones only count for the share.
const PROOF_LETTERS: usize = 24;
/// Words of prose that prove a language beside the main one: a sentence of some length or two short ones, but not
/// an entry of a menu or the line that says what a page was made with.
const PROOF_WORDS: usize = 10;
/// The same for scripts without spaces, whose signs say more.
const PROOF_SIGNS: usize = 12;
/// Up to this many letters, a language beside the main one whose small words we do not know needs a
/// second opinion.
const SURE_LETTERS: usize = 120;
/// So many sentences that agree are more than a guess.
const MIN_GUESSES: usize = 3;
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
    /// Words of its prose, up to as many as prove it.
    words: usize,
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
/// says of itself; it decides alone only where everything else is a guess.
pub(crate) fn shares(text: &str, claimed: Option<Lang>) -> Vec<LangShare> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let mut units = told_units(text, claimed);
    let Some(main) = settle_main(&mut units, claimed) else {
        let has_words = text.chars().any(char::is_alphabetic);
        let only = claimed.filter(|_| has_words);
        return only.map(|lang| LangShare { lang, share: 1.0 }).into_iter().collect();
    };
    let mut tallies = tallies(&units);
    prove(&mut tallies, &units, main);
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
        None => tallies.push(Tally { lang, letters, words: 0, proven: false, asked: 0 }),
    }
}

fn tallies(units: &[Unit<'_>]) -> Vec<Tally> {
    let mut tallies = Vec::new();
    for unit in units {
        if let Some(lang) = unit.lang {
            count(&mut tallies, lang, unit.letters);
        }
    }
    tallies
}

/// The language of most of the sentences. Where that is a mere guess, they are in the language that the page
/// claims or, without a claim, in none.
fn settle_main(units: &mut [Unit<'_>], claimed: Option<Lang>) -> Option<Lang> {
    let all: usize = units.iter().filter(|unit| unit.lang.is_some()).map(|unit| unit.letters).sum();
    loop {
        let tallies = tallies(units);
        let main = tallies.iter().max_by_key(|tally| tally.letters)?;
        let guesses = units.iter().filter(|unit| unit.lang == Some(main.lang)).count();
        let agree = guesses >= MIN_GUESSES && main.letters * 2 > all;
        if agree || claimed == Some(main.lang) || is_founded(main.lang, units) {
            return Some(main.lang);
        }
        let guessed = units.iter_mut().filter(|unit| unit.lang == Some(main.lang));
        guessed.for_each(|unit| unit.lang = claimed);
    }
}

/// Whether there is more to a language than the guess of a classifier, which has one for every name: some
/// small words that no other language has. Of languages whose small words we do not know, we know only when
/// they are plain.
fn is_founded(lang: Lang, units: &[Unit<'_>]) -> bool {
    let mut small = SmallWords::default();
    for unit in units.iter().filter(|unit| unit.lang == Some(lang)) {
        if unit.script != Script::Latin {
            return true;
        }
        small.join(&unit.small);
    }
    small.speak_for(lang)
}

/// Marks the languages that enough prose proves. The main language of the page needs no proof.
fn prove(tallies: &mut [Tally], units: &[Unit<'_>], main: Lang) {
    for tally in tallies.iter_mut() {
        tally.proven = tally.lang == main;
    }
    let mut seen = Vec::new();
    for Unit { text: sentence, letters, lang, .. } in units {
        let Some(lang) = lang else { continue };
        let Some(tally) = tallies.iter_mut().find(|tally| tally.lang == *lang) else {
            continue;
        };
        if tally.proven {
            continue;
        }
        if !has_spaces(*lang) {
            tally.proven = *letters >= PROOF_SIGNS;
            continue;
        }
        let words = if *letters < PROOF_LETTERS { 0 } else { prose::words(sentence, *lang, main) };
        let is_sure = words > 0
            && (prose::has_table(*lang)
                || *letters >= SURE_LETTERS
                || (tally.asked < MAX_SECOND_OPINIONS && {
                    tally.asked += 1;
                    second_opinion(sentence, *lang)
                }));
        // What is said again proves nothing new.
        if is_sure && !seen.contains(sentence) {
            seen.push(*sentence);
            tally.words += words;
            tally.proven = tally.words >= PROOF_WORDS;
        }
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
            // whichlang takes what it does not know for a larger relative.
            let may_be_kin = unit.small.of_kin() > 0 || !sentence.is_ascii();
            if may_be_kin { neighbours::nearest(lang, sentence) } else { Some(lang) }
        }
        Script::One(code) => Lang::parse(code),
        Script::Several => whatlang::detect_lang(sentence).and_then(of_whatlang),
        Script::None => None,
    }
}

#[cfg(test)]
mod tests;
