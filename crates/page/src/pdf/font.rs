//! Which text does a font make of bytes, and how wide is it?

use super::cmap::{self, CMap};
use super::file::File;
use super::glyphs;
use super::object::{Dict, Object};
use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};
use std::collections::HashMap;

/// Widths of one font.
const MAX_WIDTHS: usize = 70_000;
/// The width of a character whose font does not tell it, in thousandths of its size.
const USUAL_WIDTH: f32 = 500.0;

/// A font, as far as reading needs it.
#[derive(Debug)]
pub(super) struct Font {
    kind: Kind,
    to_unicode: CMap,
    widths: HashMap<u32, f32>,
    default_width: f32,
}

#[derive(Debug)]
enum Kind {
    /// One byte a character.
    Simple(Vec<String>),
    /// Two bytes a code, of which only the map knows the character.
    Composite,
    /// Text in an encoding that others know too.
    Encoded(&'static Encoding),
}

/// A piece of text that was shown.
pub(super) struct Shown {
    pub(super) text: String,
    /// Its width, in units of the size of the font.
    pub(super) width: f32,
    /// Codes in it, and how many of them are the space of one byte.
    pub(super) codes: usize,
    pub(super) spaces: usize,
}

impl Font {
    /// Reads a font.
    pub(super) fn read(file: &mut File<'_>, dict: &Dict) -> Font {
        let stream = dict.get("ToUnicode").and_then(|map| file.stream(map));
        let map = stream.and_then(|stream| file.unpack(&stream));
        let to_unicode = map.map(|map| CMap::read(&map)).unwrap_or_default();
        let mut font = Font {
            kind: Kind::Composite,
            to_unicode,
            widths: HashMap::new(),
            default_width: USUAL_WIDTH,
        };
        if dict.name("Subtype") == Some("Type0") {
            let encoding = file.lookup(dict, "Encoding");
            let name = encoding.as_ref().and_then(Object::as_name).unwrap_or("");
            if let Some(encoding) = known_encoding(name) {
                font.kind = Kind::Encoded(encoding);
            }
            font.read_composite_widths(file, dict);
        } else {
            font.kind = Kind::Simple(simple_encoding(file, dict));
            font.read_widths(file, dict);
        }
        font
    }

    fn read_widths(&mut self, file: &File<'_>, dict: &Dict) {
        let first = dict.get("FirstChar").and_then(Object::as_count).unwrap_or(0);
        // Fonts that are drawings measure in units of their own.
        let unit = match (dict.name("Subtype"), file.lookup(dict, "FontMatrix")) {
            (Some("Type3"), Some(Object::Array(matrix))) => {
                matrix.first().and_then(Object::as_number).map_or(1.0, |unit| unit as f32 * 1_000.0)
            }
            _ => 1.0,
        };
        if let Some(Object::Array(widths)) = file.lookup(dict, "Widths") {
            for (place, width) in widths.iter().enumerate().take(256) {
                let width = file.resolve(width).and_then(|width| width.as_number());
                if let (Some(width), Ok(code)) = (width, u32::try_from(first + place)) {
                    self.widths.insert(code, width as f32 * unit);
                }
            }
        }
    }

    fn read_composite_widths(&mut self, file: &File<'_>, dict: &Dict) {
        self.default_width = 1_000.0;
        let Some(Object::Array(descendants)) = file.lookup(dict, "DescendantFonts") else {
            return;
        };
        let Some(Object::Dict(inner)) = descendants.first().and_then(|inner| file.resolve(inner))
        else {
            return;
        };
        if let Some(width) = inner.get("DW").and_then(Object::as_number) {
            self.default_width = width as f32;
        }
        let Some(Object::Array(widths)) = file.lookup(&inner, "W") else {
            return;
        };
        // `code [w w w]` or `first last w`.
        let mut at = 0;
        while let Some(first) = widths.get(at).and_then(Object::as_count) {
            match widths.get(at + 1).and_then(|second| file.resolve(second)) {
                Some(Object::Array(list)) => {
                    for (place, width) in list.iter().enumerate() {
                        self.add_width(first + place, width.as_number());
                    }
                    at += 2;
                }
                Some(Object::Number(last)) => {
                    let width = widths.get(at + 2).and_then(Object::as_number);
                    let last = Object::Number(last).as_count().unwrap_or(0);
                    for code in (first..=last).take(MAX_WIDTHS) {
                        self.add_width(code, width);
                    }
                    at += 3;
                }
                _ => return,
            }
            if self.widths.len() >= MAX_WIDTHS {
                return;
            }
        }
    }

    fn add_width(&mut self, code: usize, width: Option<f64>) {
        if let (Ok(code), Some(width)) = (u32::try_from(code), width)
            && self.widths.len() < MAX_WIDTHS
        {
            self.widths.insert(code, width as f32);
        }
    }

    /// What bytes show.
    pub(super) fn show(&self, bytes: &[u8]) -> Shown {
        let mut shown = Shown { text: String::new(), width: 0.0, codes: 0, spaces: 0 };
        if let (Kind::Encoded(encoding), true) = (&self.kind, self.to_unicode.is_empty()) {
            let (text, _) = encoding.decode_without_bom_handling(bytes);
            shown.codes = text.chars().count();
            shown.width = shown.codes as f32 * self.default_width / 1_000.0;
            shown.text = text.into_owned();
            return shown;
        }
        let usual = if matches!(self.kind, Kind::Simple(_)) { 1 } else { 2 };
        let mut rest = bytes;
        while !rest.is_empty() {
            let length = match usual {
                1 => 1,
                _ => self.to_unicode.length(rest, usual),
            };
            let (code, after) = rest.split_at(length);
            rest = after;
            let number = cmap::number(code);
            shown.codes += 1;
            shown.spaces += usize::from(code == b" ");
            shown.width +=
                self.widths.get(&number).copied().unwrap_or(self.default_width) / 1_000.0;
            match (self.to_unicode.get(code), &self.kind) {
                (Some(text), _) => shown.text.push_str(text),
                (None, Kind::Simple(table)) => {
                    shown.text.push_str(table.get(number as usize).map_or("", String::as_str));
                }
                // Nobody can say.
                (None, _) => {}
            }
        }
        shown
    }
}

/// The encodings of East Asia that a composite font may name, and UTF-16.
fn known_encoding(name: &str) -> Option<&'static Encoding> {
    let has = |part: &str| name.contains(part);
    match () {
        () if name.starts_with("Uni") && (has("UTF16") || has("UCS2")) => {
            Some(encoding_rs::UTF_16BE)
        }
        () if has("RKSJ") => Some(encoding_rs::SHIFT_JIS),
        () if has("GBK") || name.starts_with("GB-EUC") => Some(encoding_rs::GBK),
        () if has("B5") => Some(encoding_rs::BIG5),
        () if has("UHC") || name.starts_with("KSC-EUC") => Some(encoding_rs::EUC_KR),
        () if name.starts_with("EUC-") => Some(encoding_rs::EUC_JP),
        () => None,
    }
}

/// The characters of the 256 codes of a simple font.
fn simple_encoding(file: &File<'_>, dict: &Dict) -> Vec<String> {
    let encoding = file.lookup(dict, "Encoding");
    let (base, differences) = match &encoding {
        Some(Object::Name(name)) => (Some(name.clone()), None),
        Some(Object::Dict(inner)) => {
            let base = inner.name("BaseEncoding").map(str::to_owned);
            (base, file.lookup(inner, "Differences"))
        }
        _ => (None, None),
    };
    let is_truetype = dict.name("Subtype") == Some("TrueType");
    let mut table: Vec<String> = match base.as_deref() {
        Some("MacRomanEncoding") => of_encoding(MACINTOSH),
        Some("WinAnsiEncoding") => of_encoding(WINDOWS_1252),
        None if is_truetype => of_encoding(WINDOWS_1252),
        _ => standard(),
    };
    if let Some(Object::Array(items)) = differences {
        let mut code = 0;
        for item in &items {
            match item {
                Object::Number(_) => code = item.as_count().unwrap_or(0),
                Object::Name(name) => {
                    if let (Some(entry), Some(text)) =
                        (table.get_mut(code), glyphs::characters(name))
                    {
                        *entry = text;
                    }
                    code += 1;
                }
                _ => {}
            }
        }
    }
    table
}

fn of_encoding(encoding: &'static Encoding) -> Vec<String> {
    let one = |byte: u8| match byte {
        0..=31 | 127 => String::new(),
        byte => encoding.decode_without_bom_handling(&[byte]).0.into_owned(),
    };
    (0..=255).map(one).collect()
}

/// Adobe's standard encoding above ASCII: codes and the names of their glyphs.
const STANDARD: [(u8, &str); 55] = [
    (0xa1, "exclamdown"),
    (0xa2, "cent"),
    (0xa3, "sterling"),
    (0xa4, "fraction"),
    (0xa5, "yen"),
    (0xa6, "florin"),
    (0xa7, "section"),
    (0xa8, "currency"),
    (0xa9, "quotesingle"),
    (0xaa, "quotedblleft"),
    (0xab, "guillemotleft"),
    (0xac, "guilsinglleft"),
    (0xad, "guilsinglright"),
    (0xae, "fi"),
    (0xaf, "fl"),
    (0xb1, "endash"),
    (0xb2, "dagger"),
    (0xb3, "daggerdbl"),
    (0xb4, "periodcentered"),
    (0xb6, "paragraph"),
    (0xb7, "bullet"),
    (0xb8, "quotesinglbase"),
    (0xb9, "quotedblbase"),
    (0xba, "quotedblright"),
    (0xbb, "guillemotright"),
    (0xbc, "ellipsis"),
    (0xbd, "perthousand"),
    (0xbf, "questiondown"),
    (0xc1, "grave"),
    (0xc2, "acute"),
    (0xc3, "circumflex"),
    (0xc4, "tilde"),
    (0xc5, "macron"),
    (0xc6, "breve"),
    (0xc7, "dotaccent"),
    (0xc8, "dieresis"),
    (0xca, "ring"),
    (0xcb, "cedilla"),
    (0xcd, "hungarumlaut"),
    (0xce, "ogonek"),
    (0xcf, "caron"),
    (0xd0, "emdash"),
    (0xe1, "AE"),
    (0xe3, "ordfeminine"),
    (0xe8, "Lslash"),
    (0xe9, "Oslash"),
    (0xea, "OE"),
    (0xeb, "ordmasculine"),
    (0xf1, "ae"),
    (0xf5, "dotlessi"),
    (0xf8, "lslash"),
    (0xf9, "oslash"),
    (0xfa, "oe"),
    (0xfb, "germandbls"),
    (0x27, "quoteright"),
];

/// Ligatures where the fonts of TeX have them, when they say nothing else.
const OF_TEX: [(usize, &str); 5] = [(11, "ff"), (12, "fi"), (13, "fl"), (14, "ffi"), (15, "ffl")];

fn standard() -> Vec<String> {
    let ascii = |byte: u8| match byte {
        32..=126 => String::from(char::from(byte)),
        _ => String::new(),
    };
    let mut table: Vec<String> = (0..=255).map(ascii).collect();
    for (code, name) in STANDARD {
        table[usize::from(code)] = glyphs::characters(name).unwrap_or_default();
    }
    for (code, text) in OF_TEX {
        table[code] = text.to_owned();
    }
    table
}
