use super::*;
use crate::evaluation::MEASURES;
use crate::studies::SEED;
use std::fs;
use std::path::Path;

fn quiet() -> impl FnMut(Progress<'_>) {
    |_| {}
}

/// Six documents and three queries, one of them with an accent.
fn tiny(dir: &Path) -> PathBuf {
    let folder = dir.join("tiny");
    fs::create_dir_all(&folder).unwrap();
    let corpus = [
        r#"{"_id":"w1","title":"Las arañas lobo","text":"La araña lobo caza de noche y corre.","lang":"es"}"#,
        r#"{"_id":"w2","title":"Telarañas","text":"La tela de una araña es de seda muy fina.","lang":"es"}"#,
        r#"{"_id":"c 3","title":"La canción","text":"Una canción para la noche, con guitarra.","lang":"es"}"#,
        r#"{"_id":"c4","title":"El camión","text":"Un camión lleva naranjas a Sevilla.","lang":"es"}"#,
        r#"{"_id":"c5","title":"Otro camión","text":"Los camiones corren por la autopista.","lang":"es"}"#,
        r#"{"_id":"x6","title":"El mar","text":"El mar tiene olas, peces y barcos.","lang":"es"}"#,
    ];
    fs::write(folder.join("corpus.jsonl"), corpus.join("\n")).unwrap();
    fs::write(folder.join("queries.tsv"), "q1\taraña lobo\nq2\tcanción\nq3\tolas del mar\n")
        .unwrap();
    fs::write(folder.join("qrels.tsv"), "q1\tw1\t2\nq1\tw2\t1\nq2\tc 3\t1\nq3\tx6\t1\nq9\tx6\t1\n")
        .unwrap();
    folder
}

fn figure(outcome: &Outcome, name: &str) -> f64 {
    outcome.figures.get(name).and_then(|value| value.as_f64()).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn a_small_collection_is_measured_with_all_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let folder = tiny(dir.path());
    let outcome = run(&[folder.clone(), folder], None, SEED, &mut quiet()).unwrap();
    // Three queries are answered in full; the fourth has no words and counts 0.
    for system in &SYSTEMS[..2] {
        assert_eq!(figure(&outcome, &format!("tiny.{system}.ndcg_10")), 0.75);
        assert_eq!(figure(&outcome, &format!("tiny.{system}.mrr_10")), 0.75);
        assert_eq!(figure(&outcome, &format!("tiny.{system}.r_100")), 0.75);
    }
    assert_eq!(figure(&outcome, "tiny.queries"), 4.0);
    assert_eq!(figure(&outcome, "tiny.difference.ndcg_10"), 0.0);
    assert_eq!(figure(&outcome, "tiny.difference.ndcg_10.p"), 1.0);
    assert_eq!(figure(&outcome, "tiny.without_accents.queries"), 2.0);
    assert_eq!(figure(&outcome, "tiny.without_accents.changed"), 0.0);
    assert_eq!(figure(&outcome, "mean.lycosa.ndcg_10"), 0.75);
    assert_eq!(figure(&outcome, "tiny-2.documents"), 6.0, "the same name once more");
    assert_eq!(outcome.warnings.len(), 2, "{:?}", outcome.warnings);
    let file = |name: &str| {
        let found = outcome.files.iter().find(|(file, _)| file == name);
        found.map_or_else(|| panic!("{name}"), |(_, text)| std::str::from_utf8(text).unwrap())
    };
    let run = file("tiny.lycosa.run");
    assert!(run.lines().all(|line| line.split(' ').count() == 6), "{run}");
    assert!(run.contains("q2 Q0 c_3 1 "), "{run}");
    assert_eq!(file("ir-queries.csv").lines().count(), 1 + 2 * 2 * 4);
    assert_eq!(file("ir.csv").lines().count(), 1 + 2 * 3 * MEASURES.len());
    assert!(file("ir.md").contains("| tiny-2 | 4 | tantivy | 0.7500 |"));
    assert!(file("ir.svg").contains("tiny-2"));
    assert!(outcome.files.iter().any(|(file, bytes)| file == "ir.png" && bytes.len() > 1_000));
    assert!(outcome.text.contains("every score is the same"), "{}", outcome.text);
}

#[test]
fn meaning_is_mixed_in_where_there_is_a_model() {
    let dir = tempfile::tempdir().unwrap();
    // By meaning, "lobo" is a song: the songs move up, and nothing else does.
    let words = "araña 1 0\nlobo 0 1\ncanción 0 1\nguitarra 0 1\nolas 1 1\nmar 1 1\nnoche 0 1\n";
    let model = Embedding::from_words(words.as_bytes()).unwrap();
    let outcome = run(&[tiny(dir.path())], Some(&model), SEED, &mut quiet()).unwrap();
    let run_of = |system: &str| {
        let name = format!("tiny.{system}.run");
        let file = outcome.files.iter().find(|(file, _)| *file == name).unwrap();
        String::from_utf8(file.1.clone()).unwrap()
    };
    let score = |system: &str, document: &str| -> f32 {
        let text = run_of(system);
        let line =
            text.lines().find(|line| line.starts_with(&format!("q1 Q0 {document} "))).unwrap();
        line.split(' ').nth(4).unwrap().parse().unwrap()
    };
    let (words, mixed) = (score("lycosa", "w1"), score("hybrid", "w1"));
    assert!(mixed >= 0.7 * words - 1e-4 && mixed <= words + 1e-4, "{mixed} of {words}");
    assert_ne!(run_of("lycosa"), run_of("hybrid"));
    assert!(figure(&outcome, "tiny.hybrid.ndcg_10") > 0.0);
    assert!(figure(&outcome, "mean.hybrid.ndcg_10") > 0.0);
    assert!(outcome.figures.contains_key("tiny.hybrid_difference.ndcg_10.p"));
    assert!(outcome.text.contains("hybrid against lycosa"), "{}", outcome.text);
}

#[test]
fn progress_is_told_for_every_query_of_both_systems() {
    let dir = tempfile::tempdir().unwrap();
    let mut told = Vec::new();
    let mut progress =
        |step: Progress<'_>| told.push(format!("{} {}/{}", step.what, step.done, step.of));
    run(&[tiny(dir.path())], None, SEED, &mut progress).unwrap();
    assert_eq!(told.first().map(String::as_str), Some("tiny: indexing 0/4"));
    assert!(told.contains(&"tiny: asking tantivy 3/4".to_owned()), "{told:?}");
}

#[test]
fn accents_go_and_everything_else_stays() {
    assert_eq!(without_accents("¿Qué AÑO, -\"pingüino\"?"), "¿Que ANO, -\"pinguino\"?");
    assert_eq!(without_accents("ёлка हिन्दी が"), "ёлка हिन्दी が");
}

/// nDCG@10 and MAP of tantivy alone, as they are known of it.
const KNOWN: [(&str, f64, f64); 4] = [
    ("cranfield", 0.5095, 0.4125),
    ("cacm", 0.4620, 0.3268),
    ("cisi", 0.4183, 0.2164),
    ("squad-es", 0.8505, 0.8237),
];

#[test]
#[allow(clippy::print_stderr, reason = "the figures, or why there are none, are worth reading")]
fn the_reference_is_the_one_that_is_known_and_ours_is_no_worse() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/ir");
    if !shared.is_dir() {
        eprintln!("skipped: ../shared/ir is not here");
        return;
    }
    let folders: Vec<PathBuf> = KNOWN.iter().map(|(name, ..)| shared.join(name)).collect();
    let outcome = run(&folders, None, SEED, &mut quiet()).unwrap();
    eprintln!("{}", outcome.text);
    for (name, ndcg, map) in KNOWN {
        for (measure, known) in [("ndcg_10", ndcg), ("map", map)] {
            let found = figure(&outcome, &format!("{name}.tantivy.{measure}"));
            assert!((found - known).abs() < 0.002, "{name} {measure}: {found}, known {known}");
        }
        let ours = figure(&outcome, &format!("{name}.lycosa.ndcg_10"));
        assert!(ours >= ndcg, "{name}: {ours}, below the reference");
        for measure in MEASURES {
            let found = figure(&outcome, &format!("{name}.lycosa.{}", measure.name()));
            assert!(found > 0.0 && found <= 1.0, "{name} {}: {found}", measure.name());
        }
    }
    assert_eq!(figure(&outcome, "squad-es.without_accents.changed"), 0.0);
}
