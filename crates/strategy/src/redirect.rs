//! What becomes of what is known of a link that redirects? It goes to where the redirect leads.

use lycosa_model::UrlId;

/// What was known of the URL that redirected last: its target is told of next.
#[derive(Clone, Debug)]
pub(crate) struct Redirected<T>(Option<(UrlId, T)>);

impl<T> Default for Redirected<T> {
    fn default() -> Self {
        Redirected(None)
    }
}

impl<T> Redirected<T> {
    /// It redirects; nothing is kept where nothing is known.
    pub(crate) fn keep(&mut self, url: UrlId, known: Option<T>) {
        self.0 = known.map(|known| (url, known));
    }

    /// What was known of the URL by way of which another one was found.
    pub(crate) fn take(&mut self, via: Option<UrlId>) -> Option<T> {
        let (_, known) = self.0.take_if(|(url, _)| via == Some(*url))?;
        Some(known)
    }
}
