//! How does the XML of Open English WordNet look? Entries with a lemma and senses, and sets of synonyms
//! with relations (the Global WordNet form of LMF). Only tags and attributes say something, so only those
//! are read, one after the other.

use super::WordNetError;
use super::build::{Builder, Irregular, Link, MAX_WORDNET, within};
use crate::fold;

/// Reads nouns; gives the forms of words that are not regular plurals.
pub(super) fn read(xml: &[u8], builder: &mut Builder) -> Result<Irregular, WordNetError> {
    within("bytes of a WordNet", xml.len(), MAX_WORDNET)?;
    let text = std::str::from_utf8(xml)
        .map_err(|error| WordNetError::Xml { at: error.valid_up_to(), what: "not UTF-8".into() })?;
    let mut forms = Irregular::new();
    // The noun whose entry, and the set of nouns whose element, is open.
    let mut lemma: Option<String> = None;
    let mut synset: Option<u32> = None;
    let mut whole = false;
    let mut tags = Tags { text, at: 0 };
    while let Some(tag) = tags.next()? {
        match tag.name {
            "Lemma" => {
                let noun = tag.value("partOfSpeech") == Some("n");
                lemma = tag.value("writtenForm").filter(|_| noun).map(plain);
            }
            "/LexicalEntry" => lemma = None,
            "Form" => {
                if let (Some(lemma), Some(form)) = (&lemma, tag.value("writtenForm")) {
                    forms.insert(fold(&plain(form)).into(), [fold(lemma).into()].into());
                }
            }
            "Sense" => {
                if let (Some(lemma), Some(name)) = (&lemma, tag.value("synset")) {
                    let synset = builder.pointed(name)?;
                    builder.word(lemma, synset)?;
                }
            }
            "Synset" => {
                let noun = tag.value("partOfSpeech") == Some("n");
                synset = match tag.value("id").filter(|_| noun) {
                    Some(name) => Some(builder.synset(name)?),
                    None => None,
                };
            }
            "/Synset" => synset = None,
            "SynsetRelation" => {
                if let (Some(synset), Some(link), Some(target)) =
                    (synset, tag.value("relType").and_then(link), tag.value("target"))
                {
                    builder.link(synset, link, target)?;
                }
            }
            "/LexicalResource" => whole = true,
            _ => {}
        }
    }
    match whole {
        true => Ok(forms),
        false => {
            let what = "it ends before </LexicalResource>: cut off, or no LMF".into();
            Err(WordNetError::Xml { at: text.len(), what })
        }
    }
}

fn link(name: &str) -> Option<Link> {
    match name {
        "hypernym" | "instance_hypernym" => Some(Link::Kind),
        "mero_part" | "mero_member" | "mero_substance" | "holo_part" | "holo_member"
        | "holo_substance" => Some(Link::Part),
        _ => None,
    }
}

/// The five characters that XML has names for.
fn plain(text: &str) -> String {
    text.replace("&apos;", "'")
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// A tag: its name, with a stroke before it at the end of an element, and its attributes as they stand.
struct Tag<'a> {
    name: &'a str,
    rest: &'a str,
}

impl<'a> Tag<'a> {
    fn value(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.rest;
        loop {
            let (key, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let (value, next) = after[1..].split_once(quote)?;
            if key.trim() == name {
                return Some(value);
            }
            rest = next;
        }
    }
}

struct Tags<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tags<'a> {
    fn next(&mut self) -> Result<Option<Tag<'a>>, WordNetError> {
        loop {
            let rest = &self.text[self.at..];
            let Some(start) = rest.find('<') else { return Ok(None) };
            let inside = &rest[start + 1..];
            let torn = WordNetError::Xml { at: self.at + start, what: "a tag has no end".into() };
            let (skipped, close) = match inside {
                _ if inside.starts_with("!--") => (true, inside.find("-->").map(|at| at + 2)),
                _ if inside.starts_with(['!', '?']) => (true, inside.find('>')),
                _ => (false, end_of_tag(inside)),
            };
            let close = close.ok_or(torn)?;
            self.at += start + 1 + close + 1;
            if !skipped {
                let tag = inside[..close].trim_end_matches('/');
                let name = tag.find(|c: char| c.is_ascii_whitespace()).unwrap_or(tag.len());
                return Ok(Some(Tag { name: &tag[..name], rest: &tag[name..] }));
            }
        }
    }
}

/// Where the tag ends; a sign in quotes is none.
fn end_of_tag(inside: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in inside.bytes().enumerate() {
        match (byte, quote) {
            (b'"' | b'\'', None) => quote = Some(byte),
            (_, Some(open)) if byte == open => quote = None,
            (b'>', None) => return Some(at),
            _ => {}
        }
    }
    None
}
