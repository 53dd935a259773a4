//! What are the lines of a text?

use memchr::memchr_iter;

/// The pieces of a text between line feeds, as `text.split('\n')` has them; texts are long, and this looks
/// for many bytes at once.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    let ends = memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    ends.map(move |end| {
        let line = &text[from..end];
        from = end + 1;
        line
    })
}

#[cfg(test)]
mod tests {
    use super::lines;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_are_what_line_feeds_part(text in "[añ\n\r]{0,12}") {
            let expected: Vec<&str> = text.split('\n').collect();
            prop_assert_eq!(lines(&text).collect::<Vec<_>>(), expected);
        }
    }
}
