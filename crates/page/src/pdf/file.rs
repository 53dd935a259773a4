//! Where are the objects of a PDF? Found by looking through the whole file, so that a broken table of
//! contents, or none, does not matter; of an object that stands there twice the later one counts.

use super::Unreadable;
use super::filter::{self, Budget};
use super::object::{Dict, Object, Reader, is_space};
use memchr::memmem;
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

/// Objects of one file.
const MAX_OBJECTS: usize = 500_000;
/// Bytes that all streams of one file are unpacked to.
const MAX_UNPACKED: usize = 64 << 20;
/// Bytes of objects that are read, again and again when they are asked for again.
const MAX_READ: usize = 128 << 20;
/// References to references.
const MAX_STEPS: usize = 8;

/// Where an object stands.
#[derive(Clone, Copy)]
enum Place {
    /// In the file.
    File(usize),
    /// In an unpacked stream of objects.
    Packed(usize, usize),
}

/// A file and its objects.
pub(super) struct File<'a> {
    data: &'a [u8],
    places: HashMap<u32, Place>,
    packed: Vec<Vec<u8>>,
    pub(super) trailer: Trailer,
    budget: Budget,
    /// Bytes of objects that may still be read.
    left: Cell<usize>,
}

/// What the trailers name; of several the last that names it.
#[derive(Debug, Default)]
pub(super) struct Trailer {
    pub(super) root: Option<Object>,
    pub(super) info: Option<Object>,
    is_encrypted: bool,
}

impl Trailer {
    fn join(&mut self, dict: &Dict) {
        let take = |name: &str, into: &mut Option<Object>| {
            if let Some(value) = dict.get(name) {
                *into = Some(value.clone());
            }
        };
        take("Root", &mut self.root);
        take("Info", &mut self.info);
        self.is_encrypted |= dict.get("Encrypt").is_some_and(|value| *value != Object::Null);
    }
}

/// A stream: what is said about it, and its bytes as they are in the file.
pub(super) struct Stream<'a> {
    pub(super) dict: Dict,
    raw: &'a [u8],
}

impl<'a> File<'a> {
    /// Looks through a file.
    pub(super) fn open(data: &'a [u8]) -> Result<File<'a>, Unreadable> {
        let mut file = File {
            data,
            places: HashMap::new(),
            packed: Vec::new(),
            trailer: Trailer::default(),
            budget: Budget { left: MAX_UNPACKED },
            left: Cell::new(MAX_READ),
        };
        let streams = file.look_through();
        if file.trailer.is_encrypted {
            return Err(Unreadable::Encrypted);
        }
        for number in streams {
            file.unpack_objects(number);
        }
        if file.places.is_empty() { Err(Unreadable::Broken) } else { Ok(file) }
    }

    /// Finds the objects and trailers of the file; gives the numbers of the streams that hold objects.
    fn look_through(&mut self) -> Vec<u32> {
        let mut streams = Vec::new();
        let finder = memmem::Finder::new(b"obj");
        let mut at = 0;
        while let Some(found) = finder.find(&self.data[at..]).map(|found| at + found) {
            // Trailers stand between objects.
            if !self.read_trailers(at..found) {
                break;
            }
            let begin = found + b"obj".len();
            at = begin;
            let Some(number) = number_before(self.data, found) else {
                continue;
            };
            if self.places.len() >= MAX_OBJECTS {
                break;
            }
            self.places.insert(number, Place::File(begin));
            let mut reader = Reader::new(self.data, begin);
            let object = reader.object();
            if !self.has_read(reader.at - begin) {
                break;
            }
            if let Some(Object::Dict(dict)) = object {
                if let Some(raw) = stream_at(self.data, &mut reader, &dict) {
                    at = raw.end;
                    match dict.name("Type") {
                        Some("ObjStm") => streams.push(number),
                        Some("XRef") => self.trailer.join(&dict),
                        _ => {}
                    }
                } else {
                    at = reader.at.max(begin);
                }
            }
        }
        self.read_trailers(at..self.data.len());
        streams
    }

    /// Reads the trailers that begin within `part`; says whether more may be read after them.
    fn read_trailers(&mut self, part: Range<usize>) -> bool {
        for place in memmem::find_iter(&self.data[part.clone()], b"trailer") {
            let begin = part.start + place + b"trailer".len();
            let mut reader = Reader::new(self.data, begin);
            if let Some(Object::Dict(dict)) = reader.object() {
                self.trailer.join(&dict);
            }
            if !self.has_read(reader.at - begin) {
                return false;
            }
        }
        true
    }

    /// Unpacks a stream of objects and finds those in it. What the file itself has later stays.
    fn unpack_objects(&mut self, number: u32) {
        let Some(&Place::File(own)) = self.places.get(&number) else {
            return;
        };
        let Some(stream) = self.stream_of(number) else {
            return;
        };
        let count = |name: &str| stream.dict.get(name).and_then(Object::as_count);
        let (Some(objects), Some(first)) = (count("N"), count("First")) else {
            return;
        };
        let Some(data) = self.unpack(&stream) else {
            return;
        };
        let mut reader = Reader::new(&data, 0);
        let slot = self.packed.len();
        for _ in 0..objects.min(MAX_OBJECTS) {
            let mut next = || reader.object().as_ref().and_then(Object::as_count);
            let (Some(number), Some(offset)) = (next(), next()) else {
                break;
            };
            let (Ok(number), Some(place)) = (u32::try_from(number), first.checked_add(offset))
            else {
                continue;
            };
            let is_later = |known: &Place| matches!(known, Place::File(at) if *at > own);
            if !self.places.get(&number).is_some_and(is_later) && self.places.len() < MAX_OBJECTS {
                self.places.insert(number, Place::Packed(slot, place));
            }
        }
        self.packed.push(data);
    }

    /// The numbers of all objects, in order.
    pub(super) fn numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.places.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }

    /// Counts bytes of objects that were read; false when they are too many.
    fn has_read(&self, bytes: usize) -> bool {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// An object by its number.
    pub(super) fn get(&self, number: u32) -> Option<Object> {
        let (data, at) = match *self.places.get(&number)? {
            Place::File(at) => (self.data, at),
            Place::Packed(slot, at) => (self.packed.get(slot)?.as_slice(), at),
        };
        let mut reader = Reader::new(data, at);
        let object = reader.object();
        if self.has_read(reader.at.saturating_sub(at)) { object } else { None }
    }

    /// The object that is meant: itself, or what it refers to.
    pub(super) fn resolve(&self, object: &Object) -> Option<Object> {
        let mut object = object.clone();
        for _ in 0..MAX_STEPS {
            match object {
                Object::Ref(number) => object = self.get(number)?,
                other => return Some(other),
            }
        }
        None
    }

    /// What a dictionary has under a name.
    pub(super) fn lookup(&self, dict: &Dict, name: &str) -> Option<Object> {
        self.resolve(dict.get(name)?)
    }

    /// The dictionary that a dictionary has under a name.
    pub(super) fn dict(&self, dict: &Dict, name: &str) -> Option<Dict> {
        match self.lookup(dict, name)? {
            Object::Dict(dict) => Some(dict),
            _ => None,
        }
    }

    /// The stream that is referred to.
    pub(super) fn stream(&self, object: &Object) -> Option<Stream<'a>> {
        match object {
            Object::Ref(number) => self.stream_of(*number),
            _ => None,
        }
    }

    fn stream_of(&self, number: u32) -> Option<Stream<'a>> {
        let Place::File(at) = *self.places.get(&number)? else {
            return None;
        };
        let mut reader = Reader::new(self.data, at);
        let object = reader.object()?;
        let (Object::Dict(dict), true) = (object, self.has_read(reader.at - at)) else {
            return None;
        };
        let range = stream_at(self.data, &mut reader, &dict)?;
        // Filters may be named elsewhere.
        let mut resolved = Dict::default();
        for (name, value) in dict.entries() {
            let value = match name {
                "Filter" | "DecodeParms" => self.resolve_all(value),
                _ => value.clone(),
            };
            resolved.push(name, value);
        }
        Some(Stream { dict: resolved, raw: &self.data[range] })
    }

    /// An object and, if it is an array, what is in it.
    fn resolve_all(&self, object: &Object) -> Object {
        match self.resolve(object) {
            Some(Object::Array(items)) => Object::Array(
                items.iter().map(|item| self.resolve(item).unwrap_or(Object::Null)).collect(),
            ),
            Some(other) => other,
            None => Object::Null,
        }
    }

    /// What a stream holds, as far as the file's budget reaches.
    pub(super) fn unpack(&mut self, stream: &Stream<'_>) -> Option<Vec<u8>> {
        filter::decode(stream.raw, &stream.dict, &mut self.budget)
    }
}

/// The number of the object whose `obj` stands at `at`: `12 0 obj`.
fn number_before(data: &[u8], at: usize) -> Option<u32> {
    let back = |end: usize, of: fn(u8) -> bool| {
        end - data[..end].iter().rev().take_while(|byte| of(**byte)).count()
    };
    let digit = |byte: u8| byte.is_ascii_digit();
    let generation_end = back(at, is_space);
    let generation = back(generation_end, digit);
    let number_end = back(generation, is_space);
    let number = back(number_end, digit);
    if generation == generation_end || number_end == generation || number == number_end {
        return None;
    }
    std::str::from_utf8(&data[number..number_end]).ok()?.parse().ok()
}

/// The bytes of the stream whose dictionary was just read, if there is one.
fn stream_at(data: &[u8], reader: &mut Reader<'_>, dict: &Dict) -> Option<std::ops::Range<usize>> {
    if !reader.skip_word(b"stream") {
        return None;
    }
    let mut begin = reader.at;
    begin += usize::from(data.get(begin) == Some(&b'\r'));
    begin += usize::from(data.get(begin) == Some(&b'\n'));
    let begin = begin.min(data.len());
    if let Some(end) =
        dict.get("Length").and_then(Object::as_count).and_then(|n| begin.checked_add(n))
        && end <= data.len()
        && Reader::new(data, end).skip_word(b"endstream")
    {
        return Some(begin..end);
    }
    // The length is wrong, or stands elsewhere.
    let end = memmem::find(&data[begin..], b"endstream").map_or(data.len(), |end| begin + end);
    Some(begin..end)
}
