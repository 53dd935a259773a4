use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A tensor: name, type, shape and bytes.
type Tensor<'a> = (&'a str, &'a str, Vec<usize>, Vec<u8>);

/// A safetensors file.
fn file(tensors: &[Tensor<'_>]) -> Vec<u8> {
    let (mut header, mut data) = (serde_json::Map::new(), Vec::<u8>::new());
    header.insert("__metadata__".into(), json!({"format": "pt"}));
    for (name, dtype, shape, bytes) in tensors {
        let ends = [data.len(), data.len() + bytes.len()];
        data.extend(bytes);
        let tensor = json!({"dtype": dtype, "shape": shape, "data_offsets": ends});
        header.insert((*name).into(), tensor);
    }
    let header = serde_json::to_vec(&Value::Object(header)).unwrap();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header);
    file.extend(data);
    file
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// One row a piece, in the order of [`wordpiece`]: animals point one way, ships the other.
const ROWS: [[f32; 2]; 6] =
    [[9.0, 9.0], [1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9], [0.5, 0.5]];

fn matrix(rows: &[[f32; 2]]) -> Tensor<'static> {
    ("embeddings", "F32", vec![rows.len(), 2], floats(&rows.concat()))
}

fn wordpiece() -> Vec<u8> {
    let tokenizer = json!({
        "normalizer": {"type": "BertNormalizer", "lowercase": true, "strip_accents": null,
                       "clean_text": true, "handle_chinese_chars": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 20,
                  "vocab": {"[UNK]": 0, "cat": 1, "##fish": 2, "ship": 3, "##s": 4, "!": 5}}
    });
    serde_json::to_vec(&tokenizer).unwrap()
}

fn model() -> Embedding {
    Embedding::load(&file(&[matrix(&ROWS)]), &wordpiece()).unwrap()
}

fn pieces(embedding: &Embedding, text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    embedding.tokenizer.cut(text, &mut |piece| found.push(piece));
    found
}

#[test]
fn words_are_cut_into_the_longest_pieces() {
    let model = model();
    assert_eq!(pieces(&model, "Cat cats, CATFISH ships!"), [1, 1, 4, 1, 2, 3, 4, 5]);
    assert_eq!(pieces(&model, "cát\u{0}s \u{4e2d}cat"), [1, 4, 1], "accents and control signs go");
    assert_eq!(
        pieces(&model, "catdog dog [UNK]"),
        [0; 0],
        "a word with an unknown part is unknown"
    );
    assert_eq!(pieces(&model, &format!("cat{}", "s".repeat(18))), [0; 0], "too long for a word");
}

#[test]
fn a_text_has_the_mean_of_its_pieces() {
    let model = model();
    assert_eq!(model.dims(), 2);
    let vector = model.vector("cat fish ship", 1_000).unwrap();
    // Of (1, 0) and (0, 1).
    let half = 0.5_f32.sqrt();
    assert!((vector.as_slice()[0] - half).abs() < 1e-6, "{vector:?}");
    assert!((vector.as_slice()[1] - half).abs() < 1e-6, "{vector:?}");
    let (cat, catfish, ship) = (
        model.vector("cat", 9).unwrap(),
        model.vector("catfish", 9).unwrap(),
        model.vector("ship", 9).unwrap(),
    );
    assert!(cat.cosine(&catfish) > 0.99 && cat.cosine(&ship) < 0.01);
    assert_eq!(model.vector("unknown words only", 1_000), None);
    assert_eq!(model.vector("", 1_000), None);
}

#[test]
fn a_text_is_read_as_far_as_allowed() {
    let model = model();
    assert_eq!(model.vector("cat ship", 3), model.vector("cat", 3));
    assert_eq!(model.vector("ñ cat", 1), None, "cut before a letter that does not fit");
}

#[test]
fn weights_and_a_mapping_are_used() {
    let weights = ("weights", "F32", vec![6], floats(&[0.0, 1.0, 1.0, 3.0, 1.0, 1.0]));
    let weighted = Embedding::load(&file(&[matrix(&ROWS), weights]), &wordpiece()).unwrap();
    let vector = weighted.vector("cat ship", 100).unwrap();
    assert!((vector.as_slice()[1] / vector.as_slice()[0] - 3.0).abs() < 1e-5, "{vector:?}");
    let rows: Vec<u8> = [0_i64, 0, 0, 1, 1, 0].iter().flat_map(|row| row.to_le_bytes()).collect();
    let mapped = file(&[matrix(&[[1.0, 0.0], [0.0, 1.0]]), ("mapping", "I64", vec![6], rows)]);
    let mapped = Embedding::load(&mapped, &wordpiece()).unwrap();
    assert_eq!(mapped.vector("ships", 9).unwrap().as_slice(), [0.0, 1.0]);
}

#[test]
fn numbers_of_every_type_give_the_same_direction() {
    let numbers = ROWS.concat();
    let whole = model().vector("catfish ship", 100).unwrap();
    let halves: Vec<u8> = numbers.iter().flat_map(|n| half_bits(*n).to_le_bytes()).collect();
    let brains: Vec<u8> =
        numbers.iter().flat_map(|n| ((n.to_bits() >> 16) as u16).to_le_bytes()).collect();
    let doubles: Vec<u8> = numbers.iter().flat_map(|n| f64::from(*n).to_le_bytes()).collect();
    let bytes: Vec<u8> = numbers.iter().map(|n| (n * 14.0).round() as i8 as u8).collect();
    for (dtype, data) in [("F16", halves), ("BF16", brains), ("F64", doubles), ("I8", bytes)] {
        let model = file(&[("embedding.weight", dtype, vec![6, 2], data)]);
        let vector = Embedding::load(&model, &wordpiece()).unwrap().vector("catfish ship", 100);
        assert!(vector.unwrap().cosine(&whole) > 0.998, "{dtype}");
    }
}

/// A float in 16 bits, for numbers from 0.0001 to 65,000.
fn half_bits(number: f32) -> u16 {
    if number == 0.0 {
        return 0;
    }
    let bits = number.to_bits();
    let exponent = ((bits >> 23) & 0xff) as i32 - 127 + 15;
    (exponent as u16) << 10 | ((bits >> 13) & 0x3ff) as u16
}

#[test]
fn likely_pieces_win_and_unknown_letters_do_not_count() {
    let tokenizer = json!({
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Precompiled", "precompiled_charsmap": ""},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [
            ["<unk>", 0.0], ["▁cat", -2.0], ["fish", -3.0], ["▁cats", -9.0], ["s", -4.0], ["▁", -5.0]]}
    });
    let model =
        Embedding::load(&file(&[matrix(&ROWS)]), &serde_json::to_vec(&tokenizer).unwrap()).unwrap();
    assert_eq!(pieces(&model, "catfish  cats"), [1, 2, 1, 4], "two pieces are likelier than one");
    assert_eq!(pieces(&model, "fishx"), [5, 2], "a word begins with its mark");
    assert_eq!(pieces(&model, "ﬁsh"), [5, 2], "a ligature is two letters");
}

#[test]
fn word_vectors_are_read_with_and_without_a_first_line() {
    for text in ["Cat 1 0\nship 0 1.5e0\n\ncat 0 1\n", "3 2\nCat 1 0\nship 0 1.5e0\nCAT 5 5"] {
        let words = Embedding::from_words(text.as_bytes()).unwrap();
        assert_eq!(words.dims(), 2);
        assert_eq!(words.vector("a CAT, or", 100).unwrap().as_slice(), [1.0, 0.0], "{text}");
        assert_eq!(words.vector("Ship!", 100).unwrap().as_slice(), [0.0, 1.0]);
    }
    let said = |text: &[u8]| Embedding::from_words(text).map(drop).unwrap_err().to_string();
    assert!(said(b"cat 1 0\nship 1\n").contains("line 2"));
    assert!(said(b"cat 1 x\n").contains("`x` is no finite number"));
    assert!(said(b"cat 1 NaN\n").contains("`NaN` is no finite number"));
    assert!(said(b"cat\n").contains("0 numbers"));
    assert!(said(b"").contains("there are no words"));
    assert!(said(b"cat 1 0\n\xff\xff 1 0\n").contains("line 2 of the word vectors: not UTF-8"));
}

#[test]
fn a_model_that_is_broken_says_how() {
    let good = file(&[matrix(&ROWS)]);
    let said = |model: &[u8], tokenizer: &[u8]| {
        let error = Embedding::load(model, tokenizer).map(drop).unwrap_err();
        assert!(!error.hint().is_empty());
        error.to_string()
    };
    let of = |tensor: Tensor<'_>| said(&file(&[tensor]), &wordpiece());
    assert_eq!(said(&good[..5], &wordpiece()), "the model is cut off: 5 bytes");
    assert_eq!(said(&good[..40], &wordpiece()), "the model is cut off: it ends within its header");
    let cut = said(&good[..good.len() - 1], &wordpiece());
    assert_eq!(cut, "the model is cut off: the data of `embeddings` is not there");
    assert!(
        said(&[&9_u64.to_le_bytes()[..], b"no header"].concat(), &wordpiece())
            .contains("no safetensors")
    );
    assert!(said(&[0xff; 100], &wordpiece()).contains("at most 16777216 are read"));
    let other = of(("other", "F32", vec![1], floats(&[1.0])));
    assert_eq!(other, "the model has no tensor `embeddings`; it has other");
    assert!(of(("embeddings", "U8", vec![6, 2], vec![0; 12])).contains("of type U8"));
    assert!(
        of(("embeddings", "F32", vec![12], floats(&ROWS.concat()))).contains("no rows and columns")
    );
    assert!(
        of(("embeddings", "F32", vec![6, 3], floats(&ROWS.concat()))).contains("it has 48 bytes")
    );
    assert!(
        of(("embeddings", "F32", vec![usize::MAX, 2], floats(&[1.0]))).contains("it has 4 bytes")
    );
    assert!(of(("embeddings", "F32", vec![0, 5_000], Vec::new())).contains("at most 4096"));
    assert!(of(("embeddings", "F32", vec![3, 0], Vec::new())).contains("its vectors are empty"));
    assert!(of(matrix(&ROWS[..3])).contains("is 3, the tokenizer has 6 pieces"));
    let mut rows = ROWS;
    rows[2][1] = f32::NAN;
    assert!(of(matrix(&rows)).contains("no finite number at place 5"));
    let short = file(&[matrix(&ROWS), ("weights", "F32", vec![2], floats(&[1.0, 1.0]))]);
    assert!(said(&short, &wordpiece()).contains("the number of weights is 2"));
    let far: Vec<u8> = [0_i32, 1, 2, 3, 4, -1].iter().flat_map(|row| row.to_le_bytes()).collect();
    let mapped = file(&[matrix(&ROWS), ("mapping", "I32", vec![6], far)]);
    assert!(said(&mapped, &wordpiece()).contains("names row 4294967295 of 6"));
}

#[test]
fn a_tokenizer_that_is_not_understood_says_why() {
    let said = |tokenizer: Value| {
        let bytes = serde_json::to_vec(&tokenizer).unwrap();
        Embedding::load(&file(&[matrix(&ROWS)]), &bytes).map(drop).unwrap_err().to_string()
    };
    let whole = |normalizer: Value, rule: Value| {
        json!({"normalizer": normalizer, "pre_tokenizer": rule,
               "model": {"type": "WordLevel", "vocab": {"cat": 1}}})
    };
    assert!(said(json!({"model": {"type": "BPE", "vocab": {}}})).contains("the model `BPE`"));
    assert!(said(json!({"model": {"type": "WordPiece"}})).contains("it has no vocabulary"));
    assert!(said(json!({"model": {"vocab": {"cat": -1}}})).contains("the id of `cat` is -1"));
    assert!(said(json!({"model": {"vocab": [["cat"]]}})).contains("piece 0 is"));
    assert!(said(whole(json!({"type": "Magic"}), Value::Null)).contains("the normalizer `Magic`"));
    assert!(
        said(whole(Value::Null, json!({"type": "ByteLevel"}))).contains("the rule `ByteLevel`")
    );
    let mark = json!({"type": "Metaspace", "replacement": "_"});
    assert!(said(whole(Value::Null, mark)).contains("the mark `_`"));
    let mut deep = json!({"type": "NFC"});
    for _ in 0..20 {
        deep = json!({"type": "Sequence", "normalizers": [deep]});
    }
    assert!(said(whole(deep, Value::Null)).contains("steps within steps"));
    let broken = Embedding::load(&file(&[matrix(&ROWS)]), b"{").map(drop).unwrap_err();
    assert!(matches!(broken, EmbeddingError::Tokenizer(_)));
}

#[test]
fn a_quantised_vector_keeps_its_direction() {
    let numbers: Vec<f32> = (0..256).map(|n| ((n * 37 % 101) as f32 - 50.0) / 50.0).collect();
    let other: Vec<f32> = (0..256).map(|n| ((n * 53 % 97) as f32 - 20.0) / 50.0).collect();
    let (one, two) = (Vector::new(numbers).unwrap(), Vector::new(other).unwrap());
    assert_eq!(one.quantised().iter().map(|byte| byte.unsigned_abs()).max(), Some(127));
    let exact = one.cosine(&two);
    assert!((cosine(&one.quantised(), &two.quantised()) - exact).abs() < 0.005, "{exact}");
    assert!((cosine(&one.quantised(), &one.quantised()) - 1.0).abs() < 1e-6);
    assert_eq!(cosine(&[1, 2], &[1]), 0.0, "of different models");
    assert_eq!(cosine(&[0, 0], &[1, 2]), 0.0);
    assert_eq!(cosine(&[-128; 4_096], &[127; 4_096]), -1.0);
}

proptest! {
    #[test]
    fn no_bytes_break_the_reader(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        header in "[{}\\[\\]\":,a-z0-9_]{0,60}"
    ) {
        drop(Embedding::load(&bytes, &bytes));
        drop(Embedding::from_words(&bytes));
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.as_bytes());
        drop(Embedding::load(&file, header.as_bytes()));
    }

    #[test]
    fn every_text_has_a_vector_of_length_one_or_none(text in "(cat|ship|fish|s| |!|ñ|\\PC){0,40}") {
        if let Some(vector) = model().vector(&text, 100) {
            let length: f32 = vector.as_slice().iter().map(|x| x * x).sum();
            prop_assert!((length - 1.0).abs() < 1e-4);
        }
    }
}
