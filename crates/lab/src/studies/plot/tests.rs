use super::drawing::{Anchor, At, Shape, Size};
use super::scale::{Scale, Spread, label};
use super::*;
use crate::evaluation::Interval;
use std::io::Read as _;

fn figure(panels: usize, columns: usize, series: usize) -> Figure {
    let panel = |number: usize| Panel {
        title: format!("panel {number}"),
        x: Axis::log("pages"),
        y: Axis::linear("rounds (thousands)").starting(0.0),
        series: (0..series)
            .map(|number| Series {
                name: format!("series number {number}"),
                points: (1..=40)
                    .map(|x| {
                        let y = f64::from(x) * (number + 1) as f64;
                        Point { x: f64::from(x), y, band: Some((y * 0.9, y * 1.1)) }
                    })
                    .collect(),
                join: Join::Line,
            })
            .collect(),
    };
    Figure { title: "A title".into(), columns, panels: (0..panels).map(panel).collect() }
}

/// Left, top, right and bottom of every text.
fn boxes(drawing: &Drawing) -> Vec<(At, At, String)> {
    let text = |shape: &Shape| {
        let Shape::Text { at: (x, y), text, size, anchor, .. } = shape else { return None };
        let width = size.width(text);
        let left = match anchor {
            Anchor::Start => *x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        let half = size.height() / 2.0;
        Some(((left, y - half), (left + width, y + half), text.clone()))
    };
    drawing.shapes.iter().filter_map(text).collect()
}

#[test]
fn bars_and_their_names_have_room() {
    let bar = |number: usize| Bar {
        name: format!("a way of crawling, number {number}"),
        parts: vec![0.4 * number as f64, 1.7 * number as f64],
    };
    let group = |name: &str, from: usize| BarGroup {
        name: name.into(),
        bars: (from..from + 9).map(bar).collect(),
    };
    let groups = [group("small", 0), group("large", 12_000)];
    let drawing = bars("Bars", "bytes (MB)", &["there", "back"], &groups);
    let boxes = boxes(&drawing);
    for (number, (from, to, text)) in boxes.iter().enumerate() {
        assert!(from.0 >= 0.0 && to.0 <= drawing.width, "{text} is cut");
        assert!(from.1 >= 0.0 && to.1 <= drawing.height, "{text} is cut");
        for (other_from, other_to, other) in &boxes[number + 1..] {
            let apart = to.0 <= other_from.0
                || other_to.0 <= from.0
                || to.1 <= other_from.1
                || other_to.1 <= from.1;
            assert!(apart, "{text} and {other}");
        }
    }
    assert!(drawing.png().is_some());
}

#[test]
fn no_text_leaves_the_picture_or_lies_on_another() {
    for (panels, columns, series) in [(1, 1, 3), (1, 1, 16), (4, 2, 5), (6, 3, 4), (3, 2, 1)] {
        let drawing = figure(panels, columns, series).draw();
        let boxes = boxes(&drawing);
        for (number, (from, to, text)) in boxes.iter().enumerate() {
            assert!(from.0 >= 0.0 && to.0 <= drawing.width, "{text} is cut");
            assert!(from.1 >= 0.0 && to.1 <= drawing.height, "{text} is cut");
            for (other_from, other_to, other) in &boxes[number + 1..] {
                let apart = to.0 <= other_from.0
                    || other_to.0 <= from.0
                    || to.1 <= other_from.1
                    || other_to.1 <= from.1;
                assert!(apart, "{text} and {other}, {panels} panels in {columns} columns");
            }
        }
    }
}

#[test]
fn the_legend_is_below_the_data_and_names_each_series_once() {
    let drawing = figure(4, 2, 5).draw();
    let lowest = |shape: &Shape| match shape {
        Shape::Area { points, .. } => points.iter().map(|point| point.1).fold(0.0, f64::max),
        _ => 0.0,
    };
    let data = drawing.shapes.iter().map(lowest).fold(0.0, f64::max);
    let boxes = boxes(&drawing);
    let names: Vec<_> = boxes.iter().filter(|(.., text)| text.starts_with("series")).collect();
    assert_eq!(names.len(), 5);
    assert!(names.iter().all(|(from, ..)| from.1 > data));
}

#[test]
fn a_step_holds_its_value_and_a_reference_has_no_marks() {
    let points = [(0.0, 1.0), (1.0, 3.0), (2.0, 2.0)];
    let of = |join| Panel {
        x: Axis { to: Some(2.0), ..Axis::linear("n").starting(0.0).at(&[0.0, 2.0]) },
        series: vec![Series::new("one", join, points)],
        ..Panel::default()
    };
    let draw = |join| Figure { panels: vec![of(join)], ..Figure::default() }.draw();
    let step = draw(Join::Step);
    let curve = step.shapes.iter().find_map(|shape| match shape {
        Shape::Line { points, .. } if points.len() == 5 => Some(points.clone()),
        _ => None,
    });
    let curve = curve.expect("three values and two steps");
    assert!(curve[0].1 == curve[1].1 && curve[1].0 == curve[2].0);
    let marks = |drawing: &Drawing| {
        drawing.shapes.iter().filter(|shape| matches!(shape, Shape::Mark { .. })).count()
    };
    assert_eq!((marks(&step), marks(&draw(Join::Reference))), (3 + 1, 0));
    let numbers: Vec<String> = boxes(&step).into_iter().map(|(.., text)| text).collect();
    assert!(numbers.contains(&"2".into()) && !numbers.contains(&"1.2".into()), "{numbers:?}");
}

#[test]
fn ticks_are_round_and_cover_the_values() {
    let scale =
        |values: &[f64], spread| Scale::over(values.iter().copied(), spread, (None, None), true);
    let linear = scale(&[3.0, 97.0], Spread::Linear);
    assert_eq!((linear.from, linear.to), (0.0, 100.0));
    assert_eq!(linear.ticks(5), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
    let log = scale(&[37.0, 380_000.0], Spread::Log);
    assert_eq!((log.from.round(), log.to.round()), (20.0, 500_000.0));
    let labels: Vec<String> = log.ticks(6).into_iter().map(label).collect();
    assert_eq!(labels, ["100", "1000", "10k", "100k"]);
    assert_eq!(label(0.05), "0.05");
    assert_eq!(label(-2.5), "-2.5");
    assert_eq!(label(1_500_000.0), "1.5M");
}

#[test]
fn odd_values_have_a_place_too() {
    let all = [f64::NAN, f64::INFINITY, 0.0, -3.0, 7.0];
    for spread in [Spread::Linear, Spread::Log] {
        for values in [&all[..], &all[4..], &[]] {
            let scale = Scale::over(values.iter().copied(), spread, (None, None), true);
            assert!(scale.from < scale.to, "{scale:?}");
            assert!(scale.ticks(5).len() < 20 && !scale.ticks(5).is_empty(), "{scale:?}");
            for value in values {
                assert!((0.0..=1.0).contains(&scale.place(*value)), "{value} {scale:?}");
            }
        }
    }
    let empty = Figure { panels: vec![Panel::default()], ..Figure::default() };
    assert!(empty.draw().png().is_some());
}

#[test]
fn both_files_show_the_same_drawing() {
    let drawing = figure(2, 2, 3).draw();
    let (svg, png) = (drawing.svg(), drawing.png().unwrap());
    assert!(svg.contains("series number 2</text>") && svg.contains(">panel 1</text>"));
    assert_eq!(png, figure(2, 2, 3).draw().png().unwrap(), "equal to the byte");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
    let (width, height) = (number(16), number(20));
    assert_eq!(width as f64, drawing.width * 2.0);
    assert_eq!(height as f64, (drawing.height * 2.0).ceil());
    // Behind the head (33 bytes) stands the packed picture with its length.
    let packed = &png[41..41 + number(33)];
    let mut rows = Vec::new();
    flate2::read::ZlibDecoder::new(packed).read_to_end(&mut rows).unwrap();
    assert_eq!(rows.len(), height * (width * 3 + 1));
}

#[test]
fn a_plot_of_intervals_shows_every_value_within_its_frame() {
    let value = Interval { mean: 0.5, low: 0.4, high: 7.0 };
    let group = Group { name: "<cran & field>".into(), values: vec![value; 2] };
    let svg = intervals("a \"title\"", "share", &["one", "two"], &[group]).svg();
    assert!(svg.contains("&lt;cran &amp; field&gt;") && !svg.contains("<cran"));
    assert_eq!(svg.matches("<circle").count(), 2 + 2, "two in the legend, two in the plot");
    assert!(svg.contains(" 690.0,"), "cut at the right end");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    assert_eq!(Size::Plain.wrapped("one two three", Size::Plain.width("one two")).len(), 2);
}
