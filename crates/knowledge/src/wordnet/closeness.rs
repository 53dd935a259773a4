//! How close are two words, as a number? Du et al., eq. 4.

use super::Relation;
use serde::{Deserialize, Serialize};

/// What each relation counts. Du et al. have kinds count less than parts (0 < d1 < d2 < 1); both are free.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Closeness {
    /// One is a kind of the other (d1).
    pub is_a: f32,
    /// One is a part of the other (d2).
    pub part_of: f32,
    /// No relation is known.
    pub other: f32,
}

impl Default for Closeness {
    fn default() -> Closeness {
        Closeness { is_a: 0.5, part_of: 0.75, other: 0.001 }
    }
}

impl Closeness {
    /// cs(a, q): equal words and synonyms count 1.
    pub fn of(&self, relation: Relation) -> f32 {
        match relation {
            Relation::Same | Relation::Synonym => 1.0,
            Relation::IsA => self.is_a,
            Relation::PartOf => self.part_of,
            Relation::None => self.other,
        }
    }
}
