//! How is it drawn? Means with their intervals as dots on lines, in SVG of our own: one kind of plot does
//! not need a library.

use crate::evaluation::Interval;
use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
/// Room for the names of the groups, and for the last number of the scale.
const LEFT: f64 = 150.0;
const RIGHT: f64 = 30.0;
/// Height of one line, and of the gap between two groups.
const LINE: f64 = 20.0;
const GAP: f64 = 14.0;
/// Above the first line, and below the last one.
const TOP: f64 = 56.0;
const BOTTOM: f64 = 34.0;
/// Colours that stay apart for those who see few of them, on white and on black.
const COLOURS: [&str; 3] = ["#d55e00", "#0072b2", "#009e73"];

/// One group of dots, as of one collection.
pub(crate) struct Group {
    pub(crate) name: String,
    /// In the order of the series.
    pub(crate) values: Vec<Interval>,
}

/// Draws values from 0 to 1.
pub(crate) fn intervals(title: &str, series: &[&str], groups: &[Group]) -> String {
    let lines: usize = groups.iter().map(|group| group.values.len()).sum();
    let height = TOP + lines as f64 * LINE + groups.len() as f64 * GAP + BOTTOM;
    let x = |value: f64| LEFT + value.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT);
    let floor = height - BOTTOM;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<title>{0}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"18\" font-size=\"14\">{0}</text>\n",
        escaped(title)
    );
    for (number, (name, colour)) in series.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let at = LEFT + number as f64 * 110.0;
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"36\" r=\"4\" fill=\"{colour}\"/><text x=\"{:.1}\" \
             y=\"40\">{}</text>",
            at + 4.0,
            at + 13.0,
            escaped(name)
        );
    }
    for tenth in (0..=10).step_by(2) {
        let (value, at) = (f64::from(tenth) / 10.0, x(f64::from(tenth) / 10.0));
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{floor:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value:.1}</text>",
            floor + 18.0
        );
    }
    let mut y = TOP + GAP;
    for group in groups {
        let _ = writeln!(svg, "<text x=\"8\" y=\"{:.1}\">{}</text>", y + 4.0, escaped(&group.name));
        for (value, colour) in group.values.iter().zip(COLOURS.iter().cycle()) {
            let _ = writeln!(
                svg,
                "<line x1=\"{:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\" \
                 stroke-width=\"2\"/><circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\">\
                 <title>{:.4} [{:.4}, {:.4}]</title></circle>",
                x(value.low),
                x(value.high),
                x(value.mean),
                value.mean,
                value.low,
                value.high
            );
            y += LINE;
        }
        y += GAP;
    }
    svg + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
