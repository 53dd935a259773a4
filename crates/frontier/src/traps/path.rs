//! Does a path repeat itself?

/// Longest run of segments that is looked for.
const LONGEST_RUN: usize = 8;

/// Whether a segment, or a run of segments, stands more than `most` times in a row, or one segment more
/// than twice as often as that anywhere. Runs of numbers do not count: `/1/1/1` is a place in a book.
pub(super) fn repeats(path: &str, most: usize) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    (1..=LONGEST_RUN).any(|run| in_a_row(&segments, run, most)) || anywhere(&segments, 2 * most)
}

fn in_a_row(segments: &[&str], run: usize, most: usize) -> bool {
    // Equal to the segment one run before: so many in a row make one more run.
    let needed = run.saturating_mul(most);
    let mut equal = 0;
    for at in run..segments.len() {
        equal = if segments[at] == segments[at - run] { equal + 1 } else { 0 };
        if needed > 0 && equal >= needed {
            let last = &segments[at + 1 - run..=at];
            if !last.iter().all(|segment| is_number(segment)) {
                return true;
            }
        }
    }
    false
}

fn anywhere(segments: &[&str], most: usize) -> bool {
    if segments.len() <= most || most == 0 {
        return false;
    }
    let mut sorted: Vec<&str> = segments.iter().copied().filter(|text| !is_number(text)).collect();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).any(|same| same.len() > most)
}

fn is_number(segment: &str) -> bool {
    segment.bytes().all(|byte| byte.is_ascii_digit())
}
