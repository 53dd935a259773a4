//! Which answers serve several pages? Scripts and styles of a site are fetched once, not once per page.

use super::Fetched;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// Bytes of all answers.
const MAX_BYTES: usize = 64 << 20;
/// Bytes of one answer.
const MAX_ENTRY: usize = 4 << 20;
/// How long an answer is good, whatever its headers say.
const AGE: Duration = Duration::from_secs(15 * 60);

/// Answers by address; the oldest make room for new ones.
#[derive(Default)]
pub(super) struct Shelf {
    entries: HashMap<String, (Instant, Fetched)>,
    order: VecDeque<String>,
    bytes: usize,
}

impl Shelf {
    pub(super) fn get(&self, url: &str) -> Option<Fetched> {
        let (since, fetched) = self.entries.get(url)?;
        (since.elapsed() < AGE).then(|| fetched.clone())
    }

    /// Keeps an answer if it may serve others: scripts and styles, not data.
    pub(super) fn put(&mut self, url: &str, fetched: &Fetched) {
        if fetched.status != 200 || fetched.body.len() > MAX_ENTRY || !is_shared(fetched) {
            return;
        }
        if let Some((_, old)) = self.entries.remove(url) {
            self.bytes -= old.body.len();
            self.order.retain(|known| known != url);
        }
        self.bytes += fetched.body.len();
        self.order.push_back(url.to_owned());
        self.entries.insert(url.to_owned(), (Instant::now(), fetched.clone()));
        while self.bytes > MAX_BYTES
            && let Some(oldest) = self.order.pop_front()
        {
            if let Some((_, gone)) = self.entries.remove(&oldest) {
                self.bytes -= gone.body.len();
            }
        }
    }
}

fn is_shared(fetched: &Fetched) -> bool {
    let kind = fetched.headers.get("content-type").unwrap_or_default().to_ascii_lowercase();
    kind.contains("javascript") || kind.contains("ecmascript") || kind.starts_with("text/css")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use lycosa_model::Headers;

    fn answer(kind: &'static str, size: usize) -> Fetched {
        let mut headers = Headers::default();
        headers.push("Content-Type", kind);
        Fetched { status: 200, headers, body: Bytes::from(vec![b'x'; size]) }
    }

    #[test]
    fn scripts_and_styles_are_shared_and_data_is_not() {
        let mut shelf = Shelf::default();
        shelf.put("a", &answer("application/javascript", 10));
        shelf.put("b", &answer("text/css; charset=utf-8", 10));
        shelf.put("c", &answer("application/json", 10));
        shelf.put("d", &Fetched { status: 404, ..answer("text/css", 10) });
        let there = ["a", "b", "c", "d"].map(|url| shelf.get(url).is_some());
        assert_eq!(there, [true, true, false, false]);
    }

    #[test]
    fn the_shelf_is_bounded_and_the_oldest_go_first() {
        let mut shelf = Shelf::default();
        for number in 0..40 {
            shelf.put(&number.to_string(), &answer("text/javascript", MAX_ENTRY));
            assert!(shelf.bytes <= MAX_BYTES);
        }
        assert!(shelf.get("0").is_none() && shelf.get("39").is_some());
        shelf.put("39", &answer("text/javascript", 1));
        assert_eq!(shelf.bytes, MAX_BYTES - MAX_ENTRY + 1);
        shelf.put("big", &answer("text/javascript", MAX_ENTRY + 1));
        assert!(shelf.get("big").is_none());
    }
}
