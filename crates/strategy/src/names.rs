//! What is a strategy called, and what does it need to begin?

use crate::infospiders::{InfoSpiders, SpiderParameters};
use crate::walkers::{Kind, WalkerParameters, Walkers};
use crate::{
    BestFirst, BreadthFirst, Strategy, fish, learned, mean_of_parents, n_best_first, opic, random,
    shark, tag_path, team,
};
use lycosa_knowledge::wordnet::WordNet;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Names on the command line. A name with a colon takes a number or a word behind it.
pub const NAMES: [&str; 13] = [
    "random",
    "breadth-first",
    "best-first",
    "n-best-first:N",
    "fish",
    "shark",
    "mean-of-parents",
    "opic",
    "tag-path",
    "learned",
    "contract-net",
    "xiangdan",
    "wyy",
];

/// Names of strategies that let agents walk. An agent that has named a URL waits for its page, so they name
/// no more at a time than there are agents.
pub const AGENTS: [&str; 5] =
    ["infospiders", "walkers:single", "walkers:multiple", "walkers:cloning", "walkers:immune"];

/// What a strategy is made of, beside its name.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Whether fetches are scarcer than time: then a link that should come first is waited for while its
    /// site rests, and no other is fetched instead.
    pub strict: bool,
    /// Where chance begins. The same seed and the same calls give the same choices.
    pub seed: u64,
    /// Agents of a strategy that has some; `None` for as many as it thinks right.
    pub agents: Option<usize>,
    /// Relations between words, for a strategy that asks for them; without, only equal words are related.
    pub wordnet: Option<Arc<WordNet>>,
    /// Settings of each strategy.
    pub parameters: Parameters,
}

/// Settings of the strategies. One set for every topic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Parameters {
    /// Fish-Search.
    pub fish: fish::FishParameters,
    /// Shark-Search.
    pub shark: shark::SharkParameters,
    /// Mean of parents.
    pub mean_of_parents: mean_of_parents::MeanParameters,
    /// The learned scorer.
    pub learned: learned::LearnedParameters,
    /// The bandit over tag paths.
    pub tag_path: tag_path::TagPathParameters,
    /// InfoSpiders.
    pub infospiders: SpiderParameters,
    /// Walkers.
    pub walkers: WalkerParameters,
    /// The contract-net team, and the two teams before it.
    pub team: team::TeamParameters,
}

impl Parameters {
    /// Whether numbers are such that something can be computed with them.
    fn check(&self) -> Result<(), String> {
        let Parameters { fish, shark, mean_of_parents, learned, tag_path, .. } = self;
        let at_least = [
            ("fish.food", fish.food, 0.0),
            ("fish.slow", fish.slow, 0.0),
            ("shark.delta", shark.delta, 0.0),
            ("shark.beta", shark.beta, 0.0),
            ("shark.gamma", shark.gamma, 0.0),
            ("mean-of-parents.kappa", mean_of_parents.kappa, 0.0),
            ("tag-path.alike", tag_path.alike, 0.0),
            ("tag-path.alpha", tag_path.alpha, 0.0),
            ("learned.kappa", learned.kappa, 0.0),
            ("learned.anchor", learned.anchor, 0.0),
            ("learned.mention", learned.mention, 0.0),
            ("learned.place", learned.place, 0.0),
            ("learned.pull", learned.pull, 0.01),
            ("learned.ahead", learned.ahead, 0.0),
            ("learned.rate", learned.rate, 0.0),
            ("learned.most", learned.most, 0.0),
            ("learned.feedback", learned.feedback, 0.0),
            ("learned.best", learned.best, 0.0),
            ("learned.explore", learned.explore, 0.0),
            ("learned.explore-half", learned.explore_half, 0.0),
        ];
        for (name, value, least) in at_least {
            if !(least..=MOST).contains(&value) {
                return Err(format!(
                    "{name} in [strategy] is {value}; it is from {least} to {MOST}"
                ));
            }
        }
        match fish.width {
            width if width > MOST as u32 => Err(format!("fish.width is {width}; at most {MOST}")),
            _ => Ok(()),
        }
    }
}

/// The largest number that a setting may have.
const MOST: f32 = 1e6;

/// There is no such strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStrategy {
    /// What was asked for.
    pub name: String,
    /// What can be done about it.
    pub hint: String,
}

impl std::fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no strategy is called {}", self.name)
    }
}

impl std::error::Error for UnknownStrategy {}

/// The strategy of this name.
pub fn by_name(name: &str, setup: &Setup) -> Result<Box<dyn Strategy>, UnknownStrategy> {
    let (kind, rest) = match name.split_once(':') {
        Some((kind, rest)) => (kind, Some(rest)),
        None => (name, None),
    };
    let parameters = &setup.parameters;
    let checked = parameters.infospiders.check().and(parameters.walkers.check());
    if let Err(what) = checked.and(parameters.check()) {
        return unknown(name, &what);
    }
    Ok(match (kind, rest) {
        ("random", None) => Box::new(random::Random::new(setup)),
        ("breadth-first", None) => Box::new(BreadthFirst::new(setup.strict)),
        ("best-first", None) => Box::new(BestFirst::new(setup.strict)),
        ("n-best-first", Some(n)) => match n.parse() {
            Ok(n) if n > 0 => Box::new(n_best_first::NBestFirst::new(setup.strict, n)),
            _ => return unknown(name, "N is a number from 1 on, as in n-best-first:256"),
        },
        ("fish", None) => Box::new(fish::Fish::new(setup.strict, parameters.fish)),
        ("shark", None) => Box::new(shark::Shark::new(setup.strict, parameters.shark)),
        ("mean-of-parents", None) => {
            Box::new(mean_of_parents::MeanOfParents::new(setup.strict, parameters.mean_of_parents))
        }
        ("learned", None) => Box::new(learned::Learned::new(setup, parameters.learned)),
        ("opic", None) => Box::new(opic::Opic::new(setup.strict)),
        ("tag-path", None) => Box::new(tag_path::TagPath::new(setup, parameters.tag_path)),
        ("infospiders", None) => Box::new(InfoSpiders::new(setup, &parameters.infospiders)),
        ("walkers", Some(kind)) => match Kind::ALL.into_iter().find(|known| known.name() == kind) {
            Some(kind) => Box::new(Walkers::new(kind, setup, &parameters.walkers)),
            None => return unknown(name, &format!("there are: {}", AGENTS.join(", "))),
        },
        ("contract-net", None) => {
            Box::new(team::ContractNet::new(team::Variant::ContractNet, setup))
        }
        ("xiangdan", None) => Box::new(team::ContractNet::new(team::Variant::XiangDan, setup)),
        ("wyy", None) => Box::new(team::ContractNet::new(team::Variant::Wyy, setup)),
        ("oracle", _) => {
            return unknown(
                name,
                "an oracle knows the answers; it is in `lab run strategies` only",
            );
        }
        _ => {
            let names = [&NAMES[..], &AGENTS[..]].concat().join(", ");
            return unknown(name, &format!("there are: {names}"));
        }
    })
}

/// The line that a strategy with a wrong topic must fall to: it knows which links lead to no page as well as
/// `learned` does, and nothing else.
pub fn blind(setup: &Setup) -> Box<dyn Strategy> {
    Box::new(learned::Blind::new(setup, setup.parameters.learned))
}

fn unknown<T>(name: &str, hint: &str) -> Result<T, UnknownStrategy> {
    Err(UnknownStrategy { name: name.to_owned(), hint: hint.to_owned() })
}
