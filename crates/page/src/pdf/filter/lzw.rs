//! LZW as PDF has it: codes of 9 to 12 bits, the highest bit first.

/// Code that empties the table, and code that ends the data.
const CLEAR: usize = 256;
const END: usize = 257;
/// Codes of the table.
const MAX_CODES: usize = 4_096;

/// Undoes LZW, up to so many bytes. `early` says that codes grow one code too soon, as is usual.
pub(super) fn decode(data: &[u8], early: bool, most: usize) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    // Each code is some bytes of what is already out: where they begin, and how many they are.
    let mut table: Vec<(usize, usize)> = Vec::with_capacity(MAX_CODES);
    let mut previous: Option<(usize, usize)> = None;
    let (mut bits, mut held) = (0_u32, 0_u32);
    let mut bytes = data.iter();
    loop {
        let width = match END + 1 + table.len() + usize::from(early) {
            ..512 => 9,
            512..1_024 => 10,
            1_024..2_048 => 11,
            _ => 12,
        };
        while held < width {
            let Some(byte) = bytes.next() else {
                return out;
            };
            bits = bits << 8 | u32::from(*byte);
            held += 8;
        }
        held -= width;
        let code = (bits >> held & ((1 << width) - 1)) as usize;
        let begin = out.len();
        match code {
            END => return out,
            CLEAR => {
                table.clear();
                previous = None;
                continue;
            }
            0..=255 => out.push(code as u8),
            _ => {
                let known = table.get(code - END - 1).copied();
                // A code that is just being made is the one before, with its first byte again.
                let Some((from, length)) =
                    known.or(previous.map(|(from, length)| (from, length + 1)))
                else {
                    return out;
                };
                for at in from..from + length {
                    let Some(byte) = out.get(at).copied() else {
                        return out;
                    };
                    out.push(byte);
                }
            }
        }
        if let Some((from, length)) = previous
            && END + 1 + table.len() < MAX_CODES
        {
            // The one before and the first byte of this one stand next to each other.
            table.push((from, length + 1));
        }
        previous = Some((begin, out.len() - begin));
        if out.len() >= most {
            out.truncate(most);
            return out;
        }
    }
}
