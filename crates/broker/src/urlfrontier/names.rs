//! What may a crawl, a queue and a URL be called, and how much may be said of it?

use super::book::{News, Put};
use super::messages::{UrlInfo, UrlItem, url_item};

/// The crawl of those who name none.
pub(crate) const DEFAULT_CRAWL: &str = "DEFAULT";

/// Longest key of a queue, in characters.
pub(crate) const MAX_KEY: usize = 255;

/// Longest name of a crawl, in characters.
pub(crate) const MAX_CRAWL: usize = 255;

/// Longest URL, in bytes.
pub(crate) const MAX_URL: usize = 16 << 10;

/// Most bytes of metadata of one URL.
pub(crate) const MAX_METADATA: usize = 256 << 10;

/// The crawl that is meant.
pub(crate) fn crawl(name: &str) -> &str {
    if name.trim().is_empty() { DEFAULT_CRAWL } else { name }
}

/// The host of a URL as it is written: behind the scheme, up to the port, the path or the query.
pub(crate) fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    // The colons of an address in brackets are its own.
    let address = rest.starts_with('[').then(|| rest.find(']')).flatten().unwrap_or(0);
    let tail = rest.get(address..)?.find([':', '/', '?', '&']);
    let end = tail.map_or(rest.len(), |end| address + end);
    rest.get(..end).filter(|host| !host.trim().is_empty())
}

/// The queue that is meant; `None` when the URL has no host to call it by.
pub(crate) fn key<'a>(key: &'a str, url: &'a str) -> Option<&'a str> {
    if key.is_empty() { host(url) } else { Some(key) }
}

/// Why a URL can never be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// The item is empty.
    #[error("the item holds neither a discovered nor a known URL")]
    Nothing,
    /// No URL.
    #[error("the URL is empty")]
    NoUrl,
    /// No queue.
    #[error("the URL has no host, and no key was given")]
    NoHost,
    /// The URL is too long.
    #[error("the URL has more than {MAX_URL} bytes")]
    LongUrl,
    /// The key is too long.
    #[error("the key has more than {MAX_KEY} characters")]
    LongKey,
    /// The crawl's name is too long.
    #[error("the crawl ID has more than {MAX_CRAWL} characters")]
    LongCrawl,
    /// Too much metadata.
    #[error("the metadata has more than {MAX_METADATA} bytes")]
    MuchMetadata,
}

/// Reads an item of a stream.
pub(crate) fn item(item: UrlItem) -> Result<Put, Refusal> {
    match item.item {
        Some(url_item::Item::Discovered(found)) => {
            info(found.info.ok_or(Refusal::Nothing)?, News::Discovered)
        }
        Some(url_item::Item::Known(known)) => {
            let news = News::Known(known.refetchable_from_date);
            info(known.info.ok_or(Refusal::Nothing)?, news)
        }
        None => Err(Refusal::Nothing),
    }
}

/// Reads what is said of a URL.
pub(crate) fn info(info: UrlInfo, news: News) -> Result<Put, Refusal> {
    if info.url.is_empty() {
        return Err(Refusal::NoUrl);
    }
    if info.url.len() > MAX_URL {
        return Err(Refusal::LongUrl);
    }
    let crawl = crawl(&info.crawl_id);
    if crawl.chars().count() > MAX_CRAWL {
        return Err(Refusal::LongCrawl);
    }
    let key = key(&info.key, &info.url).ok_or(Refusal::NoHost)?;
    if key.chars().count() > MAX_KEY {
        return Err(Refusal::LongKey);
    }
    let values = |list: &[String]| list.iter().map(String::len).sum::<usize>();
    let said = info.metadata.iter().map(|(name, list)| name.len() + values(&list.values));
    if said.sum::<usize>() > MAX_METADATA {
        return Err(Refusal::MuchMetadata);
    }
    let (crawl, key) = (crawl.to_owned(), key.to_owned());
    let metadata = info.metadata.into_iter().map(|(name, list)| (name, list.values)).collect();
    Ok(Put { crawl, key, url: info.url, metadata, news, created: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_ends_at_port_path_query_or_ampersand() {
        for (url, wanted) in [
            ("http://gac.icann.org?language_id=9", Some("gac.icann.org")),
            ("https://a.test:8443/x", Some("a.test")),
            ("a.test/x", Some("a.test")),
            ("http://a.test&b", Some("a.test")),
            ("http:///x", None),
            ("http://", None),
            ("/x", None),
            ("http://[::1]:80/", Some("[::1]")),
            ("http://[::1", Some("[")),
        ] {
            assert_eq!(host(url), wanted, "{url}");
        }
    }

    #[test]
    fn blank_crawls_are_the_default_one() {
        assert_eq!([crawl(""), crawl("  \t"), crawl(" x")], ["DEFAULT", "DEFAULT", " x"]);
    }

    #[test]
    fn what_is_too_long_or_nameless_is_refused_with_the_reason() {
        let at = |url: &str| UrlInfo { url: url.to_owned(), ..UrlInfo::default() };
        let long = |length| "x".repeat(length);
        let read = |said| info(said, News::Discovered);
        assert_eq!(read(at("")), Err(Refusal::NoUrl));
        assert_eq!(read(at("http:///")), Err(Refusal::NoHost));
        assert_eq!(read(at(&format!("http://a/{}", long(MAX_URL)))), Err(Refusal::LongUrl));
        assert_eq!(read(at(&format!("http://{}/", long(256)))), Err(Refusal::LongKey));
        let key = UrlInfo { key: "ü".repeat(MAX_KEY), ..at("http://a/") };
        assert_eq!(read(key).map(|put| put.key.chars().count()), Ok(MAX_KEY));
        let crawl = UrlInfo { crawl_id: long(MAX_CRAWL + 1), ..at("http://a/") };
        assert_eq!(read(crawl), Err(Refusal::LongCrawl));
        let mut much = at("http://a/");
        let list = super::super::messages::StringList { values: vec![long(MAX_METADATA)] };
        much.metadata.insert("k".into(), list);
        assert_eq!(read(much), Err(Refusal::MuchMetadata));
        assert_eq!(item(UrlItem::default()), Err(Refusal::Nothing));
    }
}
