//! Which characters do the codes of a font stand for? Its `ToUnicode` map.

use super::object::{Item, Object, Reader};
use std::collections::HashMap;

/// Codes of one map.
const MAX_CODES: usize = 70_000;
/// Bytes of the longest code.
const MAX_LENGTH: usize = 4;

/// Characters by code.
#[derive(Debug, Default)]
pub(super) struct CMap {
    /// Lengths of codes in bytes, and between which codes they are used.
    spaces: Vec<(usize, u32, u32)>,
    chars: HashMap<(usize, u32), String>,
}

impl CMap {
    /// Reads a map.
    pub(super) fn read(data: &[u8]) -> CMap {
        let mut map = CMap::default();
        let mut reader = Reader::new(data, 0);
        let mut operands: Vec<Object> = Vec::new();
        while let Some(item) = reader.item() {
            match item {
                Item::Operand(object) => operands.push(object),
                Item::Operator(name) => {
                    match name {
                        b"endcodespacerange" => map.add_spaces(&operands),
                        b"endbfchar" => map.add_chars(&operands),
                        b"endbfrange" => map.add_ranges(&operands),
                        _ => {}
                    }
                    operands.clear();
                }
            }
        }
        map
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    fn add_spaces(&mut self, operands: &[Object]) {
        for pair in operands.chunks_exact(2) {
            if let (Some((length, low)), Some((_, high))) = (code(&pair[0]), code(&pair[1]))
                && self.spaces.len() < MAX_CODES
            {
                self.spaces.push((length, low, high));
            }
        }
    }

    fn add_chars(&mut self, operands: &[Object]) {
        for pair in operands.chunks_exact(2) {
            if let (Some(code), Some(text)) = (code(&pair[0]), pair[1].as_text()) {
                self.add(code, utf_16(text));
            }
        }
    }

    fn add_ranges(&mut self, operands: &[Object]) {
        for three in operands.chunks_exact(3) {
            let (Some((length, low)), Some((_, high))) = (code(&three[0]), code(&three[1])) else {
                continue;
            };
            match &three[2] {
                Object::Array(texts) => {
                    for (code, text) in (low..=high).zip(texts) {
                        self.add((length, code), utf_16(text.as_text().unwrap_or_default()));
                    }
                }
                Object::Text(first) => {
                    let first = utf_16(first);
                    let Some(last) = first.chars().next_back() else {
                        continue;
                    };
                    let before = &first[..first.len() - last.len_utf8()];
                    for code in (low..=high).take(MAX_CODES) {
                        let Some(c) = char::from_u32(u32::from(last) + (code - low)) else {
                            break;
                        };
                        if !self.add((length, code), format!("{before}{c}")) {
                            break;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, code: (usize, u32), text: String) -> bool {
        let has_room = self.chars.len() < MAX_CODES;
        if has_room {
            self.chars.insert(code, text);
        }
        has_room
    }

    /// How many bytes the code at the beginning has; `usual` where the map does not say.
    pub(super) fn length(&self, bytes: &[u8], usual: usize) -> usize {
        let fits = |length: usize| {
            let Some(code) = bytes.get(..length).map(number) else {
                return false;
            };
            self.spaces
                .iter()
                .any(|(of, low, high)| *of == length && (*low..=*high).contains(&code))
        };
        (1..=MAX_LENGTH).find(|length| fits(*length)).unwrap_or(usual).clamp(1, bytes.len().max(1))
    }

    /// The characters of a code.
    pub(super) fn get(&self, code: &[u8]) -> Option<&str> {
        self.chars.get(&(code.len(), number(code))).map(String::as_str)
    }
}

fn code(object: &Object) -> Option<(usize, u32)> {
    let bytes = object.as_text().filter(|bytes| (1..=MAX_LENGTH).contains(&bytes.len()))?;
    Some((bytes.len(), number(bytes)))
}

/// A code as a number.
pub(super) fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Text in UTF-16, the higher byte first.
pub(super) fn utf_16(bytes: &[u8]) -> String {
    let units = bytes.chunks(2).map(|pair| match pair {
        [high, low] => u16::from_be_bytes([*high, *low]),
        // Some write one byte where one is enough.
        one => u16::from(one[0]),
    });
    char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect()
}
