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
