//! In which script is a sentence written?

/// What a script tells of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// Latin letters: many languages.
    Latin,
    /// A script with one language that matters, by its ISO 639-1 code.
    One(&'static str),
    /// Cyrillic, Arabic, Devanagari, Hebrew: a few languages.
    Several,
    /// No letters.
    None,
}

/// The scripts that are told apart.
const SCRIPTS: [Script; 18] = [
    Script::Latin,
    Script::Several,
    Script::One("el"),
    Script::One("ko"),
    Script::One("ja"),
    Script::One("zh"),
    Script::One("th"),
    Script::One("ka"),
    Script::One("hy"),
    Script::One("bn"),
    Script::One("ta"),
    Script::One("te"),
    Script::One("gu"),
    Script::One("kn"),
    Script::One("ml"),
    Script::One("pa"),
    Script::One("am"),
    Script::One("km"),
];
const KANA: usize = 4;
const HAN: usize = 5;

fn place(c: char) -> Option<usize> {
    Some(match c as u32 {
        0x41..=0x5a | 0x61..=0x7a | 0xaa | 0xba | 0xc0..=0x24f | 0x1e00..=0x1eff => 0,
        0x400..=0x52f | 0x590..=0x8ff | 0x900..=0x97f | 0xfb1d..=0xfdff | 0xfe70..=0xfefc => 1,
        0x370..=0x3ff | 0x1f00..=0x1fff => 2,
        0x1100..=0x11ff | 0x3130..=0x318f | 0xac00..=0xd7af => 3,
        0x3040..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9d => KANA,
        0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x2fa1f => HAN,
        0xe00..=0xe7f => 6,
        0x10a0..=0x10ff => 7,
        0x530..=0x58f => 8,
        0x980..=0x9ff => 9,
        0xb80..=0xbff => 10,
        0xc00..=0xc7f => 11,
        0xa80..=0xaff => 12,
        0xc80..=0xcff => 13,
        0xd00..=0xd7f => 14,
        0xa00..=0xa7f => 15,
        0x1200..=0x139f => 16,
        0x1780..=0x17ff => 17,
        _ => return None,
    })
}

/// The script of most letters, and how many letters of it there are.
pub(super) fn dominant(text: &str) -> (Script, usize) {
    let mut counts = [0_usize; SCRIPTS.len()];
    for c in text.chars() {
        if c.is_alphabetic()
            && let Some(place) = place(c)
        {
            counts[place] += 1;
        }
    }
    // Japanese mixes Han with kana; Chinese has none.
    if counts[KANA] * 10 >= counts[HAN] && counts[KANA] > 0 {
        counts[KANA] += counts[HAN];
        counts[HAN] = 0;
    }
    let best = (0..SCRIPTS.len()).max_by_key(|place| (counts[*place], SCRIPTS.len() - place));
    match best {
        Some(best) if counts[best] > 0 => (SCRIPTS[best], counts[best]),
        _ => (Script::None, 0),
    }
}
