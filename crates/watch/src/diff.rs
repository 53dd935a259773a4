//! What is different between two texts? Lines are compared first, and inside those that differ the words.

#[cfg(test)]
mod tests;

use lycosa_model::message::{Piece, PieceKind};
use similar::{Algorithm, ChangeTag, DiffTag, capture_diff_slices};

/// Words around a change that are shown.
const CONTEXT: usize = 8;
/// Words of two stretches that are compared one by one; longer ones are shown as a whole.
const MAX_WORDS: usize = 4_000;
/// Lines that are compared; what is behind them is one more line.
const MAX_LINES: usize = 4_000;
/// Bytes of text in a difference.
pub const MAX_DIFF: usize = 4_096;

/// The pieces by which a reader sees what has changed; none if nothing has.
pub fn diff(old: &str, new: &str) -> Vec<Piece> {
    let (old, new) = (lines(old), lines(new));
    let mut pieces = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (tag, was, is) = op.as_tag_tuple();
        match tag {
            DiffTag::Equal => push(&mut pieces, PieceKind::Same, &new[is].join("\n")),
            DiffTag::Delete => push(&mut pieces, PieceKind::Removed, &old[was].join("\n")),
            DiffTag::Insert => push(&mut pieces, PieceKind::Added, &new[is].join("\n")),
            DiffTag::Replace => {
                words(&mut pieces, &old[was].join("\n"), &new[is].join("\n"));
            }
        }
    }
    if pieces.iter().all(|piece| piece.kind == PieceKind::Same) {
        return Vec::new();
    }
    bounded(shortened(pieces))
}

/// The same as text: what was removed as `[-…-]`, what was added as `{+…+}`, as `git --word-diff` has it.
pub fn plain(pieces: &[Piece]) -> String {
    let shown = pieces.iter().map(|piece| match piece.kind {
        PieceKind::Same => piece.text.clone(),
        PieceKind::Removed => format!("[-{}-]", piece.text),
        PieceKind::Added => format!("{{+{}+}}", piece.text),
        PieceKind::Gap => "…".to_owned(),
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn lines(text: &str) -> Vec<&str> {
    text.splitn(MAX_LINES, '\n').map(str::trim).filter(|line| !line.is_empty()).collect()
}

fn push(pieces: &mut Vec<Piece>, kind: PieceKind, text: &str) {
    match pieces.last_mut() {
        Some(last) if last.kind == kind => {
            last.text.push('\n');
            last.text.push_str(text);
        }
        _ => pieces.push(Piece { kind, text: text.to_owned() }),
    }
}

/// Compares the words of two stretches.
fn words(pieces: &mut Vec<Piece>, old: &str, new: &str) {
    let was: Vec<&str> = old.split_whitespace().collect();
    let is: Vec<&str> = new.split_whitespace().collect();
    if was.len() + is.len() > MAX_WORDS {
        push(pieces, PieceKind::Removed, old);
        push(pieces, PieceKind::Added, new);
        return;
    }
    for op in capture_diff_slices(Algorithm::Myers, &was, &is) {
        for change in op.iter_changes(&was, &is) {
            let kind = match change.tag() {
                ChangeTag::Equal => PieceKind::Same,
                ChangeTag::Delete => PieceKind::Removed,
                ChangeTag::Insert => PieceKind::Added,
            };
            match pieces.last_mut() {
                Some(last) if last.kind == kind => {
                    last.text.push(' ');
                    last.text.push_str(change.value());
                }
                _ => pieces.push(Piece { kind, text: change.value().to_owned() }),
            }
        }
    }
}

/// Leaves out what is far from every change.
fn shortened(pieces: Vec<Piece>) -> Vec<Piece> {
    let last = pieces.len() - 1;
    let gap = || Piece { kind: PieceKind::Gap, text: String::new() };
    let mut short = Vec::new();
    for (place, piece) in pieces.into_iter().enumerate() {
        let words: Vec<&str> = piece.text.split_whitespace().collect();
        let (before, after) = (place > 0, place < last);
        let room = CONTEXT * (usize::from(before) + usize::from(after));
        if piece.kind != PieceKind::Same || words.len() <= room + 1 {
            short.push(piece);
            continue;
        }
        let same = |text: String| Piece { kind: PieceKind::Same, text };
        if before {
            short.push(same(words[..CONTEXT].join(" ")));
        }
        short.push(gap());
        if after {
            short.push(same(words[words.len() - CONTEXT..].join(" ")));
        }
    }
    short
}

/// Cuts it at its longest length.
fn bounded(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut room = MAX_DIFF;
    let mut kept = Vec::new();
    for mut piece in pieces {
        if piece.text.len() <= room {
            room -= piece.text.len();
            kept.push(piece);
            continue;
        }
        // What was added after a long stretch that was removed has its share.
        let share = (room / 2).max(MAX_DIFF / 8).min(room);
        piece.text.truncate(piece.text.floor_char_boundary(share));
        room -= share;
        kept.push(piece);
        kept.push(Piece { kind: PieceKind::Gap, text: String::new() });
        if room < MAX_DIFF / 8 {
            break;
        }
    }
    kept
}
