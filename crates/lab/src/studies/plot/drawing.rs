//! What is a drawing made of? Lines, areas, marks and text, which both back ends know.

use super::{png, svg};

/// A place: to the right, and down.
pub(super) type At = (f64, f64);

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

/// What is written.
pub(super) const INK: Colour = Colour(0x22, 0x22, 0x22);
/// Frames and whatever only refers to something.
pub(super) const GREY: Colour = Colour(0x77, 0x77, 0x77);
/// Lines behind the data.
pub(super) const FAINT: Colour = Colour(0xe2, 0xe2, 0xe2);

/// The form of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
    Down,
}

/// Where a text is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The two sizes of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Plain,
    Title,
}

impl Size {
    /// Height of a line.
    pub(super) fn height(self) -> f64 {
        match self {
            Size::Plain => 12.0,
            Size::Title => 16.0,
        }
    }

    /// Width of a text as the PNG sets it, where all letters are equally wide. The letters of a browser are
    /// narrower on average, so what has room here has room there.
    pub(super) fn width(self, text: &str) -> f64 {
        png::letter_width(self) * text.chars().count() as f64
    }

    /// The text in lines of at most this width, broken between words.
    pub(super) fn wrapped(self, text: &str, width: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            match lines.last_mut() {
                Some(line) if self.width(line) + self.width(word) + self.width(" ") <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        lines
    }
}

/// One thing that is drawn.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Line { points: Vec<At>, colour: Colour, width: f64, dash: &'static [f64] },
    Area { points: Vec<At>, colour: Colour, opacity: f64 },
    Mark { at: At, form: Form, colour: Colour, note: String },
    Text { at: At, text: String, size: Size, anchor: Anchor, colour: Colour },
}

/// A picture before it is written: see [`Drawing::svg`] and [`Drawing::png`].
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub(super) title: String,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) shapes: Vec<Shape>,
}

/// Half the width of a mark.
pub(super) const MARK: f64 = 3.5;

impl Drawing {
    pub(super) fn new(title: &str, width: f64) -> Drawing {
        Drawing { title: title.to_owned(), width, height: 0.0, shapes: Vec::new() }
    }

    pub(super) fn line(&mut self, points: Vec<At>, colour: Colour, width: f64) {
        self.shapes.push(Shape::Line { points, colour, width, dash: &[] });
    }

    /// Writes on the line whose middle is at this height.
    pub(super) fn text(&mut self, at: At, anchor: Anchor, text: impl Into<String>) {
        let (text, size) = (text.into(), Size::Plain);
        self.shapes.push(Shape::Text { at, text, size, anchor, colour: INK });
    }

    /// Writes the title at the top; tells where the rest may begin.
    pub(super) fn headline(&mut self, left: f64) -> f64 {
        let mut y = 8.0;
        for text in Size::Title.wrapped(&self.title, self.width - left - 8.0) {
            let at = (left, y + Size::Title.height() / 2.0);
            let (size, anchor) = (Size::Title, Anchor::Start);
            self.shapes.push(Shape::Text { at, text, size, anchor, colour: INK });
            y += Size::Title.height() + 3.0;
        }
        y + 5.0
    }

    /// As SVG with real text.
    pub(crate) fn svg(&self) -> String {
        svg::write(self)
    }

    /// As PNG, twice as large for sharp screens; nothing when it is too large to be drawn.
    pub(crate) fn png(&self) -> Option<Vec<u8>> {
        png::write(self)
    }
}

/// The corners of a mark that has some.
pub(super) fn corners(form: Form, (x, y): At) -> Vec<At> {
    let place = |(dx, dy): &(f64, f64)| (x + dx * MARK, y + dy * MARK);
    let corners: &[(f64, f64)] = match form {
        Form::Circle => &[],
        Form::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        Form::Triangle => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
        Form::Down => &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
        Form::Diamond => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        Form::Cross => &[
            (-1.1, -0.6),
            (-0.6, -1.1),
            (0.0, -0.5),
            (0.6, -1.1),
            (1.1, -0.6),
            (0.5, 0.0),
            (1.1, 0.6),
            (0.6, 1.1),
            (0.0, 0.5),
            (-0.6, 1.1),
            (-1.1, 0.6),
            (-0.5, 0.0),
        ],
    };
    corners.iter().map(place).collect()
}
