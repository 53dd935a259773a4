//! The drawing as SVG: text stays text, and a mark tells its value when it is pointed at.

use super::drawing::{Anchor, At, Colour, Drawing, Form, MARK, Shape, Size, corners};
use std::fmt::Write as _;

pub(super) fn write(drawing: &Drawing) -> String {
    let Drawing { width, height, .. } = drawing;
    let title = escaped(&drawing.title);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height:.1}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for shape in &drawing.shapes {
        let _ = match shape {
            Shape::Line { points, colour, width, dash } => {
                let (points, colour) = (joined(points), hex(*colour));
                let dash: Vec<String> = dash.iter().map(f64::to_string).collect();
                let dash = match dash.is_empty() {
                    true => String::new(),
                    false => format!(" stroke-dasharray=\"{}\"", dash.join(" ")),
                };
                writeln!(
                    svg,
                    "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" \
                     stroke-width=\"{width}\"{dash}/>"
                )
            }
            Shape::Area { points, colour, opacity } => writeln!(
                svg,
                "<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{opacity}\"/>",
                joined(points),
                hex(*colour)
            ),
            Shape::Mark { at, form, colour, note } => {
                let note = match note.is_empty() {
                    true => String::new(),
                    false => format!("<title>{}</title>", escaped(note)),
                };
                mark(&mut svg, *at, *form, &hex(*colour), &note)
            }
            Shape::Text { at, text, size, anchor, colour } => {
                let anchor = match anchor {
                    Anchor::Start => "",
                    Anchor::Middle => " text-anchor=\"middle\"",
                    Anchor::End => " text-anchor=\"end\"",
                };
                let size = match size {
                    Size::Plain => "",
                    Size::Title => " font-size=\"14.5\"",
                };
                writeln!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{:.1}\" dy=\"0.35em\" fill=\"{}\"{anchor}{size}>{}</text>",
                    at.0,
                    at.1,
                    hex(*colour),
                    escaped(text)
                )
            }
        };
    }
    svg + "</svg>\n"
}

fn mark(svg: &mut String, at: At, form: Form, colour: &str, note: &str) -> std::fmt::Result {
    let ((x, y), points) = (at, joined(&corners(form, at)));
    match form {
        Form::Circle => writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{MARK}\" fill=\"{colour}\">{note}</circle>"
        ),
        _ => writeln!(svg, "<polygon points=\"{points}\" fill=\"{colour}\">{note}</polygon>"),
    }
}

fn joined(points: &[At]) -> String {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    points.join(" ")
}

fn hex(Colour(red, green, blue): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
