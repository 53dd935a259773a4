//! Curves: one panel or a grid of them, under one title, with one legend below all of them.

use super::drawing::{Anchor, At, Colour, Drawing, FAINT, GREY, Shape, Size};
use super::scale::{Scale, Spread, label};
use super::style;

/// Width of the whole.
const WIDTH: f64 = 800.0;
/// Height of the field of a panel: alone, or one of several.
const TALL: f64 = 340.0;
const LOW: f64 = 200.0;
/// Height of a line of text with the space around it.
const LINE: f64 = 16.0;
/// Between two panels, and at the edges.
const SPACE: f64 = 18.0;
/// Marks along a curve of many points.
const MARKS: usize = 8;
const BAND: f64 = 0.16;
const SWATCH: f64 = 30.0;

/// An axis and what is written beside it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Axis {
    /// What is counted, with its unit.
    pub(crate) label: String,
    /// How values are spread.
    pub(crate) spread: Spread,
    /// Where it begins, if that does not depend on the data.
    pub(crate) from: Option<f64>,
    /// Where it ends.
    pub(crate) to: Option<f64>,
    /// Where numbers stand, if not where it is round.
    pub(crate) ticks: Vec<f64>,
}

impl Axis {
    pub(crate) fn linear(label: &str) -> Axis {
        Axis { label: label.into(), ..Axis::default() }
    }

    pub(crate) fn log(label: &str) -> Axis {
        Axis { label: label.into(), spread: Spread::Log, ..Axis::default() }
    }

    /// The same axis from here on.
    pub(crate) fn starting(mut self, from: f64) -> Axis {
        self.from = Some(from);
        self
    }

    /// The same axis with numbers at these places.
    pub(crate) fn at(mut self, ticks: &[f64]) -> Axis {
        self.ticks = ticks.to_vec();
        self
    }
}

/// One place of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The interval around `y`, where there is one.
    pub(crate) band: Option<(f64, f64)>,
}

/// How the points of a series are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Join {
    /// Straight lines.
    #[default]
    Line,
    /// A value holds until the next one.
    Step,
    /// Grey and dashed: what the others are compared with.
    Reference,
}

/// A curve. Series of one name look alike in all panels and stand in the legend once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
    pub(crate) join: Join,
}

impl Series {
    pub(crate) fn new(
        name: &str,
        join: Join,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Series {
        let points = points.into_iter().map(|(x, y)| Point { x, y, band: None }).collect();
        Series { name: name.into(), points, join }
    }
}

/// One field with its axes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panel {
    /// What is special about it; empty for the only one.
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
}

/// Panels under one title.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figure {
    pub(crate) title: String,
    /// Panels in a row.
    pub(crate) columns: usize,
    pub(crate) panels: Vec<Panel>,
}

impl Figure {
    pub(crate) fn draw(&self) -> Drawing {
        let mut drawing = Drawing::new(&self.title, WIDTH);
        let mut top = drawing.headline(SPACE);
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let width = (WIDTH - SPACE * (columns + 1) as f64) / columns as f64;
        let height = if columns == 1 { TALL } else { LOW };
        let names = self.names();
        for row in self.panels.chunks(columns) {
            let cells: Vec<Cell<'_>> =
                row.iter().map(|panel| Cell::new(panel, width, height)).collect();
            let head = cells.iter().map(|cell| cell.title.len()).max().unwrap_or_default();
            let mut bottom = top;
            for (column, cell) in cells.iter().enumerate() {
                let left = SPACE + column as f64 * (width + SPACE);
                bottom = f64::max(bottom, cell.draw(&mut drawing, (left, top), head, &names));
            }
            top = bottom + SPACE;
        }
        drawing.height = legend(&mut drawing, top, &names) + SPACE / 2.0;
        drawing
    }

    /// All names, in the order in which they are met, with their look.
    fn names(&self) -> Vec<(&str, Look)> {
        let mut names: Vec<(&str, Look)> = Vec::new();
        let mut own = 0;
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            if names.iter().any(|(name, _)| *name == series.name) {
                continue;
            }
            let look = match series.join {
                Join::Reference => Look::Reference,
                _ => Look::Own(own),
            };
            own += usize::from(look != Look::Reference);
            names.push((&series.name, look));
        }
        names
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Own(usize),
    Reference,
}

impl Look {
    fn colour(self) -> Colour {
        match self {
            Look::Own(number) => style::colour(number),
            Look::Reference => GREY,
        }
    }

    fn line(self, points: Vec<At>) -> Shape {
        let (dash, width) = match self {
            Look::Own(number) => (style::dash(number), 1.8),
            Look::Reference => (style::REFERENCE, 1.4),
        };
        Shape::Line { points, colour: self.colour(), width, dash }
    }

    fn mark(self, at: At, note: String) -> Option<Shape> {
        match self {
            Look::Own(number) => {
                let form = style::form(number);
                Some(Shape::Mark { at, form, colour: self.colour(), note })
            }
            Look::Reference => None,
        }
    }
}

/// A panel with its scales and its measures.
struct Cell<'a> {
    panel: &'a Panel,
    title: Vec<String>,
    width: f64,
    height: f64,
    x: Scale,
    y: Scale,
}

impl Cell<'_> {
    fn new(panel: &Panel, width: f64, height: f64) -> Cell<'_> {
        let points = || panel.series.iter().flat_map(|series| &series.points);
        let xs = points().map(|point| point.x).chain(panel.x.ticks.iter().copied());
        let ys = points().flat_map(|point| {
            let (low, high) = point.band.unwrap_or((point.y, point.y));
            [point.y, low, high]
        });
        let ends = |axis: &Axis| (axis.from, axis.to);
        let x = Scale::over(xs, panel.x.spread, ends(&panel.x), false);
        let y = Scale::over(ys, panel.y.spread, ends(&panel.y), true);
        let title = Size::Plain.wrapped(&panel.title, width);
        Cell { panel, title, width, height, x, y }
    }

    /// Draws the panel with its upper left corner there; tells where it ends.
    fn draw(
        &self,
        drawing: &mut Drawing,
        (left, top): At,
        head: usize,
        names: &[(&str, Look)],
    ) -> f64 {
        let edge = left + self.width;
        for (number, line) in self.title.iter().enumerate() {
            let at = (left, top + (number as f64 + 0.5) * LINE);
            drawing.text(at, Anchor::Start, line.clone());
        }
        // The name of the upright axis stands above it, where it can be read without turning the head.
        let mut ceiling = top + head as f64 * LINE;
        for line in Size::Plain.wrapped(&self.panel.y.label, self.width) {
            drawing.text((left, ceiling + LINE / 2.0), Anchor::Start, line);
            ceiling += LINE;
        }
        ceiling += 5.0;
        let floor = ceiling + self.height;
        let down = |value: f64| floor - self.y.place(value) * self.height;
        let ticks = self.y.ticks((self.height / 40.0) as usize);
        let widest = ticks.iter().map(|tick| Size::Plain.width(&label(*tick))).fold(0.0, f64::max);
        let start = left + widest + 8.0;
        // The last number of the lying axis is wider than the place where it stands.
        let end = edge - 14.0;
        for tick in ticks {
            let y = down(tick);
            drawing.line(vec![(start, y), (end, y)], FAINT, 1.0);
            drawing.text((start - 5.0, y), Anchor::End, label(tick));
        }
        let right = |value: f64| start + self.x.place(value) * (end - start);
        self.numbers(drawing, &right, (ceiling, floor), end - start);
        drawing.line(vec![(start, ceiling), (start, floor), (end, floor)], GREY, 1.0);
        let place = |point: &Point| (right(point.x), down(point.y));
        let look = |series: &Series| names.iter().find(|(name, _)| *name == series.name);
        let looks = || {
            let series = self.panel.series.iter();
            series.filter_map(|series| Some((series, look(series)?.1)))
        };
        // All bands lie below all lines.
        for (series, look) in looks() {
            band(drawing, series, look, right, down);
        }
        for (series, look) in looks() {
            curve(drawing, series, look, place);
        }
        let mut y = floor + 14.0 + LINE;
        for line in Size::Plain.wrapped(&self.panel.x.label, self.width) {
            drawing.text(((start + end) / 2.0, y), Anchor::Middle, line);
            y += LINE;
        }
        y
    }

    /// The numbers of the lying axis: as many as have room.
    fn numbers(
        &self,
        drawing: &mut Drawing,
        right: &impl Fn(f64) -> f64,
        (ceiling, floor): (f64, f64),
        width: f64,
    ) {
        let ticks = match self.panel.x.ticks.is_empty() {
            true => self.x.ticks((width / 55.0) as usize),
            false => self.panel.x.ticks.clone(),
        };
        let mut free = f64::NEG_INFINITY;
        for tick in ticks {
            let (at, text) = (right(tick), label(tick));
            let half = Size::Plain.width(&text) / 2.0;
            drawing.line(vec![(at, ceiling), (at, floor)], FAINT, 1.0);
            if at - half >= free {
                drawing.text((at, floor + 12.0), Anchor::Middle, text);
                free = at + half + 6.0;
            }
        }
    }
}

/// The intervals of a series, as one area.
fn band(
    drawing: &mut Drawing,
    series: &Series,
    look: Look,
    right: impl Fn(f64) -> f64,
    down: impl Fn(f64) -> f64,
) {
    let points = series.points.iter().filter(|point| point.x.is_finite());
    let banded = points.filter_map(|point| Some((right(point.x), point.band?)));
    let banded: Vec<(f64, (f64, f64))> = banded.collect();
    let mut area: Vec<At> = banded.iter().map(|(x, (_, high))| (*x, down(*high))).collect();
    area.extend(banded.iter().rev().map(|(x, (low, _))| (*x, down(*low))));
    if area.len() > 2 {
        let colour = look.colour();
        drawing.shapes.push(Shape::Area { points: area, colour, opacity: BAND });
    }
}

fn curve(drawing: &mut Drawing, series: &Series, look: Look, place: impl Fn(&Point) -> At) {
    let points: Vec<&Point> =
        series.points.iter().filter(|point| point.x.is_finite() && point.y.is_finite()).collect();
    let mut line: Vec<At> = Vec::new();
    for point in &points {
        let (x, y) = place(point);
        if let (Join::Step, Some((_, before))) = (series.join, line.last().copied()) {
            line.push((x, before));
        }
        line.push((x, y));
    }
    if line.len() > 1 {
        drawing.shapes.push(look.line(line));
    }
    let every = points.len().div_ceil(MARKS).max(1);
    for point in points.iter().skip(every / 2).step_by(every) {
        let note = format!("{}: {} at {}", series.name, label(point.y), label(point.x));
        drawing.shapes.extend(look.mark(place(point), note));
    }
}

/// Writes the names below everything, in as many rows as it takes; tells where it ends.
fn legend(drawing: &mut Drawing, top: f64, names: &[(&str, Look)]) -> f64 {
    let (mut x, mut y) = (SPACE, top + LINE / 2.0);
    for (name, look) in names {
        let width = SWATCH + 6.0 + Size::Plain.width(name) + SPACE;
        if x + width > WIDTH && x > SPACE {
            (x, y) = (SPACE, y + LINE + 2.0);
        }
        drawing.shapes.push(look.line(vec![(x, y), (x + SWATCH, y)]));
        drawing.shapes.extend(look.mark((x + SWATCH / 2.0, y), String::new()));
        drawing.text((x + SWATCH + 6.0, y), Anchor::Start, *name);
        x += width;
    }
    y + LINE / 2.0
}
