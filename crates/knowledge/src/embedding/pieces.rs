//! Which pieces does a word consist of? The longest known ones from the left (WordPiece), the likeliest ones
//! (Unigram), or the whole word.

use super::EmbeddingError;
use super::tokenizer::MAX_PIECES;
use hashbrown::HashMap;
use serde_json::Value;

/// Longest word in bytes that is cut; longer ones are no words.
const MAX_WORD: usize = 400;
/// What a letter that no piece has costs, below the least likely piece.
const UNKNOWN: f64 = 10.0;

/// Ids by piece.
type Ids = HashMap<Box<str>, u32>;

enum Way {
    /// Pieces that begin a word, those that go on with one, and letters of the longest word.
    WordPiece { begin: Ids, on: Ids, letters: usize },
    /// Pieces with the logarithm of how likely each is, and the least of these.
    Unigram { pieces: HashMap<Box<str>, (u32, f64)>, least: f64 },
    /// Words.
    Whole(Ids),
}

/// The pieces that a model knows.
pub(super) struct Pieces {
    way: Way,
    /// Bytes of the longest piece.
    longest: usize,
    /// One more than the largest id.
    ids: usize,
}

fn wrong(what: impl Into<String>) -> EmbeddingError {
    EmbeddingError::Tokenizer(what.into())
}

impl Pieces {
    /// Reads the part `model` of a tokenizer.
    pub(super) fn read(model: &Value) -> Result<Pieces, EmbeddingError> {
        let named = model["type"].as_str();
        // Old files do not say what they are.
        let kind = named.unwrap_or(match model["vocab"].is_array() {
            true => "Unigram",
            false => "WordPiece",
        });
        match kind {
            "WordPiece" => {
                let prefix = model["continuing_subword_prefix"].as_str().unwrap_or("##");
                let letters = model["max_input_chars_per_word"].as_u64().unwrap_or(100);
                let (mut begin, mut on) = (Ids::new(), Ids::new());
                let unknown = model["unk_token"].as_str().unwrap_or("[UNK]");
                for (piece, id) in table(model)?.into_iter().filter(|(piece, _)| *piece != unknown)
                {
                    match piece.strip_prefix(prefix).filter(|rest| !rest.is_empty()) {
                        Some(rest) => on.insert(rest.into(), id),
                        None => begin.insert(piece.into(), id),
                    };
                }
                let letters = usize::try_from(letters).unwrap_or(usize::MAX);
                Ok(Pieces::new(Way::WordPiece { begin, on, letters }))
            }
            "WordLevel" => {
                let unknown = model["unk_token"].as_str().unwrap_or("[UNK]");
                let words = table(model)?.into_iter().filter(|(word, _)| *word != unknown);
                Ok(Pieces::of_words(words.map(|(word, id)| (word.into(), id)).collect()))
            }
            "Unigram" => likely(model),
            other => Err(EmbeddingError::Unsupported(format!("the model `{other}`"))),
        }
    }

    /// Words that are known whole.
    pub(super) fn of_words(words: Ids) -> Pieces {
        Pieces::new(Way::Whole(words))
    }

    fn new(way: Way) -> Pieces {
        let all: Box<dyn Iterator<Item = (usize, u32)>> = match &way {
            Way::WordPiece { begin, on, .. } => {
                Box::new(begin.iter().chain(on).map(|(piece, id)| (piece.len(), *id)))
            }
            Way::Unigram { pieces, .. } => {
                Box::new(pieces.iter().map(|(piece, (id, _))| (piece.len(), *id)))
            }
            Way::Whole(words) => Box::new(words.iter().map(|(word, id)| (word.len(), *id))),
        };
        let (mut longest, mut ids) = (0, 0);
        for (length, id) in all {
            longest = longest.max(length);
            ids = ids.max(id as usize + 1);
        }
        Pieces { way, longest, ids }
    }

    pub(super) fn ids(&self) -> usize {
        self.ids
    }

    /// Hands on the ids of the pieces of a word; none for a word that cannot be made of known ones, and
    /// with [`Way::Unigram`] none for the letters that no piece has.
    pub(super) fn cut(&self, word: &str, piece: &mut impl FnMut(u32)) {
        if word.len() > MAX_WORD {
            return;
        }
        match &self.way {
            Way::Whole(words) => {
                if let Some(id) = words.get(word) {
                    piece(*id);
                }
            }
            Way::WordPiece { begin, on, letters } => {
                if word.len() > *letters && word.chars().count() > *letters {
                    return;
                }
                self.longest_first(word, begin, on, piece);
            }
            Way::Unigram { pieces, least } => self.likeliest(word, pieces, *least, piece),
        }
    }

    fn longest_first(&self, word: &str, begin: &Ids, on: &Ids, piece: &mut impl FnMut(u32)) {
        if let Some(id) = begin.get(word) {
            return piece(*id);
        }
        let mut found = Vec::new();
        let mut from = 0;
        while from < word.len() {
            let known = if from == 0 { begin } else { on };
            let rest = &word[from..];
            let most = rest.floor_char_boundary(self.longest);
            let ends = rest[..most].char_indices().rev().map(|(at, letter)| at + letter.len_utf8());
            let longest = ends.into_iter().find_map(|end| Some((end, *known.get(&rest[..end])?)));
            let Some((end, id)) = longest else { return };
            found.push(id);
            from += end;
        }
        found.into_iter().for_each(piece);
    }

    /// The pieces whose likelihoods have the largest product (Viterbi).
    fn likeliest(
        &self,
        word: &str,
        pieces: &HashMap<Box<str>, (u32, f64)>,
        least: f64,
        piece: &mut impl FnMut(u32),
    ) {
        // For each place the best way there: its worth, where its last piece begins, and which it is.
        let mut best: Vec<(f64, usize, Option<u32>)> =
            vec![(f64::NEG_INFINITY, 0, None); word.len() + 1];
        best[0].0 = 0.0;
        for (from, letter) in word.char_indices() {
            let worth = best[from].0;
            let rest = &word[from..];
            let most = rest.floor_char_boundary(self.longest);
            let mut reach = |end: usize, worth: f64, id: Option<u32>| {
                if worth > best[end].0 {
                    best[end] = (worth, from, id);
                }
            };
            reach(from + letter.len_utf8(), worth + least - UNKNOWN, None);
            for (at, letter) in rest[..most].char_indices() {
                let end = at + letter.len_utf8();
                if let Some((id, likely)) = pieces.get(&rest[..end]) {
                    reach(from + end, worth + likely, Some(*id));
                }
            }
        }
        let mut found = Vec::new();
        let mut end = word.len();
        while end > 0 {
            let (_, from, id) = best[end];
            found.extend(id);
            end = from;
        }
        found.into_iter().rev().for_each(piece);
    }
}

/// Pieces and ids of a table.
fn table(model: &Value) -> Result<Vec<(&str, u32)>, EmbeddingError> {
    let table = model["vocab"].as_object().ok_or_else(|| wrong("it has no vocabulary"))?;
    if table.len() > MAX_PIECES {
        return Err(too_many(table.len()));
    }
    let row = |(piece, id): (&'_ String, &Value)| {
        let number = id.as_u64().and_then(|id| u32::try_from(id).ok());
        number.ok_or_else(|| wrong(format!("the id of `{piece}` is {id}")))
    };
    table.iter().map(|(piece, id)| Ok((piece.as_str(), row((piece, id))?))).collect()
}

fn too_many(found: usize) -> EmbeddingError {
    EmbeddingError::TooLarge {
        what: "pieces of the tokenizer",
        found: found as u64,
        limit: MAX_PIECES as u64,
    }
}

/// A list of pieces and how likely they are; a piece's place is its id.
fn likely(model: &Value) -> Result<Pieces, EmbeddingError> {
    let list = model["vocab"].as_array().ok_or_else(|| wrong("it has no vocabulary"))?;
    if list.len() > MAX_PIECES {
        return Err(too_many(list.len()));
    }
    let unknown = model["unk_id"].as_u64();
    let mut pieces = HashMap::with_capacity(list.len());
    let mut least = 0.0_f64;
    for (id, row) in (0_u32..).zip(list) {
        let (Some(piece), Some(likely)) = (row[0].as_str(), row[1].as_f64()) else {
            return Err(wrong(format!("piece {id} is {row}")));
        };
        least = least.min(likely);
        if Some(u64::from(id)) != unknown && !piece.is_empty() {
            pieces.insert(piece.into(), (id, likely));
        }
    }
    Ok(Pieces::new(Way::Unigram { pieces, least }))
}
