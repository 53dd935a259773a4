//! How do the files of Princeton's WordNet look? A set of synonyms a line (wndb(5WN)).

use super::WordNetError;
use super::build::{Builder, Irregular, Link, MAX_WORDNET, within};
use crate::fold;

const DATA: &str = "data.noun";
const EXCEPTIONS: &str = "noun.exc";
/// Irregular plurals that are read.
const MAX_EXCEPTIONS: usize = 100_000;

fn text<'a>(bytes: &'a [u8], file: &'static str) -> Result<&'a str, WordNetError> {
    within("bytes of a WordNet", bytes.len(), MAX_WORDNET)?;
    std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        WordNetError::Line { file, line, what: "not UTF-8".into() }
    })
}

/// Reads `data.noun`. `index.noun` says nothing that is not there.
pub(super) fn read(data: &[u8], builder: &mut Builder) -> Result<(), WordNetError> {
    for (number, line) in text(data, DATA)?.lines().enumerate() {
        // The licence stands above, each line after two spaces.
        if line.starts_with(' ') || line.is_empty() {
            continue;
        }
        // What follows the bar explains the meaning in words; a line without one is cut off.
        let fields = line.split_once('|').map(|(fields, _)| fields);
        let read = fields.ok_or(Fault::What("it has no `|`: cut off, or no data.noun"));
        read.and_then(|fields| synset(fields, builder)).map_err(|fault| match fault {
            Fault::Whole(error) => error,
            Fault::What(what) => {
                WordNetError::Line { file: DATA, line: number + 1, what: what.into() }
            }
        })?;
    }
    Ok(())
}

enum Fault {
    What(&'static str),
    Whole(WordNetError),
}

impl From<WordNetError> for Fault {
    fn from(error: WordNetError) -> Fault {
        Fault::Whole(error)
    }
}

/// `offset file type words word id … pointers symbol offset type ends …`; the number of words is in
/// hexadecimal digits.
fn synset(line: &str, builder: &mut Builder) -> Result<(), Fault> {
    let mut fields = line.split_ascii_whitespace();
    let mut next = |what| fields.next().ok_or(Fault::What(what));
    let offset = next("no offset")?;
    if offset.len() != 8 || !offset.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::What("it begins with no offset of eight digits"));
    }
    next("no file number")?;
    if next("no type")? != "n" {
        return Err(Fault::What("no noun"));
    }
    let words = u32::from_str_radix(next("no number of words")?, 16);
    let words = words.map_err(|_| Fault::What("the number of words is no number"))?;
    let synset = builder.synset(offset)?;
    for _ in 0..words {
        let word = next("fewer words than it says")?;
        next("a word has no id")?;
        builder.word(word, synset)?;
    }
    let pointers: Result<u32, _> = next("no number of pointers")?.parse();
    let pointers = pointers.map_err(|_| Fault::What("the number of pointers is no number"))?;
    for _ in 0..pointers {
        let symbol = next("fewer pointers than it says")?;
        let target = next("a pointer leads nowhere")?;
        let kind = next("a pointer has no type")?;
        next("a pointer has no ends")?;
        let link = match symbol {
            "@" | "@i" => Link::Kind,
            "#m" | "#s" | "#p" | "%m" | "%s" | "%p" => Link::Part,
            _ => continue,
        };
        if kind == "n" {
            builder.link(synset, link, target)?;
        }
    }
    Ok(())
}

/// Reads `noun.exc`: a plural and its singulars a line.
pub(super) fn read_exceptions(bytes: &[u8]) -> Result<Irregular, WordNetError> {
    let mut all = Irregular::new();
    for (number, line) in text(bytes, EXCEPTIONS)?.lines().enumerate() {
        within("irregular plurals", number + 1, MAX_EXCEPTIONS)?;
        let mut words = line.split_ascii_whitespace().map(|word| fold(&word.replace('_', " ")));
        let Some(form) = words.next() else { continue };
        let bases: Box<[Box<str>]> = words.map(String::into_boxed_str).collect();
        if bases.is_empty() {
            let what = format!("`{form}` has no singular");
            return Err(WordNetError::Line { file: EXCEPTIONS, line: number + 1, what });
        }
        all.insert(form.into_boxed_str(), bases);
    }
    Ok(all)
}
