//! Which pictures does a `srcset` offer? The HTML standard's reading, descriptors left out.

use crate::facts::is_html_space;

/// The addresses of a `srcset`, as written.
pub(crate) fn addresses(value: &str) -> impl Iterator<Item = &str> {
    let mut rest = value;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c| is_html_space(c) || c == ',');
        if rest.is_empty() {
            return None;
        }
        let (word, after) = rest.split_at(rest.find(is_html_space).unwrap_or(rest.len()));
        let address = word.trim_end_matches(',');
        // A comma that ends the address ends the candidate; otherwise descriptors follow.
        rest = if address.len() < word.len() { after } else { after_descriptors(after) };
        Some(address)
    })
}

fn after_descriptors(text: &str) -> &str {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return &text[at..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::addresses;

    #[test]
    fn candidates_are_parted_by_commas_that_end_them() {
        let all = |value| addresses(value).collect::<Vec<_>>();
        assert_eq!(all("a.png 1x,\n  b.png 2x"), ["a.png", "b.png"]);
        assert_eq!(all("a.png, b.png"), ["a.png", "b.png"]);
        assert_eq!(all("a,b.png 100w, /c 1x"), ["a,b.png", "/c"]);
        assert_eq!(all("a calc(1,2) , b"), ["a", "b"]);
        assert!(all(" , ,").is_empty());
    }
}
