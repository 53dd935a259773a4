//! What is a vector, and how near are two of them?

/// Largest value of a number of one byte.
const BYTE: f32 = 127.0;

/// The meaning of a text: numbers of length 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector(Vec<f32>);

impl Vector {
    /// Gives numbers the length 1; `None` when they have none.
    pub(super) fn new(mut numbers: Vec<f32>) -> Option<Vector> {
        let length = numbers.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        if length <= 0.0 || !length.is_finite() {
            return None;
        }
        for number in &mut numbers {
            *number = (f64::from(*number) / length) as f32;
        }
        Some(Vector(numbers))
    }

    /// The numbers.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// The cosine of the angle to another vector, from -1 to 1; 0 when that one is of another model.
    pub fn cosine(&self, other: &Vector) -> f32 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        let dot: f32 = self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum();
        dot.clamp(-1.0, 1.0)
    }

    /// The same in one byte a number, the largest as large as it can be: a quarter of the room. Its
    /// direction is what counts; [`cosine`] compares two of them.
    pub fn quantised(&self) -> Vec<i8> {
        let largest = self.0.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        // A vector of length 1 has a largest number.
        self.0.iter().map(|x| (x / largest * BYTE).round() as i8).collect()
    }
}

/// The cosine of the angle between two quantised vectors, from -1 to 1; 0 when they are of different models
/// or have no length.
pub fn cosine(one: &[i8], two: &[i8]) -> f32 {
    if one.len() != two.len() {
        return 0.0;
    }
    let dot = |one: &[i8], two: &[i8]| -> i64 {
        // Short runs stay within 32 bits, which processors add many of at a time.
        let runs = one.chunks(1_024).zip(two.chunks(1_024));
        let run = |one: &[i8], two: &[i8]| -> i32 {
            one.iter().zip(two).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
        };
        runs.map(|(one, two)| i64::from(run(one, two))).sum()
    };
    let lengths = (dot(one, one) as f64 * dot(two, two) as f64).sqrt();
    if lengths <= 0.0 { 0.0 } else { (dot(one, two) as f64 / lengths) as f32 }
}
