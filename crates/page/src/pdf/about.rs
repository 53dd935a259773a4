//! What does a PDF say about itself? Its information dictionary, its XMP, and its table of contents.

use super::Pdf;
use super::cmap;
use super::file::File;
use super::object::{Dict, Object};
use crate::date;
use crate::html::decode_references;
use crate::space::fold_space;
use lycosa_model::{Lang, Tick};
use std::collections::HashSet;

/// Bytes of one field.
const MAX_FIELD: usize = 1_024;
/// Titles of a table of contents, and bytes of them all.
const MAX_TITLES: usize = 2_000;
const MAX_HEADINGS: usize = 16 << 10;

/// Reads what a file says about itself.
pub(super) fn read(file: &mut File<'_>, catalog: &Dict, pdf: &mut Pdf) {
    let info = file.trailer.info.as_ref().and_then(|info| file.resolve(info));
    if let Some(Object::Dict(info)) = info {
        let field = |name: &str| match file.lookup(&info, name) {
            Some(Object::Text(bytes)) => tidy(&text(&bytes)),
            _ => String::new(),
        };
        pdf.title = field("Title");
        pdf.byline = field("Author");
        pdf.keywords = field("Keywords");
        pdf.description = field("Subject");
        pdf.published = moment(&field("CreationDate"));
        pdf.modified = moment(&field("ModDate"));
    }
    let stream = catalog.get("Metadata").and_then(|xmp| file.stream(xmp));
    if let Some(xmp) = stream.and_then(|stream| file.unpack(&stream)) {
        let xmp = String::from_utf8_lossy(&xmp);
        let fill = |field: &mut String, name: &str| {
            if field.is_empty() {
                *field = of_xmp(&xmp, name);
            }
        };
        fill(&mut pdf.title, "dc:title");
        fill(&mut pdf.byline, "dc:creator");
        fill(&mut pdf.description, "dc:description");
        pdf.published = pdf.published.or_else(|| date::parse(&of_xmp(&xmp, "xmp:CreateDate")));
        pdf.modified = pdf.modified.or_else(|| date::parse(&of_xmp(&xmp, "xmp:ModifyDate")));
    }
    if pdf.title.eq_ignore_ascii_case("untitled") {
        pdf.title.clear();
    }
    pdf.lang = match file.lookup(catalog, "Lang") {
        Some(Object::Text(code)) => Lang::parse(text(&code).trim()),
        _ => None,
    };
    pdf.headings = headings(file, catalog);
}

/// The titles of the table of contents, in their order.
fn headings(file: &File<'_>, catalog: &Dict) -> String {
    let mut out = String::new();
    let mut seen = HashSet::new();
    let first = file.dict(catalog, "Outlines").and_then(|outlines| outlines.get("First").cloned());
    let mut open: Vec<Object> = first.into_iter().collect();
    while let Some(object) = open.pop() {
        if let Object::Ref(number) = object
            && (!seen.insert(number) || seen.len() > MAX_TITLES)
        {
            continue;
        }
        let Some(Object::Dict(entry)) = file.resolve(&object) else {
            continue;
        };
        if let Some(Object::Text(title)) = file.lookup(&entry, "Title") {
            let title = tidy(&text(&title));
            if !title.is_empty() && out.len() + title.len() < MAX_HEADINGS {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(&title);
            }
        }
        // What is under it comes before what is behind it. Only what is referred to can be told from
        // itself.
        for name in ["Next", "First"] {
            open.extend(entry.get(name).filter(|next| matches!(next, Object::Ref(_))).cloned());
        }
    }
    out
}

/// The value of a field in XMP: as text, as a list, or as an attribute.
fn of_xmp(xmp: &str, name: &str) -> String {
    let decoded = |raw: &str| {
        let mut out = String::new();
        decode_references(raw, &mut out);
        tidy(&out)
    };
    let attribute = format!("{name}=\"");
    if let Some(at) = xmp.find(&attribute) {
        let value = &xmp[at + attribute.len()..];
        return decoded(value.split('"').next().unwrap_or(""));
    }
    let (begin, end) = (format!("<{name}>"), format!("</{name}>"));
    let Some(inside) = xmp.split_once(&begin).and_then(|(_, rest)| rest.split_once(&end)) else {
        return String::new();
    };
    let inside = inside.0;
    let items: Vec<String> = inside
        .split("<rdf:li")
        .skip(1)
        .filter_map(|item| Some(decoded(item.split_once('>')?.1.split("</rdf:li").next()?)))
        .filter(|item| !item.is_empty())
        .collect();
    match (items.is_empty(), name) {
        (true, _) => decoded(inside.split('<').next().unwrap_or("")),
        // Several titles are one title in several languages.
        (false, "dc:creator") => items.join(", "),
        (false, _) => items[0].clone(),
    }
}

fn tidy(text: &str) -> String {
    let mut out = String::new();
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    fold_space(clean.trim(), &mut out, MAX_FIELD);
    out
}

/// `D:20240501103000+02'00'`, or a date as others write it.
fn moment(text: &str) -> Option<Tick> {
    let rest = text.strip_prefix("D:").unwrap_or(text);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if !(4..=14).contains(&digits) || digits % 2 == 1 {
        return date::parse(rest);
    }
    let part = |at: usize, usual: &'static str| rest[..digits].get(at..at + 2).unwrap_or(usual);
    let zone = rest[digits..].replace('\'', "");
    let zone = if zone.is_empty() { "Z" } else { &zone };
    date::parse(&format!(
        "{}-{}-{}T{}:{}:{}{zone}",
        &rest[..4],
        part(4, "01"),
        part(6, "01"),
        part(8, "00"),
        part(10, "00"),
        part(12, "00")
    ))
}

/// Codes of PDF's own encoding that are not those of Latin-1.
const OWN: [(u8, &str); 2] =
    [(0x18, "˘ˇˆ˙˝˛˚˜"), (0x80, "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™\u{fb01}\u{fb02}ŁŒŠŸŽıłœšž\u{fffd}€")];

/// Text outside of pages: UTF-16, UTF-8, or PDF's own encoding.
pub(super) fn text(bytes: &[u8]) -> String {
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return cmap::utf_16(rest);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        let swapped: Vec<u8> = rest.chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]).collect();
        return cmap::utf_16(&swapped);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // Many write UTF-8 without saying so; as Latin-1 it would hardly ever be valid.
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let one = |byte: &u8| {
        let own = OWN
            .iter()
            .find_map(|(first, chars)| chars.chars().nth(usize::from(byte.checked_sub(*first)?)));
        own.unwrap_or(char::from(*byte))
    };
    bytes.iter().map(one).collect()
}
