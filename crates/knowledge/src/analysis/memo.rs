//! Was this word worked out a moment ago? Texts say the same words again and again.

use lycosa_model::Lang;
use std::cell::RefCell;

/// Words that are remembered on each thread, at most.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 13;
/// Bytes of the longest word, and of the longest form, that is remembered.
const MAX_BYTES: usize = 24;

/// A word as numbers that no other word has: its bytes, some of them twice, and how many they are.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    numbers: [u64; MAX_BYTES / 8],
    length: u8,
}

impl Key {
    /// `None` for a word that is not remembered: one without letters or with too many.
    fn of(word: &str) -> Option<Key> {
        let bytes = word.as_bytes();
        if bytes.is_empty() || bytes.len() > MAX_BYTES {
            return None;
        }
        let mut numbers = [0; MAX_BYTES / 8];
        match (bytes.first_chunk(), bytes.last_chunk(), bytes.first_chunk(), bytes.last_chunk()) {
            (_, _, Some(first), Some(last)) => {
                let middle = bytes.get(8..16).and_then(|middle| middle.try_into().ok());
                let middle = middle.map_or(0, u64::from_le_bytes);
                numbers = [u64::from_le_bytes(*first), u64::from_le_bytes(*last), middle];
            }
            (Some(first), Some(last), ..) => {
                let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
                numbers[0] = u64::from(first) << 32 | u64::from(last);
            }
            _ => {
                // One to three bytes: the first, the middle and the last are all of them.
                let ends = [bytes[0], bytes[bytes.len() / 2], bytes[bytes.len() - 1]];
                numbers[0] = ends.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
            }
        }
        Some(Key { numbers, length: bytes.len() as u8 })
    }
}

/// A word of a language and its form.
#[derive(Clone, Copy, Default)]
struct Slot {
    word: Key,
    form: [u8; MAX_BYTES],
    form_length: u8,
    lang: Option<Lang>,
}

impl Slot {
    /// The form.
    fn form(&self) -> &str {
        // Made of a text, so it is one.
        std::str::from_utf8(&self.form[..usize::from(self.form_length)]).unwrap_or_default()
    }

    /// Keeps a form, unless it is too long.
    fn keep(&mut self, word: Key, lang: Option<Lang>, form: &str) {
        if let Some(room) = self.form.get_mut(..form.len()) {
            room.copy_from_slice(form.as_bytes());
            (self.word, self.lang, self.form_length) = (word, lang, form.len() as u8);
        }
    }
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
    let Some(key) = Key::of(word) else {
        return work_out(out);
    };
    SLOTS_OF_THREAD.with_borrow_mut(|slots| {
        let slot = &mut slots[place(lang, &key)];
        if slot.word == key && slot.lang == lang {
            out.clear();
            out.push_str(slot.form());
        } else {
            work_out(out);
            slot.keep(key, lang, out);
        }
    });
}

/// Where the word of a language is remembered.
fn place(lang: Option<Lang>, word: &Key) -> usize {
    // A page is analysed by its language and without one in turn, and most pages of a crawl are of one.
    let hash = word.numbers.iter().fold(u64::from(lang.is_some()), |hash, number| {
        (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    });
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SLOT_BITS)) as usize
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
            let long = "ñ".repeat(MAX_BYTES / 2);
            for word in ["", &long, &format!("{long}x"), "中文"] {
                assert_eq!(form(None, word), format!("{word}/None"), "round {round}");
            }
        }
    }
}
