//! Which ways of crawling are held against each other?

use super::conventional::Lines;

/// Requests at a time of a crawler with several: what browsers had for a site before HTTP/2.
pub(super) const SEVERAL: usize = 6;
/// Requests at a time that no owner of a site would thank for.
pub(super) const MANY: usize = 64;

/// A way of crawling a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// The paper's conventional crawler.
    PerPage,
    KeepAlive,
    KeepAliveSeveral,
    Http2,
    Http2Many,
    /// A crawllet; whether it is given files, and whether records are packed.
    Crawllet {
        files: bool,
        packed: bool,
    },
}

impl Method {
    pub(super) const ALL: [Method; 9] = [
        Method::PerPage,
        Method::KeepAlive,
        Method::KeepAliveSeveral,
        Method::Http2,
        Method::Http2Many,
        Method::Crawllet { files: false, packed: false },
        Method::Crawllet { files: true, packed: false },
        Method::Crawllet { files: false, packed: true },
        Method::Crawllet { files: true, packed: true },
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Method::PerPage => "one connection per page",
            Method::KeepAlive => "keep-alive, 1 connection",
            Method::KeepAliveSeveral => "keep-alive, 6 connections",
            Method::Http2 => "HTTP/2 + gzip, 6 at a time",
            Method::Http2Many => "HTTP/2 + gzip, 64 at a time",
            Method::Crawllet { files: false, packed: false } => "crawllet, HTTP",
            Method::Crawllet { files: true, packed: false } => "crawllet, files",
            Method::Crawllet { files: false, packed: true } => "crawllet, HTTP, compressed",
            Method::Crawllet { files: true, packed: true } => "crawllet, files, compressed",
        }
    }

    /// The same for names of figures and for the command line.
    pub(super) fn key(self) -> &'static str {
        match self {
            Method::PerPage => "per_page",
            Method::KeepAlive => "keep_alive_1",
            Method::KeepAliveSeveral => "keep_alive_6",
            Method::Http2 => "http2_gzip_6",
            Method::Http2Many => "http2_gzip_64",
            Method::Crawllet { files: false, packed: false } => "crawllet_http",
            Method::Crawllet { files: true, packed: false } => "crawllet_files",
            Method::Crawllet { files: false, packed: true } => "crawllet_http_packed",
            Method::Crawllet { files: true, packed: true } => "crawllet_files_packed",
        }
    }

    pub(super) fn by_key(key: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.key() == key)
    }

    /// How a conventional crawler uses connections.
    pub(super) fn lines(self) -> Option<Lines> {
        Some(match self {
            Method::PerPage => Lines::PerPage,
            Method::KeepAlive => Lines::Kept(1),
            Method::KeepAliveSeveral => Lines::Kept(SEVERAL),
            Method::Http2 => Lines::Http2(SEVERAL),
            Method::Http2Many => Lines::Http2(MANY),
            Method::Crawllet { .. } => return None,
        })
    }

    pub(super) fn is_crawllet(self) -> bool {
        matches!(self, Method::Crawllet { .. })
    }

    pub(super) fn is_packed_crawllet(self) -> bool {
        matches!(self, Method::Crawllet { packed: true, .. })
    }

    /// Whether it does nothing but wait for one answer after the other, when these are far away.
    pub(super) fn waits(self) -> bool {
        matches!(self, Method::PerPage | Method::KeepAlive)
    }
}
