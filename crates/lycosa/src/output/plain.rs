//! What of a stranger's text may stand on a terminal?

/// Marks above and below one letter.
const MOST_MARKS: usize = 3;

/// Text that a stranger wrote, in one line of at most `limit` characters: without anything that would move the
/// cursor, hide its neighbours or turn their order round.
pub(crate) fn plain(text: &str, limit: usize) -> String {
    let mut out = String::new();
    let mut marks = 0;
    let letters = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c });
    for c in letters.filter(|c| !is_trick(*c)).take(limit) {
        marks = if is_mark(c) { marks + 1 } else { 0 };
        if marks <= MOST_MARKS {
            out.push(c);
        }
    }
    out
}

/// Whether a character commands the terminal, or changes how others are seen: controls, what has no width, and
/// what turns the direction of text.
fn is_trick(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character stands on the one before it.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn what_a_stranger_writes_cannot_command_the_terminal() {
        let hostile = "a\u{1b}[2J\u{9b}31mb\u{7}\r\nc\u{202e}d\u{2066}\u{200b}\u{feff}e\u{e0041}";
        assert_eq!(plain(hostile, 100), "a[2J31mb  cde");
        assert_eq!(plain("sueño, 東京, e\u{301}", 100), "sueño, 東京, e\u{301}");
        assert_eq!(plain("abcdef", 3), "abc");
        let piled = format!("x{}y", "\u{301}".repeat(500));
        assert_eq!(plain(&piled, 1_000).chars().count(), 5);
    }
}
