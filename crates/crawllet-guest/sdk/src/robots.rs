//! What does a page ask of robots, and what does it say about a link?

/// The name by which pages can address this crawler in `meta` elements and headers.
pub const NAME: &str = "lycosa";

/// What robots are asked not to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Robots {
    /// Not to list the page.
    pub noindex: bool,
    /// Not to follow its links.
    pub nofollow: bool,
}

impl Robots {
    /// Adds one directive; the most restrictive wins when several are given.
    fn obey(&mut self, directive: &str) {
        let is = |word: &str| directive.eq_ignore_ascii_case(word);
        self.noindex |= is("noindex") || is("none");
        self.nofollow |= is("nofollow") || is("none");
    }

    /// Adds the content of a `meta` element.
    pub fn obey_meta(&mut self, content: &str) {
        for directive in content.split(|c| matches!(c, ',' | ' ' | ';')) {
            self.obey(directive.trim());
        }
    }

    /// Adds an `X-Robots-Tag` header: directives for everyone, or after `name:` for one robot.
    pub fn obey_header(&mut self, value: &str) {
        let mut for_us = true;
        for part in value.split(',') {
            let mut directive = part.trim();
            while let Some((name, value)) = directive.split_once(':') {
                let name = name.trim();
                // The rest of a date has colons as well, but no robot is called `25 Jun 2010 15`.
                let is_value = VALUED.iter().any(|known| name.eq_ignore_ascii_case(known));
                if is_value || name.contains(' ') {
                    break;
                }
                for_us = name == "*" || name.eq_ignore_ascii_case(NAME);
                directive = value.trim();
            }
            if for_us {
                self.obey(directive);
            }
        }
    }
}

/// Directives with a colon and a value of their own.
const VALUED: [&str; 4] =
    ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// Whether a relation of a link has this word.
pub fn has_word(rel: &str, word: &str) -> bool {
    rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(word))
}
