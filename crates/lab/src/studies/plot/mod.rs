//! How is it drawn? A plot is described once and written twice, as SVG and as PNG: curves ([`Figure`]), and
//! means with their intervals ([`intervals()`]), and amounts as bars ([`bars()`]).

mod bars;
mod drawing;
mod intervals;
mod lines;
mod png;
mod scale;
mod style;
mod svg;

pub(crate) use bars::{Bar, BarGroup, bars};
pub(crate) use drawing::Drawing;
pub(crate) use intervals::{Group, intervals};
pub(crate) use lines::{Axis, Figure, Join, Panel, Point, Series};

#[cfg(test)]
mod tests;
