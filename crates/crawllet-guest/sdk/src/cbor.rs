//! How are CBOR items read and written, as far as crawllets use them?
//!
//! RFC 8949 without floats and tags: whole numbers, bytes, text, arrays and maps with small numbers
//! as keys. What is read comes from a host that need not be honest: nothing here panics or allocates
//! more than there are bytes.

/// Items inside each other that are followed.
const MAX_DEPTH: u8 = 8;

/// What was read is not what should stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// Reads items one after the other.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    depth: u8,
}

impl<'a> Reader<'a> {
    /// Begins with the first byte.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes, depth: 0 }
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        let (first, rest) = self.rest.split_first().ok_or(Malformed)?;
        self.rest = rest;
        Ok(*first)
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], Malformed> {
        if length > self.rest.len() as u64 {
            return Err(Malformed);
        }
        let (head, rest) = self.rest.split_at(length as usize);
        self.rest = rest;
        Ok(head)
    }

    /// Major type and number of the next item; no number for an open-ended one.
    fn head(&mut self) -> Result<(u8, Option<u64>), Malformed> {
        let first = self.byte()?;
        let number = match first & 31 {
            small @ 0..=23 => u64::from(small),
            code @ 24..=27 => {
                let bytes = self.take(1 << (code - 24))?;
                bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
            }
            31 => return Ok((first >> 5, None)),
            _ => return Err(Malformed),
        };
        Ok((first >> 5, Some(number)))
    }

    /// A number that is not negative.
    pub fn uint(&mut self) -> Result<u64, Malformed> {
        match self.head()? {
            (0, Some(number)) => Ok(number),
            _ => Err(Malformed),
        }
    }

    /// Bytes or text, whichever stands there.
    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        match self.head()? {
            (2, Some(length)) | (3, Some(length)) => self.take(length),
            _ => Err(Malformed),
        }
    }

    /// Text.
    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Malformed)
    }

    /// An array; `each` reads one item of it.
    pub fn array(
        &mut self,
        each: impl FnMut(&mut Reader<'a>) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        match self.head()? {
            (4, length) => self.items(length, each),
            _ => Err(Malformed),
        }
    }

    /// A map; `value` is told a key and reads its value.
    pub fn map(
        &mut self,
        mut value: impl FnMut(u64, &mut Reader<'a>) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        match self.head()? {
            (5, length) => self.items(length, |reader| {
                let key = reader.uint()?;
                value(key, reader)
            }),
            _ => Err(Malformed),
        }
    }

    fn items(
        &mut self,
        length: Option<u64>,
        mut each: impl FnMut(&mut Reader<'a>) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        if self.depth == MAX_DEPTH {
            return Err(Malformed);
        }
        self.depth += 1;
        let mut left = length;
        loop {
            match left {
                Some(0) => break,
                Some(number) => left = Some(number - 1),
                None if self.rest.first() == Some(&0xff) => {
                    self.byte()?;
                    break;
                }
                None => {}
            }
            each(self)?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Passes over one item, whatever it is.
    pub fn skip(&mut self) -> Result<(), Malformed> {
        let mut ahead = self.clone();
        match ahead.head()? {
            (0, Some(_)) | (1, Some(_)) | (7, Some(_)) => {}
            (2, Some(length)) | (3, Some(length)) => {
                ahead.take(length)?;
            }
            (4, length) => ahead.items(length, Reader::skip)?,
            (5, length) => ahead.items(length, |reader| {
                reader.skip()?;
                reader.skip()
            })?,
            (6, Some(_)) if ahead.depth < MAX_DEPTH => {
                ahead.depth += 1;
                ahead.skip()?;
                ahead.depth -= 1;
            }
            _ => return Err(Malformed),
        }
        self.rest = ahead.rest;
        Ok(())
    }
}

/// Writes items one after the other.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
}

impl Writer {
    /// Nothing written yet.
    pub fn new() -> Writer {
        Writer::default()
    }

    fn head(&mut self, major: u8, number: u64) {
        let major = major << 5;
        let bytes = number.to_be_bytes();
        match number {
            0..=23 => self.out.push(major | number as u8),
            24..=0xff => self.out.extend_from_slice(&[major | 24, number as u8]),
            0x100..=0xffff => self.long(major | 25, &bytes[6..]),
            0x1_0000..=0xffff_ffff => self.long(major | 26, &bytes[4..]),
            _ => self.long(major | 27, &bytes),
        }
    }

    fn long(&mut self, first: u8, rest: &[u8]) {
        self.out.push(first);
        self.out.extend_from_slice(rest);
    }

    /// A number.
    pub fn uint(&mut self, number: u64) -> &mut Writer {
        self.head(0, number);
        self
    }

    /// Bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Writer {
        self.head(2, bytes.len() as u64);
        self.out.extend_from_slice(bytes);
        self
    }

    /// Text.
    pub fn text(&mut self, text: &str) -> &mut Writer {
        self.head(3, text.len() as u64);
        self.out.extend_from_slice(text.as_bytes());
        self
    }

    /// The beginning of an array of so many items.
    pub fn array(&mut self, items: usize) -> &mut Writer {
        self.head(4, items as u64);
        self
    }

    /// The beginning of a map of so many pairs.
    pub fn map(&mut self, pairs: usize) -> &mut Writer {
        self.head(5, pairs as u64);
        self
    }

    /// What was written.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for number in [0, 1, 23, 24, 255, 256, 65_535, 65_536, u64::from(u32::MAX), u64::MAX] {
            let mut writer = Writer::new();
            writer.map(2).uint(1).uint(number).uint(9).array(2).text("é").bytes(b"x");
            let bytes = writer.finish();
            let (mut read, mut texts) = (None, Vec::new());
            let mut reader = Reader::new(&bytes);
            let done = reader.map(|key, reader| match key {
                1 => reader.uint().map(|number| read = Some(number)),
                _ => reader.array(|reader| reader.bytes().map(|text| texts.push(text))),
            });
            assert_eq!((done, read, reader.is_empty()), (Ok(()), Some(number), true));
            assert_eq!(texts, ["é".as_bytes(), b"x"]);
        }
    }

    #[test]
    fn unknown_items_are_passed_over_also_open_ended_ones() {
        // {1: [_ 1, -1, "a"], 2: 24(h'00'), 3: null, 4: 7}
        let bytes = b"\xa4\x01\x9f\x01\x20\x61a\xff\x02\xd8\x18\x41\0\x03\xf6\x04\x07";
        let mut found = 0;
        let read = Reader::new(bytes).map(|key, reader| match key {
            4 => reader.uint().map(|number| found = number),
            _ => reader.skip(),
        });
        assert_eq!((read, found), (Ok(()), 7));
    }

    #[test]
    fn hostile_bytes_are_refused() {
        let deep = [0x81; 100];
        let cases: [&[u8]; 6] =
            [b"", b"\x9f", b"\x5b\xff\xff\xff\xff\xff\xff\xff\xff", &deep, b"\x1f", b"\xbf\x01"];
        for bytes in cases {
            assert_eq!(Reader::new(bytes).skip(), Err(Malformed), "{:?}", bytes);
        }
        // Every byte cut or changed: an answer, never a panic.
        let whole = b"\xa4\x01\x9f\x01\x20\x61a\xff\x02\xd8\x18\x41\0\x03\xf6\x04\x07";
        for at in 0..whole.len() {
            for byte in 0..=255 {
                let mut bytes = whole.to_vec();
                bytes[at] = byte;
                let _ = Reader::new(&bytes).skip();
                let _ = Reader::new(&bytes[..at]).skip();
            }
        }
    }
}
