//! Which words carry no meaning of their own? Function words, per language, in folded form.
//!
//! The lists are short on purpose: articles, prepositions, pronouns, conjunctions and auxiliaries. A word
//! that can name a thing stays, because a list that is too long makes pages impossible to find. Elided
//! forms (`l`, `qu`, `ll`) are here because a word ends at an apostrophe.

use lycosa_model::Lang;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Stop words of one language, folded and sorted.
pub type StopWords = &'static [&'static str];

/// The stop words of a language; none for a language without a list.
pub fn stop_words(lang: Lang) -> StopWords {
    LISTS.iter().find(|(code, _)| *code == lang.as_str()).map_or(&[], |(_, words)| words)
}

/// Whether a folded word is in a list.
pub fn is_stop_word(list: StopWords, folded: &str) -> bool {
    folded.len() <= LONGEST && list.binary_search(&folded).is_ok()
}

/// Whether a folded word is a stop word in any language that has a list.
pub fn is_stop_word_anywhere(folded: &str) -> bool {
    static ALL: LazyLock<HashSet<&str>> =
        LazyLock::new(|| LISTS.iter().flat_map(|(_, list)| list.iter().copied()).collect());
    folded.len() <= LONGEST && ALL.contains(folded)
}

/// Bytes of the longest stop word: longer words are not looked up.
const LONGEST: usize = 10;

const LISTS: [(&str, StopWords); 8] = [
    ("ca", CA),
    ("de", DE),
    ("en", EN),
    ("es", ES),
    ("fr", FR),
    ("it", IT),
    ("nl", NL),
    ("pt", PT),
];

#[rustfmt::skip]
const CA: StopWords = &[
    "a", "abans", "aixi", "aixo", "al", "algun", "alguna", "alguns", "altra", "altre", "altres",
    "amb", "aquell", "aquella", "aquest", "aquesta", "aquestes", "aquests", "aqui", "cada", "com",
    "contra", "d", "de", "del", "dels", "des", "despres", "doncs", "dos", "durant", "e", "el",
    "ell", "ella", "elles", "ells", "els", "em", "en", "entre", "era", "eren", "es", "esta",
    "estan", "estat", "fins", "ha", "han", "hi", "ho", "i", "ja", "jo", "l", "la", "les", "li",
    "lo", "m", "ma", "mentre", "mes", "meu", "meva", "molt", "molta", "molts", "n", "ni", "no",
    "nosaltres", "nostre", "o", "on", "pel", "pels", "per", "pero", "perque", "poc", "qual",
    "quals", "quan", "que", "qui", "s", "sa", "se", "segons", "sense", "ser", "ses", "seu",
    "seus", "seva", "seves", "si", "sobre", "son", "sota", "tambe", "tan", "tant", "te", "tot",
    "tota", "totes", "tots", "tu", "un", "una", "unes", "uns", "va", "van", "vosaltres",
];

#[rustfmt::skip]
const DE: StopWords = &[
    "aber", "alle", "allem", "allen", "aller", "alles", "als", "also", "am", "an", "ander",
    "andere", "anderen", "auch", "auf", "aus", "bei", "beim", "bereits", "bin", "bis", "bist",
    "da", "damit", "dann", "das", "dass", "dein", "dem", "den", "denn", "der", "des", "dessen",
    "die", "dies", "diese", "diesem", "diesen", "dieser", "dieses", "doch", "dort", "du", "durch",
    "ein", "eine", "einem", "einen", "einer", "eines", "er", "es", "etwa", "etwas", "euch", "fur",
    "gegen", "hab", "habe", "haben", "hat", "hatte", "hatten", "hier", "hin", "hinter", "ich",
    "ihm", "ihn", "ihnen", "ihr", "ihre", "ihrem", "ihren", "ihrer", "im", "in", "indem", "ins",
    "ist", "ja", "jede", "jedem", "jeden", "jeder", "jedes", "jedoch", "jene", "jetzt", "kann",
    "kein", "keine", "keinen", "konnen", "man", "mehr", "mein", "mich", "mir", "mit", "muss",
    "nach", "nicht", "nichts", "noch", "nun", "nur", "ob", "oder", "ohne", "schon", "sehr",
    "sein", "seine", "seinem", "seinen", "seiner", "seit", "sich", "sie", "sind", "so", "sollte",
    "sondern", "sowie", "uber", "um", "und", "uns", "unser", "unter", "viel", "vom", "von", "vor",
    "war", "waren", "warum", "was", "weil", "welche", "welcher", "wenn", "wer", "werden", "wie",
    "wieder", "will", "wir", "wird", "wo", "wurde", "wurden", "zu", "zum", "zur", "zwar",
    "zwischen",
];

#[rustfmt::skip]
const EN: StopWords = &[
    "a", "about", "above", "after", "again", "against", "all", "also", "although", "am", "an",
    "and", "any", "are", "aren", "as", "at", "be", "because", "been", "before", "being", "below",
    "between", "both", "but", "by", "can", "cannot", "could", "couldn", "d", "did", "didn", "do",
    "does", "doesn", "doing", "don", "during", "each", "either", "etc", "even", "ever", "every",
    "few", "for", "from", "further", "had", "hadn", "has", "hasn", "have", "haven", "having",
    "he", "her", "here", "hers", "herself", "him", "himself", "his", "how", "however", "i", "if",
    "in", "into", "is", "isn", "it", "its", "itself", "just", "ll", "m", "may", "me", "might",
    "more", "most", "must", "my", "myself", "neither", "no", "nor", "not", "of", "off", "on",
    "once", "only", "or", "other", "our", "ours", "ourselves", "out", "over", "own", "re", "s",
    "same", "shall", "she", "should", "shouldn", "since", "so", "some", "such", "t", "than",
    "that", "the", "their", "theirs", "them", "themselves", "then", "there", "these", "they",
    "this", "those", "though", "through", "thus", "to", "too", "under", "until", "up", "upon",
    "us", "ve", "very", "was", "wasn", "we", "were", "weren", "what", "when", "where", "whether",
    "which", "while", "who", "whom", "whose", "why", "will", "with", "within", "without", "would",
    "wouldn", "yet", "you", "your", "yours", "yourself", "yourselves",
];

#[rustfmt::skip]
const ES: StopWords = &[
    "a", "al", "algo", "alguna", "algunas", "alguno", "algunos", "ambos", "ante", "antes",
    "aquel", "aquella", "aquellas", "aquellos", "aqui", "asi", "aun", "aunque", "bajo", "bien",
    "cada", "casi", "como", "con", "contra", "cual", "cuales", "cualquier", "cuando", "cuanto",
    "cuya", "cuyas", "cuyo", "cuyos", "de", "del", "desde", "donde", "dos", "durante", "e", "el",
    "ella", "ellas", "ello", "ellos", "en", "entonces", "entre", "era", "eran", "eres", "es",
    "esa", "esas", "ese", "eso", "esos", "esta", "estaba", "estaban", "estado", "estamos",
    "estan", "estar", "estas", "este", "esto", "estos", "estoy", "fue", "fueron", "ha", "habia",
    "habian", "han", "hasta", "hay", "he", "hemos", "la", "las", "le", "les", "lo", "los", "mas",
    "me", "mediante", "mi", "mientras", "mis", "misma", "mismas", "mismo", "mismos", "mucha",
    "muchas", "mucho", "muchos", "muy", "nada", "ni", "no", "nos", "nosotras", "nosotros",
    "nuestra", "nuestras", "nuestro", "nuestros", "o", "os", "otra", "otras", "otro", "otros",
    "para", "pero", "poca", "pocas", "poco", "pocos", "por", "porque", "pues", "que", "quien",
    "quienes", "se", "sea", "sean", "segun", "ser", "si", "sido", "siempre", "sin", "sino",
    "sobre", "son", "su", "sus", "tal", "tales", "tambien", "tampoco", "tan", "tanto", "te",
    "tenemos", "tener", "tengo", "ti", "tiene", "tienen", "toda", "todas", "todo", "todos", "tu",
    "tus", "u", "un", "una", "unas", "uno", "unos", "usted", "ustedes", "vosotros", "y", "ya",
    "yo",
];

#[rustfmt::skip]
const FR: StopWords = &[
    "a", "ai", "ainsi", "alors", "apres", "as", "au", "aucun", "aucune", "aussi", "autre",
    "autres", "aux", "avait", "avant", "avec", "avoir", "c", "car", "ce", "ceci", "cela", "celle",
    "celles", "celui", "ces", "cet", "cette", "ceux", "chaque", "comme", "d", "dans", "de",
    "depuis", "des", "deux", "donc", "dont", "du", "elle", "elles", "en", "encore", "entre",
    "est", "et", "etaient", "etait", "etant", "ete", "etre", "eu", "eux", "fait", "il", "ils",
    "j", "je", "jusqu", "l", "la", "le", "les", "leur", "leurs", "lors", "lorsque", "lui", "m",
    "ma", "mais", "me", "meme", "memes", "mes", "moi", "mon", "n", "ne", "ni", "nos", "notre",
    "nous", "on", "ont", "ou", "par", "parce", "pas", "pendant", "peu", "peut", "plus", "pour",
    "qu", "quand", "que", "quel", "quelle", "quelles", "quels", "qui", "quoi", "s", "sa", "sans",
    "se", "selon", "ses", "si", "son", "sont", "sous", "sur", "t", "ta", "te", "tes", "toi",
    "ton", "tous", "tout", "toute", "toutes", "tres", "tu", "un", "une", "vers", "vos", "votre",
    "vous", "y",
];

#[rustfmt::skip]
const IT: StopWords = &[
    "a", "ad", "agli", "ai", "al", "alla", "alle", "allo", "anche", "ancora", "avere", "aveva",
    "c", "che", "chi", "ci", "cioe", "come", "con", "cosi", "cui", "d", "da", "dagli", "dai",
    "dal", "dalla", "dalle", "dallo", "degli", "dei", "del", "della", "delle", "dello", "dentro",
    "di", "dopo", "dove", "due", "e", "ed", "egli", "era", "erano", "essa", "esse", "essere",
    "essi", "fra", "gia", "gli", "ha", "hai", "hanno", "ho", "i", "il", "in", "io", "l", "la",
    "le", "lei", "li", "lo", "loro", "lui", "ma", "mentre", "mi", "mia", "mio", "molto", "ne",
    "negli", "nei", "nel", "nella", "nelle", "nello", "no", "noi", "non", "nostra", "nostro", "o",
    "ogni", "oltre", "oppure", "per", "perche", "pero", "piu", "poi", "prima", "proprio", "qual",
    "quale", "quali", "quando", "quanto", "quella", "quelle", "quelli", "quello", "questa",
    "queste", "questi", "questo", "qui", "se", "sei", "sempre", "senza", "si", "sia", "sono",
    "sopra", "sotto", "sta", "stata", "state", "stati", "stato", "su", "sua", "sue", "sugli",
    "sui", "sul", "sulla", "sulle", "suo", "suoi", "tra", "tu", "tutta", "tutte", "tutti",
    "tutto", "un", "una", "uno", "v", "verso", "vi", "voi",
];

#[rustfmt::skip]
const NL: StopWords = &[
    "aan", "al", "alle", "alleen", "als", "altijd", "ander", "andere", "bij", "binnen", "boven",
    "daar", "daarom", "dan", "dat", "de", "deze", "die", "dit", "doch", "doen", "door", "dus",
    "echter", "een", "eens", "en", "er", "ge", "geen", "geweest", "had", "hadden", "heb",
    "hebben", "heeft", "hem", "het", "hier", "hij", "hoe", "hun", "iets", "ik", "in", "is", "ja",
    "je", "jou", "jouw", "jullie", "kan", "kon", "kunnen", "maar", "me", "meer", "men", "met",
    "mij", "mijn", "moet", "na", "naar", "niet", "niets", "nog", "nu", "of", "om", "omdat",
    "onder", "ons", "onze", "ook", "op", "over", "reeds", "s", "sinds", "t", "te", "tegen",
    "toch", "toen", "tot", "tussen", "u", "uit", "uw", "van", "vanaf", "veel", "voor", "waar",
    "waarom", "wanneer", "want", "waren", "was", "wat", "we", "wel", "werd", "werden", "wie",
    "wij", "wil", "worden", "wordt", "zal", "ze", "zelf", "zich", "zij", "zijn", "zo", "zoals",
    "zonder", "zou",
];

#[rustfmt::skip]
const PT: StopWords = &[
    "a", "agora", "ainda", "alem", "algo", "algum", "alguma", "algumas", "alguns", "ante",
    "antes", "ao", "aos", "apenas", "apos", "aquela", "aquelas", "aquele", "aqueles", "aquilo",
    "as", "assim", "ate", "cada", "com", "como", "contra", "cuja", "cujo", "da", "das", "de",
    "dela", "delas", "dele", "deles", "depois", "desde", "desta", "deste", "do", "dos", "durante",
    "e", "ela", "elas", "ele", "eles", "em", "embora", "enquanto", "entao", "entre", "era",
    "eram", "essa", "essas", "esse", "esses", "esta", "estao", "estas", "estava", "este", "estes",
    "eu", "foi", "foram", "ha", "isso", "isto", "ja", "lhe", "lhes", "mais", "mas", "me", "mesma",
    "mesmo", "meu", "meus", "minha", "minhas", "muito", "muitos", "na", "nao", "nas", "nem",
    "nessa", "nesse", "nesta", "neste", "no", "nos", "nossa", "nosso", "num", "numa", "o", "onde",
    "os", "ou", "outra", "outras", "outro", "outros", "para", "pela", "pelas", "pelo", "pelos",
    "per", "pois", "por", "porem", "porque", "quais", "qual", "quando", "quanto", "que", "quem",
    "sao", "se", "seja", "sem", "sempre", "ser", "seu", "seus", "sido", "sim", "so", "sob",
    "sobre", "sua", "suas", "tal", "tambem", "tao", "tem", "tendo", "ter", "teu", "toda", "todas",
    "todo", "todos", "tu", "tua", "tudo", "um", "uma", "umas", "uns", "voce", "voces",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold;

    #[test]
    fn every_list_is_folded_sorted_and_without_repetition() {
        for (code, list) in LISTS {
            assert!(list.is_sorted_by(|a, b| a < b), "{code}");
            for word in list {
                assert_eq!(*word, fold(word), "{code}");
                assert!(word.len() <= LONGEST, "{word}");
            }
        }
    }

    #[test]
    fn function_words_are_known_by_language() {
        assert!(is_stop_word(stop_words(Lang::EN), "the"));
        assert!(is_stop_word(stop_words(Lang::ES), "tambien"));
        assert!(!is_stop_word(stop_words(Lang::ES), "the"));
        assert!(is_stop_word_anywhere("nicht"));
        assert!(!is_stop_word_anywhere("football"));
    }
}
