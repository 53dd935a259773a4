//! In which language is each paragraph of a page?
//!
//! In that of most of its letters, sentence by sentence. A guess that is not the language of the page has to
//! be better founded than the page: addresses, commands and names make a sentence look like any language.

use super::codes::of_whatlang;
use super::script::Script;
use super::{MAX_BYTES, Tally, Unit, count, prose, settle_main, told_units};
use lycosa_model::{Lang, Paragraph};

/// The paragraphs of a text with their languages. A line is a paragraph or, in text that is `wrapped`,
/// what stands between empty lines.
pub(crate) fn paragraphs(text: &str, claimed: Option<Lang>, wrapped: bool) -> Vec<Paragraph> {
    let mut units = told_units(&text[..text.floor_char_boundary(MAX_BYTES)], claimed);
    settle_main(&mut units, claimed);
    let mains = [Script::Latin, Script::Several].map(|script| (script, main_of(&units, script)));
    let mut units = units.iter().peekable();
    let mut paragraphs = Vec::new();
    let mut end = 0;
    for part in text.split_inclusive(if wrapped { "\n\n" } else { "\n" }) {
        end += part.len();
        let mut tallies = Vec::new();
        while let Some(unit) = units.next_if(|unit| unit.at < end) {
            let main = mains.iter().find(|(script, _)| *script == unit.script);
            if let Some(lang) = settle(unit, main.and_then(|(_, main)| *main)) {
                count(&mut tallies, lang, unit.letters);
            }
        }
        let text = part.trim();
        if !text.is_empty() {
            paragraphs.push(Paragraph { lang: most(&tallies), text: text.to_owned() });
        }
    }
    paragraphs
}

fn most(tallies: &[Tally]) -> Option<Lang> {
    tallies.iter().max_by_key(|tally| tally.letters).map(|tally| tally.lang)
}

/// The language of most of what is written in a script.
fn main_of(units: &[Unit<'_>], script: Script) -> Option<Lang> {
    let mut tallies = Vec::new();
    for unit in units.iter().filter(|unit| unit.script == script) {
        if let Some(lang) = unit.lang {
            count(&mut tallies, lang, unit.letters);
        }
    }
    most(&tallies)
}

/// The language of a sentence on a page that is mainly in `main`.
fn settle(unit: &Unit<'_>, main: Option<Lang>) -> Option<Lang> {
    let (Some(lang), Some(main)) = (unit.lang, main) else {
        return unit.lang;
    };
    if lang == main {
        return Some(lang);
    }
    let is_founded = if unit.script == Script::Several {
        whatlang::detect(unit.text)
            .is_some_and(|info| info.is_reliable() && of_whatlang(info.lang()) == Some(lang))
    } else {
        let small = |lang| prose::count_small(unit.text, lang);
        match (small(lang), small(main)) {
            (Some(ours), Some(of_main)) => ours > of_main,
            _ => true,
        }
    };
    Some(if is_founded { lang } else { main })
}
