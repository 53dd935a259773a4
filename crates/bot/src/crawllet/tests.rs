//! Records as crawllets send them.

use super::audit::sha256;
use lycosa_crawllet::record::{Kind, LinkOut, Record, Source};

/// A page.
pub(crate) fn record(path: &str, status: u16, body: &[u8]) -> Record {
    Record {
        path: path.into(),
        status,
        kind: Kind::Page,
        headers: Vec::new(),
        body: body.to_vec(),
        sha256: sha256(body),
        out_links: Vec::new(),
        in_links: Vec::new(),
        source: Source::Http,
        seq: 0,
        tag: [0; 16],
    }
}

/// The same, with links within its site.
pub(crate) fn links(record: Record, paths: &[&str]) -> Record {
    let link = |path: &&str| LinkOut { url: (*path).into(), anchor: String::new() };
    Record { in_links: paths.iter().map(link).collect(), ..record }
}
