//! What does a strategy see of an archived web? Every page read once: its words, and its links with theirs.

use bytes::Bytes;
use lycosa_bot::decode::{DecodeLimit, decode};
use lycosa_frontier::normal;
use lycosa_knowledge::{Bag, analysis};
use lycosa_model::message::Parts;
use lycosa_model::{Follow, Lang, Link, Outcome, Site, Term, UrlId};
use lycosa_page::{Input, Limits, Reading};
use lycosa_store::archive::{self, ArchiveError, Entry, Kind, Reader, Record};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;

/// Pages of all archives together at most.
const MOST_PAGES: usize = 1_000_000;

/// Something that is linked to, whether it is archived or not.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its id.
    pub id: UrlId,
    /// Its address.
    pub address: String,
    /// Its site.
    pub site: Site,
    /// What the archive has of it.
    pub page: Option<u32>,
}

/// A link of a page.
#[derive(Clone, Debug)]
pub struct ParsedLink {
    /// Which target.
    pub target: u32,
    /// Its words.
    pub anchor: Box<str>,
    /// The words around it.
    pub context: Box<str>,
    /// Where in the page it stands.
    pub tag_path: Box<str>,
}

/// What the archive has of an address.
#[derive(Clone, Debug)]
pub struct ParsedPage {
    /// The address as a target.
    pub target: u32,
    /// What a bot would say of it.
    pub outcome: Outcome,
    /// Its words, most frequent first.
    pub terms: Vec<Term>,
    /// The same as numbers.
    pub bag: Bag,
    /// Languages of which there is some.
    pub languages: Vec<Lang>,
    /// Its links; where a redirect leads.
    pub links: Vec<ParsedLink>,
    /// Bytes of the body as received.
    pub bytes: u64,
}

/// An archived web that was read.
#[derive(Clone, Debug, Default)]
pub struct ParsedWeb {
    /// Pages in the order of the archives.
    pub pages: Vec<ParsedPage>,
    /// What is linked to.
    pub targets: Vec<Target>,
    ids: HashMap<UrlId, u32>,
}

/// Why a web cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// An archive cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// There is nothing in them.
    #[error("there is no page in {0}")]
    Empty(String),
}

/// A page before its links have numbers.
struct Read {
    address: normal::Address,
    outcome: Outcome,
    terms: Vec<Term>,
    languages: Vec<Lang>,
    links: Vec<Link>,
    bytes: u64,
}

impl ParsedWeb {
    /// Reads archives, as many at the same time as there are processors. `progress` is told how many files
    /// are done.
    pub fn read(
        files: &[PathBuf],
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<ParsedWeb, WebError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let records = Mutex::new(Records { files: files.iter(), open: None, done: 0, number: 0 });
        let pages: Mutex<Vec<(usize, Read)>> = Mutex::default();
        let failed: Mutex<Option<WebError>> = Mutex::default();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let mut next = records.lock().unwrap_or_else(PoisonError::into_inner);
                        let record = next.next(progress);
                        drop(next);
                        match record {
                            Ok(None) => break,
                            Ok(Some((number, record))) => {
                                if let Some(page) = page_of(record) {
                                    let mut pages =
                                        pages.lock().unwrap_or_else(PoisonError::into_inner);
                                    pages.push((number, page));
                                }
                            }
                            Err(error) => {
                                *failed.lock().unwrap_or_else(PoisonError::into_inner) =
                                    Some(error);
                                break;
                            }
                        }
                    }
                });
            }
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let mut pages = pages.into_inner().unwrap_or_else(PoisonError::into_inner);
        pages.sort_by_key(|(number, _)| *number);
        if pages.is_empty() {
            let names: Vec<String> =
                files.iter().take(3).map(|path| path.display().to_string()).collect();
            return Err(WebError::Empty(names.join(", ")));
        }
        Ok(ParsedWeb::of(pages.into_iter().map(|(_, page)| page)))
    }

    fn of(read: impl Iterator<Item = Read>) -> ParsedWeb {
        let mut web = ParsedWeb::default();
        let mut waiting: Vec<Vec<Link>> = Vec::new();
        for page in read {
            let target = web.add(page.address);
            let before = web.targets[target as usize].page;
            let earlier = before.map(|before| web.pages[before as usize].outcome);
            // The first capture of an address counts, or the first that is a page: http may lead to https.
            if earlier.is_some_and(|earlier| {
                earlier == Outcome::Fetched || page.outcome != Outcome::Fetched
            }) {
                continue;
            }
            let read = ParsedPage {
                target,
                outcome: page.outcome,
                bag: Bag::of_terms(&page.terms),
                terms: page.terms,
                languages: page.languages,
                links: Vec::new(),
                bytes: page.bytes,
            };
            if let Some(before) = before {
                (web.pages[before as usize], waiting[before as usize]) = (read, page.links);
                continue;
            }
            web.targets[target as usize].page = Some(web.pages.len() as u32);
            web.pages.push(read);
            waiting.push(page.links);
        }
        for (number, links) in waiting.into_iter().enumerate() {
            let own = web.pages[number].target;
            let mut known: Vec<u32> = vec![own];
            for link in links {
                let Ok(address) = normal::parse(&link.url) else { continue };
                let target = web.add(address);
                if !known.contains(&target) {
                    known.push(target);
                    web.pages[number].links.push(ParsedLink {
                        target,
                        anchor: link.anchor.into(),
                        context: link.context.into(),
                        tag_path: link.tag_path.into(),
                    });
                }
            }
        }
        web
    }

    /// A web of pages with these addresses and links, for tests.
    #[cfg(test)]
    pub(crate) fn of_links(pages: &[(&str, &[&str])]) -> ParsedWeb {
        let address = |name: &str| format!("http://{name}.test/");
        let page = |(name, links): &(&str, &[&str])| Read {
            address: normal::parse(&address(name)).unwrap(),
            outcome: Outcome::Fetched,
            terms: Vec::new(),
            languages: Vec::new(),
            links: links.iter().map(|link| bare_link(address(link))).collect(),
            bytes: 1_000,
        };
        ParsedWeb::of(pages.iter().map(page))
    }

    /// The number of an address. Archives have one of http and https where links say both.
    fn add(&mut self, address: normal::Address) -> u32 {
        if let Some(number) = self.number(&address) {
            return number;
        }
        let number = self.targets.len() as u32;
        self.ids.insert(address.id, number);
        self.targets.push(Target {
            id: address.id,
            address: address.request,
            site: address.site,
            page: None,
        });
        number
    }

    fn number(&self, address: &normal::Address) -> Option<u32> {
        self.ids.get(&address.id).or_else(|| self.ids.get(&other_scheme(address)?)).copied()
    }

    /// The target of an address, if it is known.
    pub fn find(&self, url: &str) -> Option<u32> {
        self.number(&normal::parse(url).ok()?)
    }

    /// The target with this id.
    pub fn of_id(&self, id: UrlId) -> Option<u32> {
        self.ids.get(&id).copied()
    }

    /// What the archive has of an address, if it is a page.
    pub fn page(&self, url: &str) -> Option<&ParsedPage> {
        let page = self.targets[self.find(url)? as usize].page?;
        self.pages.get(page as usize)
    }
}

fn other_scheme(address: &normal::Address) -> Option<UrlId> {
    let normal = address.normal();
    Some(match normal.strip_prefix("https:") {
        Some(rest) => UrlId::of(&format!("http:{rest}")),
        None => UrlId::of(&format!("https:{}", normal.strip_prefix("http:")?)),
    })
}

/// The records of all archives, one after the other.
struct Records<'a> {
    files: std::slice::Iter<'a, PathBuf>,
    open: Option<Reader>,
    done: usize,
    number: usize,
}

impl Records<'_> {
    fn next(&mut self, progress: &dyn Fn(usize)) -> Result<Option<(usize, Record)>, WebError> {
        loop {
            if self.open.is_none() {
                let Some(path) = self.files.next() else { return Ok(None) };
                self.open = Some(open(path)?);
            }
            match self.open.as_mut().and_then(Iterator::next).transpose()? {
                None => {
                    self.open = None;
                    self.done += 1;
                    progress(self.done);
                }
                Some(Entry::Fault(_)) => {}
                Some(Entry::Record(_)) if self.number >= MOST_PAGES => return Ok(None),
                Some(Entry::Record(record)) => {
                    self.number += 1;
                    return Ok(Some((self.number, record)));
                }
            }
        }
    }
}

fn open(path: &Path) -> Result<Reader, ArchiveError> {
    Reader::open(path, archive::Limits::default())
}

/// What a bot would make of a record.
fn page_of(record: Record) -> Option<Read> {
    if record.kind != Kind::Response || record.cut {
        return None;
    }
    let address = normal::parse(record.target_uri.as_deref()?).ok()?;
    if address.path() == "/robots.txt" {
        return None;
    }
    let http = record.http().ok()?;
    let bytes = http.body.len() as u64;
    let mut page = Read {
        address,
        outcome: Outcome::Fetched,
        terms: Vec::new(),
        languages: Vec::new(),
        links: Vec::new(),
        bytes,
    };
    page.outcome = Outcome::of_status(http.status);
    if page.outcome == Outcome::Redirect {
        let base = url::Url::parse(&page.address.request).ok()?;
        let to = base.join(http.headers.get("location")?).ok()?;
        page.links = vec![bare_link(to.into())];
        return Some(page);
    }
    if page.outcome != Outcome::Fetched {
        return Some(page);
    }
    let body: Bytes = decode(&http.headers, &http.body, &DecodeLimit::default()).ok()?;
    let parts = Parts { text: true, languages: true, words_of_links: true, ..Parts::LINKS };
    let input = Input::new(page.address.id, &page.address.request, &body)
        .with_headers(&http.headers)
        .for_parts(parts);
    match lycosa_page::read(&input, &Limits::default()) {
        Reading::Document(document) => {
            page.terms = analysis::terms_of_page(&document.title, &document.text);
            page.languages = document.languages.iter().map(|share| share.lang).collect();
            if !document.robots.nofollow {
                let follows = |link: &Link| Follow::Pages.takes(link.kind) && !link.nofollow();
                page.links = document.links.into_iter().filter(follows).collect();
            }
        }
        Reading::NotText { links, .. } => page.links = links,
    }
    Some(page)
}

fn bare_link(url: String) -> Link {
    Link {
        url,
        anchor: String::new(),
        context: String::new(),
        tag_path: String::new(),
        rel: String::new(),
        kind: lycosa_model::LinkKind::Refresh,
    }
}
