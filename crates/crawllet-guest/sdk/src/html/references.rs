//! What does `&…;` stand for? Numbers, the names of Latin-1, and those that pages use for signs.

/// Names that also count without their semicolon, from `&nbsp;` (0xA0) on.
const LATIN: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg \
    plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave \
    Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH \
    Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig \
    agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml \
    eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/// Others that count without their semicolon.
const PLAIN: [(&str, char); 8] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("AMP", '&'),
    ("LT", '<'),
    ("GT", '>'),
    ("QUOT", '"'),
];

/// Those that need their semicolon.
const CLOSED: [(&str, char); 46] = [
    ("apos", '\''),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("sbquo", '‚'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bdquo", '„'),
    ("lsaquo", '‹'),
    ("rsaquo", '›'),
    ("hellip", '…'),
    ("bull", '•'),
    ("euro", '€'),
    ("trade", '™'),
    ("larr", '←'),
    ("uarr", '↑'),
    ("rarr", '→'),
    ("darr", '↓'),
    ("minus", '−'),
    ("ensp", '\u{2002}'),
    ("emsp", '\u{2003}'),
    ("thinsp", '\u{2009}'),
    ("zwnj", '\u{200c}'),
    ("zwj", '\u{200d}'),
    ("OElig", 'Œ'),
    ("oelig", 'œ'),
    ("Scaron", 'Š'),
    ("scaron", 'š'),
    ("num", '#'),
    ("percnt", '%'),
    ("lpar", '('),
    ("rpar", ')'),
    ("plus", '+'),
    ("comma", ','),
    ("period", '.'),
    ("sol", '/'),
    ("colon", ':'),
    ("semi", ';'),
    ("equals", '='),
    ("quest", '?'),
    ("excl", '!'),
    ("commat", '@'),
    ("lowbar", '_'),
    ("Tab", '\t'),
    ("NewLine", '\n'),
];

/// The longest name that is looked up.
const MAX_NAME: usize = 8;

/// Appends a text with its character references decoded, by the rules of attributes or of text.
pub(super) fn decode(text: &str, in_attribute: bool, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match number(rest).or_else(|| name(rest, in_attribute)) {
            Some((c, taken)) => {
                out.push(c);
                taken
            }
            None => {
                out.push('&');
                1
            }
        };
        rest = &rest[taken..];
    }
    out.push_str(rest);
}

/// `&#38;` or `&#x26;`, with or without semicolon: the character, and how much of the text it takes.
fn number(text: &str) -> Option<(char, usize)> {
    let digits = text.strip_prefix("&#")?;
    let (radix, digits) = match digits.strip_prefix(|c| matches!(c, 'x' | 'X')) {
        Some(digits) => (16, digits),
        None => (10, digits),
    };
    let length = digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    if length == 0 {
        return None;
    }
    let read = |code: u32, c: char| {
        code.saturating_mul(radix).saturating_add(c.to_digit(radix).unwrap_or(0))
    };
    let code = digits[..length].chars().fold(0, read);
    let c = match code {
        0x80..=0x9f => crate::charset::character(code as u8),
        0 => char::REPLACEMENT_CHARACTER,
        _ => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    let taken = text.len() - digits.len() + length;
    Some((c, taken + usize::from(digits[length..].starts_with(';'))))
}

fn name(text: &str, in_attribute: bool) -> Option<(char, usize)> {
    let run = text.bytes().skip(1).take_while(u8::is_ascii_alphanumeric).count();
    let whole = &text[1..1 + run];
    let after = text.as_bytes().get(1 + run);
    if after == Some(&b';') {
        let closed = CLOSED.iter().find(|(name, _)| *name == whole).map(|(_, c)| *c);
        if let Some(c) = closed.or_else(|| open(whole)) {
            return Some((c, run + 2));
        }
    }
    if in_attribute {
        // `&copy=1` and `&copyright` are parts of a query.
        return open(whole).filter(|_| after != Some(&b'=')).map(|c| (c, run + 1));
    }
    let lengths = (1..=run.min(MAX_NAME)).rev();
    lengths.filter_map(|length| Some((open(&whole[..length])?, length + 1))).next()
}

fn open(name: &str) -> Option<char> {
    if let Some((_, c)) = PLAIN.iter().find(|(known, _)| *known == name) {
        return Some(*c);
    }
    let place = LATIN.split_ascii_whitespace().position(|known| known == name)?;
    u8::try_from(0xa0 + place).ok().map(char::from)
}
