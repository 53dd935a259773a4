//! Which character does a glyph's name mean? The names that Adobe gave to Latin and Greek letters,
//! punctuation and signs, and those that are made of a number.

/// Names and their characters, sorted by name. Letters with an accent are in [`ACCENTS`].
const NAMES: &[(&str, &str)] = &[
    ("AE", "Æ"),
    ("Dcroat", "Đ"),
    ("Delta", "Δ"),
    ("Eth", "Ð"),
    ("Euro", "€"),
    ("Gamma", "Γ"),
    ("Lambda", "Λ"),
    ("Lslash", "Ł"),
    ("OE", "Œ"),
    ("Omega", "Ω"),
    ("Oslash", "Ø"),
    ("Phi", "Φ"),
    ("Pi", "Π"),
    ("Psi", "Ψ"),
    ("Sigma", "Σ"),
    ("Theta", "Θ"),
    ("Thorn", "Þ"),
    ("Upsilon", "Υ"),
    ("Xi", "Ξ"),
    ("acute", "´"),
    ("ae", "æ"),
    ("alpha", "α"),
    ("ampersand", "&"),
    ("angle", "∠"),
    ("approxequal", "≈"),
    ("arrowdown", "↓"),
    ("arrowleft", "←"),
    ("arrowright", "→"),
    ("arrowup", "↑"),
    ("asciicircum", "^"),
    ("asciitilde", "~"),
    ("asterisk", "*"),
    ("asteriskmath", "∗"),
    ("at", "@"),
    ("backslash", "\\"),
    ("bar", "|"),
    ("beta", "β"),
    ("braceleft", "{"),
    ("braceright", "}"),
    ("bracketleft", "["),
    ("bracketright", "]"),
    ("breve", "˘"),
    ("brokenbar", "¦"),
    ("bullet", "•"),
    ("caron", "ˇ"),
    ("cedilla", "¸"),
    ("cent", "¢"),
    ("chi", "χ"),
    ("circumflex", "ˆ"),
    ("colon", ":"),
    ("comma", ","),
    ("copyright", "©"),
    ("currency", "¤"),
    ("dagger", "†"),
    ("daggerdbl", "‡"),
    ("dcroat", "đ"),
    ("degree", "°"),
    ("delta", "δ"),
    ("dieresis", "¨"),
    ("divide", "÷"),
    ("dollar", "$"),
    ("dotaccent", "˙"),
    ("dotlessi", "ı"),
    ("dotmath", "⋅"),
    ("eight", "8"),
    ("element", "∈"),
    ("ellipsis", "…"),
    ("emdash", "—"),
    ("emptyset", "∅"),
    ("endash", "–"),
    ("epsilon", "ε"),
    ("equal", "="),
    ("equivalence", "≡"),
    ("eta", "η"),
    ("eth", "ð"),
    ("euro", "€"),
    ("exclam", "!"),
    ("exclamdown", "¡"),
    ("existential", "∃"),
    ("ff", "ff"),
    ("ffi", "ffi"),
    ("ffl", "ffl"),
    ("fi", "fi"),
    ("five", "5"),
    ("fl", "fl"),
    ("florin", "ƒ"),
    ("four", "4"),
    ("fraction", "⁄"),
    ("gamma", "γ"),
    ("germandbls", "ß"),
    ("grave", "`"),
    ("greater", ">"),
    ("greaterequal", "≥"),
    ("guillemotleft", "«"),
    ("guillemotright", "»"),
    ("guilsinglleft", "‹"),
    ("guilsinglright", "›"),
    ("hungarumlaut", "˝"),
    ("hyphen", "-"),
    ("hyphenminus", "-"),
    ("infinity", "∞"),
    ("integral", "∫"),
    ("intersection", "∩"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("less", "<"),
    ("lessequal", "≤"),
    ("logicaland", "∧"),
    ("logicalnot", "¬"),
    ("logicalor", "∨"),
    ("lslash", "ł"),
    ("macron", "¯"),
    ("middot", "·"),
    ("minus", "−"),
    ("mu", "µ"),
    ("multiply", "×"),
    ("nbspace", " "),
    ("nine", "9"),
    ("nonbreakingspace", " "),
    ("notequal", "≠"),
    ("nu", "ν"),
    ("numbersign", "#"),
    ("oe", "œ"),
    ("ogonek", "˛"),
    ("omega", "ω"),
    ("omicron", "ο"),
    ("one", "1"),
    ("onehalf", "½"),
    ("onequarter", "¼"),
    ("onesuperior", "¹"),
    ("ordfeminine", "ª"),
    ("ordmasculine", "º"),
    ("oslash", "ø"),
    ("paragraph", "¶"),
    ("parenleft", "("),
    ("parenright", ")"),
    ("partialdiff", "∂"),
    ("percent", "%"),
    ("period", "."),
    ("periodcentered", "·"),
    ("perthousand", "‰"),
    ("phi", "φ"),
    ("pi", "π"),
    ("plus", "+"),
    ("plusminus", "±"),
    ("product", "∏"),
    ("propersubset", "⊂"),
    ("psi", "ψ"),
    ("question", "?"),
    ("questiondown", "¿"),
    ("quotedbl", "\""),
    ("quotedblbase", "„"),
    ("quotedblleft", "“"),
    ("quotedblright", "”"),
    ("quoteleft", "‘"),
    ("quoteright", "’"),
    ("quotesinglbase", "‚"),
    ("quotesingle", "'"),
    ("radical", "√"),
    ("registered", "®"),
    ("rho", "ρ"),
    ("ring", "˚"),
    ("section", "§"),
    ("semicolon", ";"),
    ("seven", "7"),
    ("sfthyphen", "-"),
    ("sigma", "σ"),
    ("sigma1", "ς"),
    ("similar", "∼"),
    ("six", "6"),
    ("slash", "/"),
    ("softhyphen", "-"),
    ("space", " "),
    ("sterling", "£"),
    ("summation", "∑"),
    ("tau", "τ"),
    ("theta", "θ"),
    ("thorn", "þ"),
    ("three", "3"),
    ("threequarters", "¾"),
    ("threesuperior", "³"),
    ("tilde", "˜"),
    ("trademark", "™"),
    ("two", "2"),
    ("twosuperior", "²"),
    ("underscore", "_"),
    ("union", "∪"),
    ("universal", "∀"),
    ("upsilon", "υ"),
    ("xi", "ξ"),
    ("yen", "¥"),
    ("zero", "0"),
    ("zeta", "ζ"),
];

/// Accents as they end the names of letters (`eacute`), and the characters that join them to one.
const ACCENTS: [(&str, char); 14] = [
    ("acute", '\u{301}'),
    ("breve", '\u{306}'),
    ("caron", '\u{30c}'),
    ("cedilla", '\u{327}'),
    ("circumflex", '\u{302}'),
    ("commaaccent", '\u{326}'),
    ("dieresis", '\u{308}'),
    ("dotaccent", '\u{307}'),
    ("grave", '\u{300}'),
    ("hungarumlaut", '\u{30b}'),
    ("macron", '\u{304}'),
    ("ogonek", '\u{328}'),
    ("ring", '\u{30a}'),
    ("tilde", '\u{303}'),
];

/// The characters of a glyph's name; `None` for a name that only its font understands.
pub(super) fn characters(name: &str) -> Option<String> {
    // `a.alt` is a kind of `a`, and `f_i` is two letters.
    let name = name.split('.').next().unwrap_or(name);
    if name.contains('_') {
        let parts: Option<Vec<String>> = name.split('_').map(one).collect();
        return parts.map(|parts| parts.concat());
    }
    one(name)
}

fn one(name: &str) -> Option<String> {
    let mut letters = name.chars();
    let first = letters.next()?;
    if letters.next().is_none() {
        return Some(name.to_owned());
    }
    if let Ok(place) = NAMES.binary_search_by_key(&name, |(known, _)| known) {
        return Some(NAMES[place].1.to_owned());
    }
    let rest = &name[first.len_utf8()..];
    if let Some((_, accent)) = ACCENTS.iter().find(|(known, _)| *known == rest) {
        return unicode_normalization::char::compose(first, *accent).map(String::from);
    }
    let code = name.strip_prefix("uni").or_else(|| name.strip_prefix('u'))?;
    let digits = code.get(..4.max(code.len().min(6))).filter(|digits| !digits.is_empty())?;
    let digits = if name.starts_with("uni") { code.get(..4)? } else { digits };
    let code = u32::from_str_radix(digits, 16).ok()?;
    char::from_u32(code).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_mean_characters() {
        assert!(NAMES.is_sorted_by_key(|(name, _)| *name));
        for (name, text) in [
            ("a", "a"),
            ("eacute", "é"),
            ("Ntilde", "Ñ"),
            ("scaron", "š"),
            ("fi", "fi"),
            ("f_f_i", "ffi"),
            ("uni00E9", "é"),
            ("u1F600", "😀"),
            ("a.alt", "a"),
            ("quoteright", "’"),
        ] {
            assert_eq!(characters(name).as_deref(), Some(text), "{name}");
        }
        for name in ["", "g123", ".notdef", "uniXYZ", "ué", "uni"] {
            assert_eq!(characters(name), None, "{name}");
        }
    }
}
