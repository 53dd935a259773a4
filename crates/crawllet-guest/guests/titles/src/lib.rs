//! What are the pages of a site called? The smallest guest that does something, to copy and to change.
//!
//! Three things make a guest:
//!
//! 1. a type with what it has to remember (here nothing),
//! 2. [`Crawllet::take`], which says what is handed over for each answer of the site,
//! 3. the export `clp_run`, below.
//!
//! Everything else (queue, links, robots, state, tags) is the SDK's. A guest that needs parameters reads
//! them in [`Crawllet::start`]; one that needs the words of a page asks for them in [`Crawllet::wants`].
//! A folder beside this one, with a manifest like this one's, is built by `cargo xtask guests` with the
//! others.

use crawllet_sdk::{Crawllet, Take, Visit};

/// The guest.
#[derive(Debug, Default)]
pub struct Titles;

impl Crawllet for Titles {
    fn take(&mut self, visit: &Visit<'_>) -> Take {
        match visit.page {
            // The record's body is the title as UTF-8 instead of the page; its links come with it.
            Some(page) if visit.meta.status == 200 => {
                Take::Instead(page.title.clone().into_bytes())
            }
            // A file, a redirect or an error: nothing is told, and redirects are followed all the same.
            _ => Take::Nothing,
        }
    }
}

/// Crawls; what the host calls.
#[cfg(target_arch = "wasm32")]
#[no_mangle]
pub extern "C" fn clp_run() -> i32 {
    crawllet_sdk::run(&mut Titles)
}

#[cfg(test)]
mod tests {
    use super::Titles;
    use crawllet_sdk::mock::{Answer, Site};

    #[test]
    fn each_page_comes_as_its_title() {
        let site = Site::new()
            .with("/", Answer::html("<title> Of a\n site </title><a href=b>b</a>"))
            .with("/b", Answer::html("<a href=c.pdf>c</a>"))
            .with("/c.pdf", Answer::html("%PDF-1.4").of_type("application/pdf"));
        let run = site.crawl(&mut Titles);
        let told: Vec<_> = run.records.iter().map(|r| (r.path.as_str(), r.text())).collect();
        assert_eq!(told, [("/", "Of a site".to_owned()), ("/b", String::new())]);
    }
}
