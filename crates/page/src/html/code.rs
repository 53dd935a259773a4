//! In which programming language is a piece of code? Its classes tell, in the ways that highlighters have.

/// What stands before the name of a language in a class, the longest first.
const PREFIXES: [&str; 6] =
    ["highlight-source-", "highlight-", "language-", "lang-", "src-", "brush:"];
/// Classes behind which a class is the language.
const MARKS: [&str; 2] = ["sourceCode", "src"];
/// What is said where nothing is known.
const NOTHING: [&str; 8] =
    ["none", "text", "plain", "plaintext", "default", "nohighlight", "notranslate", "highlight"];
/// Bytes of the longest name.
const LONGEST: usize = 20;

/// The language that a class names.
pub(super) fn language(class: &str) -> Option<&str> {
    let mut words = class.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        let named = PREFIXES.iter().find_map(|prefix| word.strip_prefix(prefix));
        let named = match named {
            Some("") => words.next().map(|word| word.trim_end_matches(';')),
            None if MARKS.contains(&word) => words.peek().copied(),
            named => named,
        };
        if let Some(name) = named.filter(|name| is_name(name)) {
            return Some(name);
        }
    }
    None
}

fn is_name(name: &str) -> bool {
    (1..=LONGEST).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+#_.".contains(&byte))
        && !NOTHING.iter().any(|nothing| name.eq_ignore_ascii_case(nothing))
}

#[cfg(test)]
mod tests {
    use super::language;

    #[test]
    fn the_classes_of_highlighters_name_languages() {
        for (class, name) in [
            ("language-rust", Some("rust")),
            ("hljs lang-c++ wide", Some("c++")),
            ("highlight-source-shell", Some("shell")),
            ("highlight-python3 notranslate", Some("python3")),
            ("sourceCode bash", Some("bash")),
            ("src src-org", Some("org")),
            ("brush: js; toolbar", Some("js")),
            ("highlight-default notranslate", None),
            ("language-none", None),
            ("highlight", None),
            ("language-", None),
            ("", None),
        ] {
            assert_eq!(language(class), name, "{class}");
        }
    }
}
