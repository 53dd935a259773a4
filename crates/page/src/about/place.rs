//! Where does a page say who made it and when, and how much is each place believed?

use crate::html::{Attr, Attrs};

/// What is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Author,
    Published,
    Modified,
}

/// Where it is said, the most believed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// `article:published_time` and the like.
    Property,
    /// `itemprop=datePublished`.
    Item,
    /// A `meta` name that means exactly this.
    Meta,
    /// A `time` that is marked as this.
    Marked,
    /// A `meta` name that only says `date`.
    Vague,
    /// A `time` without mark.
    Time,
}

impl Place {
    /// Whether the first of several counts, because the head speaks only for the page itself.
    pub(super) fn speaks_first(self) -> bool {
        matches!(self, Place::Property | Place::Meta | Place::Vague)
    }
}

/// Longest name of a `meta` element that means something here.
const LONGEST: usize = 40;

/// What a `meta` element of this name says.
pub(super) fn of_meta(name: &str) -> Option<(Field, Place)> {
    if name.len() > LONGEST {
        return None;
    }
    // The prefixes of Dublin Core come with a full stop or a colon.
    let name = name.to_ascii_lowercase();
    Some(match name.as_str() {
        "article:published_time"
        | "og:published_time"
        | "og:article:published_time"
        | "article:published" => (Field::Published, Place::Property),
        "article:modified_time"
        | "og:updated_time"
        | "og:modified_time"
        | "og:article:modified_time"
        | "article:modified" => (Field::Modified, Place::Property),
        "datepublished" | "datecreated" => (Field::Published, Place::Item),
        "datemodified" => (Field::Modified, Place::Item),
        "citation_publication_date"
        | "citation_online_date"
        | "citation_date"
        | "dc.date.issued"
        | "dcterms.issued"
        | "dcterms.created"
        | "dc.date.created"
        | "dcterms.date.issued"
        | "prism.publicationdate"
        | "parsely-pub-date"
        | "sailthru.date"
        | "pubdate"
        | "publishdate"
        | "publish-date"
        | "publish_date"
        | "published_date"
        | "publication_date"
        | "publicationdate"
        | "article.published"
        | "article.created"
        | "date.created"
        | "published" => (Field::Published, Place::Meta),
        "dcterms.modified"
        | "dc.date.modified"
        | "dcterms.date.modified"
        | "last-modified"
        | "last_modified"
        | "lastmodified"
        | "lastmod"
        | "modified"
        | "revised"
        | "article.updated"
        | "date.modified"
        | "updated" => (Field::Modified, Place::Meta),
        "date" | "dc.date" | "dc:date" | "dcterms.date" | "created" | "creation_date" => {
            (Field::Published, Place::Vague)
        }
        "author" | "article:author" | "og:article:author" | "dc.creator" | "dc:creator"
        | "dcterms.creator" | "citation_author" | "parsely-author" | "sailthru.author" | "byl"
        | "article.author" => (Field::Author, Place::Meta),
        _ => return None,
    })
}

/// What microdata of this name says.
pub(super) fn of_itemprop(name: &str) -> Option<Field> {
    let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
    match () {
        () if is("datePublished") => Some(Field::Published),
        () if is("dateModified") => Some(Field::Modified),
        () if is("author") => Some(Field::Author),
        () => None,
    }
}

/// What a `time` element says: its attributes and the classes that blogs agree on.
pub(super) fn of_time(attrs: &Attrs) -> (Field, Place) {
    if attrs.get(Attr::Pubdate).is_some() {
        return (Field::Published, Place::Marked);
    }
    for class in attrs.get(Attr::Class).unwrap_or("").split_ascii_whitespace() {
        match class {
            "published" | "dt-published" | "pubdate" => return (Field::Published, Place::Marked),
            "updated" | "dt-updated" | "modified" => return (Field::Modified, Place::Marked),
            _ => {}
        }
    }
    (Field::Published, Place::Time)
}
