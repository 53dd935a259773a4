//! T1 for sites that admit engines by their domain: its directory decides, and asking for it is bounded.

use crate::engine::{Engine, little, now_ms};
use crate::front::{ALL, Front, Running, Setup};
use crate::threats::tls_before;
use crate::upstream::Upstream;
use lycosa_crawllet::descriptor::{Admit, Descriptor, WELL_KNOWN};
use lycosa_crawllet::engine::Reason;
use lycosa_crawllet::identity::EngineKeys;
use lycosa_crawllet::identity::web_bot_auth::DIRECTORY_PATH;
use lycosa_crawllet::{Fault, Refusal};
use std::collections::BTreeMap;

/// A domain that lists the keys of `[1; 32]`, until `exp`; its server, its name, and its certificate in a file.
struct Domain {
    server: Upstream,
    name: String,
    trust: tempfile::NamedTempFile,
}

fn domain(exp_s: u64) -> Domain {
    // The name of an engine is no part of its directory.
    let listed = EngineKeys::generate("any.example", [1; 32]).unwrap();
    let json = listed.directory_json(1, exp_s).into_bytes();
    let pages = BTreeMap::from([(DIRECTORY_PATH.to_owned(), (200, "Connection: close\r\n", json))]);
    let server = Upstream::new(pages);
    let (at, pem) = tls_before(server.at);
    let trust = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(trust.path(), pem).unwrap();
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(trust.path(), readable).unwrap();
    Domain { server, name: format!("localhost:{}", at.port()), trust }
}

impl Domain {
    fn host(&self, front: Front, web: &Upstream, private: bool) -> Option<Running> {
        let section = format!(
            "[directory]\ntrust = {:?}\nprivate = {private}\n\n[limits]",
            self.trust.path()
        );
        let change = [("web_bot_auth = false", "web_bot_auth = true"), ("[limits]", &section)];
        front.start(web.at, &Setup { change: &change, ..Setup::default() })
    }

    fn engine(&self, host: &Running, seed: u8) -> Engine {
        Engine::with(host, EngineKeys::generate(&self.name, [seed; 32]).unwrap())
    }
}

fn refusal(fault: Fault) -> Refusal {
    match fault {
        Fault::Refused { code, .. } => code,
        other => panic!("{other}"),
    }
}

#[test]
fn an_engine_whose_domain_lists_its_key_comes_in_under_every_front_and_is_looked_up_once() {
    let web = Upstream::small();
    for front in ALL {
        let domain = domain(now_ms() / 1000 + 1000);
        let Some(host) = domain.host(front, &web, true) else { continue };
        let engine = domain.engine(&host, 1);
        let descriptor = Descriptor::parse(&engine.get(WELL_KNOWN).1).unwrap();
        assert_eq!(descriptor.admit, Admit::WebBotAuth, "{front:?}");
        for _ in 0..3 {
            let harvest = engine.run_guest("pages", little(), None);
            assert_eq!(harvest.reason(), Reason::Done, "{front:?}");
        }
        assert_eq!(domain.server.asked(), [DIRECTORY_PATH], "{front:?}: once, and kept");
        // Another key under the same name is not in it, and nobody is asked again for that.
        let fault = domain.engine(&host, 2).try_hello(little()).unwrap_err();
        assert_eq!(refusal(fault), Refusal::NotAdmitted, "{front:?}");
        assert!(domain.server.asked().is_empty(), "{front:?}");
    }
}

#[test]
fn a_key_that_has_ended_a_directory_elsewhere_and_a_private_address_admit_nobody() {
    let web = Upstream::small();
    let ended = domain(now_ms() / 1000 - 10);
    let host = ended.host(Front::Alone, &web, true).unwrap();
    let fault = ended.engine(&host, 1).try_hello(little()).unwrap_err();
    assert_eq!(refusal(fault), Refusal::NotAdmitted, "the key has ended");
    assert_eq!(ended.server.asked().len(), 1);
    // A directory behind a certificate that nobody vouches for.
    let (good, other) = (domain(u64::MAX / 2000), domain(u64::MAX / 2000));
    let host = other.host(Front::Alone, &web, true).unwrap();
    let fault = good.engine(&host, 1).try_hello(little()).unwrap_err();
    assert_eq!(refusal(fault), Refusal::NotAdmitted, "not by TLS");
    // As installed: a domain that leads to this machine is not asked at all.
    let host = good.host(Front::Alone, &web, false).unwrap();
    let fault = good.engine(&host, 1).try_hello(little()).unwrap_err();
    assert_eq!(refusal(fault), Refusal::NotAdmitted, "a private address");
    assert!(good.server.asked().is_empty());
    assert!(host.jobs().is_empty() && web.asked().is_empty());
}

#[test]
fn many_domains_at_once_are_looked_up_a_few_in_a_minute() {
    let web = Upstream::small();
    let domain = domain(now_ms() / 1000 + 1000);
    let host = domain.host(Front::Alone, &web, false).unwrap();
    let mut later = 0;
    for n in 0..60 {
        let keys = EngineKeys::generate(&format!("localhost:{}", 2000 + n), [1; 32]).unwrap();
        match refusal(Engine::with(&host, keys).try_hello(little()).unwrap_err()) {
            Refusal::NotAdmitted => {}
            Refusal::Busy => later += 1,
            other => panic!("{other}"),
        }
    }
    // Twenty in a minute, and the minute may turn once.
    assert!(later >= 20, "{later}");
    assert!(std::fs::read_dir(host.state().join("directories")).unwrap().count() <= 40);
}
