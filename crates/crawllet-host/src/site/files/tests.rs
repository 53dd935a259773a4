use super::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

struct Site {
    dir: tempfile::TempDir,
}

impl Site {
    fn new() -> Site {
        let dir = tempfile::tempdir().unwrap();
        let site = Site { dir };
        site.open_to_all("");
        fs::write(site.dir.path().join("outside.html"), "outside").unwrap();
        fs::create_dir(site.root()).unwrap();
        site.open_to_all("root");
        site
    }

    fn root(&self) -> std::path::PathBuf {
        self.dir.path().join("root")
    }

    fn open_to_all(&self, name: &str) {
        let path = self.dir.path().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    }

    fn folder(&self) -> Folder {
        let files = Files {
            docroot: self.root(),
            prefixes: vec!["/".to_owned()],
            extensions: vec!["html".to_owned(), "txt".to_owned()],
            index: "index.html".to_owned(),
        };
        Folder::open(&files, 100).unwrap()
    }

    fn look(&self, path: &str) -> Option<String> {
        let found = self.folder().look(path)?;
        Some(String::from_utf8(found.body).unwrap())
    }
}

#[test]
fn plain_files_are_read() {
    let site = Site::new();
    site.file("index.html", "home");
    site.file("a/b c.html", "spaced");
    site.file("a/index.html", "folder");
    site.file("x.TXT", "upper");
    assert_eq!(site.look("/").as_deref(), Some("home"));
    assert_eq!(site.look("/a/").as_deref(), Some("folder"));
    assert_eq!(site.look("/a/b%20c.html").as_deref(), Some("spaced"));
    assert_eq!(site.look("/x.TXT").as_deref(), Some("upper"));
}

#[test]
fn everything_else_is_for_the_web_server() {
    let site = Site::new();
    site.file("page.php", "<?php");
    site.file("big.html", &"x".repeat(101));
    site.file("secret.html", "s");
    site.file(".git/config.txt", "x");
    site.file(".hidden.html", "x");
    site.file("noending", "x");
    let secret = site.root().join("secret.html");
    fs::set_permissions(secret, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(site.root().join("folder.html")).unwrap();
    for path in [
        "/page.php",
        "/big.html",
        "/secret.html",
        "/.git/config.txt",
        "/.hidden.html",
        "/noending",
        "/folder.html",
        "/missing.html",
        "//index.html",
        "/a%2fb.html",
        "/%00.html",
        "/%ff.html",
    ] {
        assert_eq!(site.look(path), None, "{path}");
    }
}

#[test]
fn no_link_and_no_dots_lead_out_or_anywhere() {
    let site = Site::new();
    site.file("real.html", "real");
    symlink("../outside.html", site.root().join("link.html")).unwrap();
    symlink("real.html", site.root().join("inside.html")).unwrap();
    symlink("..", site.root().join("up")).unwrap();
    symlink("/proc/self/root", site.root().join("magic")).unwrap();
    for path in [
        "/link.html",
        "/inside.html",
        "/up/outside.html",
        "/../outside.html",
        "/%2e%2e/outside.html",
        "/magic/etc/motd.txt",
    ] {
        assert_eq!(site.look(path), None, "{path}");
    }
}

#[test]
fn a_folder_with_access_control_is_left_to_the_web_server_with_all_below() {
    let site = Site::new();
    site.file("closed/deep/page.html", "x");
    site.file("open/page.html", "open");
    site.file("closed/.htaccess", "Require valid-user");
    assert_eq!(site.look("/closed/deep/page.html"), None);
    assert_eq!(site.look("/open/page.html").as_deref(), Some("open"));
    site.file("narrow/page.html", "x");
    let narrow = site.root().join("narrow");
    fs::set_permissions(narrow, fs::Permissions::from_mode(0o750)).unwrap();
    assert_eq!(site.look("/narrow/page.html"), None);
}

#[test]
fn access_control_above_the_root_closes_all_of_it() {
    let site = Site::new();
    fs::write(site.dir.path().join(".htaccess"), "Deny from all").unwrap();
    assert!(usable(&site.root()).is_err());
}

#[test]
fn the_first_of_a_prefix_is_marked_and_a_prefix_can_be_switched_off() {
    let site = Site::new();
    site.file("a.html", "a");
    let mut folder = site.folder();
    let first = folder.look("/a.html").unwrap();
    assert!(first.first && !folder.look("/a.html").unwrap().first);
    assert_eq!(folder.distrust(first.prefix).as_deref(), Some("/"));
    assert_eq!(folder.look("/a.html"), None);
}
