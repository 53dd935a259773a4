//! How do records get from the desk to the sender?

use super::{LOOK, Out};
use std::sync::mpsc::SyncSender;
use std::time::Instant;

/// Records on their way to the sender: several at a time, since each hand-over wakes it.
pub(super) struct Tray {
    to: SyncSender<Out>,
    records: Vec<Vec<u8>>,
    bytes: usize,
    /// As many bytes go together.
    most: usize,
    /// When the first of them came.
    since: Instant,
}

impl Tray {
    /// An empty one; as many bytes go together.
    pub(super) fn new(to: SyncSender<Out>, most: usize) -> Tray {
        Tray { to, records: Vec::new(), bytes: 0, most, since: Instant::now() }
    }

    /// Takes a record. False if nobody is there any more.
    pub(super) fn record(&mut self, record: Vec<u8>) -> bool {
        if self.records.is_empty() {
            self.since = Instant::now();
        }
        self.bytes += record.len();
        self.records.push(record);
        self.bytes < self.most && self.since.elapsed() < LOOK || self.hand_over()
    }

    /// Hands over whatever this is, after the records before it. False if nobody is there any more.
    pub(super) fn give(&mut self, out: Out) -> bool {
        self.hand_over() && self.to.send(out).is_ok()
    }

    fn hand_over(&mut self) -> bool {
        self.bytes = 0;
        let records = std::mem::take(&mut self.records);
        records.is_empty() || self.to.send(Out::Records(records)).is_ok()
    }
}
