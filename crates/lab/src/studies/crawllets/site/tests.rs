use super::*;

#[test]
fn a_generated_site_has_the_pages_and_the_size_of_its_recipe() {
    let folder = tempfile::tempdir().unwrap();
    for recipe in &RECIPES {
        let site = generate(recipe, 20, folder.path(), 7).unwrap();
        assert_eq!(site.pages, (recipe.pages * 20).div_ceil(100), "{}", recipe.name);
        let off = site.mean_bytes() / recipe.mean_bytes as f64;
        assert!((0.93..1.07).contains(&off), "{}: {off}", recipe.name);
        // Neither noise nor one sentence again and again.
        let packed = site.gzip_bytes as f64 / site.bytes as f64;
        assert!((0.2..0.55).contains(&packed), "{}: {packed}", recipe.name);
        let text = site.text_bytes as f64 / site.bytes as f64;
        assert!((0.25..0.7).contains(&text), "{}: {text}", recipe.name);
    }
}

#[test]
fn equal_seeds_give_equal_sites() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let read = |folder: &tempfile::TempDir| {
        let site = generate(&RECIPES[2], 2, folder.path(), 3).unwrap();
        std::fs::read(site.docroot.join("index.html")).unwrap()
    };
    assert_eq!(read(&folders[0]), read(&folders[1]));
}

#[test]
fn a_folder_of_pages_is_copied_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Manual_2/html");
    std::fs::create_dir_all(source.join("deep")).unwrap();
    std::fs::write(source.join("index.html"), "<a href=deep/a.html>a</a>").unwrap();
    std::fs::write(source.join("deep/a.html"), "a").unwrap();
    std::fs::write(source.join(".hidden"), "no").unwrap();
    let site = copy(&source, &folder.path().join("sites")).unwrap();
    assert_eq!((site.name.as_str(), site.pages), ("manual-2", 2));
    assert!(!site.docroot.join(".hidden").exists() && site.docroot.join("robots.txt").exists());
    assert!(copy(&source.join("deep"), folder.path()).is_err(), "nothing to begin with");
}

#[test]
fn the_largest_documentation_that_is_not_too_large_is_found_by_itself() {
    let root = tempfile::tempdir().unwrap();
    let package = |folder: &str, pages: usize, index: bool| {
        let folder = root.path().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let names = (0..pages).map(|page| format!("{page}.html"));
        let names = names.chain(index.then(|| "index.html".to_owned()));
        names.for_each(|name| std::fs::write(folder.join(name), "page").unwrap());
        std::fs::write(folder.join("changelog.gz"), "no page").unwrap();
    };
    let found = || documentation_in(root.path());
    assert_eq!(documentation_in(&root.path().join("nowhere")), None);
    package("small/html", FEWEST_PAGES - 2, true);
    package("headless/html", FEWEST_PAGES + 90, false);
    package("huge/html", MOST_PAGES, true);
    assert_eq!(found(), None, "too small, without a front page, too large");
    package("direct", FEWEST_PAGES, true);
    assert_eq!(found(), Some(root.path().join("direct")));
    package("larger/html", FEWEST_PAGES + 50, true);
    assert_eq!(found(), Some(root.path().join("larger/html")));
}
