//! In which languages is a text written? i-Bot: a page counts as Spanish when some of it is.
//!
//! Each line is cut into sentences, and each sentence of some length is asked by itself. Its script
//! decides what may be asked: most scripts have one language, Latin sentences go to whichlang (16
//! languages, quick), and whatlang (70 languages, slower) is asked where whichlang cannot know: for
//! Cyrillic, Arabic and Devanagari, and on pages that claim or show a language outside the 16. Every
//! sentence counts for the shares; beside the main language, only prose puts a language on the list.

mod codes;
mod prose;
mod script;

use codes::{of_whatlang, of_whichlang};
use lycosa_model::{Lang, LangShare};
use script::Script;

/// Shorter sentences are not asked. In bytes, so that seven Chinese characters weigh what twenty Latin
/// letters do.
const MIN_BYTES: usize = 20;
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
/// Small words in that much that leave no doubt.
const PLAIN_SAMPLE: usize = 24;
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

/// The languages of a text by their share of its letters, largest first. `claimed` is what the page
/// says of itself; it decides alone only when there is no sentence to ask.
pub(crate) fn shares(text: &str, claimed: Option<Lang>) -> Vec<LangShare> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let outside = outside_language(text, claimed);
    let mut tallies: Vec<Tally> = Vec::new();
    let mut units: Vec<(Lang, &str, usize)> = Vec::new();
    for line in text.lines() {
        for sentence in Sentences(line.trim()) {
            if sentence.len() < MIN_BYTES {
                continue;
            }
            let (script, letters) = script::dominant(sentence);
            if letters < MIN_LETTERS {
                continue;
            }
            if let Some(lang) = ask(sentence, script, letters, outside) {
                units.push((lang, sentence, letters));
                count(&mut tallies, lang, letters);
            }
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

fn count(tallies: &mut Vec<Tally>, lang: Lang, letters: usize) {
    match tallies.iter_mut().find(|tally| tally.lang == lang) {
        Some(tally) => tally.letters += letters,
        None => tallies.push(Tally { lang, letters, proven: false, asked: 0 }),
    }
}

/// Marks the languages that some sentence proves. The language of most of the page needs no proof.
fn prove(tallies: &mut [Tally], units: &[(Lang, &str, usize)]) {
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
    for (lang, sentence, letters) in units {
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
    if prose::plain(sample, PLAIN_SAMPLE).is_some_and(|lang| !has_neighbours(lang)) {
        return None;
    }
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
fn ask(
    sentence: &str,
    script: Script,
    letters: usize,
    outside: Option<whatlang::Lang>,
) -> Option<Lang> {
    match script {
        Script::Latin => {
            if let Some(outside) = outside
                && let Some(info) = whatlang::detect(sentence)
                && (info.lang() == outside || (info.confidence() < 0.5 && letters < SURE_LETTERS))
            {
                return of_whatlang(outside);
            }
            if outside.is_none()
                && let Some(lang) = prose::plain(sentence, 0)
            {
                return Some(lang);
            }
            of_whichlang(whichlang::detect_language(sentence))
                .filter(|lang| codes::is_written_in_latin(*lang))
        }
        Script::One(code) => Lang::parse(code),
        Script::Several => whatlang::detect_lang(sentence).and_then(of_whatlang),
        Script::None => None,
    }
}

/// Cuts a line where a sentence ends: at a full stop, question or exclamation mark before white space,
/// and after the full stops of East Asia. Pieces too short to ask stay with what follows.
struct Sentences<'t>(&'t str);

impl<'t> Iterator for Sentences<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.0.is_empty() {
            return None;
        }
        let mut ended = false;
        for (at, c) in self.0.char_indices() {
            if at >= MIN_BYTES && ((ended && c.is_whitespace()) || c == '\t') {
                let (sentence, rest) = self.0.split_at(at);
                self.0 = rest.trim_start();
                return Some(sentence);
            }
            if matches!(c, '。' | '！' | '？') && at >= MIN_BYTES {
                let (sentence, rest) = self.0.split_at(at + c.len_utf8());
                self.0 = rest.trim_start();
                return Some(sentence);
            }
            ended = matches!(c, '.' | '!' | '?' | '…' | ':' | ';' | '।' | '؟')
                || (ended && matches!(c, '"' | '\'' | ')' | '”' | '»' | '’'));
        }
        let sentence = self.0;
        self.0 = "";
        Some(sentence)
    }
}

#[cfg(test)]
mod tests;
