//! What do the tools for watches give back?

use crate::mcp::answers::{Notice, clean, date};
use lycosa_model::message::{ChangeKind, Piece, WatchCheck, WatchEntry, WatchView};
use schemars::JsonSchema;
use serde::Serialize;

/// Characters of the beginning of a page, and of a difference.
const MOST_TEXT: usize = 500;
const MOST_DIFF: usize = 2_000;
/// Pages that are named because they cannot be read.
const MOST_FAILING: usize = 20;

/// Of `watch_create`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Created {
    pub(super) watch_id: u64,
    /// Where its Atom feed is on the server, with the token that it needs.
    pub(super) feed: String,
    /// The secret of its webhook, which is told only now.
    pub(super) secret: Option<String>,
}

/// Of `watch_update`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Updated {
    #[serde(flatten)]
    pub(super) watch: Watch,
    /// The secret of its webhook, if that has a new one, which is told only now.
    pub(super) secret: Option<String>,
}

/// Of `watch_get` and `watch_run`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Watch {
    pub(super) watch_id: u64,
    pub(super) name: String,
    /// What it watches is one of these three.
    pub(super) query: Option<String>,
    pub(super) page: Option<String>,
    pub(super) site: Option<String>,
    /// The schedule in words.
    pub(super) schedule: String,
    /// Whether it rests.
    pub(super) paused: bool,
    /// Whether it knows what was there to begin with.
    pub(super) baseline: bool,
    /// When it is looked at next.
    pub(super) due: Option<String>,
    /// Pages that it knows.
    pub(super) pages: usize,
    /// The last time that it was looked at.
    pub(super) last_check: Option<Check>,
    /// Pages that could not be read then.
    pub(super) failing: Vec<Failing>,
    /// Messages to a webhook or by mail that wait, and that were given up.
    pub(super) waiting: usize,
    pub(super) given_up: usize,
    /// Why its webhook is off, if it is.
    pub(super) webhook_off: Option<String>,
    /// Why its mail is off, if it is.
    pub(super) email_off: Option<String>,
    /// Where its Atom feed is on the server.
    pub(super) feed: String,
}

/// A page that could not be read.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Failing {
    pub(super) url: String,
    pub(super) why: String,
}

impl Watch {
    pub(super) fn new(view: WatchView) -> Watch {
        let failing = |(url, why): (String, String)| Failing { url, why: clean(&why) };
        Watch {
            watch_id: view.id,
            waiting: view.waiting,
            given_up: view.given_up,
            name: clean(&view.name),
            query: view.order.query,
            page: view.order.page,
            site: view.order.site,
            schedule: view.schedule,
            paused: view.paused,
            baseline: view.baseline,
            due: view.due.and_then(date),
            pages: view.pages,
            last_check: view.checks.into_iter().next().map(Check::new),
            failing: view.failing.into_iter().take(MOST_FAILING).map(failing).collect(),
            webhook_off: view.hook_off.map(|why| clean(&why)),
            email_off: view.mail_off.map(|why| clean(&why)),
            feed: view.feed,
        }
    }
}

/// Of `watch_list`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Watches {
    /// The newest first.
    pub(super) watches: Vec<Watch>,
    /// Whether there are more.
    pub(super) truncated: bool,
}

/// Of `watch_delete`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Deleted {
    pub(super) watch_id: u64,
    pub(super) deleted: bool,
}

/// Of `watch_checks`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Changes {
    pub(super) notice: Notice,
    pub(super) watch_id: u64,
    /// When it is looked at next.
    pub(super) due: Option<String>,
    /// The last times that it was looked at, the latest first.
    pub(super) checks: Vec<Check>,
    /// What was found, the latest first.
    pub(super) changes: Vec<Change>,
    /// Whether there are more changes.
    pub(super) truncated: bool,
    /// The cursor of what follows.
    pub(super) next_cursor: Option<usize>,
}

/// One time that a watch was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Check {
    pub(super) at: Option<String>,
    /// Whether it was the first, of which nothing is told.
    pub(super) baseline: bool,
    /// Pages that were looked at.
    pub(super) pages: usize,
    pub(super) new: usize,
    pub(super) changed: usize,
    pub(super) gone: usize,
    pub(super) errors: usize,
    /// Whether nothing could be compared.
    pub(super) failed: bool,
    /// Why, or what is to be known of it.
    pub(super) note: Option<String>,
}

impl Check {
    pub(super) fn new(check: WatchCheck) -> Check {
        Check {
            at: date(check.at),
            baseline: check.baseline,
            pages: check.pages,
            new: check.new,
            changed: check.changed,
            gone: check.gone,
            errors: check.errors,
            failed: check.failed,
            note: check.note.map(|note| clean(&note)),
        }
    }
}

/// One change that was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Change {
    /// Names it for ever; what `since` takes.
    pub(super) number: u64,
    pub(super) change: ChangeKind,
    pub(super) url: String,
    pub(super) title: String,
    pub(super) at: Option<String>,
    /// The beginning of the text.
    pub(super) text: String,
    /// What is different, piece by piece.
    pub(super) diff: Vec<Piece>,
    /// Whether text or difference are longer than this.
    pub(super) cut: bool,
    /// The score, of a query.
    pub(super) score: Option<f32>,
    /// Why, in words.
    pub(super) why: String,
}

impl Change {
    pub(super) fn new(entry: WatchEntry) -> Change {
        let (text, mut cut) = beginning(&entry.text, MOST_TEXT);
        let mut room = MOST_DIFF;
        let mut diff = Vec::new();
        for Piece { kind, text } in entry.diff {
            let (text, is_cut) = beginning(&text, room);
            room -= text.chars().count();
            cut |= is_cut;
            diff.push(Piece { kind, text });
            if is_cut || room == 0 {
                cut = true;
                break;
            }
        }
        Change {
            number: entry.number,
            change: entry.change,
            url: entry.url,
            title: clean(&entry.title),
            at: date(entry.at),
            text,
            diff,
            cut,
            score: entry.score,
            why: clean(&entry.why),
        }
    }
}

/// The first characters of a stranger's text, and whether there are more.
fn beginning(text: &str, most: usize) -> (String, bool) {
    let text = clean(text);
    match text.char_indices().nth(most) {
        Some((end, _)) => (text[..end].to_owned(), true),
        None => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lycosa_model::Tick;
    use lycosa_model::message::PieceKind;

    #[test]
    fn what_pages_say_is_short_and_hides_nothing() {
        let long = "w\u{200b}ord ".repeat(1_000);
        let piece = |text: &str| Piece { kind: PieceKind::Added, text: text.to_owned() };
        let entry = WatchEntry {
            number: 7,
            change: ChangeKind::Changed,
            url: "http://a.test/".into(),
            title: "A \u{202e}title".into(),
            at: Tick(1_000),
            text: long.clone(),
            diff: vec![piece("now"), piece(&long), piece("never")],
            score: None,
            agent: String::new(),
            why: String::new(),
        };
        let change = Change::new(entry);
        assert_eq!(change.title, "A title");
        assert_eq!((change.text.chars().count(), change.cut), (MOST_TEXT, true));
        let lengths: Vec<usize> = change.diff.iter().map(|it| it.text.chars().count()).collect();
        assert_eq!(lengths, [3, MOST_DIFF - 3], "the rest is left out");
        assert!(!change.diff[1].text.contains('\u{200b}'));
    }
}
