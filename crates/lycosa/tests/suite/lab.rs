//! Do the studies measure the search that people use, and do they say what is wrong with their input?

use crate::support::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Four documents, three queries, and what is relevant.
fn collection(dir: &Path) -> PathBuf {
    let folder = dir.join("spiders");
    std::fs::create_dir_all(&folder).expect("a folder");
    let corpus = [
        r#"{"_id":"1","title":"Wolf spiders","text":"A wolf spider hunts at night.","lang":"en"}"#,
        r#"{"_id":"2","title":"Orb weavers","text":"They build webs of silk and wait.","lang":"en"}"#,
        r#"{"_id":"3","title":"Silk","text":"The silk of a spider is strong.","lang":"en"}"#,
        r#"{"_id":"4","title":"Night","text":"Owls hunt at night, too.","lang":"en"}"#,
    ];
    std::fs::write(folder.join("corpus.jsonl"), corpus.join("\n")).expect("written");
    let queries = "q1\thunting wolf spiders\nq2\tsilk webs\nq3\tnight owls\n";
    std::fs::write(folder.join("queries.tsv"), queries).expect("written");
    let qrels = "q1\t1\t2\nq1\t4\t1\nq2\t2\t1\nq2\t3\t1\nq3\t4\t1\n";
    std::fs::write(folder.join("qrels.tsv"), qrels).expect("written");
    folder
}

#[test]
fn the_studies_are_listed() {
    let listed = run(["lab", "list", "--json"]).exits(0).json();
    let names: Vec<&str> =
        listed.as_array().expect("a list").iter().filter_map(|row| row["study"].as_str()).collect();
    assert!(names.contains(&"ir"), "{names:?}");
    let said = run(["lab", "list"]).exits(0).stdout;
    assert!(names.iter().all(|name| said.contains(name)), "{said}");
}

#[test]
fn a_study_of_relevance_ranks_as_search_does() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = collection(dir.path());
    let out = dir.path().join("out");
    let told =
        run(["lab", "run", "ir", "--collection", text(&folder), "--out", text(&out), "--json"]);
    let told = told.exits(0).json();
    assert_eq!(told["study"], "ir");
    let ndcg = told["figures"]["spiders.lycosa.ndcg_10"].as_f64().expect("a figure");
    assert!(ndcg > 0.9 && ndcg <= 1.0, "{ndcg}");
    let ends = told["figures"]["spiders.lycosa.ndcg_10.interval"].as_array().expect("a list");
    assert!(ends[0].as_f64() <= Some(ndcg) && Some(ndcg) <= ends[1].as_f64(), "{ends:?}");
    for file in told["files"].as_array().expect("a list").iter().filter_map(|file| file.as_str()) {
        assert!(Path::new(file).is_file(), "{file}");
    }

    // What a person gets by hand is the same, line by line.
    let (data, run_file) = (dir.path().join("data"), dir.path().join("run"));
    let (corpus, queries) = (folder.join("corpus.jsonl"), folder.join("queries.tsv"));
    run(["import", "jsonl", text(&corpus), "--data", text(&data)]).exits(0);
    run(["search", "--batch", text(&queries), "--run", text(&run_file), "--data", text(&data)])
        .exits(0);
    let lines = |path: &Path| -> BTreeSet<String> {
        let text = std::fs::read_to_string(path).expect("a run");
        text.lines().map(str::to_owned).collect()
    };
    assert_eq!(lines(&out.join("spiders.lycosa.run")), lines(&run_file));
}

#[test]
fn a_model_of_meaning_is_measured_beside_the_words() {
    let dir = tempfile::tempdir().expect("a folder");
    let (folder, model) = (collection(dir.path()), dir.path().join("model"));
    std::fs::create_dir_all(&model).expect("a folder");
    let study =
        ["lab", "run", "ir", "--collection", text(&folder), "--embeddings", text(&model), "--json"];
    let said = run(study).exits(2).stderr;
    assert!(
        said.contains("model.safetensors") && said.contains("hint: a model is a folder"),
        "{said}"
    );
    std::fs::write(model.join("vectors.txt"), "wolf 1 0\nnight 0 x\n").expect("written");
    let said = run(study).exits(2).stderr;
    assert!(said.contains("line 2 of the word vectors: `x` is no finite number"), "{said}");
    std::fs::write(model.join("vectors.txt"), "wolf 1 0\nnight 0 1\nsilk 1 1\n").expect("written");
    // By flag, or by the configuration.
    let config = dir.path().join("lycosa.toml");
    let set = format!("[search]\nembeddings = {:?}\n", text(&model));
    std::fs::write(&config, set).expect("written");
    let configured =
        ["lab", "run", "ir", "--collection", text(&folder), "--config", text(&config), "--json"];
    let ndcg = |ran: Ran| ran.exits(0).json()["figures"]["spiders.hybrid.ndcg_10"].clone();
    assert_eq!(ndcg(run(configured)), ndcg(run(study)));
    let figures = &run(study).exits(0).json()["figures"];
    assert!(figures["spiders.hybrid.ndcg_10"].as_f64() > Some(0.0), "{figures}");
}

#[test]
fn pages_of_an_index_are_asked_for_by_their_titles() {
    let dir = tempfile::tempdir().expect("a folder");
    let (corpus, data) = (collection(dir.path()).join("corpus.jsonl"), dir.path().join("data"));
    run(["import", "jsonl", text(&corpus), "--data", text(&data)]).exits(0);
    let study = ["lab", "run", "known-item", "--data", text(&data), "--json"];
    let figures = &run(study).exits(0).json()["figures"];
    // "Silk" and "Night" are titles of one word.
    assert_eq!((&figures["documents"], &figures["pages"]), (&4.into(), &2.into()));
    assert_eq!(figures["within_3"], 1.0);
    let said = run(["lab", "run", "known-item", "--data", text(dir.path())]).exits(2).stderr;
    assert!(said.contains("there is no index") && said.contains("hint: "), "{said}");
}

#[test]
fn a_study_that_cannot_be_done_says_why_and_what_to_do() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = collection(dir.path());
    let study = ["lab", "run", "ir", "--collection", text(&folder)];
    std::fs::write(folder.join("qrels.tsv"), "q1\t1\n").expect("written");
    let said = run(study).exits(2).stderr;
    assert!(said.contains("qrels.tsv:1: fewer than three columns"), "{said}");
    assert!(said.contains("hint: each line is"), "{said}");
    std::fs::remove_file(folder.join("qrels.tsv")).expect("removed");
    let said = run(study).exits(2).stderr;
    assert!(said.contains("cannot read") && said.contains("qrels.tsv"), "{said}");
    let said = run(["lab", "run", "ir"]).exits(2).stderr;
    assert!(said.contains("--collection"), "{said}");
}
