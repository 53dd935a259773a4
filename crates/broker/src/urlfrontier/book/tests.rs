//! Does the book decide rightly? With moments of our own, and with what it reads back from the store.

mod order;
mod state;

use super::give::Given;
use super::manage::Summary;
use super::*;
use lycosa_store::records::Records;
use tempfile::TempDir;

/// A morning, in milliseconds.
pub(super) const MORNING: Moment = Moment(1_800_000_000_000);

/// So many milliseconds after the morning.
pub(super) fn after(ms: u64) -> Moment {
    Moment(MORNING.0 + ms)
}

/// A book in a folder.
pub(super) struct Shelf {
    dir: TempDir,
    book: Option<Book>,
}

impl Shelf {
    pub(super) fn new() -> Shelf {
        let dir = tempfile::tempdir().expect("temp dir");
        let book = Some(open(&dir, MORNING));
        Shelf { dir, book }
    }

    pub(super) fn book(&mut self) -> &mut Book {
        self.book.as_mut().expect("it is open")
    }

    /// Closes the book and opens it again.
    pub(super) fn reopen(&mut self, now: Moment) {
        drop(self.book.take());
        self.book = Some(open(&self.dir, now));
    }

    pub(super) fn put(&mut self, puts: Vec<Put>, now: Moment) -> Vec<Verdict> {
        self.book().put(puts, now).expect("put")
    }

    /// What an ask gives, in all its parts.
    pub(super) fn give(&mut self, ask: &Ask, now: Moment) -> Vec<Given> {
        let (mut pass, mut all) = (Pass::default(), Vec::new());
        while !pass.finished {
            all.extend(self.book().give(ask, &mut pass, now).expect("give"));
        }
        all
    }

    /// Addresses that an ask gives.
    pub(super) fn urls(&mut self, ask: &Ask, now: Moment) -> Vec<String> {
        self.give(ask, now).into_iter().map(|given| given.url).collect()
    }

    pub(super) fn summary(&mut self, key: Option<&str>, now: Moment) -> Summary {
        self.book().summary("c", key, now).expect("summary")
    }
}

fn open(dir: &TempDir, now: Moment) -> Book {
    let records = Records::open(dir.path()).expect("records");
    Book::open(Queues::open(&records).expect("queues"), now).expect("book")
}

/// A URL of crawl `c` with its host as key.
pub(super) fn put(url: &str, news: News) -> Put {
    let key = crate::urlfrontier::names::host(url).expect("host").to_owned();
    let metadata = vec![("from".to_owned(), vec![url.to_owned()])];
    Put { crawl: "c".into(), key, url: url.into(), metadata, news, created: None }
}

pub(super) fn found(url: &str) -> Put {
    put(url, News::Discovered)
}

/// An ask for so many URLs of so many queues of crawl `c`, with a lease of a minute.
pub(super) fn ask(urls: u32, queues: u32) -> Ask {
    Ask { crawls: Which::One("c".into()), key: None, urls, queues, lease: 60_000 }
}
