//! What was found, and who was told, as the page shows it?

use super::{MOST_TROUBLE, Moment, outcome};
use crate::web::clean::{self, Address};
use crate::web::ui::Ui;
use jiff::tz::TimeZone;
use lycosa_model::message::{
    ChangeKind, DeliveryState, DeliveryView, PieceKind, WatchCheck, WatchEntry,
};

/// Characters of one piece of a difference; the whole has 4 KiB at most.
const MOST_PIECE: usize = 4_096;

/// A piece of a difference.
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    pub(super) text: String,
}

/// A change that was found.
pub(super) struct Change {
    pub(super) number: u64,
    pub(super) kind: &'static str,
    /// The same in English, for the style.
    pub(super) mark: &'static str,
    pub(super) title: String,
    pub(super) href: Option<String>,
    pub(super) words: String,
    pub(super) at: Option<Moment>,
    pub(super) why: String,
    pub(super) text: String,
    pub(super) pieces: Vec<Piece>,
}

impl Change {
    pub(super) fn of(ui: Ui, zone: &TimeZone, entry: &WatchEntry) -> Change {
        let address = Address::new(&entry.url);
        let title = clean::line(&entry.title, clean::MAX_TITLE);
        let words = address.as_ref().map_or_else(|| clean::line(&entry.url, 100), Address::words);
        let pieces = entry.diff.iter().map(|piece| Piece {
            kind: piece.kind,
            text: clean::text(&piece.text).chars().take(MOST_PIECE).collect(),
        });
        Change {
            number: entry.number,
            kind: (ui.texts().watch.change)(entry.change),
            mark: entry.change.name(),
            href: address.map(|address| address.href).filter(|_| entry.change != ChangeKind::Gone),
            title: if title.is_empty() { words.clone() } else { title },
            words,
            at: Moment::of(ui, entry.at, zone),
            why: clean::line(&entry.why, MOST_TROUBLE),
            text: match entry.diff.is_empty() {
                true => clean::line(&entry.text, clean::MAX_SNIPPET),
                false => String::new(),
            },
            pieces: pieces.collect(),
        }
    }
}

/// One time that it was looked at.
pub(super) struct Look {
    pub(super) at: Option<Moment>,
    pub(super) outcome: String,
    pub(super) pages: String,
    pub(super) errors: usize,
    pub(super) note: String,
}

impl Look {
    pub(super) fn of(ui: Ui, zone: &TimeZone, check: &WatchCheck) -> Look {
        Look {
            at: Moment::of(ui, check.at, zone),
            outcome: outcome(ui, check),
            pages: ui.count(check.pages as u64),
            errors: check.errors,
            note: clean::line(check.note.as_deref().unwrap_or_default(), MOST_TROUBLE),
        }
    }
}

/// Something that somebody is told.
pub(super) struct Told {
    pub(super) id: String,
    /// The id for people.
    pub(super) label: String,
    pub(super) channel: String,
    pub(super) state: &'static str,
    pub(super) is_dead: bool,
    pub(super) attempts: u32,
    pub(super) made: Option<Moment>,
    pub(super) next: Option<Moment>,
    pub(super) last: String,
    pub(super) changes: usize,
}

impl Told {
    pub(super) fn of(ui: Ui, zone: &TimeZone, delivery: &DeliveryView) -> Told {
        let t = &ui.texts().watch;
        let waits = delivery.state == DeliveryState::Waiting;
        Told {
            id: delivery.id.clone(),
            label: clean::line(&delivery.id, 80),
            channel: match delivery.channel.as_str() {
                "webhook" => t.hook.to_owned(),
                "mail" => t.mail.to_owned(),
                other => clean::line(other, 40),
            },
            state: (t.delivery)(delivery.state),
            is_dead: delivery.state == DeliveryState::Dead,
            attempts: delivery.attempts,
            made: Moment::of(ui, delivery.made, zone),
            next: Moment::of(ui, delivery.next, zone).filter(|_| waits),
            last: clean::line(&delivery.last, MOST_TROUBLE),
            changes: delivery.entries.len(),
        }
    }
}
