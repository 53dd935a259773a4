//! Why is the crawl not faster? The broker knows whether sites may be asked; what the bots do with the
//! sites they may ask, they measure themselves, and the system tells how busy the processor is. This puts
//! the three together.

use lycosa_model::message::{BrokerStatus, Waits};
use lycosa_runtime::AgentView;

/// From this share of the cores on, the processor is what the crawl waits for.
const CPU_IS_FULL: f64 = 0.85;

/// From this share of its time on, the broker waits for its disk more than it works.
const STORE_IS_SLOW: f64 = 0.4;

/// What all bots of a process wait for, larger bots counting more; nothing when there are none, or when
/// nothing was measured yet.
pub fn waits(agents: &[AgentView]) -> Option<Waits> {
    let mut sum = Waits::default();
    let mut places = 0.0;
    for bot in agents.iter().filter(|view| view.community == "bot" && view.state == "running") {
        let size = bot.observed.get("concurrency").and_then(serde_json::Value::as_f64);
        let shares: Option<Waits> = bot
            .observed
            .get("shares")
            .and_then(|shares| serde_json::from_value(shares.clone()).ok());
        let (Some(size), Some(shares)) = (size, shares) else { continue };
        if shares == Waits::default() {
            continue;
        }
        places += size;
        for (total, share) in [
            (&mut sum.lease, shares.lease),
            (&mut sum.network, shares.network),
            (&mut sum.filter, shares.filter),
            (&mut sum.work, shares.work),
            (&mut sum.archive, shares.archive),
            (&mut sum.broker, shares.broker),
            (&mut sum.index, shares.index),
        ] {
            *total += share * size;
        }
    }
    if places == 0.0 {
        return None;
    }
    let mean = |total: f64| total / places;
    Some(Waits {
        lease: mean(sum.lease),
        network: mean(sum.network),
        filter: mean(sum.filter),
        work: mean(sum.work),
        archive: mean(sum.archive),
        broker: mean(sum.broker),
        index: mean(sum.index),
    })
}

/// What keeps the crawl from being faster, in words that begin with the one that matters: `politeness`,
/// `network`, `CPU`, `disk`, or what else the broker says.
pub fn limited_by(broker: &BrokerStatus, waits: Option<&Waits>, cpu: Option<f64>) -> String {
    let ended = broker.finished || broker.limited_by.starts_with("the page or time limit");
    let Some(waits) = waits.filter(|_| !ended) else {
        return broker.limited_by.clone();
    };
    let percent = |share: f64| (share * 100.0).round();
    let cores = cpu.filter(|share| *share >= CPU_IS_FULL);
    if let Some(share) = cores {
        return format!("CPU: {} % of the cores are busy", percent(share));
    }
    let slow_store = broker.pace.store_share >= STORE_IS_SLOW;
    // Broker and index work more than they write, unless the disk is seen to be slow.
    let either = waits.broker + waits.index;
    let disk = waits.archive + if slow_store { either } else { 0.0 };
    let reading = waits.filter + waits.work + if slow_store { 0.0 } else { either };
    let largest = waits.lease.max(waits.network).max(disk).max(reading);
    // Of equal reasons the first one: who waits for nobody but us could be asked sooner.
    if waits.lease >= largest {
        broker.limited_by.clone()
    } else if waits.network >= largest {
        format!(
            "network: {} % of the connections wait for servers (see --concurrency)",
            percent(waits.network)
        )
    } else if disk >= largest {
        format!("disk: {} % of the pages wait to be written", percent(disk))
    } else {
        format!("CPU: {} % of the pages wait to be read or indexed", percent(reading))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn broker(limited_by: &str) -> BrokerStatus {
        BrokerStatus { limited_by: limited_by.into(), ..BrokerStatus::default() }
    }

    fn verdict(limited_by_broker: &str, waits: Waits, cpu: f64) -> String {
        let said = limited_by(&broker(limited_by_broker), Some(&waits), Some(cpu));
        said.split(':').next().unwrap_or_default().to_owned()
    }

    const BUSY: &str = "bots: more sites are ready than are being asked";

    #[test]
    fn each_of_the_four_limits_is_told_from_the_others() {
        let idle = Waits { lease: 0.9, network: 0.1, ..Waits::default() };
        assert_eq!(verdict("politeness: every site must rest", idle, 0.1), "politeness");
        assert_eq!(verdict("links: everything known is being fetched", idle, 0.1), "links");
        let far = Waits { network: 0.8, lease: 0.1, filter: 0.1, ..Waits::default() };
        assert_eq!(verdict(BUSY, far, 0.2), "network");
        assert_eq!(verdict(BUSY, far, 0.95), "CPU", "who has no core to run on is slow as well");
        let reading = Waits { filter: 0.5, work: 0.2, network: 0.3, ..Waits::default() };
        assert_eq!(verdict(BUSY, reading, 0.5), "CPU");
        let writing = Waits { archive: 0.4, index: 0.2, network: 0.3, ..Waits::default() };
        assert_eq!(verdict(BUSY, writing, 0.3), "disk");
        let indexing = Waits { index: 0.5, work: 0.2, network: 0.3, ..Waits::default() };
        assert_eq!(verdict(BUSY, indexing, 0.6), "CPU", "words are sorted more than written");
    }

    #[test]
    fn a_broker_that_waits_for_its_store_waits_for_the_disk() {
        let waits = Waits { broker: 0.7, network: 0.3, ..Waits::default() };
        let mut status = broker(BUSY);
        status.pace.store_share = 0.8;
        assert!(limited_by(&status, Some(&waits), Some(0.3)).starts_with("disk"));
        status.pace.store_share = 0.1;
        assert!(limited_by(&status, Some(&waits), Some(0.3)).starts_with("CPU"));
    }

    #[test]
    fn without_measurements_and_at_the_end_the_broker_has_the_word() {
        let done = BrokerStatus { finished: true, ..broker("nothing: it is finished") };
        let far = Waits { network: 1.0, ..Waits::default() };
        assert_eq!(limited_by(&done, Some(&far), Some(1.0)), "nothing: it is finished");
        assert_eq!(limited_by(&broker(BUSY), None, Some(1.0)), BUSY);
    }

    #[test]
    fn larger_bots_count_more_and_those_that_say_nothing_do_not() {
        let bot = |state: &'static str, concurrency: u64, network: f64| AgentView {
            name: "bot".into(),
            community: "bot",
            state,
            handled: 0,
            restarts: 0,
            waiting: 0,
            capacity: 4,
            observed: json!({ "concurrency": concurrency,
                              "shares": { "network": network, "lease": 1.0 - network } }),
        };
        let agents = [bot("running", 30, 1.0), bot("running", 10, 0.0), bot("finished", 99, 0.5)];
        let waits = waits(&agents).expect("two bots");
        assert_eq!((waits.network, waits.lease), (0.75, 0.25));
        assert_eq!(super::waits(&[]), None);
    }
}
