//! Of which pieces does a query consist?

/// A piece of a query. `not` says whether a minus or `NOT` stands before it, `at` where its text begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// `(`
    Open { not: bool },
    /// `)`
    Close,
    /// `OR`
    Or,
    /// What stands between quotes.
    Phrase { not: bool, at: usize, text: &'a str },
    /// `name:value`, and where the value begins; it may be quoted.
    Filter { not: bool, name: &'a str, at: usize, value: &'a str, value_at: usize },
    /// Anything else up to the next space.
    Chunk { not: bool, at: usize, text: &'a str },
}

impl Piece<'_> {
    /// Whether it is words and nothing else.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Piece::Chunk { not: false, .. } | Piece::Filter { .. })
    }
}

/// Cuts a query into pieces.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Whether a quote had no end.
    open_quote: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0, open_quote: false }
    }

    /// Whether a quote ended with the text.
    pub(super) fn closed_a_quote(&self) -> bool {
        self.open_quote
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// The next piece; `None` at the end.
    pub(super) fn next_piece(&mut self) -> Option<Piece<'a>> {
        let mut not = false;
        loop {
            let c = self.peek()?;
            let after = &self.text[self.at + c.len_utf8()..];
            match c {
                c if c.is_whitespace() => self.at += c.len_utf8(),
                '-' | '+' | '−' if !after.starts_with(char::is_whitespace) => {
                    not = c != '+';
                    self.at += c.len_utf8();
                }
                '(' => {
                    self.at += 1;
                    return Some(Piece::Open { not });
                }
                ')' => {
                    self.at += 1;
                    return Some(Piece::Close);
                }
                c if is_quote(c) => {
                    let (at, text) = self.quoted();
                    return Some(Piece::Phrase { not, at, text });
                }
                _ => match self.chunk() {
                    (_, "OR") => return Some(Piece::Or),
                    (_, "AND") => {}
                    (_, "NOT") => not = true,
                    (at, text) => return Some(self.word_or_filter(not, at, text)),
                },
            }
        }
    }

    /// What stands up to the next space, quote or parenthesis, and where it begins.
    fn chunk(&mut self) -> (usize, &'a str) {
        let at = self.at;
        let rest = &self.text[at..];
        let ends = |c: char| c.is_whitespace() || is_quote(c) || matches!(c, '(' | ')');
        let end = rest.find(ends).unwrap_or(rest.len());
        self.at += end;
        (at, &rest[..end])
    }

    fn word_or_filter(&mut self, not: bool, at: usize, text: &'a str) -> Piece<'a> {
        match text.split_once(':') {
            Some((name, ""))
                if super::filter::is_name(name) && self.peek().is_some_and(is_quote) =>
            {
                let (value_at, value) = self.quoted();
                Piece::Filter { not, name, at, value, value_at }
            }
            Some((name, value)) if super::filter::is_name(name) => {
                let value_at = at + name.len() + 1;
                Piece::Filter { not, name, at, value, value_at }
            }
            _ => Piece::Chunk { not, at, text },
        }
    }

    /// What stands between the quote that is next and its end, and where it begins.
    fn quoted(&mut self) -> (usize, &'a str) {
        self.at += self.peek().map_or(0, char::len_utf8);
        let at = self.at;
        let rest = &self.text[at..];
        match rest.char_indices().find(|(_, c)| is_quote(*c)) {
            Some((end, quote)) => {
                self.at += end + quote.len_utf8();
                (at, &rest[..end])
            }
            None => {
                self.at = self.text.len();
                self.open_quote = true;
                (at, rest)
            }
        }
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»' | '＂')
}
