//! How do the detectors name a language, and how do we?

use lycosa_model::Lang;

/// whichlang's name as ours.
pub(super) fn of_whichlang(lang: whichlang::Lang) -> Option<Lang> {
    use whichlang::Lang as W;
    Lang::parse(match lang {
        W::Ara => "ar",
        W::Cmn => "zh",
        W::Deu => "de",
        W::Eng => "en",
        W::Fra => "fr",
        W::Hin => "hi",
        W::Ita => "it",
        W::Jpn => "ja",
        W::Kor => "ko",
        W::Nld => "nl",
        W::Por => "pt",
        W::Rus => "ru",
        W::Spa => "es",
        W::Swe => "sv",
        W::Tur => "tr",
        W::Vie => "vi",
    })
}

/// Whether whichlang has this language among its sixteen.
pub(super) fn whichlang_knows(lang: Lang) -> bool {
    whichlang::LANGUAGES.iter().any(|known| of_whichlang(*known) == Some(lang))
}

/// Those of whichlang's languages that are written in Latin letters.
pub(super) fn is_written_in_latin(lang: Lang) -> bool {
    matches!(lang.as_str(), "de" | "en" | "fr" | "it" | "nl" | "pt" | "es" | "sv" | "tr" | "vi")
}

/// whatlang's name (ISO 639-3) as ours (ISO 639-1).
pub(super) fn of_whatlang(lang: whatlang::Lang) -> Option<Lang> {
    Lang::parse(match lang.code() {
        "epo" => "eo",
        "eng" => "en",
        "rus" => "ru",
        "cmn" => "zh",
        "spa" => "es",
        "por" => "pt",
        "ita" => "it",
        "ben" => "bn",
        "fra" => "fr",
        "deu" => "de",
        "ukr" => "uk",
        "kat" => "ka",
        "ara" => "ar",
        "hin" => "hi",
        "jpn" => "ja",
        "heb" => "he",
        "yid" => "yi",
        "pol" => "pl",
        "amh" => "am",
        "jav" => "jv",
        "kor" => "ko",
        "nob" => "no",
        "dan" => "da",
        "swe" => "sv",
        "fin" => "fi",
        "tur" => "tr",
        "nld" => "nl",
        "hun" => "hu",
        "ces" => "cs",
        "ell" => "el",
        "bul" => "bg",
        "bel" => "be",
        "mar" => "mr",
        "kan" => "kn",
        "ron" => "ro",
        "slv" => "sl",
        "hrv" => "hr",
        "srp" => "sr",
        "mkd" => "mk",
        "lit" => "lt",
        "lav" => "lv",
        "est" => "et",
        "tam" => "ta",
        "vie" => "vi",
        "urd" => "ur",
        "tha" => "th",
        "guj" => "gu",
        "uzb" => "uz",
        "pan" => "pa",
        "aze" => "az",
        "ind" => "id",
        "tel" => "te",
        "pes" => "fa",
        "mal" => "ml",
        "ori" => "or",
        "mya" => "my",
        "nep" => "ne",
        "sin" => "si",
        "khm" => "km",
        "tuk" => "tk",
        "aka" => "ak",
        "zul" => "zu",
        "sna" => "sn",
        "afr" => "af",
        "lat" => "la",
        "slk" => "sk",
        "cat" => "ca",
        "tgl" => "tl",
        "hye" => "hy",
        "cym" => "cy",
        _ => return None,
    })
}
