//! Does a program leave alone what a newer one wrote?

use crate::world::*;
use lycosa_ledger::testing::run;
use lycosa_ledger::{Embedded, Frontier, LedgerError, Postgres};

#[tokio::test]
async fn many_may_make_the_first_layout_at_once_and_none_touches_a_newer_one() {
    let Some(server) = server().await else { return };
    let address = server.database("layouts").await.expect("a database");
    let opening: Vec<_> = (0..6)
        .map(|_| {
            let address = address.clone();
            tokio::spawn(async move { Postgres::open(&address).await.map(|_| ()) })
        })
        .collect();
    for opened in opening {
        opened.await.expect("no panic").expect("each of them opens it");
    }
    let frontier = Postgres::open(&address).await.expect("once more");
    assert!(frontier.offer(&[found("http://a.example/")]).await.expect("offer")[0]);
    let newer = Postgres::newest_layout() + 1;
    run(&address, &format!("INSERT INTO migrations VALUES ({newer})")).await.expect("a newer one");
    let Err(error) = Postgres::open(&address).await else { panic!("it is newer") };
    assert!(matches!(error, LedgerError::Newer { found, .. } if found == newer), "{error}");
    assert!(error.to_string().contains("newer"), "{error}");
}

#[tokio::test]
async fn a_folder_is_opened_again_and_left_alone_when_it_is_newer() {
    let dir = tempfile::tempdir().expect("temp dir");
    let place = dir.path().join("frontier");
    let text = place.display().to_string();
    {
        let frontier = lycosa_ledger::open(&text).await.expect("a new one");
        assert!(frontier.offer(&[found("http://a.example/")]).await.expect("offer")[0]);
        frontier.sync().await.expect("sync");
    }
    {
        let frontier = lycosa_ledger::open(&text).await.expect("the same");
        assert!(!frontier.offer(&[found("http://a.example/")]).await.expect("offer")[0]);
        assert!(frontier.offer(&[found("http://a.example/2")]).await.expect("offer")[0]);
        let Err(error) = Embedded::open(&place) else { panic!("one process at a time") };
        assert!(error.to_string().contains("frontier"), "{error}");
    }
    {
        let db = fjall::Database::builder(&place).open().expect("open");
        let meta = db.keyspace("meta", fjall::KeyspaceCreateOptions::default).expect("meta");
        meta.insert("layout", [99]).expect("write");
    }
    let Err(error) = Embedded::open(&place) else { panic!("it is newer") };
    assert!(matches!(error, LedgerError::Newer { found: 99, .. }), "{error}");
}

#[tokio::test]
async fn a_place_that_is_none_is_named_with_a_hint() {
    for (place, hint) in [
        ("mysql://host/db", "use postgres://"),
        ("postgres://host:no-port/db", "it looks like postgres://"),
        ("postgres://lycosa:secret@%2Fnowhere/db", "does it run"),
    ] {
        let Err(error) = lycosa_ledger::open(place).await else { panic!("{place}") };
        let text = error.to_string();
        assert!(text.contains(hint), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}
