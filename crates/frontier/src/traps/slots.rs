//! How are patterns counted in a fixed room?

use lycosa_model::{PatternCount, UrlId};

/// Patterns of one kind that are counted at the same time, per site.
pub const SLOTS: usize = 64;

/// The count of a pattern. A new pattern takes a free slot; where there is none, every count loses one
/// and those that reach nothing make room (Misra and Gries, 1982), and the pattern goes uncounted.
pub(super) fn slot(slots: &mut Vec<PatternCount>, pattern: u64) -> Option<&mut PatternCount> {
    if let Some(at) = slots.iter().position(|slot| slot.pattern == pattern) {
        return slots.get_mut(at);
    }
    if slots.len() >= SLOTS {
        slots.retain_mut(|slot| {
            slot.count = slot.count.saturating_sub(1);
            slot.count > 0
        });
        return None;
    }
    slots.push(PatternCount { pattern, ..PatternCount::default() });
    slots.last_mut()
}

/// A digest that is the same everywhere and at all times, since counts are kept on disk.
pub(super) fn digest(text: &str) -> u64 {
    let UrlId(bytes) = UrlId::of(text);
    bytes.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}
