//! How is it drawn? A plot is described once and written twice, as SVG and as PNG: curves ([`Figure`]), and
//! means with their intervals ([`intervals()`]).

mod drawing;
mod intervals;
mod lines;
mod png;
mod scale;
mod style;
mod svg;

pub(crate) use drawing::Drawing;
pub(crate) use intervals::{Group, intervals};
pub(crate) use lines::{Axis, Figure, Join, Panel, Point, Series};

#[cfg(test)]
mod tests;
