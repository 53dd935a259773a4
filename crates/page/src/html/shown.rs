//! How does an element show? Whether it is hidden, and what Markdown shows of it beside its text.

use super::attrs::{Attr, Attrs};
use super::build::Builder;
use super::code;
use super::tag::Tag;
use crate::facts;

/// Images of one page that are kept.
const MAX_IMAGES: usize = 2_000;

impl Builder<'_> {
    /// Keeps the address of an image that says what it shows, and the language of code.
    pub(super) fn keep_for_markdown(&mut self, tag: Tag, attrs: &Attrs, node: u32) {
        match tag {
            Tag::Img => {
                let has_alt = !self.tree.text(node as usize).trim().is_empty();
                if let (true, Some(src)) = (has_alt, attrs.get(Attr::Src))
                    && src.len() <= self.limits.max_url_bytes
                    && self.tree.images.len() < MAX_IMAGES
                {
                    let src = src.trim_matches(facts::is_html_space).to_owned();
                    self.tree.images.push((node, src));
                }
            }
            Tag::Pre | Tag::Code | Tag::Div => {
                if let Some(language) = attrs.get(Attr::Class).and_then(code::language) {
                    let from = self.tree.buffer().len();
                    if from + language.len() <= self.limits.max_text_bytes {
                        self.tree.buffer().push_str(language);
                        self.tree.set_text(node, from);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether the author hides the element with a declaration of its own.
pub(super) fn is_hidden(attrs: &Attrs) -> bool {
    if attrs.get(Attr::Hidden).is_some_and(|value| !value.eq_ignore_ascii_case("until-found")) {
        return true;
    }
    let Some(style) = attrs.get(Attr::Style) else {
        return false;
    };
    style.split(';').any(|declaration| {
        let Some((name, value)) = declaration.split_once(':') else {
            return false;
        };
        let (name, value) = (name.trim(), value.trim());
        let is = |text: &str, word: &str| {
            text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
        };
        (name.eq_ignore_ascii_case("display") && is(value, "none"))
            || (name.eq_ignore_ascii_case("visibility") && is(value, "hidden"))
    })
}
