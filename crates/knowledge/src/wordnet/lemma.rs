//! Of which words can a word be the plural? The rules of WordNet's own look-up for nouns.

/// Endings of plurals and what stands there in the singular.
const ENDINGS: [(&str, &str); 8] = [
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
];
/// Letters of a word below which no ending is taken off ("as", "us").
const MIN_PLURAL: usize = 4;

/// Tells every singular that the rules allow; whether there is such a word is not asked.
pub(super) fn singulars(word: &str, tell: &mut impl FnMut(&str)) {
    if word.len() < MIN_PLURAL || word.ends_with("ss") {
        return;
    }
    let mut base = String::with_capacity(word.len());
    for (plural, singular) in ENDINGS {
        if let Some(stem) = word.strip_suffix(plural) {
            base.clear();
            base.push_str(stem);
            base.push_str(singular);
            tell(&base);
        }
    }
}
