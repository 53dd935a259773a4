//! Are built-in crawllets run as they were compiled before, and only if the host compiled them itself?

use crate::engine::{Engine, little};
use crate::front::{Front, Running, Setup, program};
use crate::upstream::Upstream;
use crawllet_host::host::Host;
use crawllet_host::sandbox::compiled::Shelf;
use lycosa_crawllet::engine::Reason;
use lycosa_crawllet::guests::{Guest, by_name};

fn shelf(host: &Running) -> Shelf {
    let mut host = Host::open(&host.dir, std::sync::Arc::default()).unwrap();
    program().clone_into(&mut host.program);
    Shelf::of(&host)
}

fn titles() -> &'static Guest {
    by_name("titles").unwrap()
}

/// The paths that a job brought, and whether it ran as compiled before.
fn job(host: &Running) -> (Vec<String>, bool) {
    let harvest = Engine::new(host).run_guest("titles", little(), None);
    assert_eq!(harvest.reason(), Reason::Done);
    let paths = harvest.records.iter().map(|record| record.path.clone()).collect();
    (paths, host.jobs().last().unwrap()["compiled"] == true)
}

#[test]
fn what_was_compiled_is_run_and_does_the_same() {
    let web = Upstream::small();
    for front in [Front::Alone, Front::Cgi] {
        let host = front.start(web.at, &Setup::default()).unwrap();
        let (paths, compiled) = job(&host);
        assert!(!compiled && !paths.is_empty(), "{front:?}");
        shelf(&host).put(titles()).unwrap();
        assert_eq!(job(&host), (paths, true), "{front:?}");
    }
}

#[test]
fn a_file_that_somebody_changed_is_not_run() {
    let web = Upstream::small();
    let host = Front::Alone.start(web.at, &Setup::default()).unwrap();
    let shelf = shelf(&host);
    assert!(shelf.take(titles(), &[1; 32]).is_none());
    shelf.put(titles()).unwrap();
    let code = shelf.take(titles(), &[1; 32]).unwrap().code;
    let other = shelf.take(titles(), &[2; 32]).unwrap().code;
    let differ = code.iter().zip(&other).filter(|(one, two)| one != two).count();
    assert_eq!((code.len(), differ), (other.len(), 32), "only the key is another");

    let path = host.state().join("compiled").join("titles");
    let whole = std::fs::read(&path).unwrap();
    for place in [0, whole.len() / 2, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        std::fs::write(&path, changed).unwrap();
        assert!(shelf.take(titles(), &[1; 32]).is_none(), "{place}");
    }
    for part in [&whole[..whole.len() - 1], &whole[..16], &[]] {
        std::fs::write(&path, part).unwrap();
        assert!(shelf.take(titles(), &[1; 32]).is_none(), "{} bytes", part.len());
    }
    let (_, compiled) = job(&host);
    assert!(!compiled);

    // What is right for one guest, or one host, is not for another.
    std::fs::write(&path, &whole).unwrap();
    std::fs::copy(&path, host.state().join("compiled").join("pages")).unwrap();
    assert!(shelf.take(by_name("pages").unwrap(), &[1; 32]).is_none());
    let second = Front::Alone.start(web.at, &Setup::default()).unwrap();
    std::fs::write(second.state().join("compiled").join("titles"), &whole).unwrap();
    assert!(self::shelf(&second).take(titles(), &[1; 32]).is_none());
}
