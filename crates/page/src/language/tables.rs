//! Which small words does a language have? Articles, prepositions, conjunctions, pronouns, and the commonest
//! forms of to be and to have.

/// The languages that are told by their small words alone.
pub(super) const TABLES: [&str; 10] = ["en", "es", "pt", "fr", "it", "de", "nl", "sv", "tr", "vi"];

/// Languages that no classifier of ours knows well, and that are taken for one of their larger
/// relatives. Asturian has no code of two letters, so that a text in it has no language, but is not Spanish.
pub(super) const KIN: [&str; 6] = ["ca", "gl", "ro", "oc", "ast", "an"];

/// The larger relatives of [`KIN`].
pub(super) fn has_kin(code: &str) -> bool {
    matches!(code, "es" | "pt" | "fr" | "it")
}

/// The commonest small words, without those that are common in another language of [`TABLES`] in the
/// same spelling where that can be helped. `None` when we have no table.
pub(super) fn small_words(code: &str) -> Option<&'static [&'static str]> {
    Some(match code {
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
        "ca" => &[
            "de", "la", "el", "i", "que", "a", "en", "un", "una", "els", "les", "es", "per", "del",
            "al", "amb", "dels", "als", "no", "més", "però", "també", "és", "són", "ha", "han",
            "va", "com", "si", "se", "aquest", "aquesta", "aquests", "aquestes", "això", "allò",
            "aquell", "aquella", "perquè", "quan", "qui", "fins", "des", "molt", "molta", "molts",
            "moltes", "tot", "tota", "tots", "totes", "seva", "seu", "seus", "seves", "meva",
            "meu", "nostre", "nostra", "vam", "vaig", "hi", "ho", "ens", "em", "doncs", "només",
            "sense", "dins", "sobre", "entre", "abans", "després", "altre", "altres", "cada",
            "gairebé", "avui", "ahir", "ara", "quin", "quina", "anys", "unes", "hem", "heu", "era",
            "eren", "està", "mentre", "encara", "sempre", "llavors", "potser", "cal", "mateix",
            "pel", "pels", "o", "ser", "sigui", "feia", "fent", "lloc",
        ],
        "gl" => &[
            "de", "a", "o", "que", "e", "do", "da", "en", "un", "unha", "os", "as", "para", "con",
            "non", "por", "se", "no", "na", "dos", "das", "como", "máis", "ao", "aos", "á", "ás",
            "unhas", "dun", "dunha", "nun", "nunha", "co", "coa", "cos", "coas", "polo", "pola",
            "polos", "polas", "é", "son", "foi", "está", "ser", "mais", "pero", "tamén", "moi",
            "moito", "moita", "moitos", "moitas", "ata", "despois", "xa", "eu", "nós", "iso",
            "isto", "este", "esta", "estes", "estas", "aquel", "quen", "onde", "cando", "sen",
            "hai", "ten", "teñen", "pode", "poden", "seu", "súa", "seus", "súas", "meu", "miña",
            "noso", "nosa", "todos", "todas", "outro", "outra", "outros", "outras", "ben",
            "porque", "entón", "aínda", "sempre", "nin", "ou", "dende", "desde", "sobre", "entre",
            "ano", "anos", "lle", "lles", "me", "te", "nos", "era", "foron",
        ],
        "ro" => &[
            "a", "de", "la", "și", "în", "cu", "pe", "nu", "este", "sunt", "că", "să", "din",
            "care", "pentru", "mai", "un", "o", "al", "ale", "lui", "sau", "dar", "prin", "fost",
            "acest", "această", "acestea", "când", "cum", "după", "până", "dacă", "se", "ai", "ca",
            "le", "îi", "își", "ei", "ea", "el", "avea", "are", "au", "fi", "fie", "între", "fără",
            "foarte", "toate", "tot", "aceste", "acesta", "aceasta", "unde", "iar", "ori", "cea",
            "cel", "cei", "cele", "lor", "lucru", "unei", "unui", "într", "dintre", "asupra",
        ],
        "oc" => &[
            "de", "la", "lo", "los", "las", "que", "e", "en", "un", "una", "es", "per", "amb",
            "dins", "del", "dels", "al", "als", "son", "sa", "ses", "se", "a", "pas", "aquel",
            "aquela", "aquelas", "aquò", "aqueste", "aquesta", "tanben", "tanplan", "ont", "quora",
            "coma", "dempuèi", "èra", "èran", "foguèt", "dau", "deus", "dab", "sus", "pendent",
            "fòrça", "siá", "nòstre", "nòstra", "vòstre", "vòstra", "lor", "sens", "perque",
            "entre", "qui", "i", "o", "ni", "si", "tot", "tota", "totes", "totas", "aver", "èsser",
            "pel", "pels", "fins", "cada", "sul", "jos", "après", "abans", "ara", "uèi", "pòt",
            "avètz", "avèm",
        ],
        "ast" => &[
            "de", "la", "el", "los", "les", "que", "y", "en", "un", "una", "nun", "del", "al", "a",
            "nel", "na", "nes", "pol", "pola", "polos", "poles", "col", "cola", "colos", "coles",
            "con", "por", "ye", "yera", "yeren", "son", "foi", "foron", "tán", "tamién", "más",
            "pero", "o", "como", "cuando", "ente", "ensin", "so", "sos", "esti", "esta", "estos",
            "estes", "esi", "aquel", "tolos", "toles", "muncho", "muncha", "munchos", "munches",
            "magar", "dempués", "depués", "enantes", "asina", "equí", "yá", "se", "lu", "lo",
            "dende", "hasta", "fasta", "sobre", "años", "otru", "otra", "otros", "otres", "mesmu",
            "ser", "tien", "hai", "xunto", "onde",
        ],
        "an" => &[
            "de", "a", "o", "os", "as", "la", "lo", "los", "las", "que", "y", "en", "un", "una",
            "con", "por", "ye", "yera", "yeran", "son", "estió", "estioron", "tamién", "más",
            "pero", "como", "quan", "sin", "enta", "dica", "dende", "ista", "iste", "istos",
            "istas", "ixe", "ixa", "ixo", "ixos", "muito", "muita", "muitos", "muitas", "totz",
            "totas", "perque", "sobre", "entre", "ser", "se", "no", "su", "chunto", "anyo",
            "anyos", "atro", "atra", "atros", "atras", "cada", "dimpués", "ni",
        ],
        _ => return None,
    })
}

/// Further small words of the larger relatives, which other languages have too, so that [`small_words`] does without
/// them; but what a language has as well does not tell a relative from it.
pub(super) fn further_words(code: &str) -> &'static [&'static str] {
    match code {
        "es" => &[
            "a", "e", "u", "no", "si", "ser", "cada", "era", "me", "te", "mi", "tu", "ni", "otra",
            "otro", "otros", "otras", "estos", "estas", "ese", "esa", "eso", "esos", "esas",
            "aquel", "aquella", "yo", "él", "ella", "ellos", "nosotros", "había", "han", "hemos",
            "tiene", "tienen", "puede", "sido", "hace", "hacia", "según", "mismo", "misma", "años",
            "tan", "tanto", "mucho", "muchos", "mucha", "muchas", "qué", "cómo", "les", "os", "so",
            "hoy", "ahora", "así", "aquí", "allí", "después", "antes", "nada", "siempre", "uno",
            "dos", "bien", "casi", "mientras", "aunque", "sea", "va", "ten", "col", "cola", "ata",
            "des", "quien", "cual", "siendo", "mayor", "pues", "todas", "toda", "cos", "polo",
        ],
        "pt" => &[
            "é", "à", "às", "aos", "eles", "elas", "ele", "seus", "suas", "meu", "minha", "nosso",
            "nossa", "este", "esta", "estes", "estas", "isto", "aquele", "aquela", "onde", "quem",
            "ser", "ter", "há", "tem", "têm", "era", "foram", "me", "te", "lhe", "lhes", "sobre",
            "desde", "sempre", "ainda", "outro", "outra", "outros", "outras", "todos", "todas",
            "pode", "ano", "anos", "num", "numa", "nem", "bem", "porque", "pelos", "pelas", "uns",
            "umas", "vai", "cada", "si", "mesmo", "polo",
        ],
        "fr" => &[
            "il", "ils", "elle", "on", "y", "en", "c", "j", "n", "s", "t", "m", "qu", "tout",
            "tous", "toute", "toutes", "si", "dont", "sans", "même", "entre", "après", "leurs",
            "lui", "mon", "ma", "ton", "ta", "sa", "cet", "ces", "était", "être", "avoir", "ai",
            "as", "ont", "va", "cela", "ça", "où", "quand", "i", "o", "les", "notre", "votre",
            "nos", "vos", "sous", "pendant", "très",
        ],
        "it" => &[
            "i", "l", "d", "se", "no", "mi", "ti", "ci", "vi", "ne", "era", "ed", "ad", "qui",
            "quando", "dopo", "sempre", "ancora", "mai", "mentre", "dove", "molto", "molti",
            "tutto", "tutti", "tutta", "sua", "suo", "suoi", "questa", "questi", "queste",
            "quello", "quella", "essere", "stato", "sul", "sulla", "sui", "dai", "agli", "ai",
            "nei", "negli", "tra", "fra", "senza", "cui", "chi", "o", "anni", "anno", "hanno",
            "poi", "già", "così", "cosa", "solo", "altro", "altri", "altre",
        ],
        _ => &[],
    }
}
