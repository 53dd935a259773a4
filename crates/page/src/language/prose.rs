//! Is this a sentence of that language, or names, numbers and labels that look like it?
//!
//! No prose goes far without articles, prepositions and pronouns. A classifier has to name some
//! language for a row of Latin plant names; the small words are not in it.

use lycosa_model::Lang;

/// Words of a sentence.
const MIN_WORDS: usize = 5;
/// Small words of the language that have to be in it.
const MIN_SMALL: usize = 2;
/// One word in this many has to be a small one.
const ONE_IN: usize = 7;

/// The commonest small words, without those that are common in another language of the table in the
/// same spelling where that can be helped. `None` when we have no table.
fn small_words(lang: Lang) -> Option<&'static [&'static str]> {
    Some(match lang.as_str() {
        "en" => &[
            "the", "of", "and", "to", "in", "is", "that", "it", "was", "for", "on", "are", "with",
            "as", "his", "they", "be", "at", "this", "have", "from", "or", "had", "by", "but",
            "not", "what", "were", "we", "when", "your", "can", "there", "an", "which", "their",
            "has", "you", "our", "will", "who", "its", "been",
        ],
        "es" => &[
            "de", "la", "que", "el", "en", "y", "los", "se", "del", "las", "un", "por", "con",
            "una", "su", "para", "es", "al", "lo", "como", "más", "pero", "sus", "le", "ya", "o",
            "este", "sí", "porque", "esta", "entre", "cuando", "muy", "sin", "sobre", "también",
            "hasta", "hay", "donde", "quien", "desde", "todo", "nos", "todos", "ha", "son", "fue",
            "está",
        ],
        "pt" => &[
            "de", "a", "o", "que", "e", "do", "da", "em", "um", "para", "com", "não", "uma", "os",
            "no", "se", "na", "por", "mais", "as", "dos", "como", "mas", "ao", "das", "à", "seu",
            "sua", "ou", "quando", "muito", "nos", "já", "eu", "também", "só", "pelo", "pela",
            "até", "isso", "ela", "entre", "depois", "sem", "foi", "são", "está",
        ],
        "fr" => &[
            "de", "la", "le", "et", "les", "des", "en", "un", "du", "une", "que", "est", "pour",
            "qui", "dans", "a", "par", "plus", "pas", "au", "sur", "ne", "se", "ce", "il", "sont",
            "avec", "son", "aux", "d", "l", "cette", "ses", "ou", "mais", "comme", "elle", "nous",
            "vous", "été", "leur", "ont", "fait",
        ],
        "it" => &[
            "di", "e", "il", "la", "che", "in", "a", "per", "un", "del", "è", "una", "i", "con",
            "non", "della", "da", "le", "si", "al", "nel", "dei", "alla", "come", "più", "gli",
            "delle", "sono", "ma", "lo", "ha", "dal", "anche", "nella", "o", "su", "questo",
            "degli", "l", "dell", "all", "loro",
        ],
        "de" => &[
            "der", "die", "und", "in", "den", "von", "zu", "das", "mit", "sich", "des", "auf",
            "für", "ist", "im", "dem", "nicht", "ein", "eine", "als", "auch", "es", "an", "werden",
            "aus", "er", "hat", "dass", "sie", "nach", "wird", "bei", "einer", "um", "am", "sind",
            "noch", "wie", "einem", "über", "einen", "so", "zum", "war", "haben", "nur", "oder",
            "wir",
        ],
        "nl" => &[
            "de", "van", "het", "een", "en", "in", "is", "dat", "op", "te", "zijn", "met", "voor",
            "niet", "aan", "er", "om", "ook", "als", "dan", "maar", "bij", "of", "uit", "nog",
            "naar", "door", "over", "ze", "worden", "wordt", "deze", "hij", "heeft", "die", "je",
            "werd",
        ],
        "sv" => &[
            "och", "i", "att", "det", "som", "en", "på", "är", "av", "för", "med", "till", "den",
            "har", "de", "inte", "om", "ett", "han", "men", "var", "jag", "sig", "från", "vi",
            "så", "kan", "när", "eller", "ut", "under", "också", "efter", "vid",
        ],
        "tr" => &[
            "ve", "bir", "bu", "da", "de", "için", "ile", "çok", "olarak", "daha", "olan", "gibi",
            "en", "ne", "her", "ama", "kadar", "sonra", "o", "ki", "var", "ya", "değil", "onun",
        ],
        "vi" => &[
            "và", "của", "là", "có", "được", "trong", "cho", "các", "một", "với", "không", "những",
            "đã", "này", "người", "để", "từ", "về", "khi", "đến", "ra", "như", "tại", "vào",
        ],
        _ => return None,
    })
}

/// Whether this reads as a sentence of the language: enough words, not most of them with a capital,
/// and as many small words as its prose has, more than it has of English ones.
pub(super) fn is_prose(sentence: &str, lang: Lang) -> bool {
    let table = small_words(lang);
    let english = small_words(Lang::EN).filter(|_| lang != Lang::EN).unwrap_or(&[]);
    let (mut words, mut capitals, mut small, mut foreign) = (0, 0, 0, 0);
    let mut lower = String::new();
    let pieces = sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in pieces {
        words += 1;
        capitals += usize::from(word.chars().next().is_some_and(char::is_uppercase));
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        let ours = table.is_some_and(|table| table.contains(&lower.as_str()));
        let theirs = english.contains(&lower.as_str());
        small += usize::from(ours);
        foreign += usize::from(theirs && !ours);
    }
    let has_small =
        table.is_none() || (small >= MIN_SMALL && small * ONE_IN >= words && small > foreign);
    words >= MIN_WORDS && capitals * 2 <= words && has_small
}

/// Whether [`is_prose`] can tell this language from others.
pub(super) fn has_table(lang: Lang) -> bool {
    small_words(lang).is_some()
}
