//! Copies that the crawl leaves out.

use super::*;
use lycosa_model::message::CopyOf;

fn copy(path: &str, of: &str) -> CopyOf {
    let url = format!("http://{path}");
    CopyOf { url_id: UrlId::of(&url), url, of: UrlId::of(&format!("http://{of}")) }
}

fn also_at(searcher: &Searcher) -> Vec<String> {
    search(searcher, "spider").results.swap_remove(0).also_at
}

#[test]
fn a_result_names_the_copies_that_it_stands_for_until_they_come_back() {
    let (data, searcher) = index(&[("a.test/1", "en", "Spider", "A spider in the house.")]);
    assert!(also_at(&searcher).is_empty());
    let mut writer = writer(data.path());
    for path in ["b.test/print", "c.test/mirror"] {
        writer.put_copy(&copy(path, "a.test/1")).unwrap();
    }
    commit(&mut writer);
    searcher.reload().unwrap();
    assert_eq!(also_at(&searcher), ["http://b.test/print", "http://c.test/mirror"]);
    writer.put_copy(&copy("d.test/of-a-copy", "c.test/mirror")).unwrap();
    writer.put_copy(&copy("a.test/1", "d.test/of-a-copy")).unwrap();
    commit(&mut writer);
    searcher.reload().unwrap();
    assert_eq!(also_at(&searcher).len(), 3, "those of copies as well, and it ends");
    assert_eq!(search(&searcher, "spider").total, 1);
    assert_eq!(searcher.documents().unwrap(), 1);
    writer.put(entry(("b.test/print", "en", "Ladder", "Something else by now."))).unwrap();
    writer.remove(UrlId::of("http://c.test/mirror")).unwrap();
    commit(&mut writer);
    searcher.reload().unwrap();
    assert!(also_at(&searcher).is_empty());
}

#[test]
fn a_result_names_ten_copies_at_most() {
    let (data, searcher) = index(&[("a.test/1", "en", "Spider", "A spider in the house.")]);
    let mut writer = writer(data.path());
    for number in 0..300 {
        writer.put_copy(&copy(&format!("b.test/{number}"), "a.test/1")).unwrap();
    }
    commit(&mut writer);
    searcher.reload().unwrap();
    assert_eq!(also_at(&searcher).len(), 10);
    std::fs::write(data.path().join("index/copies/meta.json"), "torn").unwrap();
    let searcher = Searcher::open(data.path()).unwrap();
    assert!(also_at(&searcher).is_empty(), "the search goes on");
}
