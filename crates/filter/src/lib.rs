//! What does a fetched page say? The filter agent turns bytes into documents.
//!
//! All the reading is done by `lycosa-page`; the agent adds the message loop, the headers and the
//! counts. It keeps nothing between two pages but those counts, so a filter that fails on a page and is
//! built anew has lost nothing.

use lycosa_model::message::{FilterMessage, FilterReply, Parts};
use lycosa_model::{Lang, Page};
use lycosa_page::{Input, Limits, Reading};
use lycosa_runtime::Agent;
use serde::Serialize;

/// Languages that the observable state tells apart; further ones are not listed.
pub const MAX_LANGUAGES_SHOWN: usize = 16;

/// Pages in which some of a language was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LanguageCount {
    /// The language.
    pub lang: Lang,
    /// Pages with some of it.
    pub pages: u64,
}

/// What a filter shows of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FilterState {
    /// Pages read as documents.
    pub pages: u64,
    /// Bodies that were no text.
    pub not_text: u64,
    /// Links found, each target once per page.
    pub links: u64,
    /// Bytes of all bodies.
    pub bytes: u64,
    /// Languages in the order in which they were first seen, at most [`MAX_LANGUAGES_SHOWN`].
    pub languages: Vec<LanguageCount>,
}

/// The filter agent.
#[derive(Debug, Default)]
pub struct Filter {
    limits: Limits,
    state: FilterState,
}

impl Filter {
    /// A filter that reads within these limits.
    pub fn new(limits: Limits) -> Filter {
        Filter { limits, state: FilterState::default() }
    }

    /// Reads one page, as far as these parts need, and counts it.
    pub fn read(&mut self, page: &Page, parts: Parts) -> FilterReply {
        let input = Input::new(page.url_id, &page.url, &page.body)
            .with_headers(&page.headers)
            .for_parts(parts);
        self.state.bytes += page.body.len() as u64;
        match lycosa_page::read(&input, &self.limits) {
            Reading::Document(document) => {
                self.state.pages += 1;
                self.state.links += document.links.len() as u64;
                for share in &document.languages {
                    self.count(share.lang);
                }
                FilterReply::Document(document)
            }
            Reading::NotText { media_type, links, why } => {
                self.state.not_text += 1;
                self.state.links += links.len() as u64;
                tracing::debug!(url = page.url, media_type, why, "not text");
                FilterReply::NotText { media_type, links }
            }
        }
    }

    fn count(&mut self, lang: Lang) {
        let languages = &mut self.state.languages;
        if let Some(count) = languages.iter_mut().find(|count| count.lang == lang) {
            count.pages += 1;
        } else if languages.len() < MAX_LANGUAGES_SHOWN {
            languages.push(LanguageCount { lang, pages: 1 });
        }
    }
}

impl Agent for Filter {
    type Message = FilterMessage;
    type State = FilterState;

    fn observe(&self) -> FilterState {
        self.state.clone()
    }

    async fn handle(&mut self, message: FilterMessage) -> FilterReply {
        match message {
            FilterMessage::Read(page, parts) => self.read(&page, parts),
        }
    }
}

#[cfg(test)]
mod tests;
