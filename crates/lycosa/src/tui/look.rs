//! How does it look? Colours where they are wanted, and text that stays in its place.

use crate::output::plain;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// Characters of a text that are ever drawn; no terminal has more columns.
const LONGEST: usize = 1_000;

/// The styles. Colour is never the only sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) colour: bool,
}

impl Look {
    fn colour(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    pub(super) fn plain(self) -> Style {
        Style::new()
    }

    pub(super) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(super) fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(super) fn name(self) -> Style {
        self.colour(Color::Cyan)
    }

    pub(super) fn good(self) -> Style {
        self.colour(Color::Green)
    }

    pub(super) fn bad(self) -> Style {
        self.colour(Color::Red)
    }

    pub(super) fn notice(self) -> Style {
        self.colour(Color::Yellow).add_modifier(Modifier::BOLD)
    }
}

/// A line on the screen that is written from left to right and never beyond its end.
pub(super) struct Pen<'a> {
    buffer: &'a mut Buffer,
    x: u16,
    y: u16,
    end: u16,
    style: Style,
}

impl<'a> Pen<'a> {
    /// Begins a line of an area; one outside of it, or of the screen, takes no text.
    pub(super) fn on(buffer: &'a mut Buffer, area: Rect, line: u16) -> Pen<'a> {
        let seen = area.intersection(buffer.area);
        let y = area.y.saturating_add(line);
        let end = if y >= seen.y && y < seen.bottom() { seen.right() } else { seen.x };
        Pen { buffer, x: seen.x, y, end, style: Style::new() }
    }

    /// Lays a style under the whole line.
    pub(super) fn under(mut self, style: Style) -> Pen<'a> {
        self.style = style;
        if self.x < self.end {
            let line = Rect::new(self.x, self.y, self.end - self.x, 1);
            self.buffer.set_style(line, style);
        }
        self
    }

    /// Writes what fits.
    pub(super) fn put(mut self, text: impl AsRef<str>, style: Style) -> Pen<'a> {
        if self.x < self.end {
            let text = plain(text.as_ref(), LONGEST);
            let style = self.style.patch(style);
            let room = usize::from(self.end - self.x);
            (self.x, _) = self.buffer.set_stringn(self.x, self.y, text, room, style);
        }
        self
    }

    /// Leaves room.
    pub(super) fn skip(mut self, columns: u16) -> Pen<'a> {
        self.x = self.x.saturating_add(columns).min(self.end);
        self
    }

    /// Writes into a column of this width, whatever fits, and one space.
    pub(super) fn column(mut self, text: impl AsRef<str>, width: u16, style: Style) -> Pen<'a> {
        let (begin, end) = (self.x, self.end);
        self.end = begin.saturating_add(width).min(end);
        let mut next = self.put(text, style);
        (next.x, next.end) = (begin.saturating_add(width + 1).min(end), end);
        next
    }

    /// Columns that are left.
    pub(super) fn room(&self) -> u16 {
        self.end.saturating_sub(self.x)
    }
}
