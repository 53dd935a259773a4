//! How are small structured values written and read?
//!
//! The part of CBOR (RFC 8949) that CLP/1 uses: definite lengths only, maps with unsigned integer keys,
//! no tags. Reading checks the whole value first; it never allocates by a length that it only read about.
//! Unknown keys are skipped, a key that occurs twice is refused, and so is deeper nesting than [`MAX_DEPTH`].

use crate::Fault;

/// Containers inside each other.
pub const MAX_DEPTH: u8 = 4;
/// Keys of one map.
pub const MAX_KEYS: usize = 64;

const UINT: u8 = 0;
const BYTES: u8 = 2;
const TEXT: u8 = 3;
const ARRAY: u8 = 4;
const MAP: u8 = 5;
const TAG: u8 = 6;
const SIMPLE: u8 = 7;

const FALSE: u8 = 0xf4;
const TRUE: u8 = 0xf5;

const BAD: Fault = Fault::Malformed("CBOR");

/// Writes items one after the other; heads of arrays and maps come before their items.
#[derive(Debug, Default, Clone)]
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// An empty one.
    pub fn new() -> Writer {
        Writer::default()
    }

    fn head(&mut self, major: u8, value: u64) -> &mut Writer {
        let major = major << 5;
        match value {
            0..=23 => self.bytes.push(major | value as u8),
            24..=0xff => self.bytes.extend([major | 24, value as u8]),
            0x100..=0xffff => {
                self.bytes.push(major | 25);
                self.bytes.extend((value as u16).to_be_bytes());
            }
            0x1_0000..=0xffff_ffff => {
                self.bytes.push(major | 26);
                self.bytes.extend((value as u32).to_be_bytes());
            }
            _ => {
                self.bytes.push(major | 27);
                self.bytes.extend(value.to_be_bytes());
            }
        }
        self
    }

    /// An unsigned integer; also the key of a map.
    pub fn uint(&mut self, value: u64) -> &mut Writer {
        self.head(UINT, value)
    }

    /// Bytes.
    pub fn bytes(&mut self, value: &[u8]) -> &mut Writer {
        self.head(BYTES, value.len() as u64);
        self.bytes.extend_from_slice(value);
        self
    }

    /// Text.
    pub fn text(&mut self, value: &str) -> &mut Writer {
        self.head(TEXT, value.len() as u64);
        self.bytes.extend_from_slice(value.as_bytes());
        self
    }

    /// True or false.
    pub fn bool(&mut self, value: bool) -> &mut Writer {
        self.bytes.push(if value { TRUE } else { FALSE });
        self
    }

    /// The head of an array; its items follow.
    pub fn array(&mut self, items: usize) -> &mut Writer {
        self.head(ARRAY, items as u64)
    }

    /// The head of a map; key, value, key, value… follow.
    pub fn map(&mut self, entries: usize) -> &mut Writer {
        self.head(MAP, entries as u64)
    }

    /// An item that is already written.
    pub fn raw(&mut self, item: &[u8]) -> &mut Writer {
        self.bytes.extend_from_slice(item);
        self
    }

    /// An array of texts.
    pub fn texts<T: AsRef<str>>(&mut self, items: &[T]) -> &mut Writer {
        self.array(items.len());
        for item in items {
            self.text(item.as_ref());
        }
        self
    }

    /// What was written.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// What was written so far.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }
}

/// One whole item that was checked: its bytes, head included.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a>(&'a [u8]);

/// Checks that the bytes are exactly one item.
pub fn item(bytes: &[u8]) -> Result<Item<'_>, Fault> {
    if skip(bytes, 0)? != bytes.len() {
        return Err(BAD);
    }
    Ok(Item(bytes))
}

/// Checks that the bytes are exactly one map, and opens it.
pub fn map(bytes: &[u8]) -> Result<Fields<'_>, Fault> {
    item(bytes)?.map()
}

/// The major type, the argument and where the rest begins.
fn head(bytes: &[u8]) -> Result<(u8, u64, usize), Fault> {
    let (&first, rest) = bytes.split_first().ok_or(BAD)?;
    let info = first & 0x1f;
    let width = match info {
        0..=23 => return Ok((first >> 5, u64::from(info), 1)),
        24 => 1,
        25 => 2,
        26 => 4,
        27 => 8,
        _ => return Err(BAD),
    };
    let digits = rest.get(..width).ok_or(BAD)?;
    let value = digits.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    Ok((first >> 5, value, 1 + width))
}

/// The length of the item at the beginning, after looking at all of it.
fn skip(bytes: &[u8], depth: u8) -> Result<usize, Fault> {
    let (major, value, start) = head(bytes)?;
    let (items, is_map) = match major {
        BYTES | TEXT => {
            let end = usize::try_from(value).ok().and_then(|n| start.checked_add(n)).ok_or(BAD)?;
            let body = bytes.get(start..end).ok_or(BAD)?;
            if major == TEXT && std::str::from_utf8(body).is_err() {
                return Err(BAD);
            }
            return Ok(end);
        }
        ARRAY => (value, false),
        MAP => (value.checked_mul(2).ok_or(BAD)?, true),
        TAG => return Err(BAD),
        SIMPLE if bytes[0] == 0xf8 => return Err(BAD),
        _ => return Ok(start),
    };
    if depth >= MAX_DEPTH {
        return Err(Fault::TooLarge("CBOR depth"));
    }
    // Every item has a byte at least: a length that cannot be true costs nothing.
    if items > (bytes.len() - start) as u64 {
        return Err(BAD);
    }
    if is_map && items > 2 * MAX_KEYS as u64 {
        return Err(Fault::TooLarge("CBOR map"));
    }
    let mut at = start;
    let mut keys = Vec::new();
    for n in 0..items {
        let rest = &bytes[at..];
        if is_map && n % 2 == 0 {
            let (major, key, _) = head(rest)?;
            if major != UINT || keys.contains(&key) {
                return Err(Fault::Malformed("CBOR key"));
            }
            keys.push(key);
        }
        at += skip(rest, depth + 1)?;
    }
    Ok(at)
}

impl<'a> Item<'a> {
    fn of(self, major: u8) -> Result<(u64, &'a [u8]), Fault> {
        let (found, value, start) = head(self.0)?;
        if found != major {
            return Err(Fault::Malformed("CBOR type"));
        }
        Ok((value, &self.0[start..]))
    }

    /// The bytes of the item, head included.
    pub fn raw(self) -> &'a [u8] {
        self.0
    }

    /// An unsigned integer.
    pub fn uint(self) -> Result<u64, Fault> {
        Ok(self.of(UINT)?.0)
    }

    /// An unsigned integer that fits.
    pub fn number<T: TryFrom<u64>>(self) -> Result<T, Fault> {
        T::try_from(self.uint()?).map_err(|_| Fault::TooLarge("number"))
    }

    /// Bytes.
    pub fn bytes(self) -> Result<&'a [u8], Fault> {
        Ok(self.of(BYTES)?.1)
    }

    /// Bytes of a known length.
    pub fn fixed<const N: usize>(self) -> Result<[u8; N], Fault> {
        self.bytes()?.try_into().map_err(|_| Fault::Malformed("CBOR length"))
    }

    /// Text.
    pub fn text(self) -> Result<&'a str, Fault> {
        std::str::from_utf8(self.of(TEXT)?.1).map_err(|_| BAD)
    }

    /// True or false.
    pub fn bool(self) -> Result<bool, Fault> {
        match self.0 {
            [FALSE] => Ok(false),
            [TRUE] => Ok(true),
            _ => Err(Fault::Malformed("CBOR type")),
        }
    }

    /// The items of an array.
    pub fn array(self) -> Result<Items<'a>, Fault> {
        let (left, rest) = self.of(ARRAY)?;
        Ok(Items { rest, left })
    }

    /// The texts of an array of at most so many.
    pub fn texts(self, most: usize) -> Result<Vec<String>, Fault> {
        let items = self.array()?;
        if items.left > most as u64 {
            return Err(Fault::TooLarge("list"));
        }
        items.map(|item| item.text().map(str::to_owned)).collect()
    }

    /// The entries of a map.
    pub fn map(self) -> Result<Fields<'a>, Fault> {
        let (entries, rest) = self.of(MAP)?;
        let mut items = Items { rest, left: entries.saturating_mul(2) };
        let mut fields = Vec::new();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            fields.push((key.uint()?, value));
        }
        Ok(Fields(fields))
    }
}

/// The items of an array, one after the other.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    rest: &'a [u8],
    left: u64,
}

impl Items<'_> {
    /// How many are left.
    pub fn left(&self) -> u64 {
        self.left
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        self.left = self.left.checked_sub(1)?;
        // What is inside was looked at when the whole was.
        let end = skip(self.rest, 0).ok()?;
        let (item, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        Some(Item(item))
    }
}

/// The entries of a map.
#[derive(Debug, Clone)]
pub struct Fields<'a>(Vec<(u64, Item<'a>)>);

impl<'a> Fields<'a> {
    /// The value of a key, if it is there.
    pub fn get(&self, key: u64) -> Option<Item<'a>> {
        self.0.iter().find(|(found, _)| *found == key).map(|(_, item)| *item)
    }

    /// The value of a key that must be there.
    pub fn need(&self, key: u64) -> Result<Item<'a>, Fault> {
        self.get(key).ok_or(Fault::Malformed("CBOR key missing"))
    }
}
