//! What do results say of sites and of places in the text?

use super::super::ui::Ui;
use lycosa_model::Preference;

/// Everything that results say of sites and of places in the text, in one language.
pub(in crate::web) struct SiteTexts {
    /// What leads to the choices for the site of a result.
    pub(in crate::web) choose: &'static str,
    /// To raise, to lower, to block.
    pub(in crate::web) acts: [&'static str; 3],
    /// Raised, lowered, blocked.
    pub(in crate::web) states: [&'static str; 3],
    pub(in crate::web) undo: &'static str,
    pub(in crate::web) undo_all: &'static str,
    pub(in crate::web) label: &'static str,
    /// From how many are raised, lowered and blocked.
    pub(in crate::web) summary: fn([usize; 3]) -> String,
    pub(in crate::web) left_out: fn(u64) -> String,
    pub(in crate::web) link: &'static str,
    pub(in crate::web) odd: &'static str,
    pub(in crate::web) too_many: fn(usize) -> String,
    pub(in crate::web) no_site_title: &'static str,
    pub(in crate::web) no_site: &'static str,
    pub(in crate::web) no_room_title: &'static str,
    pub(in crate::web) no_room: &'static str,
    /// From whether words stand in the first, second and last third of a text.
    pub(in crate::web) positions: fn([bool; 3]) -> String,
    pub(in crate::web) suggestions: &'static str,
}

impl SiteTexts {
    pub(super) fn act(&self, preference: Preference) -> &'static str {
        self.acts[preference as usize]
    }

    pub(super) fn state(&self, preference: Preference) -> &'static str {
        self.states[preference as usize]
    }

    /// Every text, so that a test can compare languages.
    #[cfg(test)]
    #[rustfmt::skip]
    pub(in crate::web) fn all(&self) -> Vec<String> {
        let SiteTexts {
            choose, acts, states, undo, undo_all, label, summary, left_out, link, odd, too_many, no_site_title, no_site,
            no_room_title, no_room, positions, suggestions,
        } = self;
        let single = [
            choose, undo, undo_all, label, link, odd, no_site_title, no_site, no_room_title, no_room, suggestions,
        ];
        let mut all: Vec<String> = single.iter().map(|text| (**text).to_owned()).collect();
        all.extend(acts.iter().chain(states).map(|text| (*text).to_owned()));
        all.extend([summary([1, 0, 2]), left_out(1), left_out(2), too_many(50)]);
        for third in 1..8_u8 {
            all.push(positions([third & 1 > 0, third & 2 > 0, third & 4 > 0]));
        }
        all
    }
}

/// How many of each kind there are, those that there are; from two on with an ending.
fn counted(counts: [usize; 3], words: [&str; 3], ending: &str) -> String {
    let some = counts.iter().zip(words).filter(|(count, _)| **count > 0);
    let some = some.map(|(count, word)| match count {
        1 => format!("1 {word}"),
        n => format!("{n} {word}{ending}"),
    });
    some.collect::<Vec<_>>().join(", ")
}

/// Some of three, as people list them.
fn listed(which: [bool; 3], words: [&str; 3], and: &str) -> String {
    let some: Vec<&str> =
        which.iter().zip(words).filter(|(is, _)| **is).map(|(_, word)| word).collect();
    some.join(and)
}

const EN_STATES: [&str; 3] = ["raised", "lowered", "blocked"];
const ES_STATES: [&str; 3] = ["subido", "bajado", "bloqueado"];

/// English.
pub(in crate::web) const EN: SiteTexts = SiteTexts {
    choose: "More or less of this site",
    acts: ["Raise", "Lower", "Block"],
    states: EN_STATES,
    undo: "Undo",
    undo_all: "Undo all",
    label: "Sites that you raised, lowered or blocked",
    summary: |counts| format!("Your sites: {}", counted(counts, EN_STATES, "")),
    left_out: |pages| match pages {
        1 => "1 page of a blocked site was left out.".into(),
        n => format!("{} pages of blocked sites were left out.", Ui::En.count(n)),
    },
    link: "A link that carries these sites",
    odd: "A site to raise, lower or block is not a host name; it was left out.",
    too_many: |most| {
        format!("There is room for {most} sites to raise, lower or block; others were left out.")
    },
    no_site_title: "Not a site",
    no_site: "What was to be raised, lowered or blocked is not a host name.",
    no_room_title: "No room for more sites",
    no_room: "So many sites cannot be kept. Undo one of them first.",
    positions: |thirds| {
        let words = ["at the beginning", "in the middle", "at the end"];
        format!("Words found {} of the text", listed(thirds, words, " and "))
    },
    suggestions: "Suggestions",
};

/// Spanish.
pub(in crate::web) const ES: SiteTexts = SiteTexts {
    choose: "Más o menos de este sitio",
    acts: ["Subir", "Bajar", "Bloquear"],
    states: ES_STATES,
    undo: "Deshacer",
    undo_all: "Deshacer todo",
    label: "Sitios que subiste, bajaste o bloqueaste",
    summary: |counts| format!("Tus sitios: {}", counted(counts, ES_STATES, "s")),
    left_out: |pages| match pages {
        1 => "Se omitió 1 página de un sitio bloqueado.".into(),
        n => format!("Se omitieron {} páginas de sitios bloqueados.", Ui::Es.count(n)),
    },
    link: "Un enlace que lleva estos sitios",
    odd: "Un sitio para subir, bajar o bloquear no es un nombre de servidor; se omitió.",
    too_many: |most| {
        format!("Caben {most} sitios para subir, bajar o bloquear; los demás se omitieron.")
    },
    no_site_title: "No es un sitio",
    no_site: "Lo que había que subir, bajar o bloquear no es un nombre de servidor.",
    no_room_title: "No caben más sitios",
    no_room: "No se pueden guardar tantos sitios. Deshaz antes uno de ellos.",
    positions: |thirds| {
        let words = ["al principio", "en el medio", "al final"];
        format!("Palabras halladas {} del texto", listed(thirds, words, " y "))
    },
    suggestions: "Sugerencias",
};
