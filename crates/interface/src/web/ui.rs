//! In which language does a visitor read the pages?

use super::texts::{EN, ES, Texts};

/// Entries of an Accept-Language header that are read; browsers send a handful.
const MAX_ACCEPTED: usize = 32;

/// A language of the pages (not of the documents).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ui {
    /// English, also for those who understand neither.
    En,
    /// Spanish.
    Es,
}

impl Ui {
    /// Every language the pages speak.
    pub(super) const ALL: [Ui; 2] = [Ui::En, Ui::Es];

    /// Reads `es` or `es-MX`; `None` for a language that the pages do not speak.
    pub(super) fn parse(tag: &str) -> Option<Ui> {
        let primary = tag.trim().split(['-', '_']).next()?;
        Ui::ALL.into_iter().find(|ui| ui.code().eq_ignore_ascii_case(primary))
    }

    /// The best of an Accept-Language header (RFC 9110, 12.5.4): highest weight first, then first
    /// named; weight 0 means "not this one"; `*` stands for what is not named.
    pub(super) fn accepted(header: &str) -> Ui {
        let ranges: Vec<(&str, f32)> =
            header.split(',').take(MAX_ACCEPTED).filter_map(range).collect();
        let named = |ui: Ui| ranges.iter().any(|(tag, _)| Ui::parse(tag) == Some(ui));
        let mut best: Option<(Ui, f32)> = None;
        for (tag, weight) in &ranges {
            let ui = match *tag {
                "*" => Ui::ALL.into_iter().find(|ui| !named(*ui)),
                tag => Ui::parse(tag),
            };
            if let Some(ui) = ui
                && *weight > best.map_or(0.0, |(_, weight)| weight)
            {
                best = Some((ui, *weight));
            }
        }
        best.map_or(Ui::En, |(ui, _)| ui)
    }

    /// Its code, as in `lang="es"`.
    pub(super) fn code(self) -> &'static str {
        match self {
            Ui::En => "en",
            Ui::Es => "es",
        }
    }

    /// Its name in itself.
    pub(super) fn name(self) -> &'static str {
        match self {
            Ui::En => "English",
            Ui::Es => "Español",
        }
    }

    /// Everything the pages say in it.
    pub(super) fn texts(self) -> &'static Texts {
        match self {
            Ui::En => &EN,
            Ui::Es => &ES,
        }
    }

    /// A count as people write it: `12,345` in English, `12 345` in Spanish (where four digits stand
    /// together).
    pub(super) fn count(self, number: u64) -> String {
        let digits = number.to_string();
        let separator = match self {
            Ui::En => ',',
            Ui::Es if digits.len() < 5 => return digits,
            Ui::Es => '\u{202f}',
        };
        let mut out = String::with_capacity(digits.len() + digits.len() / 3 * 3);
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                out.push(separator);
            }
            out.push(digit);
        }
        out
    }

    /// A measured number with the decimals that still mean something.
    pub(super) fn measure(self, number: f64) -> String {
        if !number.is_finite() {
            return "?".into();
        }
        let text = if number < 10.0 { format!("{number:.1}") } else { format!("{number:.0}") };
        match self {
            Ui::En => text,
            Ui::Es => text.replace('.', ","),
        }
    }
}

/// One entry of the header: `es-MX;q=0.8`. An entry that cannot be read is left out.
fn range(entry: &str) -> Option<(&str, f32)> {
    let mut parts = entry.split(';').map(str::trim);
    let tag = parts.next().filter(|tag| !tag.is_empty())?;
    let mut weight = 1.0;
    for part in parts {
        if let Some(text) = part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")) {
            weight = text.trim().parse().ok().filter(|q| (0.0..=1.0).contains(q))?;
        }
    }
    Some((tag, weight))
}
