//! The drawing as PNG: lines by tiny-skia, letters from a bitmap font that is compiled in, so that no font
//! of the machine and no other program is needed.

use super::drawing::{Anchor, At, Colour, Drawing, Form, MARK, Shape, Size, corners};
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use noto_sans_mono_bitmap::{
    FontWeight, RasterHeight, RasterizedChar, get_raster, get_raster_width,
};
use std::io::Write as _;
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash,
    Transform,
};

/// Pixels for each unit of the drawing.
const SCALE: f32 = 2.0;
/// A picture has no longer side than this.
const MAX_PIXELS: f64 = 16_384.0;
/// Stands for a letter that the font lacks.
const UNKNOWN: char = '?';

fn raster(size: Size) -> RasterHeight {
    match size {
        Size::Plain => RasterHeight::Size24,
        Size::Title => RasterHeight::Size32,
    }
}

/// Width of any letter, in units of the drawing.
pub(super) fn letter_width(size: Size) -> f64 {
    get_raster_width(FontWeight::Regular, raster(size)) as f64 / f64::from(SCALE)
}

pub(super) fn write(drawing: &Drawing) -> Option<Vec<u8>> {
    let side = |units: f64| {
        let pixels = (units * f64::from(SCALE)).ceil();
        (1.0..=MAX_PIXELS).contains(&pixels).then_some(pixels as u32)
    };
    let mut pixmap = Pixmap::new(side(drawing.width)?, side(drawing.height)?)?;
    pixmap.fill(Color::WHITE);
    for shape in &drawing.shapes {
        match shape {
            Shape::Line { points, colour, width, dash } => {
                line(&mut pixmap, points, *colour, *width, dash);
            }
            Shape::Area { points, colour, opacity } => {
                fill(&mut pixmap, polygon(points), *colour, *opacity);
            }
            Shape::Mark { at, form, colour, .. } => {
                let path = match form {
                    Form::Circle => PathBuilder::from_circle(at.0 as f32, at.1 as f32, MARK as f32),
                    _ => polygon(&corners(*form, *at)),
                };
                fill(&mut pixmap, path, *colour, 1.0);
            }
            Shape::Text { at, text, size, anchor, colour } => {
                letters(&mut pixmap, *at, text, *size, *anchor, *colour);
            }
        }
    }
    encoded(&pixmap)
}

fn paint(Colour(red, green, blue): Colour, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    let opacity = (opacity.clamp(0.0, 1.0) * 255.0).round() as u8;
    paint.set_color_rgba8(red, green, blue, opacity);
    paint.anti_alias = true;
    paint
}

fn scaled() -> Transform {
    Transform::from_scale(SCALE, SCALE)
}

fn fill(pixmap: &mut Pixmap, path: Option<Path>, colour: Colour, opacity: f64) {
    if let Some(path) = path {
        let paint = paint(colour, opacity);
        pixmap.fill_path(&path, &paint, FillRule::Winding, scaled(), None);
    }
}

fn polyline(points: &[At]) -> PathBuilder {
    let mut path = PathBuilder::new();
    for (number, (x, y)) in points.iter().enumerate() {
        match number {
            0 => path.move_to(*x as f32, *y as f32),
            _ => path.line_to(*x as f32, *y as f32),
        }
    }
    path
}

fn polygon(points: &[At]) -> Option<Path> {
    let mut path = polyline(points);
    path.close();
    path.finish()
}

fn line(pixmap: &mut Pixmap, points: &[At], colour: Colour, width: f64, dash: &[f64]) {
    let Some(path) = polyline(points).finish() else { return };
    let stroke = Stroke {
        width: width as f32,
        line_cap: LineCap::Butt,
        line_join: LineJoin::Round,
        dash: StrokeDash::new(dash.iter().map(|part| *part as f32).collect(), 0.0),
        ..Stroke::default()
    };
    pixmap.stroke_path(&path, &paint(colour, 1.0), &stroke, scaled(), None);
}

fn glyph(letter: char, size: Size) -> Option<RasterizedChar> {
    let of = |letter| get_raster(letter, FontWeight::Regular, raster(size));
    of(letter).or_else(|| of(UNKNOWN))
}

/// Writes a line of text whose middle is at a height.
fn letters(
    pixmap: &mut Pixmap,
    (x, y): At,
    text: &str,
    size: Size,
    anchor: Anchor,
    colour: Colour,
) {
    let width = size.width(text);
    let left = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2.0,
        Anchor::End => x - width,
    };
    let scale = f64::from(SCALE);
    let (mut left, top) =
        ((left * scale).round() as i64, (y * scale).round() as i64 - raster(size).val() as i64 / 2);
    for letter in text.chars() {
        let Some(glyph) = glyph(letter, size) else { continue };
        for (down, row) in glyph.rows().enumerate() {
            for (right, ink) in row.iter().enumerate() {
                blend(pixmap, left + right as i64, top + down as i64, colour, *ink);
            }
        }
        left += glyph.width() as i64;
    }
}

/// Mixes ink into a pixel; the picture is opaque everywhere.
fn blend(pixmap: &mut Pixmap, x: i64, y: i64, Colour(red, green, blue): Colour, ink: u8) {
    let (width, height) = (i64::from(pixmap.width()), i64::from(pixmap.height()));
    if ink == 0 || !(0..width).contains(&x) || !(0..height).contains(&y) {
        return;
    }
    let place = ((y * width + x) * 4) as usize;
    let Some(pixel) = pixmap.data_mut().get_mut(place..place + 3) else { return };
    for (old, new) in pixel.iter_mut().zip([red, green, blue]) {
        let mixed = u32::from(*old) * (255 - u32::from(ink)) + u32::from(new) * u32::from(ink);
        *old = (mixed / 255) as u8;
    }
}

/// The file: eight bits a colour, no transparency, each row told as its difference to the one above.
fn encoded(pixmap: &Pixmap) -> Option<Vec<u8>> {
    const UP: u8 = 2;
    let row_bytes = pixmap.width() as usize * 3;
    let mut above = vec![0_u8; row_bytes];
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in pixmap.data().chunks_exact(pixmap.width() as usize * 4) {
        let row: Vec<u8> = row.chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect();
        let mut line = vec![UP];
        line.extend(row.iter().zip(&above).map(|(here, above)| here.wrapping_sub(*above)));
        packed.write_all(&line).ok()?;
        above = row;
    }
    let mut head = Vec::new();
    head.extend(pixmap.width().to_be_bytes());
    head.extend(pixmap.height().to_be_bytes());
    // Eight bits, red green blue, the only packing and filtering there is, not interlaced.
    head.extend([8, 2, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, b"IHDR", &head);
    chunk(&mut file, b"IDAT", &packed.finish().ok()?);
    chunk(&mut file, b"IEND", &[]);
    Some(file)
}

fn chunk(file: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let mut sum = Crc::new();
    sum.update(name);
    sum.update(data);
    file.extend(name);
    file.extend(data);
    file.extend(sum.sum().to_be_bytes());
}
