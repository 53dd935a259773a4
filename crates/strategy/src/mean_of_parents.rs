//! Mean of parents: a link is worth what the pages are worth on average that lead there (SPEC 4.2).
//!
//! Best-first looks at one of them, and a good page links to much that is not. The mean is drawn towards
//! that of all pages so far, so that one parent does not count as much as ten that agree.

use crate::parents::{Family, Mean, Parents};
use crate::pool::Pool;
use crate::pooled::{Pooled, Scorer};
use crate::redirect::Redirected;
use crate::saved::{self, MOST_LINKS};
use crate::{Explanation, LinkEvidence, PageView, Relevance, why};
use lycosa_model::{Outcome, Part, UrlId};
use serde::{Deserialize, Serialize};

/// Settings of mean-of-parents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeanParameters {
    /// How many pages of usual relevance every link counts as having among its parents.
    pub kappa: f32,
}

impl Default for MeanParameters {
    fn default() -> Self {
        MeanParameters { kappa: 2.0 }
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct MeanOfParents {
    parameters: MeanParameters,
    family: Family,
    usual: Mean,
    redirected: Redirected<Parents>,
}

impl MeanOfParents {
    pub(crate) fn new(strict: bool, parameters: MeanParameters) -> Pooled<MeanOfParents> {
        let (family, usual) = (Family::default(), Mean::default());
        let redirected = Redirected::default();
        Pooled::new(strict, MeanOfParents { parameters, family, usual, redirected })
    }

    fn worth(&self, parents: &Parents) -> f32 {
        parents.mean(self.usual.get(), self.parameters.kappa)
    }
}

/// What is saved. Of a link with one parent the disk has what there is.
#[derive(Serialize, Deserialize)]
struct Saved {
    usual: Mean,
    links: Vec<(UrlId, Parents)>,
}

impl Scorer for MeanOfParents {
    fn name(&self) -> &'static str {
        "mean-of-parents"
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) -> Option<f32> {
        let parents = *match self.redirected.take(link.via) {
            Some(parents) => self.family.inherit(link.url, link.known, parents),
            None => self.family.add(link.url, link.known, link.parent_relevance),
        }?;
        Some(self.worth(&parents))
    }

    fn score(&mut self, url: UrlId) -> Option<f32> {
        self.family.get(url).map(|parents| self.worth(parents))
    }

    fn offered(&mut self, url: UrlId, score: f32) {
        self.family.restore(url, score);
    }

    fn on_page(&mut self, page: &PageView<'_>, relevance: Relevance, _pool: &mut Pool) {
        self.usual.add(relevance.0);
        self.family.forget(page.url);
    }

    fn on_fail(&mut self, url: UrlId, why: Outcome) {
        // One that is tried again keeps its parents.
        if !why.is_transient() {
            let parents = self.family.forget(url);
            if why == Outcome::Redirect {
                self.redirected.keep(url, parents);
            }
        }
    }

    fn save(&self) -> Option<Vec<u8>> {
        let several = self.family.iter().filter(|(_, parents)| parents.count > 1);
        let links = several.map(|(url, parents)| (self.worth(parents), url, *parents)).collect();
        let links = saved::best(links, MOST_LINKS);
        saved::write(self.name(), &Saved { usual: self.usual, links })
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let Saved { usual, links } = saved::read(self.name(), bytes)?;
        self.usual = usual;
        links.into_iter().for_each(|(url, parents)| self.family.put(url, parents));
        Ok(())
    }

    fn parts(&self, url: UrlId) -> Vec<Part> {
        let Some(parents) = self.family.get(url) else { return Vec::new() };
        let of_parents = parents.mean(0.0, self.parameters.kappa);
        let usual = self.worth(parents) - of_parents;
        vec![why::part("parents", of_parents), why::part("usual page", usual)]
    }

    fn notes(&self, url: UrlId) -> Explanation {
        let Some(parents) = self.family.get(url) else { return Vec::new() };
        let (count, mean, kappa) = (parents.count, parents.mean(0.0, 0.0), self.parameters.kappa);
        vec![format!(
            "{count} pages link to it, of mean relevance {mean:.3}, and {kappa} usual ones"
        )]
    }
}
