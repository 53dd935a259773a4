//! T1 and T2, and the way a job goes.

use crate::engine::{Engine, little};
use crate::front::{ALL, Setup};
use crate::upstream::Upstream;
use lycosa_crawllet::engine::Reason;

#[test]
fn a_crawllet_brings_the_whole_site_in_one_transaction() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        let harvest = engine.run_guest("pages", little(), None);
        assert_eq!(harvest.reason(), Reason::Done, "{front:?} {:?}", harvest.logs);
        let mut paths: Vec<&str> = harvest.records.iter().map(|r| r.path.as_str()).collect();
        paths.sort_unstable();
        assert_eq!(paths.len(), 10, "{front:?} {paths:?}");
        assert_eq!(web.asked().len(), 10, "each page is asked for once");
        assert_eq!(host.reasons(), ["done"]);
    }
}
