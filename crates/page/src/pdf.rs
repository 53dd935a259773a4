//! What does a PDF say? Its text in the order of its content, what it says about itself, and its links.
//!
//! A reader of our own, because no library lets us say how much a file may cost: all that is unpacked,
//! read and run is counted, and what is too much is left off. Pictures are not looked at, so a scanned
//! page has no text. Encrypted files are not read.

mod about;
mod cmap;
mod content;
mod file;
mod filter;
mod font;
#[cfg(test)]
mod fuzz;
mod glyphs;
mod layout;
mod object;
mod pages;

use content::Interpreter;
use file::File;
use lycosa_model::{Lang, Tick};
use object::{Dict, Object};
use pages::Walk;

/// How far from its beginning a file may say what it is.
const HEAD: usize = 1_024;

/// Why a file is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    /// It needs a password, or its owner restricts its use.
    #[error("it is encrypted")]
    Encrypted,
    /// There is no object in it, or no page.
    #[error("it is broken, or no PDF")]
    Broken,
}

/// What a PDF says.
#[derive(Debug, Default)]
pub(crate) struct Pdf {
    pub(crate) title: String,
    pub(crate) byline: String,
    pub(crate) keywords: String,
    pub(crate) description: String,
    pub(crate) published: Option<Tick>,
    pub(crate) modified: Option<Tick>,
    pub(crate) lang: Option<Lang>,
    /// Titles of its table of contents, a line each.
    pub(crate) headings: String,
    /// A line per paragraph.
    pub(crate) text: String,
    /// Addresses that it links to, in the order of its pages.
    pub(crate) links: Vec<String>,
    pub(crate) pages: usize,
}

/// How much is wanted of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wants {
    /// Its text; without it only links and what it says about itself.
    pub(crate) text: bool,
    /// Bytes of text and of links that are kept.
    pub(crate) max_text: usize,
    pub(crate) max_links: usize,
}

/// Whether bytes seem to be a PDF.
pub(crate) fn is_pdf(data: &[u8]) -> bool {
    memchr::memmem::find(&data[..data.len().min(HEAD)], b"%PDF-").is_some()
}

/// Reads a file.
pub(crate) fn read(data: &[u8], wants: Wants) -> Result<Pdf, Unreadable> {
    if !is_pdf(data) {
        return Err(Unreadable::Broken);
    }
    let mut file = File::open(data)?;
    let catalog = catalog(&file);
    let mut pdf = Pdf::default();
    about::read(&mut file, &catalog, &mut pdf);
    let mut walk = Walk::new(&catalog);
    let mut interpreter = Interpreter::new(&mut file, wants.max_text);
    while let Some(page) = walk.next(interpreter.file) {
        pdf.pages += 1;
        add_links(interpreter.file, &page.dict, wants.max_links, &mut pdf.links);
        if wants.text {
            interpreter.page(&page.dict, page.resources);
        }
    }
    if pdf.pages == 0 {
        return Err(Unreadable::Broken);
    }
    pdf.text = interpreter.layout.finish();
    if pdf.title.is_empty() {
        pdf.title = pdf.text.lines().next().unwrap_or("").to_owned();
    }
    Ok(pdf)
}

/// The dictionary at the root of a file; where the trailer does not name it, the one that says so.
fn catalog(file: &File<'_>) -> Dict {
    let named = file.trailer.root.as_ref().and_then(|root| file.resolve(root));
    if let Some(Object::Dict(dict)) = named
        && dict.get("Pages").is_some()
    {
        return dict;
    }
    let is_catalog = |object: Object| match object {
        Object::Dict(dict) if dict.name("Type") == Some("Catalog") => Some(dict),
        _ => None,
    };
    let mut numbers = file.numbers().into_iter().rev();
    numbers.find_map(|number| file.get(number).and_then(is_catalog)).unwrap_or_default()
}

/// The addresses of a page's annotations.
fn add_links(file: &File<'_>, page: &Dict, most: usize, links: &mut Vec<String>) {
    let Some(Object::Array(annotations)) = file.lookup(page, "Annots") else {
        return;
    };
    for annotation in annotations {
        if links.len() >= most {
            return;
        }
        let Some(Object::Dict(dict)) = file.resolve(&annotation) else {
            continue;
        };
        let Some(action) = file.dict(&dict, "A") else {
            continue;
        };
        if let Some(Object::Text(address)) = file.lookup(&action, "URI") {
            links.push(about::text(&address));
        }
    }
}

#[cfg(test)]
mod tests;
