//! How is it drawn? A plot is described once and written twice, as SVG and as PNG: curves ([`Figure`]), and
//! means with their intervals ([`intervals()`]).

#![cfg_attr(not(test), expect(dead_code, unused_imports, reason = "studies with curves come next"))]

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
pub(crate) use scale::Spread;

#[cfg(test)]
mod tests;
