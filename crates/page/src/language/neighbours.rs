//! Is it Spanish, or Catalan that looks like it? By the small words that only one of them has.

use lycosa_model::Lang;

/// Small words of Catalan that none of its larger neighbours has.
const CATALAN: [&str; 34] = [
    "això",
    "aquest",
    "aquesta",
    "aquestes",
    "aquests",
    "ahir",
    "amb",
    "anys",
    "avui",
    "dels",
    "doncs",
    "els",
    "ens",
    "fent",
    "feia",
    "gairebé",
    "hem",
    "heu",
    "lloc",
    "mateix",
    "meva",
    "molt",
    "més",
    "nosaltres",
    "només",
    "pels",
    "perquè",
    "però",
    "quan",
    "sense",
    "seva",
    "són",
    "també",
    "vaig",
];
/// Small words of Spanish that Catalan does not have.
const SPANISH: [&str; 30] = [
    "años", "aunque", "como", "con", "cuando", "desde", "donde", "días", "está", "están", "hasta",
    "hay", "las", "lo", "los", "muy", "más", "otro", "pero", "por", "porque", "según", "sin", "su",
    "sus", "también", "todo", "y", "ya", "yo",
];

/// Catalan, where the small words of a sentence are Catalan rather than Spanish; else what it was taken
/// for.
pub(super) fn catalan_or(taken_for: Lang, sentence: &str) -> Lang {
    let (Some(catalan), "es" | "fr" | "it" | "pt") = (Lang::parse("ca"), taken_for.as_str()) else {
        return taken_for;
    };
    let (mut ours, mut theirs) = (0, 0);
    let mut lower = String::new();
    for word in sentence.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        ours += usize::from(CATALAN.contains(&lower.as_str()));
        theirs += usize::from(SPANISH.contains(&lower.as_str()));
    }
    let is_catalan = ours > theirs && (ours > 1 || taken_for == Lang::ES);
    if is_catalan { catalan } else { taken_for }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_catalan_is_not_spanish() {
        let french = Lang::parse("fr").unwrap();
        for (sentence, taken_for, lang) in [
            ("Avui he trobat una curiosa imatge a la pàgina principal.", Lang::ES, "ca"),
            ("Ahir vam estar amb la família a prop del poble.", french, "ca"),
            ("El pueblo celebra una fiesta con música y bailes.", Lang::ES, "es"),
            ("Els Castellers actuaron ayer con los niños y las familias.", Lang::ES, "es"),
            ("Le quan dira-t-on ne compte pas dans cette maison.", french, "fr"),
            ("Amb els pels avui.", Lang::EN, "en"),
        ] {
            assert_eq!(catalan_or(taken_for, sentence).as_str(), lang, "{sentence}");
        }
    }
}
