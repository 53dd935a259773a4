//! What does a stream hold? Its filters undone, within a budget.

mod lzw;

use super::object::{Dict, Object};
use std::io::Read;

/// Bytes that may still be unpacked.
pub(super) struct Budget {
    pub(super) left: usize,
}

/// Filters one after the other.
const MAX_FILTERS: usize = 4;

/// Undoes the filters of a stream. `None` where one is not for text or not known. What does not fit into
/// the budget is left off, and so is what follows a mistake.
pub(super) fn decode(raw: &[u8], dict: &Dict, budget: &mut Budget) -> Option<Vec<u8>> {
    let filters = list(dict.get("Filter").or_else(|| dict.get("F")));
    let parameters = list(dict.get("DecodeParms").or_else(|| dict.get("DP")));
    if filters.len() > MAX_FILTERS {
        return None;
    }
    let mut data: Option<Vec<u8>> = None;
    for (place, filter) in filters.iter().enumerate() {
        let input = data.as_deref().unwrap_or(raw);
        let parameters = match parameters.get(place) {
            Some(Object::Dict(dict)) => dict.clone(),
            _ => Dict::default(),
        };
        let out = match filter.as_name()? {
            "FlateDecode" | "Fl" => unpredict(inflate(input, budget.left), &parameters),
            "LZWDecode" | "LZW" => {
                let early = parameters.get("EarlyChange").and_then(Object::as_count) != Some(0);
                unpredict(lzw::decode(input, early, budget.left), &parameters)
            }
            "ASCIIHexDecode" | "AHx" => hexadecimal(input),
            "ASCII85Decode" | "A85" => ascii_85(input),
            "RunLengthDecode" | "RL" => run_length(input, budget.left),
            _ => return None,
        };
        budget.left = budget.left.saturating_sub(out.len());
        data = Some(out);
    }
    Some(data.unwrap_or_else(|| {
        let taken = &raw[..raw.len().min(budget.left)];
        budget.left -= taken.len();
        taken.to_vec()
    }))
}

fn list(value: Option<&Object>) -> &[Object] {
    match value {
        Some(Object::Array(items)) => items,
        Some(item) => std::slice::from_ref(item),
        None => &[],
    }
}

/// Inflates as much as can be and fits, with the head of zlib or without.
fn inflate(data: &[u8], most: usize) -> Vec<u8> {
    let mut out = Vec::new();
    // What came before a mistake stays in `out`.
    let _ = flate2::read::ZlibDecoder::new(data).take(most as u64).read_to_end(&mut out);
    if out.is_empty() && data.len() > 2 {
        let _ =
            flate2::read::DeflateDecoder::new(&data[2..]).take(most as u64).read_to_end(&mut out);
    }
    out
}

fn hexadecimal(data: &[u8]) -> Vec<u8> {
    let digits: Vec<u32> = data
        .iter()
        .take_while(|byte| **byte != b'>')
        .filter_map(|byte| char::from(*byte).to_digit(16))
        .collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair.get(1).unwrap_or(&0)) as u8).collect()
}

fn ascii_85(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let mut group = [84_u32; 5];
    let mut filled = 0;
    for byte in data {
        match byte {
            b'z' if filled == 0 => out.extend([0; 4]),
            b'!'..=b'u' => {
                group[filled] = u32::from(byte - b'!');
                filled += 1;
                if filled == 5 {
                    out.extend(value_85(&group).to_be_bytes());
                    (group, filled) = ([84; 5], 0);
                }
            }
            b'~' => break,
            _ => {}
        }
    }
    if filled > 1 {
        out.extend(&value_85(&group).to_be_bytes()[..filled - 1]);
    }
    out
}

fn value_85(group: &[u32; 5]) -> u32 {
    group.iter().fold(0, |value: u32, digit| value.wrapping_mul(85).wrapping_add(*digit))
}

fn run_length(data: &[u8], most: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(length) = data.get(at) {
        if out.len() >= most || *length == 128 {
            break;
        }
        if *length < 128 {
            let end = (at + 2 + usize::from(*length)).min(data.len());
            out.extend(&data[at + 1..end]);
            at = end;
        } else {
            let Some(byte) = data.get(at + 1) else {
                break;
            };
            out.extend(std::iter::repeat_n(*byte, 257 - usize::from(*length)));
            at += 2;
        }
    }
    out.truncate(most);
    out
}

/// Bytes of the longest row that is predicted.
const MAX_ROW: usize = 1 << 20;

/// Undoes the predictors of PNG; that of TIFF is for pictures.
fn unpredict(data: Vec<u8>, parameters: &Dict) -> Vec<u8> {
    let number =
        |name: &str, usual: usize| parameters.get(name).and_then(Object::as_count).unwrap_or(usual);
    if number("Predictor", 1) < 10 {
        return data;
    }
    let bits = number("Colors", 1).saturating_mul(number("BitsPerComponent", 8));
    let row = bits.saturating_mul(number("Columns", 1)).div_ceil(8);
    let pixel = bits.div_ceil(8);
    if row == 0 || row > MAX_ROW || pixel == 0 || pixel > row {
        return data;
    }
    let mut out: Vec<u8> = Vec::with_capacity(data.len());
    let mut above = vec![0; row];
    for line in data.chunks(row + 1) {
        let mut now = vec![0; row];
        for (at, byte) in line[1..].iter().enumerate() {
            let left = if at >= pixel { now[at - pixel] } else { 0 };
            let corner = if at >= pixel { above[at - pixel] } else { 0 };
            let guess = match line[0] {
                1 => left,
                2 => above[at],
                3 => ((u16::from(left) + u16::from(above[at])) / 2) as u8,
                4 => paeth(left, above[at], corner),
                _ => 0,
            };
            now[at] = byte.wrapping_add(guess);
        }
        out.extend(&now[..line.len() - 1]);
        above = now;
    }
    out
}

fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let guess = i16::from(left) + i16::from(above) - i16::from(corner);
    let far = |from: u8| (guess - i16::from(from)).abs();
    match () {
        () if far(left) <= far(above) && far(left) <= far(corner) => left,
        () if far(above) <= far(corner) => above,
        () => corner,
    }
}
