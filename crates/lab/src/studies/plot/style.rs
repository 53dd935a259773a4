//! How are series told apart? By colour, and by dash and mark for those who see few colours or print in none.

use super::drawing::{Colour, Form};

/// Colours that stay apart for those who see few of them (Okabe and Ito, without the yellow, which is not
/// seen on white); then two more, for pictures with many series.
const COLOURS: [Colour; 9] = [
    Colour(0xd5, 0x5e, 0x00),
    Colour(0x00, 0x72, 0xb2),
    Colour(0x00, 0x9e, 0x73),
    Colour(0xcc, 0x79, 0xa7),
    Colour(0x56, 0xb4, 0xe9),
    Colour(0xe6, 0x9f, 0x00),
    Colour(0x00, 0x00, 0x00),
    Colour(0x8c, 0x4a, 0x2f),
    Colour(0x5e, 0x3c, 0x99),
];

const DASHES: [&[f64]; 4] = [&[], &[7.0, 3.0], &[2.0, 2.0], &[9.0, 3.0, 2.0, 3.0]];

const FORMS: [Form; 6] =
    [Form::Circle, Form::Square, Form::Triangle, Form::Diamond, Form::Cross, Form::Down];

/// The dash of what is only there to be compared with.
pub(super) const REFERENCE: &[f64] = &[3.0, 3.0];

pub(super) fn colour(number: usize) -> Colour {
    COLOURS[number % COLOURS.len()]
}

pub(super) fn dash(number: usize) -> &'static [f64] {
    DASHES[number % DASHES.len()]
}

pub(super) fn form(number: usize) -> Form {
    FORMS[number % FORMS.len()]
}
