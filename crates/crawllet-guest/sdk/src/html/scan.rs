//! Where does a byte next stand, which kind is it of, and what is an element called?
//!
//! Eight bytes at a time and numbers instead of words: a sandbox counts every step.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Where a byte next stands.
pub(super) fn find(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    let pattern = u64::from(wanted) * ONES;
    let mut words = bytes.get(from..)?.chunks_exact(8);
    let mut at = from;
    for word in words.by_ref() {
        let word = <[u8; 8]>::try_from(word).map_or(0, u64::from_le_bytes);
        // A byte that is as wanted becomes zero, and of all bits only its highest is left.
        let rest = word ^ pattern;
        let found = rest.wrapping_sub(ONES) & !rest & HIGHS;
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    words.remainder().iter().position(|byte| *byte == wanted).map(|place| at + place)
}

/// White space in a tag.
pub(super) const SPACE: u8 = 1;
/// What ends the name of an element.
pub(super) const NAME_END: u8 = 2;
/// What ends the name of an attribute.
pub(super) const ATTRIBUTE_END: u8 = 4;
/// What ends a value without quotes.
pub(super) const VALUE_END: u8 = 8;

/// What each byte may be.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let spaces = b" \n\r\t\x0c";
    let mut at = 0;
    while at < spaces.len() {
        kinds[spaces[at] as usize] = SPACE | NAME_END | ATTRIBUTE_END | VALUE_END;
        at += 1;
    }
    kinds[b'/' as usize] = NAME_END | ATTRIBUTE_END;
    kinds[b'>' as usize] = NAME_END | ATTRIBUTE_END | VALUE_END;
    kinds[b'=' as usize] = ATTRIBUTE_END;
    kinds
};

/// Whether a byte is of one of these kinds.
pub(super) fn is(byte: u8, kinds: u8) -> bool {
    KINDS[usize::from(byte)] & kinds != 0
}

/// Where a byte of one of these kinds next stands; the end when none does.
pub(super) fn find_kind(bytes: &[u8], from: usize, kinds: u8) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    let place = rest.iter().position(|byte| is(*byte, kinds));
    from + place.unwrap_or(rest.len())
}

/// The name of an element in lower case, as a number: its letters, the last one lowest. All names that
/// anybody reads have at most eight letters, but for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name(u64);

impl Name {
    /// A name that nobody reads.
    pub(super) const OTHER: Name = Name(0);
    /// The one with nine letters.
    pub(super) const PLAINTEXT: Name = Name(u64::MAX);

    /// The number of a name.
    pub(super) const fn of(name: &[u8]) -> Name {
        let mut letters = 0;
        let mut at = 0;
        while at < name.len() {
            letters = letters << 8 | name[at].to_ascii_lowercase() as u64;
            at += 1;
        }
        if name.len() <= 8 {
            Name(letters)
        } else {
            Name::OTHER
        }
    }

    /// The number of a name in a page.
    pub(super) fn read(name: &[u8]) -> Name {
        if name.len() == 9 && name.eq_ignore_ascii_case(b"plaintext") {
            return Name::PLAINTEXT;
        }
        Name::of(name)
    }

    /// Its letters; zeros stand before them.
    pub(super) fn letters(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }
}

/// Names as constants, to be matched.
macro_rules! names {
    ($($constant:ident = $name:literal,)*) => {
        impl Name {
            $(pub(super) const $constant: Name = Name::of($name);)*
        }
    };
}

names! {
    A = b"a",
    ABBR = b"abbr",
    ACRONYM = b"acronym",
    AREA = b"area",
    AUDIO = b"audio",
    B = b"b",
    BASE = b"base",
    BDI = b"bdi",
    BDO = b"bdo",
    BIG = b"big",
    BODY = b"body",
    CANVAS = b"canvas",
    CITE = b"cite",
    CODE = b"code",
    DATA = b"data",
    DEL = b"del",
    DFN = b"dfn",
    EM = b"em",
    EMBED = b"embed",
    FONT = b"font",
    FRAME = b"frame",
    HTML = b"html",
    I = b"i",
    IFRAME = b"iframe",
    IMAGE = b"image",
    IMG = b"img",
    INPUT = b"input",
    INS = b"ins",
    KBD = b"kbd",
    LABEL = b"label",
    LINK = b"link",
    MARK = b"mark",
    MATH = b"math",
    META = b"meta",
    NOBR = b"nobr",
    NOEMBED = b"noembed",
    NOFRAMES = b"noframes",
    NOSCRIPT = b"noscript",
    OBJECT = b"object",
    OUTPUT = b"output",
    Q = b"q",
    RUBY = b"ruby",
    S = b"s",
    SAMP = b"samp",
    SCRIPT = b"script",
    SMALL = b"small",
    SOURCE = b"source",
    SPAN = b"span",
    STRIKE = b"strike",
    STRONG = b"strong",
    STYLE = b"style",
    SUB = b"sub",
    SUP = b"sup",
    SVG = b"svg",
    TD = b"td",
    TEMPLATE = b"template",
    TEXTAREA = b"textarea",
    TH = b"th",
    TIME = b"time",
    TITLE = b"title",
    TRACK = b"track",
    TT = b"tt",
    U = b"u",
    VAR = b"var",
    VIDEO = b"video",
    WBR = b"wbr",
    XMP = b"xmp",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_found_wherever_it_stands() {
        for length in 0..40 {
            for place in 0..length {
                let mut bytes = vec![b'='; length];
                bytes[place] = b'<';
                for from in 0..=length {
                    let wanted = Some(place).filter(|place| *place >= from);
                    assert_eq!(find(&bytes, from, b'<'), wanted, "{length} {place} {from}");
                }
            }
        }
        // Neighbours in number, and what is not ASCII.
        assert_eq!(find(b"=;\xbc\0\x80\xff=;<<", 0, b'<'), Some(8));
        assert_eq!(find(b"<", 2, b'<'), None);
    }

    #[test]
    fn names_are_the_same_in_any_case_and_none_is_another() {
        assert_eq!(Name::read(b"ScRiPt"), Name::SCRIPT);
        assert_eq!(Name::read(b"PLAINtext"), Name::PLAINTEXT);
        assert_eq!(Name::read(b"laintextx"), Name::OTHER);
        assert_eq!(Name::read(b"blockquote"), Name::OTHER);
        assert_ne!(Name::read(b"noscripts"), Name::NOSCRIPT);
        assert_eq!(&Name::read(b"TITLE").letters()[3..], b"title");
    }
}
