//! What do the names that an author gave to an element say about its content?
//!
//! Classes, ids and roles are cut into words (`post-body`, `relatedPosts` and `share_bar` are two words
//! each) and each word is looked up. Words, not substrings: `shadow` must not read as `ad`.

use super::attrs::{Attr, Attrs};

/// A set of hints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints(u8);

impl Hints {
    /// Navigation, advertising, sharing, related articles and the like.
    pub(crate) const BOILERPLATE: Hints = Hints(1);
    /// Comments of readers.
    pub(crate) const COMMENTS: Hints = Hints(2);
    /// Probably the content.
    pub(crate) const CONTENT: Hints = Hints(4);
    /// Declared as the body of the article.
    pub(crate) const BODY: Hints = Hints(8);
    /// The landmark `main`.
    pub(crate) const MAIN: Hints = Hints(16);
    /// Who wrote it and when.
    pub(crate) const BYLINE: Hints = Hints(32);
    /// The caption or credit of a picture.
    pub(crate) const CAPTION: Hints = Hints(64);
    /// Declared as a landmark outside the content.
    pub(crate) const LANDMARK: Hints = Hints(128);

    /// Both sets in one.
    pub(crate) const fn and(self, other: Hints) -> Hints {
        Hints(self.0 | other.0)
    }

    /// Whether one of these hints is in the set.
    pub(crate) fn has(self, other: Hints) -> bool {
        self.0 & other.0 != 0
    }

    fn add(&mut self, other: Hints) {
        self.0 |= other.0;
    }

    /// The hints of a start tag.
    pub(crate) fn of(attrs: &Attrs, classes: &mut Classes) -> Hints {
        let mut hints = attrs.get(Attr::Class).map_or(Hints::default(), |value| classes.of(value));
        if let Some(value) = attrs.get(Attr::Id) {
            read_names(value, &mut hints);
        }
        if let Some(role) = attrs.get(Attr::Role) {
            hints.add(of_role(role.trim()));
        }
        if let Some(itemprop) = attrs.get(Attr::Itemprop)
            && itemprop
                .split_ascii_whitespace()
                .any(|name| name.eq_ignore_ascii_case("articleBody"))
        {
            hints.add(Hints::BODY);
        }
        hints
    }
}

/// Classes and their hints. A page names the same few again and again, so they are remembered: in each slot
/// the one that came last.
pub(crate) struct Classes(Vec<(String, Hints)>);

/// Classes that are remembered.
const SLOTS: usize = 64;
/// Letters at the end of a class that say where it is remembered.
const TELLING: usize = 8;

impl Default for Classes {
    fn default() -> Classes {
        Classes(vec![(String::new(), Hints::default()); SLOTS])
    }
}

impl Classes {
    fn of(&mut self, value: &str) -> Hints {
        let telling = value.bytes().rev().take(TELLING);
        let place = telling.fold(value.len(), |sum, byte| sum * 31 + usize::from(byte)) % SLOTS;
        let (name, hints) = &mut self.0[place];
        if name != value {
            name.clear();
            name.push_str(value);
            *hints = Hints::default();
            read_names(value, hints);
        }
        *hints
    }
}

fn of_role(role: &str) -> Hints {
    match role {
        "main" => Hints::MAIN,
        "article" => Hints::CONTENT,
        "navigation" | "banner" | "contentinfo" | "complementary" | "search" | "dialog"
        | "alertdialog" | "menu" | "menubar" | "toolbar" | "tablist" | "alert" => Hints::LANDMARK,
        _ => Hints::default(),
    }
}

/// Longest class or id list that is read; longer ones are generated and say nothing.
const MAX_NAMES: usize = 512;
/// Longest word that can be in the tables.
const MAX_WORD: usize = 24;

fn read_names(value: &str, hints: &mut Hints) {
    let bytes = value.as_bytes();
    let bytes = &bytes[..bytes.len().min(MAX_NAMES)];
    let mut word = [0_u8; MAX_WORD];
    let mut previous: [u8; MAX_WORD] = [0; MAX_WORD];
    let mut previous_len = 0;
    let mut len = 0;
    let mut was_lower = false;
    for index in 0..=bytes.len() {
        let byte = bytes.get(index).copied().unwrap_or(b' ');
        let splits = !byte.is_ascii_alphanumeric() || (was_lower && byte.is_ascii_uppercase());
        if splits && len > 0 {
            hints.add(of_word(&word[..len]));
            hints.add(of_pair(&previous[..previous_len], &word[..len]));
            previous[..len].copy_from_slice(&word[..len]);
            previous_len = len;
            len = 0;
        }
        if byte.is_ascii_whitespace() {
            previous_len = 0;
        }
        if byte.is_ascii_alphanumeric() && len < MAX_WORD {
            word[len] = byte.to_ascii_lowercase();
            len += 1;
        }
        was_lower = byte.is_ascii_lowercase();
    }
}

fn of_word(word: &[u8]) -> Hints {
    match word {
        b"ad" | b"ads" | b"adv" | b"adslot" | b"adbox" | b"banner" | b"breadcrumb"
        | b"breadcrumbs" | b"carousel" | b"cookie" | b"cookies" | b"consent" | b"dfp"
        | b"disclaimer" | b"disqus" | b"dropdown" | b"footer" | b"foot" | b"gdpr" | b"legal"
        | b"login" | b"masthead" | b"menu" | b"modal" | b"nav" | b"navbar" | b"navigation"
        | b"newsletter" | b"outbrain" | b"overlay" | b"pager" | b"pagination" | b"paywall"
        | b"popular" | b"popup" | b"print" | b"promo" | b"promotion" | b"rail" | b"rating"
        | b"recirc" | b"recommendations" | b"recommended" | b"related" | b"remark" | b"shop"
        | b"share" | b"sharing" | b"shares" | b"sharebar" | b"shoutbox" | b"sidebar"
        | b"signup" | b"skip" | b"skyscraper" | b"social" | b"sponsor" | b"sponsored"
        | b"subscribe" | b"subscription" | b"taboola" | b"tags" | b"taglist" | b"teaser"
        | b"teasers" | b"toolbar" | b"tooltip" | b"trending" | b"widget" | b"widgets"
        | b"noprint" | b"hidden" | b"advertisement" | b"advertising" | b"advert" | b"infobox"
        | b"navbox" | b"editsection" | b"catlinks" | b"toc" | b"metadata" | b"mbox"
        | b"hatnote" => Hints::BOILERPLATE,
        b"comment" | b"comments" | b"commentlist" | b"respond" | b"replies" | b"livefyre"
        | b"reactions" => Hints::COMMENTS,
        b"article" | b"content" | b"entry" | b"story" | b"post" | b"text" | b"blog" => {
            Hints::CONTENT
        }
        b"articlebody" => Hints::BODY,
        b"byline" | b"author" | b"dateline" | b"timestamp" | b"pubdate" | b"published" => {
            Hints::BYLINE
        }
        b"caption" | b"credit" | b"credits" | b"gallery" | b"slideshow" | b"photocredit" => {
            Hints::CAPTION
        }
        _ => of_prefix(word),
    }
}

/// Compounds that are written without a break.
fn of_prefix(word: &[u8]) -> Hints {
    const PREFIXES: [&[u8]; 12] = [
        b"related",
        b"social",
        b"sidebar",
        b"sharetool",
        b"newsletter",
        b"navbar",
        b"recommend",
        b"subscri",
        b"breadcrumb",
        b"advert",
        b"cookie",
        b"footer",
    ];
    if PREFIXES.iter().any(|prefix| word.starts_with(prefix)) {
        return Hints::BOILERPLATE;
    }
    if word.starts_with(b"comment") && !word.starts_with(b"commentary") {
        return Hints::COMMENTS;
    }
    Hints::default()
}

fn of_pair(first: &[u8], second: &[u8]) -> Hints {
    match (first, second) {
        (b"article" | b"story" | b"post" | b"entry", b"body" | b"content" | b"text") => Hints::BODY,
        (
            b"read" | b"see" | b"more" | b"also" | b"most",
            b"next" | b"also" | b"stories" | b"read" | b"more" | b"articles",
        ) => Hints::BOILERPLATE,
        _ => Hints::default(),
    }
}
