//! Which languages may a document have, and how are they called?

use super::ui::Ui;
use lycosa_model::Lang;

/// ISO 639-1, all of it. A filter on any other code could match nothing.
const CODES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv \
     cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz \
     ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt \
     lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu \
     rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts \
     tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// Code, English name, Spanish name.
const NAMES: [(&str, &str, &str); 36] = [
    ("ar", "Arabic", "árabe"),
    ("bg", "Bulgarian", "búlgaro"),
    ("ca", "Catalan", "catalán"),
    ("cs", "Czech", "checo"),
    ("cy", "Welsh", "galés"),
    ("da", "Danish", "danés"),
    ("de", "German", "alemán"),
    ("el", "Greek", "griego"),
    ("en", "English", "inglés"),
    ("es", "Spanish", "español"),
    ("et", "Estonian", "estonio"),
    ("eu", "Basque", "euskera"),
    ("fa", "Persian", "persa"),
    ("fi", "Finnish", "finés"),
    ("fr", "French", "francés"),
    ("gl", "Galician", "gallego"),
    ("he", "Hebrew", "hebreo"),
    ("hi", "Hindi", "hindi"),
    ("hr", "Croatian", "croata"),
    ("hu", "Hungarian", "húngaro"),
    ("id", "Indonesian", "indonesio"),
    ("it", "Italian", "italiano"),
    ("ja", "Japanese", "japonés"),
    ("ko", "Korean", "coreano"),
    ("la", "Latin", "latín"),
    ("nl", "Dutch", "neerlandés"),
    ("no", "Norwegian", "noruego"),
    ("pl", "Polish", "polaco"),
    ("pt", "Portuguese", "portugués"),
    ("ro", "Romanian", "rumano"),
    ("ru", "Russian", "ruso"),
    ("sv", "Swedish", "sueco"),
    ("tr", "Turkish", "turco"),
    ("uk", "Ukrainian", "ucraniano"),
    ("vi", "Vietnamese", "vietnamita"),
    ("zh", "Chinese", "chino"),
];

/// Every code there is.
pub(super) fn codes() -> impl Iterator<Item = &'static str> {
    CODES.split_whitespace()
}

/// Reads a language that exists; `None` for anything else.
pub(super) fn known(text: &str) -> Option<Lang> {
    let lang = Lang::parse(text.trim())?;
    codes().any(|code| code == lang.as_str()).then_some(lang)
}

/// Its name in the language of the page; its code when it is not among the common ones.
pub(super) fn name(lang: Lang, ui: Ui) -> String {
    let row = NAMES.iter().find(|(code, ..)| *code == lang.as_str());
    match (row, ui) {
        (Some((_, english, _)), Ui::En) => (*english).to_owned(),
        (Some((_, _, spanish)), Ui::Es) => (*spanish).to_owned(),
        (None, _) => lang.as_str().to_uppercase(),
    }
}
