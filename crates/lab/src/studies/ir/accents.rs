//! What does a person type who leaves the accents out?

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The text without the marks of Latin letters, so that `¿Qué año?` becomes `¿Que ano?`. Marks of other
/// scripts are no accents and stay.
pub fn without_accents(text: &str) -> String {
    let mut is_latin = false;
    let plain = text.nfd().filter(|letter| {
        if is_combining_mark(*letter) {
            return !is_latin;
        }
        is_latin = letter.is_ascii_alphabetic();
        true
    });
    plain.nfc().collect()
}
