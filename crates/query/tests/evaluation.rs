//! Does the search find what people judged relevant? Cranfield through the real segments, scored as
//! trec_eval does. The collection lies beside the project and is not part of it.

use flate2::read::GzDecoder;
use lycosa_model::message::Entry;
use lycosa_model::{Document, Lang, LangShare, SearchRequest, Tick, UrlId};
use lycosa_query::Searcher;
use lycosa_segments::{CommitNote, Segments, WriterSettings};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{File, read_to_string};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

fn collection(name: &str) -> Option<PathBuf> {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/ir");
    let folder = Path::new(shared).join(name);
    folder.is_dir().then_some(folder)
}

fn entry(line: &str, lang: Lang) -> Entry {
    let json: Value = serde_json::from_str(line).unwrap();
    let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
    let url = format!("http://collection.test/{}", text("_id"));
    Entry {
        document: Document {
            title: text("title"),
            keywords: format!("{} {} {}", text("keywords"), text("author"), text("bib")),
            text: text("text"),
            languages: vec![LangShare { lang, share: 1.0 }],
            ..Document::empty(UrlId::of(&url), url)
        },
        agent: "import".into(),
        fetched: Tick(0),
        id: None,
    }
}

fn index(folder: &Path, lang: Lang, data: &Path) -> u64 {
    let segments = Segments::create_or_open(data).unwrap();
    let mut writer = segments.writer(WriterSettings::default()).unwrap();
    let corpus =
        BufReader::new(GzDecoder::new(File::open(folder.join("corpus.jsonl.gz")).unwrap()));
    for line in corpus.lines() {
        writer.put(entry(&line.unwrap(), lang)).unwrap();
    }
    writer.commit(&CommitNote::new(BTreeMap::new())).unwrap()
}

/// The rows of a file of tab-separated values.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = read_to_string(path).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// nDCG@10 with linear gain; a query without results counts 0.
fn ndcg(searcher: &Searcher, folder: &Path) -> f64 {
    let mut judged: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for row in rows(&folder.join("qrels.tsv")) {
        let gain: f64 = row[2].parse().unwrap();
        judged.entry(row[0].clone()).or_default().insert(row[1].clone(), gain);
    }
    let queries: BTreeMap<String, String> = rows(&folder.join("queries.tsv"))
        .into_iter()
        .map(|row| (row[0].clone(), row[1].clone()))
        .collect();
    let discounted = |gains: &[f64]| -> f64 {
        let ranked = gains.iter().take(10).enumerate();
        ranked.map(|(i, gain)| gain / (i as f64 + 2.0).log2()).sum()
    };
    let (mut sum, mut count) = (0.0, 0);
    for (id, relevant) in &judged {
        let mut ideal: Vec<f64> = relevant.values().copied().filter(|gain| *gain > 0.0).collect();
        if ideal.is_empty() {
            continue;
        }
        ideal.sort_by(|a, b| b.total_cmp(a));
        let request = SearchRequest { query: queries[id].clone(), ..SearchRequest::default() };
        let gains: Vec<f64> = searcher
            .rank(&request, 10)
            .unwrap()
            .iter()
            .map(|page| {
                let name = page.url.rsplit('/').next().unwrap_or_default();
                relevant.get(name).copied().unwrap_or(0.0)
            })
            .collect();
        sum += discounted(&gains) / discounted(&ideal);
        count += 1;
    }
    sum / f64::from(count)
}

#[allow(
    clippy::print_stderr,
    reason = "the figure, or why there is none, is what a person reads of this test"
)]
fn evaluate(name: &str, lang: Lang) -> Option<f64> {
    let Some(folder) = collection(name) else {
        eprintln!("skipped: ../shared/ir/{name} is not here");
        return None;
    };
    let data = tempfile::tempdir().unwrap();
    let documents = index(&folder, lang, data.path());
    let searcher = Searcher::open(data.path()).unwrap();
    let score = ndcg(&searcher, &folder);
    eprintln!("{name}: {documents} documents, nDCG@10 {score:.4}");
    Some(score)
}

#[test]
fn an_english_collection_is_ranked_well() {
    if let Some(score) = evaluate("cranfield", Lang::EN) {
        assert!(score >= 0.49, "{score}");
    }
}

#[test]
fn a_spanish_collection_is_ranked_well() {
    if let Some(score) = evaluate("squad-es", Lang::ES) {
        assert!(score >= 0.80, "{score}");
    }
}
