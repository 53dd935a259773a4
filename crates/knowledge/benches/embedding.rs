//! What does the meaning of a text cost? Makes models of the usual size (30,522 pieces of 256 numbers) whose
//! words are those of the project's own documents, and tells CPU time per kilobyte of text, and of one
//! comparison. Gate: nearly every word of the text is known, and one byte a number says the same as four.
//!
//! `cargo xtask bench embedding` or `cargo xtask bench embedding -- FILE...` (texts)
#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(clippy::unwrap_used, reason = "a bench without its texts has nothing to measure")]

use lycosa_knowledge::analysis::words;
use lycosa_knowledge::embedding::{Embedding, cosine};
use lycosa_knowledge::fold;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Pieces of a model, and numbers of each.
const PIECES: usize = 30_522;
const DIMS: usize = 256;
/// Bytes of a text whose vector is asked for, about a page.
const TEXT: usize = 4_096;
/// Rounds; the best one counts, as the least disturbed.
const ROUNDS: usize = 5;
/// Comparisons of one round.
const COMPARISONS: usize = 100_000;

/// A number for each place that anybody can repeat (splitmix64), from -1 to 1.
fn number(place: usize) -> f32 {
    let mixed = (place as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed >> 40) as f32 / (1_u64 << 23) as f32) - 1.0
}

fn model(dtype: &str, bytes: &[u8]) -> Vec<u8> {
    let header = json!({"embeddings": {
        "dtype": dtype, "shape": [PIECES, DIMS], "data_offsets": [0, bytes.len()]}});
    let header = serde_json::to_vec(&header).unwrap();
    [&(header.len() as u64).to_le_bytes()[..], &header, bytes].concat()
}

/// The most frequent words, every second one only by its parts, so that pieces are looked for, too.
fn pieces(text: &str) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in words(text) {
        *counts.entry(fold(word)).or_default() += 1;
    }
    let mut ranked: Vec<(String, usize)> = counts.into_iter().collect();
    ranked.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut pieces: Vec<String> = vec!["[UNK]".into()];
    for letter in ('a'..='z').chain('0'..='9').chain("_-.,:;!?'\"()[]{}<>/`|*#+=&%$@~^\\".chars()) {
        pieces.extend([letter.to_string(), format!("##{letter}")]);
    }
    for (rank, (word, _)) in ranked.iter().enumerate() {
        let half = word.floor_char_boundary(word.len() / 2);
        match rank % 2 == 0 || half == 0 {
            true => pieces.push(word.clone()),
            false => pieces.extend([word[..half].to_owned(), format!("##{}", &word[half..])]),
        }
    }
    pieces.sort();
    pieces.dedup();
    pieces.truncate(PIECES);
    pieces
}

fn wordpiece(pieces: &[String]) -> Vec<u8> {
    let vocab: serde_json::Map<String, Value> =
        pieces.iter().enumerate().map(|(id, piece)| (piece.clone(), id.into())).collect();
    serde_json::to_vec(&json!({
        "normalizer": {"type": "BertNormalizer", "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "vocab": vocab}
    }))
    .unwrap()
}

fn unigram(pieces: &[String]) -> Vec<u8> {
    let likely = |piece: &String| {
        let plain = match piece.strip_prefix("##") {
            Some(rest) => rest.to_owned(),
            None => format!("\u{2581}{piece}"),
        };
        json!([plain, -(plain.len() as f64) - 5.0])
    };
    let mut vocab = vec![json!(["<unk>", 0.0])];
    vocab.extend(pieces.iter().take(PIECES - 1).map(likely));
    serde_json::to_vec(&json!({
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u{2581}"},
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocab}
    }))
    .unwrap()
}

/// Documents below a folder.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.is_dir() {
            documents(&file, found);
        } else if file.extension().is_some_and(|ext| ext == "md") {
            found.push(file);
        }
    }
}

fn main() {
    let mut files: Vec<PathBuf> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).map(PathBuf::from).collect();
    if files.is_empty() {
        documents(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs"), &mut files);
        files.sort();
    }
    let text: String = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let mut texts = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (first, others) = rest.split_at(rest.floor_char_boundary(TEXT).max(1));
        texts.push(first);
        rest = others;
    }
    let pieces = pieces(&text);
    let numbers: Vec<f32> = (0..PIECES * DIMS).map(number).collect();
    let floats: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let bytes: Vec<u8> = numbers.iter().map(|number| (number * 127.0) as i8 as u8).collect();
    let (floats, bytes) = (model("F32", &floats), model("I8", &bytes));
    println!(
        "{} texts, {:.0} KB, {} pieces, {DIMS} numbers",
        texts.len(),
        text.len() as f64 / 1e3,
        pieces.len()
    );
    let mut loaded = Vec::new();
    for (name, model, tokenizer) in [
        ("WordPiece, f32", &floats, wordpiece(&pieces)),
        ("WordPiece, int8", &bytes, wordpiece(&pieces)),
        ("Unigram, f32", &floats, unigram(&pieces)),
    ] {
        let began = Instant::now();
        let embedding = Embedding::load(model, &tokenizer).unwrap();
        let load = began.elapsed().as_secs_f64() * 1e3;
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let began = Instant::now();
            let found =
                texts.iter().filter(|text| black_box(embedding.vector(text, TEXT)).is_some());
            assert_eq!(found.count(), texts.len(), "gate: every text has known words");
            best = best.min(began.elapsed().as_secs_f64());
        }
        println!(
            "{name:16} loaded in {load:5.1} ms, {:6.2} microseconds a KB",
            best * 1e9 / text.len() as f64
        );
        loaded.push(embedding);
    }
    let vectors =
        |of: usize| loaded[of].vector(texts[0], TEXT).zip(loaded[of].vector(texts[1], TEXT));
    let (one, two) = vectors(0).unwrap();
    let (first, second) = vectors(1).unwrap();
    let (exact, rough) = (one.cosine(&two), cosine(&first.quantised(), &second.quantised()));
    assert!(
        (exact - rough).abs() < 0.02,
        "gate: one byte a number says the same: {exact}, {rough}"
    );
    let (one, two) = (one.quantised(), two.quantised());
    let began = Instant::now();
    for _ in 0..COMPARISONS {
        black_box(cosine(black_box(&one), black_box(&two)));
    }
    let each = began.elapsed().as_secs_f64() * 1e9 / COMPARISONS as f64;
    println!("one comparison of {DIMS} bytes: {each:.0} ns");
}
