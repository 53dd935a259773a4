//! Which attributes does a start tag have? One buffer for all values, reused for the whole page;
//! attributes that nobody reads are never stored.

/// The attributes that somebody reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attr {
    Alt,
    Class,
    Content,
    Datetime,
    Hidden,
    Href,
    Hreflang,
    HttpEquiv,
    Id,
    Itemprop,
    Lang,
    Name,
    Property,
    Pubdate,
    Rel,
    Role,
    Src,
    Srcdoc,
    Style,
    Title,
    Type,
    XlinkHref,
    // From here on read only when resources are wanted.
    Action,
    Archive,
    Background,
    Cite,
    Codebase,
    Data,
    Dynsrc,
    Formaction,
    Implementation,
    Longdesc,
    Lowsrc,
    Manifest,
    Ping,
    Poster,
    Profile,
    Srcset,
    Value,
}

impl Attr {
    /// A bit of its own; there are fewer than 64.
    fn bit(self) -> u64 {
        1 << self as u32
    }

    /// Attributes that only a reader of a page's facts asks for.
    pub(super) fn is_of_facts(self) -> bool {
        matches!(self, Attr::Hreflang | Attr::Title)
    }

    /// Attributes that say how an element looks and what it is for, and nothing else.
    pub(super) fn is_of_tree(self) -> bool {
        matches!(
            self,
            Attr::Alt
                | Attr::Class
                | Attr::Datetime
                | Attr::Hidden
                | Attr::Id
                | Attr::Itemprop
                | Attr::Pubdate
                | Attr::Role
                | Attr::Style
        )
    }

    /// The attributes by which pages name resources.
    pub(super) fn of_resource(name: &[u8]) -> Option<Attr> {
        Some(match name {
            b"action" => Attr::Action,
            b"archive" => Attr::Archive,
            b"background" => Attr::Background,
            b"cite" => Attr::Cite,
            b"codebase" => Attr::Codebase,
            b"data" => Attr::Data,
            b"dynsrc" => Attr::Dynsrc,
            b"formaction" => Attr::Formaction,
            b"implementation" => Attr::Implementation,
            b"longdesc" => Attr::Longdesc,
            b"lowsrc" => Attr::Lowsrc,
            b"manifest" => Attr::Manifest,
            b"ping" => Attr::Ping,
            b"poster" => Attr::Poster,
            b"profile" => Attr::Profile,
            b"srcset" | b"imagesrcset" => Attr::Srcset,
            b"value" => Attr::Value,
            _ => return None,
        })
    }

    /// The attributes that every page is read for.
    pub(super) fn of(name: &[u8]) -> Option<Attr> {
        Some(match name {
            b"alt" => Attr::Alt,
            b"class" => Attr::Class,
            b"content" => Attr::Content,
            b"datetime" => Attr::Datetime,
            b"hidden" => Attr::Hidden,
            b"href" => Attr::Href,
            b"hreflang" => Attr::Hreflang,
            b"http-equiv" => Attr::HttpEquiv,
            b"id" => Attr::Id,
            b"itemprop" => Attr::Itemprop,
            b"lang" | b"xml:lang" => Attr::Lang,
            b"name" => Attr::Name,
            b"property" => Attr::Property,
            b"pubdate" => Attr::Pubdate,
            b"rel" => Attr::Rel,
            b"role" => Attr::Role,
            b"src" => Attr::Src,
            b"srcdoc" => Attr::Srcdoc,
            b"style" => Attr::Style,
            b"title" => Attr::Title,
            b"type" => Attr::Type,
            b"xlink:href" => Attr::XlinkHref,
            _ => return None,
        })
    }
}

/// The attributes of one start tag.
#[derive(Default)]
pub(crate) struct Attrs {
    /// Values, one after the other.
    values: String,
    /// Attribute and where its value stands.
    found: Vec<(Attr, usize, usize)>,
    /// A bit for each attribute that was found.
    seen: u64,
}

/// A longer attribute value is as good as none; no address and no description is longer.
const MAX_VALUE: usize = 16 * 1024;

impl Attrs {
    /// The value, if the attribute is there.
    pub(crate) fn get(&self, wanted: Attr) -> Option<&str> {
        if self.seen & wanted.bit() == 0 {
            return None;
        }
        let (_, start, end) = self.found.iter().find(|(attr, ..)| *attr == wanted)?;
        self.values.get(*start..*end)
    }

    /// All attributes with their values, in the order of the tag.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Attr, &str)> {
        self.found
            .iter()
            .filter_map(|(attr, start, end)| Some((*attr, self.values.get(*start..*end)?)))
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.found.clear();
        self.seen = 0;
    }

    /// Adds an attribute whose value `write` appends. Of several with one name the first counts.
    pub(super) fn add(&mut self, attr: Attr, write: impl FnOnce(&mut String)) {
        if self.seen & attr.bit() != 0 {
            return;
        }
        let start = self.values.len();
        write(&mut self.values);
        if self.values.len() - start > MAX_VALUE {
            self.values.truncate(start);
        } else {
            self.found.push((attr, start, self.values.len()));
            self.seen |= attr.bit();
        }
    }
}
