//! Which addresses does a style sheet name? `url(…)` and `@import "…"`, outside comments.

/// Calls `found` with every address of a style sheet, or of a `style` attribute, as written.
pub(crate) fn addresses<'c>(css: &'c str, mut found: impl FnMut(&'c str)) {
    let bytes = css.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            b'/' if bytes[at..].starts_with(b"/*") => {
                css[at + 2..].find("*/").map_or(css.len(), |end| end + 4)
            }
            b'u' | b'U' if begins(&bytes[at..], b"url(") => {
                let inside = &css[at + 4..];
                let taken = argument(inside);
                found(taken.0);
                4 + taken.1
            }
            b'@' if begins(&bytes[at..], b"@import") => {
                let rest = &css[at + 7..];
                let inside = rest.trim_ascii_start();
                match quoted(inside) {
                    Some((address, used)) => {
                        found(address);
                        7 + (rest.len() - inside.len()) + used
                    }
                    // `@import url(…)` is met as the loop goes on.
                    None => 7,
                }
            }
            _ => 1,
        };
    }
}

fn begins(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// What stands in the brackets of `url(…)`, and how many bytes were used.
fn argument(inside: &str) -> (&str, usize) {
    let trimmed = inside.trim_ascii_start();
    let skipped = inside.len() - trimmed.len();
    if let Some((address, used)) = quoted(trimmed) {
        return (address, skipped + used);
    }
    let end = trimmed.find([')', '"', '\'', '(', '<']).unwrap_or(trimmed.len());
    (trimmed[..end].trim_ascii_end(), skipped + end)
}

/// A string in quotes at the beginning, and how many bytes it takes with them.
fn quoted(text: &str) -> Option<(&str, usize)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inside = &text[1..];
    let end = inside.find([quote, '\n'])?;
    inside[end..].starts_with(quote).then(|| (&inside[..end], end + 2))
}

#[cfg(test)]
mod tests {
    use super::addresses;
    use proptest::prelude::*;

    fn of(css: &str) -> Vec<&str> {
        let mut all = Vec::new();
        addresses(css, |address| all.push(address));
        all
    }

    #[test]
    fn addresses_stand_in_url_and_import() {
        let css = "@import 'a.css' screen; @IMPORT url( \"b.css\" );\n\
            /* url(no) */ @font-face { src: url(c.woff2) format('woff2'), URL('d.woff') }\n\
            p { background: #fff url( e.png ) no-repeat; color: red }";
        assert_eq!(of(css), ["a.css", "b.css", "c.woff2", "d.woff", "e.png"]);
    }

    #[test]
    fn broken_styles_are_read_as_far_as_they_go() {
        assert_eq!(of("a { b: url(x"), ["x"]);
        assert_eq!(of("a { b: url('x\n) } c { d: url(y) }"), ["", "y"]);
        assert!(of("/* url(x)").is_empty());
        assert!(of("@import").is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_taken(css in "(url\\(|@import|/\\*|\\*/|[\"'()ñ \n]|[a-z]){0,40}") {
            let _ = of(&css);
        }
    }
}
