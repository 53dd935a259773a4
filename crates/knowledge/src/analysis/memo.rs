//! Was this word worked out a moment ago? Texts say the same words again and again.

use lycosa_model::Lang;
use std::cell::RefCell;

/// Words that are remembered on each thread, at most.
const SLOTS: usize = 4_096;
/// Bytes of the longest word that is remembered.
const MAX_BYTES: usize = 24;

/// A word and its form.
#[derive(Clone, Default)]
struct Slot {
    lang: Option<Lang>,
    word: String,
    form: String,
}

thread_local! {
    /// One word per slot: the one that came last.
    static SLOTS_OF_THREAD: RefCell<Vec<Slot>> = RefCell::new(vec![Slot::default(); SLOTS]);
}

/// Writes the form of a word into `out`: the one that is remembered, or what `work_out` writes.
pub(super) fn remember(
    lang: Option<Lang>,
    word: &str,
    out: &mut String,
    work_out: impl FnOnce(&mut String),
) {
    if word.is_empty() || word.len() > MAX_BYTES {
        return work_out(out);
    }
    SLOTS_OF_THREAD.with_borrow_mut(|slots| {
        let slot = &mut slots[place(lang, word)];
        if slot.word != word || slot.lang != lang {
            // An empty slot, should this not come to its end.
            slot.word.clear();
            work_out(&mut slot.form);
            slot.lang = lang;
            slot.word.push_str(word);
        }
        out.clear();
        out.push_str(&slot.form);
    });
}

/// FNV-1a over the word and its language.
fn place(lang: Option<Lang>, word: &str) -> usize {
    let code = lang.as_ref().map_or("", Lang::as_str);
    let hash = word.bytes().chain(code.bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_share_a_slot_or_a_spelling_keep_their_own_forms() {
        let form = |lang: Option<Lang>, word: &str| {
            let mut out = "left over".to_owned();
            remember(lang, word, &mut out, |out| {
                out.clear();
                out.push_str(&format!("{word}/{lang:?}"));
            });
            out
        };
        for round in 0..2 {
            for number in 0..2 * SLOTS {
                let word = format!("w{number}");
                assert_eq!(form(None, &word), format!("{word}/None"), "round {round}");
            }
            assert_eq!(form(Some(Lang::EN), "w1"), format!("w1/{:?}", Some(Lang::EN)));
        }
    }
}
