//! How do pieces of text become lines and paragraphs? By where they stand on the page.

/// A gap of this share of the font's size parts words.
const WORD_GAP: f32 = 0.18;
/// Text whose baseline lies this share of the size away stands on another line.
const SAME_LINE: f32 = 0.45;
/// Lines that are further apart than this many sizes are of different paragraphs.
const PARAGRAPH_GAP: f32 = 1.75;
/// A line that begins this many sizes further to the right than the one before begins a paragraph.
const INDENT: f32 = 0.9;
/// Sizes that differ by more than this share are of different paragraphs.
const OTHER_SIZE: f32 = 0.15;

/// Where text begins or ends, and how large it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) size: f32,
}

/// Text that is put together, a line per paragraph.
pub(super) struct Layout {
    out: String,
    limit: usize,
    line: String,
    /// Where the line begins, and where what was shown last ends.
    begin: Option<Spot>,
    end: Option<Spot>,
    /// Where the line before began.
    before: Option<Spot>,
}

impl Layout {
    pub(super) fn new(limit: usize) -> Layout {
        Layout {
            out: String::new(),
            limit,
            line: String::new(),
            begin: None,
            end: None,
            before: None,
        }
    }

    /// Whether no more text is taken.
    pub(super) fn is_full(&self) -> bool {
        self.out.len() + self.line.len() >= self.limit
    }

    /// Takes a piece of text that stands here and ends at `end`.
    pub(super) fn show(&mut self, text: &str, at: Spot, end: Spot) {
        if self.is_full() {
            return;
        }
        if let Some(last) = self.end {
            let size = at.size.max(last.size).max(0.1);
            let gap = at.x - last.x;
            if (at.y - last.y).abs() > size * SAME_LINE || gap < -size * 2.0 {
                self.end_line();
            } else if gap > size * WORD_GAP && !self.line.ends_with(' ') && !text.starts_with(' ') {
                self.line.push(' ');
            }
        }
        if self.begin.is_none() && !text.trim().is_empty() {
            self.begin = Some(at);
        }
        let clean = |c: char| if c.is_control() || c == '\u{a0}' { ' ' } else { c };
        self.line.extend(text.chars().map(clean));
        self.end = Some(end);
    }

    /// Ends the line and joins it to its paragraph.
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let (begin, before) = (self.begin.take(), self.before);
        self.end = None;
        let line: Vec<&str> = line.split_whitespace().collect();
        let Some(begin) = begin.filter(|_| !line.is_empty()) else {
            return;
        };
        self.before = Some(begin);
        let continues = before.is_some_and(|before| {
            let down = before.y - begin.y;
            let size = begin.size.max(before.size).max(0.1);
            down > 0.0
                && down < size * PARAGRAPH_GAP
                && begin.x - before.x < size * INDENT
                && (begin.size - before.size).abs() < size * OTHER_SIZE
        });
        let line = line.join(" ");
        if !continues {
            self.end_paragraph();
        } else if is_broken_word(&self.out, &line) {
            self.out.pop();
        } else if !self.out.is_empty() {
            self.out.push(' ');
        }
        let room = self.limit.saturating_sub(self.out.len());
        self.out.push_str(&line[..line.floor_char_boundary(room)]);
    }

    fn end_paragraph(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    /// The page ends. A paragraph may go on over it, but nobody can tell.
    pub(super) fn end_page(&mut self) {
        self.end_line();
        self.end_paragraph();
        self.before = None;
    }

    /// The text.
    pub(super) fn finish(mut self) -> String {
        self.end_page();
        self.out.truncate(self.out.trim_end().len());
        self.out
    }
}

/// Whether a word is broken between two lines: a letter and a hyphen before, a small letter behind.
fn is_broken_word(before: &str, line: &str) -> bool {
    let mut last = before.chars().rev();
    let hyphen = last.next().is_some_and(|c| matches!(c, '-' | '\u{ad}' | '\u{2010}'));
    hyphen
        && last.next().is_some_and(char::is_lowercase)
        && line.chars().next().is_some_and(char::is_lowercase)
}
