//! Words and meaning together.

use super::*;
use lycosa_knowledge::embedding::Embedding;
use std::sync::Arc;

/// Spiders and tarantulas lie in one direction, bread in another.
const VECTORS: &str = "spider 1 0\ntarantula 0.95 0.3\nbread 0 1\n";

#[test]
fn meaning_orders_what_words_found() {
    let (_data, searcher) = index(&[
        ("a.test/1", "en", "", "spider bread"),
        ("b.test/2", "en", "", "spider tarantula tarantula tarantula tarantula"),
        ("c.test/3", "en", "", "tarantula"),
        ("d.test/4", "en", "", "unheard of things"),
    ]);
    let embedding = Arc::new(Embedding::from_words(VECTORS.as_bytes()).unwrap());
    let with = searcher.clone().with_embedding(Some(embedding));
    let mut asked = request("spider");
    asked.explain = true;
    let of_meaning = |hit: &lycosa_model::Hit| -> Option<f32> {
        let parts = &hit.explain.as_ref()?.parts;
        parts.iter().find(|part| part.what == "nearness in meaning").map(|part| part.value)
    };
    let plain = searcher.search(&asked).unwrap();
    assert_eq!(paths(&plain), ["a.test/1", "b.test/2"], "by words the shorter text wins");
    assert!(plain.results.iter().all(|hit| of_meaning(hit).is_none()));
    let found = with.search(&asked).unwrap();
    assert_eq!(paths(&found), ["b.test/2", "a.test/1"], "and what is about spiders by meaning");
    for hit in &found.results {
        let explain = hit.explain.as_ref().unwrap();
        let sum: f32 = explain.parts.iter().map(|part| part.value).sum();
        assert!((sum - hit.score).abs() < 1e-4, "{explain:?}");
        assert!(of_meaning(hit).is_some());
    }
    // A question that the model does not know is ranked by its words.
    let unknown = with.search(&request("unheard")).unwrap();
    assert_eq!(
        unknown,
        SearchResponse { took_ms: unknown.took_ms, ..search(&searcher, "unheard") }
    );
}
