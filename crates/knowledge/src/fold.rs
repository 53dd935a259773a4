//! How do two spellings of a word become one? Accents and case are removed.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The folded form of a text: compatibility decomposition, no combining marks, lower case, and the few
/// Latin letters that have no decomposition spelled out. `Ñandú` becomes `nandu`.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

/// Appends the folded form of a text, so that a loop over words needs no allocation of its own.
pub(crate) fn fold_into(text: &str, out: &mut String) {
    let mut rest = text;
    while !rest.is_empty() {
        // No letter of ASCII has a decomposition, and none changes the order of marks around it.
        let plain = ascii_prefix(rest.as_bytes());
        let start = out.len();
        out.push_str(&rest[..plain]);
        out[start..].make_ascii_lowercase();
        rest = &rest[plain..];
        let other = rest.bytes().position(|byte| byte.is_ascii()).unwrap_or(rest.len());
        fold_other(&rest[..other], out);
        rest = &rest[other..];
    }
}

/// How many bytes from the first one on are ASCII; looks at many of them at once.
fn ascii_prefix(bytes: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let whole = bytes.chunks(BLOCK).take_while(|block| block.is_ascii()).count() * BLOCK;
    let rest = bytes.get(whole..).unwrap_or_default();
    let more = rest.iter().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
    whole.min(bytes.len()) + more
}

fn fold_other(text: &str, out: &mut String) {
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match c {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'đ' | 'ð' => out.push('d'),
            'ł' => out.push('l'),
            'þ' => out.push_str("th"),
            'ı' => out.push('i'),
            // Lower-casing a capital with a dot leaves the dot as a mark.
            c if is_combining_mark(c) => {}
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn accents_and_case_are_removed() {
        assert_eq!(fold("Ñandú CAMIÓN"), "nandu camion");
        assert_eq!(fold("Straße Łódź Ærø İstanbul"), "strasse lodz aero istanbul");
        assert_eq!(fold("ﬁne ①"), "fine 1");
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for text in ["Ångström", "Ǆ", "ẞ", "ΑΎΡΙΟ", "日本語", "e\u{301}"] {
            assert_eq!(fold(&fold(text)), fold(text), "{text}");
        }
    }
}
