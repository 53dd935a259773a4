//! What is written here? The objects of a PDF, and the items of its content streams.
//!
//! Lenient: what cannot be read is skipped. Nothing recurses deeper than [`MAX_DEPTH`], and every step
//! consumes a byte, so that time grows with the bytes alone.

/// Arrays and dictionaries inside each other.
const MAX_DEPTH: usize = 32;
/// Values in one object; what follows is left off.
const MAX_VALUES: usize = 100_000;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Object {
    Null,
    Bool(bool),
    Number(f64),
    Text(Vec<u8>),
    Name(String),
    Array(Vec<Object>),
    Dict(Dict),
    /// Object of this number; its generation does not matter to us.
    Ref(u32),
}

/// Values by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Dict(Vec<(String, Object)>);

impl Dict {
    pub(super) fn get(&self, name: &str) -> Option<&Object> {
        // Of several the last counts, as in most readers.
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    pub(super) fn name(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_name()
    }

    pub(super) fn push(&mut self, name: &str, value: Object) {
        self.0.push((name.to_owned(), value));
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Object)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

impl Object {
    pub(super) fn as_name(&self) -> Option<&str> {
        match self {
            Object::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn as_number(&self) -> Option<f64> {
        match self {
            Object::Number(number) if number.is_finite() => Some(*number),
            _ => None,
        }
    }

    /// A number that counts something.
    pub(super) fn as_count(&self) -> Option<usize> {
        let number = self.as_number()?;
        (number >= 0.0 && number <= f64::from(u32::MAX)).then_some(number as usize)
    }

    pub(super) fn as_text(&self) -> Option<&[u8]> {
        match self {
            Object::Text(bytes) => Some(bytes),
            _ => None,
        }
    }

    pub(super) fn as_array(&self) -> Option<&[Object]> {
        match self {
            Object::Array(items) => Some(items),
            _ => None,
        }
    }
}

/// What stands in a content stream.
#[derive(Debug, PartialEq)]
pub(super) enum Item<'a> {
    Operand(Object),
    Operator(&'a [u8]),
}

/// Reads one object after the other.
pub(super) struct Reader<'a> {
    data: &'a [u8],
    pub(super) at: usize,
    /// Values of the present object.
    values: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(data: &'a [u8], at: usize) -> Reader<'a> {
        Reader { data, at: at.min(data.len()), values: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.data.get(self.at).copied()
    }

    /// Skips white space and comments.
    pub(super) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'%' => {
                    while self.peek().is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
                        self.at += 1;
                    }
                }
                byte if is_space(byte) => self.at += 1,
                _ => return,
            }
        }
    }

    /// Skips this word if it stands here.
    pub(super) fn skip_word(&mut self, word: &[u8]) -> bool {
        self.skip_space();
        let is_here = self.data[self.at..].starts_with(word);
        self.at += if is_here { word.len() } else { 0 };
        is_here
    }

    /// The object here; `None` at an operator, a stray bracket or the end, over which nothing is skipped.
    pub(super) fn object(&mut self) -> Option<Object> {
        self.values = 0;
        self.value(0)
    }

    /// The next item of a content stream. What is neither is skipped.
    pub(super) fn item(&mut self) -> Option<Item<'a>> {
        loop {
            self.skip_space();
            let start = self.at;
            if let Some(object) = self.object() {
                return Some(Item::Operand(object));
            }
            self.at = start;
            while self.peek().is_some_and(is_regular) {
                self.at += 1;
            }
            if self.at > start {
                return Some(Item::Operator(&self.data[start..self.at]));
            }
            self.peek()?;
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Option<Object> {
        self.skip_space();
        match self.peek()? {
            b'/' => Some(Object::Name(self.name())),
            b'(' => Some(Object::Text(self.literal())),
            b'<' if self.data.get(self.at + 1) == Some(&b'<') => {
                self.at += 2;
                Some(Object::Dict(self.dict(depth + 1)))
            }
            b'<' => Some(Object::Text(self.hexadecimal())),
            b'[' => {
                self.at += 1;
                Some(Object::Array(self.array(depth + 1)))
            }
            b'0'..=b'9' | b'+' | b'-' | b'.' => self.number(),
            _ => self.constant(),
        }
    }

    fn constant(&mut self) -> Option<Object> {
        let words: [(&[u8], Object); 3] = [
            (b"true", Object::Bool(true)),
            (b"false", Object::Bool(false)),
            (b"null", Object::Null),
        ];
        for (word, object) in words {
            let end = self.at + word.len();
            let is_whole = !self.data.get(end).copied().is_some_and(is_regular);
            if self.data[self.at..].starts_with(word) && is_whole {
                self.at = end;
                return Some(object);
            }
        }
        None
    }

    fn name(&mut self) -> String {
        self.at += 1;
        let mut name = String::new();
        while let Some(byte) = self.peek().filter(|byte| is_regular(*byte)) {
            let hex = |at: usize| self.data.get(at).and_then(|byte| char::from(*byte).to_digit(16));
            match (byte, hex(self.at + 1), hex(self.at + 2)) {
                (b'#', Some(high), Some(low)) => {
                    name.push(char::from((high * 16 + low) as u8));
                    self.at += 3;
                }
                _ => {
                    name.push(char::from(byte));
                    self.at += 1;
                }
            }
        }
        name
    }

    fn literal(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut out = Vec::new();
        let mut open = 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                b'\\' => {
                    self.escape(&mut out);
                    continue;
                }
                _ => {}
            }
            out.push(byte);
        }
        out
    }

    /// What stands behind a backslash.
    fn escape(&mut self, out: &mut Vec<u8>) {
        let Some(byte) = self.peek() else {
            return;
        };
        self.at += 1;
        match byte {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'\r' => self.at += usize::from(self.peek() == Some(b'\n')),
            b'\n' => {}
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else {
                        break;
                    };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                out.push(code as u8);
            }
            other => out.push(other),
        }
    }

    fn hexadecimal(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut digits = Vec::new();
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'>' => break,
                byte => digits.extend(char::from(byte).to_digit(16)),
            }
        }
        digits.chunks(2).map(|pair| (pair[0] * 16 + pair.get(1).unwrap_or(&0)) as u8).collect()
    }

    /// Skips over what is no value, inside of an array or a dictionary; false at the end of the data.
    fn skip_one(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(is_regular) {
            self.at += 1;
        }
        self.at += usize::from(self.at == start);
        self.at < self.data.len()
    }

    fn array(&mut self, depth: usize) -> Vec<Object> {
        let mut items = Vec::new();
        if depth >= MAX_DEPTH {
            return items;
        }
        loop {
            self.skip_space();
            match self.peek() {
                None => break,
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                // A bracket that was forgotten.
                Some(b'>') => break,
                _ => {}
            }
            match self.value(depth) {
                Some(item) => {
                    self.values += 1;
                    if self.values < MAX_VALUES {
                        items.push(item);
                    }
                }
                None if self.ends_object() || !self.skip_one() => break,
                None => {}
            }
        }
        items
    }

    fn dict(&mut self, depth: usize) -> Dict {
        let mut entries = Vec::new();
        if depth >= MAX_DEPTH {
            return Dict::default();
        }
        loop {
            self.skip_space();
            match self.peek() {
                None => break,
                Some(b'>') => {
                    self.at += 1 + usize::from(self.data.get(self.at + 1) == Some(&b'>'));
                    break;
                }
                Some(b'/') => {
                    let name = self.name();
                    self.skip_space();
                    if let Some(value) = self.value(depth) {
                        self.values += 1;
                        if self.values < MAX_VALUES {
                            entries.push((name, value));
                        }
                    }
                }
                _ if self.ends_object() || !self.skip_one() => break,
                _ => {}
            }
        }
        Dict(entries)
    }

    /// Whether the object that stands here ends without its brackets.
    fn ends_object(&self) -> bool {
        let rest = &self.data[self.at..];
        rest.starts_with(b"endobj") || rest.starts_with(b"stream")
    }

    fn number(&mut self) -> Option<Object> {
        let start = self.at;
        while self.peek().is_some_and(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.')) {
            self.at += 1;
        }
        let digits = &self.data[start..self.at];
        let text: String = digits.iter().map(|byte| char::from(*byte)).collect();
        if digits.iter().all(u8::is_ascii_digit)
            && let Some(number) = self.reference(&text)
        {
            return Some(Object::Ref(number));
        }
        // `--5` and `1-2` are written by some programs; what is before the mistake counts.
        let number = text.parse().or_else(|_| {
            let trimmed = text.trim_start_matches(['+', '-']);
            let end = trimmed.find(['+', '-']).unwrap_or(trimmed.len());
            trimmed[..end].parse()
        });
        Some(Object::Number(number.unwrap_or(0.0)))
    }

    /// The number of an object, when the digits are the beginning of a reference (`12 0 R`).
    fn reference(&mut self, digits: &str) -> Option<u32> {
        let rest = self.data[self.at..].get(..16).unwrap_or(&self.data[self.at..]);
        let spaces = |from: usize| rest[from..].iter().take_while(|byte| is_space(**byte)).count();
        let first = spaces(0);
        let generation = rest[first..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let second = first + generation + spaces(first + generation);
        let is_reference = first > 0
            && generation > 0
            && second > first + generation
            && rest.get(second) == Some(&b'R')
            && !rest.get(second + 1).copied().is_some_and(is_regular);
        if !is_reference {
            return None;
        }
        let number = digits.parse().ok()?;
        self.at += second + 1;
        Some(number)
    }
}

/// White space of PDF.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

/// Neither white space nor a delimiter.
pub(super) fn is_regular(byte: u8) -> bool {
    !is_space(byte)
        && !matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}
