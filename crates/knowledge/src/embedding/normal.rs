//! What is done to a text before it is cut? The steps that tokenizers name, in their order.

use super::EmbeddingError;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Steps inside of steps that are read.
const MAX_DEPTH: usize = 8;

/// One step.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Lowercase,
    StripAccents,
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
    /// Control characters go, and every white space is a space.
    Clean,
    /// A space around every Chinese character: each is a word.
    PartChinese,
    Replace(String, String),
}

/// The steps of a tokenizer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Normal(Vec<Step>);

impl Normal {
    /// Reads the part `normalizer` of a tokenizer.
    pub(super) fn read(part: &Value) -> Result<Normal, EmbeddingError> {
        let mut steps = Vec::new();
        collect(part, &mut steps, 0)?;
        Ok(Normal(steps))
    }

    /// Only lower case, for word vectors.
    pub(super) fn lowercase() -> Normal {
        Normal(vec![Step::Lowercase])
    }

    /// The text after all steps.
    pub(super) fn apply(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for step in &self.0 {
            if text.is_ascii() && !matches!(step, Step::Lowercase | Step::Clean | Step::Replace(..))
            {
                continue;
            }
            match step {
                Step::Lowercase if text.is_ascii() => text.make_ascii_lowercase(),
                Step::Lowercase => text = text.to_lowercase(),
                Step::StripAccents => {
                    text = text.nfd().filter(|letter| !is_combining_mark(*letter)).collect();
                }
                Step::Nfc => text = text.nfc().collect(),
                Step::Nfd => text = text.nfd().collect(),
                Step::Nfkc => text = text.nfkc().collect(),
                Step::Nfkd => text = text.nfkd().collect(),
                Step::Clean => text = text.chars().filter_map(cleaned).collect(),
                Step::PartChinese => text = parted(&text),
                Step::Replace(from, to) => text = text.replace(from.as_str(), to),
            }
        }
        text
    }
}

fn cleaned(letter: char) -> Option<char> {
    match letter {
        letter if letter.is_whitespace() => Some(' '),
        '\u{fffd}' => None,
        letter if letter.is_control() => None,
        letter => Some(letter),
    }
}

fn parted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\u{4e00}'..='\u{9fff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{2ceaf}'
            | '\u{2f800}'..='\u{2fa1f}' => out.extend([' ', letter, ' ']),
            letter => out.push(letter),
        }
    }
    out
}

fn collect(part: &Value, steps: &mut Vec<Step>, depth: usize) -> Result<(), EmbeddingError> {
    if part.is_null() {
        return Ok(());
    }
    if depth > MAX_DEPTH {
        return Err(EmbeddingError::Tokenizer(format!("more than {MAX_DEPTH} steps within steps")));
    }
    let flag = |name: &str, default: bool| part[name].as_bool().unwrap_or(default);
    match part["type"].as_str().unwrap_or_default() {
        "Sequence" => {
            for inner in part["normalizers"].as_array().into_iter().flatten() {
                collect(inner, steps, depth + 1)?;
            }
        }
        "BertNormalizer" => {
            let lowercase = flag("lowercase", true);
            if flag("clean_text", true) {
                steps.push(Step::Clean);
            }
            if flag("handle_chinese_chars", true) {
                steps.push(Step::PartChinese);
            }
            // Unless it is told, accents go with the capitals.
            if flag("strip_accents", lowercase) {
                steps.push(Step::StripAccents);
            }
            if lowercase {
                steps.push(Step::Lowercase);
            }
        }
        "Lowercase" => steps.push(Step::Lowercase),
        "StripAccents" => steps.push(Step::StripAccents),
        "NFC" => steps.push(Step::Nfc),
        "NFD" => steps.push(Step::Nfd),
        // The table of SentencePiece is this form but for a few characters.
        "NFKC" | "Precompiled" => steps.push(Step::Nfkc),
        "NFKD" => steps.push(Step::Nfkd),
        "Nmt" => steps.push(Step::Clean),
        // Words are cut at white space whatever there is of it, and get their mark then.
        "Strip" | "Prepend" => {}
        "Replace" => match (part["pattern"]["String"].as_str(), part["content"].as_str()) {
            // A space that becomes a mark does so when words are cut.
            (Some(" "), _) => {}
            (Some(from), Some(to)) if !from.is_empty() => {
                steps.push(Step::Replace(from.to_owned(), to.to_owned()));
            }
            // Spaces in a row, the one pattern that such models come with, are one space to us.
            _ if part["pattern"]["Regex"].as_str().is_some_and(|p| p.starts_with([' ', '\\'])) => {}
            _ => return Err(EmbeddingError::Unsupported(format!("the replacement {part}"))),
        },
        other => return Err(EmbeddingError::Unsupported(format!("the normalizer `{other}`"))),
    }
    Ok(())
}
