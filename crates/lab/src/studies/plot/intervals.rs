//! Means with their intervals, as dots on lines.

use super::drawing::{Anchor, Drawing, FAINT, Form, Shape, Size};
use super::style;
use crate::evaluation::Interval;

const WIDTH: f64 = 720.0;
/// Beside the scale: room for the half of its last number.
const RIGHT: f64 = 30.0;
/// Height of one line, and of the gap between two groups.
const LINE: f64 = 20.0;
const GAP: f64 = 14.0;
/// Below the last line.
const BOTTOM: f64 = 54.0;

/// One group of dots, as of one collection.
pub(crate) struct Group {
    pub(crate) name: String,
    /// In the order of the series.
    pub(crate) values: Vec<Interval>,
}

/// Draws values from 0 to 1; `axis` says of what.
pub(crate) fn intervals(title: &str, axis: &str, series: &[&str], groups: &[Group]) -> Drawing {
    let mut drawing = Drawing::new(title, WIDTH);
    let names = groups.iter().map(|group| Size::Plain.width(&group.name));
    let left = names.fold(80.0, f64::max) + 24.0;
    let x = |value: f64| left + value.clamp(0.0, 1.0) * (WIDTH - left - RIGHT);
    let top = legend(&mut drawing, series, left);
    let lines: usize = groups.iter().map(|group| group.values.len()).sum();
    let floor = top + lines as f64 * LINE + groups.len() as f64 * GAP;
    drawing.height = floor + BOTTOM;
    for tenth in (0..=10).step_by(2) {
        let (value, at) = (f64::from(tenth) / 10.0, x(f64::from(tenth) / 10.0));
        drawing.line(vec![(at, top), (at, floor)], FAINT, 1.0);
        drawing.text((at, floor + 14.0), Anchor::Middle, format!("{value:.1}"));
    }
    drawing.text((x(0.5), floor + 36.0), Anchor::Middle, axis);
    let mut y = top + GAP;
    for group in groups {
        drawing.text((8.0, y), Anchor::Start, group.name.clone());
        for (number, value) in group.values.iter().enumerate() {
            let (colour, form) = (style::colour(number), Form::Circle);
            drawing.line(vec![(x(value.low), y), (x(value.high), y)], colour, 2.0);
            let note = format!("{:.4} [{:.4}, {:.4}]", value.mean, value.low, value.high);
            drawing.shapes.push(Shape::Mark { at: (x(value.mean), y), form, colour, note });
            y += LINE;
        }
        y += GAP;
    }
    drawing
}

/// The names of the series below the title; tells where the rest may begin.
fn legend(drawing: &mut Drawing, series: &[&str], left: f64) -> f64 {
    let (mut x, mut y) = (left, drawing.headline(left) + 4.0);
    for (number, name) in series.iter().enumerate() {
        let width = Size::Plain.width(name) + 32.0;
        if x + width > WIDTH && x > left {
            (x, y) = (left, y + LINE);
        }
        let (at, colour, form) = ((x + 4.0, y), style::colour(number), Form::Circle);
        drawing.shapes.push(Shape::Mark { at, form, colour, note: String::new() });
        drawing.text((x + 13.0, y), Anchor::Start, *name);
        x += width;
    }
    y + LINE
}
