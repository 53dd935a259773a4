//! Tag path: where in a page do the links stand that lead to good pages? A bandit whose arms are clusters
//! of tag paths (Gauquier, Manolescu and Senellart).
//!
//! The path of a link, as `ul.nav/li/a`, is a vector of pairs of neighbours. Paths that are alike
//! make one arm. The arm with the highest upper bound of its mean reward is pulled, and any of its links is
//! taken. The reward is the relevance of the page that is found there.

use crate::pool::Pool;
use crate::pooled::{Pooled, Scorer};
use crate::redirect::Redirected;
use crate::saved::{self, MOST_LINKS};
use crate::score::SEED;
use crate::{Explanation, LinkEvidence, PageView, Relevance, Setup, why};
use lycosa_model::{Outcome, Part, UrlId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Settings of the bandit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TagPathParameters {
    /// A path whose cosine with an arm is at least this belongs to it.
    pub alike: f32,
    /// How much an arm is worth that was hardly tried: the factor before the square root.
    pub alpha: f32,
    /// Arms at most; a path that is like none of them then joins the most similar one.
    pub arms: usize,
}

impl Default for TagPathParameters {
    fn default() -> Self {
        TagPathParameters { alike: 0.75, alpha: 2.0 * std::f32::consts::SQRT_2, arms: 1_000 }
    }
}

/// Cells of a path vector.
const CELLS: u32 = 1 << 12;

/// Elements of a path that are read, from the link upwards.
const ELEMENTS: usize = 32;

/// Paths whose arm is remembered.
const REMEMBERED: usize = 100_000;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Arm {
    /// A path of it, for people.
    path: String,
    centre: HashMap<u16, f32>,
    /// The sum of the squares of its weights.
    squares: f64,
    pulls: u32,
    reward: f32,
    /// Links of it that wait: the same that are offered again after a restart.
    #[serde(skip)]
    waiting: Vec<UrlId>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct TagPath {
    parameters: TagPathParameters,
    dice: ChaCha8Rng,
    arms: Vec<Arm>,
    /// The arm of a path.
    of_path: HashMap<String, usize>,
    of_url: HashMap<UrlId, usize>,
    redirected: Redirected<usize>,
    pulls: u32,
}

impl TagPath {
    pub(crate) fn new(setup: &Setup, parameters: TagPathParameters) -> Pooled<TagPath> {
        let dice = ChaCha8Rng::seed_from_u64(setup.seed);
        let scorer = TagPath {
            parameters,
            dice,
            arms: Vec::new(),
            of_path: HashMap::new(),
            of_url: HashMap::new(),
            redirected: Redirected::default(),
            pulls: 0,
        };
        Pooled::new(setup.strict, scorer)
    }

    fn arm_of(&mut self, path: &str) -> usize {
        if let Some(arm) = self.of_path.get(path) {
            return *arm;
        }
        let vector = vector(path);
        let alike = self.arms.iter().map(|arm| cosine(&vector, arm)).enumerate();
        let nearest = alike.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let full = self.arms.len() >= self.parameters.arms;
        let number = match nearest {
            Some((number, alike)) if alike >= self.parameters.alike || full => number,
            _ => {
                self.arms.push(Arm { path: path.to_owned(), ..Arm::default() });
                self.arms.len() - 1
            }
        };
        let arm = &mut self.arms[number];
        for (cell, weight) in &vector {
            let of_arm = arm.centre.entry(*cell).or_default();
            let before = f64::from(*of_arm);
            *of_arm += weight;
            arm.squares += f64::from(*of_arm).powi(2) - before.powi(2);
        }
        if self.of_path.len() < REMEMBERED {
            self.of_path.insert(path.to_owned(), number);
        }
        number
    }

    /// The upper bound of the mean reward of an arm.
    fn bound(&self, arm: &Arm) -> f32 {
        let explored = (self.pulls.max(1) as f32).ln() / (arm.pulls as f32 + 1e-6);
        arm.mean() + self.parameters.alpha * explored.sqrt()
    }

    fn arm(&self, url: UrlId) -> Option<&Arm> {
        self.of_url.get(&url).and_then(|arm| self.arms.get(*arm))
    }
}

impl Arm {
    fn mean(&self) -> f32 {
        if self.pulls == 0 { 0.0 } else { self.reward / self.pulls as f32 }
    }
}

/// Pairs of neighbours on a path, hashed to cells; the ends have neighbours, too.
fn vector(path: &str) -> Vec<(u16, f32)> {
    let elements: Vec<&str> = path.rsplit('/').take(ELEMENTS).collect();
    let ends = [""];
    let all: Vec<&str> = ends.iter().chain(elements.iter().rev()).chain(&ends).copied().collect();
    let mut cells: HashMap<u16, f32> = HashMap::new();
    for pair in all.windows(2) {
        let hash = lycosa_knowledge::Word::of(&format!("{}>{}", pair[0], pair[1])).0;
        *cells.entry((hash % CELLS) as u16).or_default() += 1.0;
    }
    let mut cells: Vec<(u16, f32)> = cells.into_iter().collect();
    cells.sort_by_key(|(cell, _)| *cell);
    cells
}

fn cosine(vector: &[(u16, f32)], arm: &Arm) -> f32 {
    let of_arm = |cell: &u16| arm.centre.get(cell).copied().unwrap_or(0.0);
    let dot: f32 = vector.iter().map(|(cell, weight)| weight * of_arm(cell)).sum();
    let own: f32 = vector.iter().map(|(_, weight)| weight * weight).sum();
    let norm = (f64::from(own) * arm.squares).sqrt() as f32;
    if norm > 0.0 { dot / norm } else { 0.0 }
}

/// What is saved.
#[derive(Serialize, Deserialize)]
struct Saved {
    arms: Vec<Arm>,
    paths: Vec<(String, usize)>,
    links: Vec<(UrlId, usize)>,
    pulls: u32,
    dice: u128,
}

/// Paths that are saved.
const MOST_PATHS: usize = 10_000;

impl Scorer for TagPath {
    fn name(&self) -> &'static str {
        "tag-path"
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) -> Option<f32> {
        let inherited = self.redirected.take(link.via);
        if !link.known && !self.of_url.contains_key(&link.url) {
            let arm = inherited.unwrap_or_else(|| self.arm_of(link.tag_path));
            self.of_url.insert(link.url, arm);
        }
        None
    }

    fn score(&mut self, url: UrlId) -> Option<f32> {
        // Only the one that was drawn matters; it is lifted.
        self.of_url.get(&url).map(|_| 0.0)
    }

    fn offered(&mut self, url: UrlId, _score: f32) {
        let arm = match self.of_url.get(&url) {
            Some(arm) => *arm,
            None => self.arm_of(""),
        };
        self.of_url.insert(url, arm);
        self.arms[arm].waiting.push(url);
    }

    fn on_page(&mut self, page: &PageView<'_>, relevance: Relevance, _pool: &mut Pool) {
        if let Some(arm) = self.of_url.remove(&page.url) {
            self.arms[arm].reward += relevance.0;
        }
    }

    fn on_fail(&mut self, url: UrlId, why: Outcome) {
        // It is tried again.
        if why.is_transient() {
            return;
        }
        let arm = self.of_url.remove(&url);
        if why == Outcome::Redirect {
            // It is pulled again where it leads.
            if let Some(arm) = arm {
                self.arms[arm].pulls = self.arms[arm].pulls.saturating_sub(1);
                self.pulls = self.pulls.saturating_sub(1);
            }
            self.redirected.keep(url, arm);
        }
    }

    fn before_take(&mut self, pool: &mut Pool) {
        let awake = self.arms.iter().enumerate().filter(|(_, arm)| !arm.waiting.is_empty());
        let bounds = awake.map(|(number, arm)| (number, self.bound(arm)));
        let best = bounds.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let Some((number, bound)) = best else { return };
        let waiting = &mut self.arms[number].waiting;
        let place = self.dice.random_range(0..waiting.len());
        // If its site must rest it is still there to be drawn; else it is the last, and quickly taken out.
        let last = waiting.len() - 1;
        waiting.swap(place, last);
        pool.rescore(waiting[last], bound.min(SEED));
        pool.lift(waiting[last]);
    }

    fn taken(&mut self, url: UrlId) {
        if let Some(arm) = self.of_url.get(&url) {
            let arm = &mut self.arms[*arm];
            arm.pulls = arm.pulls.saturating_add(1);
            self.pulls = self.pulls.saturating_add(1);
            if let Some(place) = arm.waiting.iter().rposition(|waits| *waits == url) {
                arm.waiting.swap_remove(place);
            }
        }
    }

    fn save(&self) -> Option<Vec<u8>> {
        let mut paths: Vec<(String, usize)> =
            self.of_path.iter().map(|(path, arm)| (path.clone(), *arm)).collect();
        paths.sort_unstable();
        paths.truncate(MOST_PATHS);
        let links = self.of_url.iter().map(|(url, arm)| (self.arms[*arm].mean(), *url, *arm));
        let state = Saved {
            arms: self.arms.clone(),
            paths,
            links: saved::best(links.collect(), MOST_LINKS),
            pulls: self.pulls,
            dice: self.dice.get_word_pos(),
        };
        saved::write(self.name(), &state)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let Saved { arms, paths, links, pulls, dice } = saved::read(self.name(), bytes)?;
        let of_paths = paths.iter().map(|(_, arm)| *arm);
        let mut all = of_paths.chain(links.iter().map(|(_, arm)| *arm));
        if let Some(arm) = all.find(|arm| *arm >= arms.len()) {
            return Err(format!("what tag-path has saved is damaged: there is no arm {arm}"));
        }
        self.dice.set_word_pos(dice);
        (self.arms, self.pulls) = (arms, pulls);
        self.of_path = paths.into_iter().collect();
        self.of_url = links.into_iter().collect();
        Ok(())
    }

    fn parts(&self, url: UrlId) -> Vec<Part> {
        let Some(arm) = self.arm(url) else { return Vec::new() };
        let mean = arm.mean();
        vec![
            why::part("mean reward of such links", mean),
            why::part("hardly tried", self.bound(arm) - mean),
        ]
    }

    fn notes(&self, url: UrlId) -> Explanation {
        let Some(arm) = self.arm(url) else { return Vec::new() };
        vec![
            format!("stands where {} does", if arm.path.is_empty() { "a seed" } else { &arm.path }),
            format!("such links were followed {} times", arm.pulls),
        ]
    }
}
