//! Amounts as lying bars, each made of parts: one field for each group, with a scale of its own.

use super::drawing::{Anchor, Drawing, FAINT, GREY, Shape, Size};
use super::scale::{Scale, Spread, label};
use super::style;

const WIDTH: f64 = 800.0;
/// At the edges.
const SPACE: f64 = 18.0;
/// Height of a line of text with the space around it, of a bar with that, and of the bar alone.
const LINE: f64 = 16.0;
const ROW: f64 = 18.0;
const BAR: f64 = 12.0;
const SWATCH: f64 = 14.0;

/// One bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) name: String,
    /// In the order of the parts' names.
    pub(crate) parts: Vec<f64>,
}

impl Bar {
    fn sum(&self) -> f64 {
        self.parts.iter().sum()
    }
}

/// Bars that are compared with each other.
#[derive(Clone, Debug)]
pub(crate) struct BarGroup {
    pub(crate) name: String,
    pub(crate) bars: Vec<Bar>,
}

/// Draws amounts from 0 on; `axis` says of what, with the unit.
pub(crate) fn bars(title: &str, axis: &str, parts: &[&str], groups: &[BarGroup]) -> Drawing {
    let mut drawing = Drawing::new(title, WIDTH);
    let mut top = drawing.headline(SPACE);
    top = legend(&mut drawing, top, parts);
    let all = || groups.iter().flat_map(|group| &group.bars);
    let widest = |texts: &mut dyn Iterator<Item = f64>| texts.fold(0.0, f64::max);
    let left = SPACE + widest(&mut all().map(|bar| Size::Plain.width(&bar.name))) + 8.0;
    // The amount stands behind the bar.
    let amounts = widest(&mut all().map(|bar| Size::Plain.width(&label(bar.sum()))));
    let right = WIDTH - SPACE - amounts - 8.0;
    for group in groups {
        top = field(&mut drawing, group, axis, (left, right, top + LINE / 2.0));
    }
    drawing.height = top + SPACE / 2.0;
    drawing
}

/// Draws one group; tells where it ends.
fn field(
    drawing: &mut Drawing,
    group: &BarGroup,
    axis: &str,
    (left, right, top): (f64, f64, f64),
) -> f64 {
    drawing.text((SPACE, top + LINE / 2.0), Anchor::Start, group.name.clone());
    let ceiling = top + LINE + 4.0;
    let floor = ceiling + group.bars.len() as f64 * ROW;
    let sums = group.bars.iter().map(Bar::sum);
    let scale = Scale::over(sums, Spread::Linear, (Some(0.0), None), true);
    let x = |value: f64| left + scale.place(value) * (right - left);
    let mut free = f64::NEG_INFINITY;
    for tick in scale.ticks(((right - left) / 80.0) as usize) {
        let (at, text) = (x(tick), label(tick));
        let half = Size::Plain.width(&text) / 2.0;
        drawing.line(vec![(at, ceiling), (at, floor)], FAINT, 1.0);
        if at - half >= free {
            drawing.text((at, floor + 12.0), Anchor::Middle, text);
            free = at + half + 6.0;
        }
    }
    for (number, bar) in group.bars.iter().enumerate() {
        let y = ceiling + (number as f64 + 0.5) * ROW;
        drawing.text((left - 8.0, y), Anchor::End, bar.name.clone());
        let mut sum = 0.0;
        for (part, value) in bar.parts.iter().enumerate() {
            let (from, to) = (x(sum), x(sum + value));
            sum += value;
            area(drawing, (from, to), y, part);
        }
        drawing.text((x(sum) + 5.0, y), Anchor::Start, label(sum));
    }
    drawing.line(vec![(left, ceiling), (left, floor), (right, floor)], GREY, 1.0);
    let mut y = floor + 12.0 + LINE;
    for line in Size::Plain.wrapped(axis, right - left) {
        drawing.text(((left + right) / 2.0, y), Anchor::Middle, line);
        y += LINE;
    }
    y
}

fn area(drawing: &mut Drawing, (from, to): (f64, f64), y: f64, part: usize) {
    let (low, high) = (y - BAR / 2.0, y + BAR / 2.0);
    let points = vec![(from, low), (to, low), (to, high), (from, high)];
    drawing.shapes.push(Shape::Area { points, colour: style::colour(part), opacity: 1.0 });
}

/// Names of the parts; tells where the rest may begin.
fn legend(drawing: &mut Drawing, top: f64, parts: &[&str]) -> f64 {
    let (mut x, mut y) = (SPACE, top + LINE / 2.0);
    for (number, name) in parts.iter().enumerate() {
        let width = SWATCH + 6.0 + Size::Plain.width(name) + SPACE;
        if x + width > WIDTH && x > SPACE {
            (x, y) = (SPACE, y + LINE + 2.0);
        }
        area(drawing, (x, x + SWATCH), y, number);
        drawing.text((x + SWATCH + 6.0, y), Anchor::Start, *name);
        x += width;
    }
    y + LINE / 2.0
}
