//! What is in a safetensors file? A length, a header in JSON that names the tensors, and their bytes.

use super::EmbeddingError;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Largest model in bytes.
pub const MAX_MODEL: usize = 1 << 30;
/// Most numbers of a vector.
pub const MAX_DIMS: usize = 4_096;
/// Longest header in bytes.
const MAX_HEADER: usize = 16 << 20;
/// Bytes of the length of the header.
const LENGTH: usize = 8;
/// What the matrix is called: by Model2Vec, and by others who write such models.
const MATRIX: [&str; 2] = ["embeddings", "embedding.weight"];

/// One vector a row.
pub(super) enum Matrix {
    /// As floats.
    Floats(Vec<f32>, usize),
    /// As bytes, which share one scale; a direction does not need it.
    Bytes(Vec<i8>, usize),
}

impl Matrix {
    pub(super) fn dims(&self) -> usize {
        match self {
            Matrix::Floats(_, dims) | Matrix::Bytes(_, dims) => *dims,
        }
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            Matrix::Floats(all, dims) => all.len() / dims.max(&1),
            Matrix::Bytes(all, dims) => all.len() / dims.max(&1),
        }
    }

    /// Adds a row, multiplied, to the sum; nothing when there is no such row.
    pub(super) fn add(&self, row: usize, weight: f32, sum: &mut [f32]) {
        let range =
            |dims: usize| row.saturating_mul(dims)..row.saturating_add(1).saturating_mul(dims);
        match self {
            Matrix::Floats(all, dims) => {
                for (sum, x) in sum.iter_mut().zip(all.get(range(*dims)).unwrap_or_default()) {
                    *sum += weight * x;
                }
            }
            Matrix::Bytes(all, dims) => {
                for (sum, x) in sum.iter_mut().zip(all.get(range(*dims)).unwrap_or_default()) {
                    *sum += weight * f32::from(*x);
                }
            }
        }
    }
}

/// What a model holds.
pub(super) struct Model {
    pub(super) matrix: Matrix,
    pub(super) rows: Option<Vec<u32>>,
    pub(super) weights: Option<Vec<f32>>,
}

/// A tensor as the header describes it.
#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

/// A tensor by its name, with its bytes.
struct Named<'a> {
    name: &'a str,
    tensor: &'a Tensor,
    bytes: &'a [u8],
}

/// Reads a model; see [`super::Embedding::load`].
pub(super) fn read(bytes: &[u8]) -> Result<Model, EmbeddingError> {
    limited("bytes of the model", bytes.len(), MAX_MODEL)?;
    let (length, rest) = bytes
        .split_first_chunk::<LENGTH>()
        .ok_or_else(|| EmbeddingError::Truncated(format!("{} bytes", bytes.len())))?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    limited("bytes of the header of the model", length, MAX_HEADER)?;
    let (header, data) = rest
        .split_at_checked(length)
        .ok_or_else(|| EmbeddingError::Truncated("it ends within its header".into()))?;
    let header: BTreeMap<String, serde_json::Value> = serde_json::from_slice(header)
        .map_err(|error| EmbeddingError::Header(error.to_string()))?;
    let mut tensors = BTreeMap::new();
    for (name, value) in header.into_iter().filter(|(name, _)| name != "__metadata__") {
        let tensor: Tensor = serde_json::from_value(value)
            .map_err(|error| EmbeddingError::Header(format!("`{name}`: {error}")))?;
        tensors.insert(name, tensor);
    }
    let named = |name: &str| -> Result<Option<Named<'_>>, EmbeddingError> {
        let Some((name, tensor)) = tensors.get_key_value(name) else { return Ok(None) };
        let (from, to) = tensor.data_offsets;
        let bytes = data.get(from..to).ok_or_else(|| {
            EmbeddingError::Truncated(format!("the data of `{name}` is not there"))
        })?;
        Ok(Some(Named { name, tensor, bytes }))
    };
    let mut found = None;
    for name in MATRIX {
        found = match found {
            None => named(name)?,
            found => found,
        };
    }
    let Some(found) = found else {
        let names: Vec<&str> = tensors.keys().map(String::as_str).collect();
        return Err(EmbeddingError::NoMatrix(if names.is_empty() {
            "none".into()
        } else {
            names.join(", ")
        }));
    };
    let rows = named("mapping")?.map(|tensor| tensor.indexes()).transpose()?;
    let weights = named("weights")?.map(|tensor| tensor.floats(1)).transpose()?;
    Ok(Model { matrix: found.matrix()?, rows, weights })
}

fn limited(what: &'static str, found: usize, limit: usize) -> Result<(), EmbeddingError> {
    match found > limit {
        true => Err(EmbeddingError::TooLarge { what, found: found as u64, limit: limit as u64 }),
        false => Ok(()),
    }
}

impl Named<'_> {
    fn matrix(&self) -> Result<Matrix, EmbeddingError> {
        let [_, dims] = self.tensor.shape[..] else {
            return Err(self.shape("it has no rows and columns"));
        };
        limited("numbers of a vector", dims, MAX_DIMS)?;
        if dims == 0 {
            return Err(self.shape("its vectors are empty"));
        }
        Ok(match self.tensor.dtype.as_str() {
            "I8" => Matrix::Bytes(self.numbers(2, |[byte]: [u8; 1]| byte as i8)?, dims),
            _ => Matrix::Floats(self.floats(2)?, dims),
        })
    }

    fn shape(&self, what: &str) -> EmbeddingError {
        EmbeddingError::Shape(format!(
            "`{}` has the shape {:?}: {what}",
            self.name, self.tensor.shape
        ))
    }

    fn wrong_type(&self) -> EmbeddingError {
        EmbeddingError::WrongType { tensor: self.name.into(), found: self.tensor.dtype.clone() }
    }

    /// The numbers of a tensor of so many dimensions, of so many bytes each.
    fn numbers<T, const SIZE: usize>(
        &self,
        dimensions: usize,
        number: impl Fn([u8; SIZE]) -> T,
    ) -> Result<Vec<T>, EmbeddingError> {
        let count = self.tensor.shape.iter().try_fold(1_usize, |all, size| all.checked_mul(*size));
        if self.tensor.shape.len() != dimensions {
            return Err(self.shape(&format!("{dimensions} dimensions were expected")));
        }
        if count.and_then(|count| count.checked_mul(SIZE)) != Some(self.bytes.len()) {
            return Err(self.shape(&format!("it has {} bytes", self.bytes.len())));
        }
        let (chunks, _) = self.bytes.as_chunks::<SIZE>();
        Ok(chunks.iter().map(|bytes| number(*bytes)).collect())
    }

    fn floats(&self, dimensions: usize) -> Result<Vec<f32>, EmbeddingError> {
        let numbers = match self.tensor.dtype.as_str() {
            "F32" => self.numbers(dimensions, f32::from_le_bytes)?,
            "F64" => self.numbers(dimensions, |bytes| f64::from_le_bytes(bytes) as f32)?,
            "F16" => self.numbers(dimensions, |bytes| half(u16::from_le_bytes(bytes)))?,
            "BF16" => self.numbers(dimensions, |bytes| {
                f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16)
            })?,
            _ => return Err(self.wrong_type()),
        };
        match numbers.iter().position(|number| !number.is_finite()) {
            Some(place) => Err(EmbeddingError::NotFinite { tensor: self.name.into(), place }),
            None => Ok(numbers),
        }
    }

    fn indexes(&self) -> Result<Vec<u32>, EmbeddingError> {
        // What does not fit names no row.
        let place = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
        match self.tensor.dtype.as_str() {
            "I64" => self.numbers(1, |bytes| place(i64::from_le_bytes(bytes))),
            "I32" => self.numbers(1, |bytes| place(i64::from(i32::from_le_bytes(bytes)))),
            "U32" => self.numbers(1, u32::from_le_bytes),
            _ => Err(self.wrong_type()),
        }
    }
}

/// A float of 16 bits (IEEE 754): a sign, 5 bits of exponent, 10 bits of fraction.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from((bits >> 10) & 0x1f), f32::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2_f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1_024.0) * 2_f32.powi(exponent - 15),
    }
}
