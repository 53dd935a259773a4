//! `lycosa url`: what is known of a URL, and why it was or was not fetched.

use crate::cli::{Common, UrlArgs};
use crate::commands::agents;
use crate::commands::status::open_records;
use crate::config::Config;
use crate::crew;
use crate::failure::{Ending, Failure};
use crate::output;
use lycosa_broker::Plan;
use lycosa_frontier::revisit::rate;
use lycosa_interface::control::{self, ControlError};
use lycosa_knowledge::RelevanceModel;
use lycosa_model::message::{
    BrokerMessage, BrokerReply, InterfaceMessage, InterfaceReply, SiteView, UrlView,
};
use lycosa_model::{Find, Outcome};
use lycosa_runtime::{Clock, Registry};

pub(crate) fn run(common: &Common, args: &UrlArgs) -> Result<Ending, Failure> {
    lycosa_frontier::normal::parse(&args.url)
        .map_err(|error| Failure::new(format!("{}: {error}", args.url)))?;
    let request = InterfaceMessage::Url { url: args.url.clone() };
    let view = match control::ask(&common.data(), &request) {
        Ok(InterfaceReply::Url(view)) => view,
        Ok(_) => return Err(Failure::new("the running crawl answered something else")),
        Err(ControlError::NotRunning) => at_rest(common, &args.url)?,
        Err(error) => return Err(error.into()),
    };
    let Some(view) = view else {
        if common.json {
            output::json(&serde_json::json!({ "url": args.url, "known": false }))?;
        } else {
            output::line(format!(
                "{} is not known: no page that was read links to it, or it is out of scope",
                args.url
            ));
        }
        return Ok(Ending::Partial);
    };
    if common.json {
        output::json(&view)?;
    } else {
        describe(&view);
    }
    Ok(Ending::Done)
}

/// Asks a broker that is woken up for this one question.
fn at_rest(common: &Common, url: &str) -> Result<Option<Box<UrlView>>, Failure> {
    let records = open_records(common)?;
    let saved = common.data().join("lycosa.toml");
    let config = if saved.exists() { Config::read(&saved)? } else { Config::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let plan = Plan {
            records: records.clone(),
            clock: Clock::start(crew::last_moment(&records)?),
            settings: lycosa_broker::Settings {
                memory: Some(common.data().join(agents::MEMORY)),
                ..crew::broker_settings(&config, None)
            },
            strategy: config.crawl.strategy().to_owned(),
            setup: config.setup()?,
            relevance: RelevanceModel::default(),
            resume: true,
        };
        let (broker, handle) = crew::spawn_broker(&Registry::default(), plan)?;
        let reply = broker.ask(BrokerMessage::Url { url: url.into() }).await?;
        drop(broker);
        handle.join().await;
        match reply {
            BrokerReply::Url(view) => Ok(view),
            BrokerReply::Broken(why) => Err(Failure::new(why)),
            other => Err(Failure::new(format!("the broker answered out of turn: {other:?}"))),
        }
    })
}

fn describe(view: &UrlView) {
    let record = &view.record;
    let shown = |label: &str, value: String| output::line(format!("{label:12} {value}"));
    shown("url", record.url.clone());
    shown("url_id", view.url_id.to_string());
    shown("reason", view.reason.clone());
    if record.queued.is_none()
        && record.run == 0
        && matches!(record.outcome, Some(Outcome::Trap(_)))
    {
        // Refused links leave no record, so there is no more to tell.
        return;
    }
    shown("found on", view.via.clone().unwrap_or_else(|| "(a seed)".into()));
    shown("depth", record.depth.to_string());
    shown("inlinks", view.inlinks.to_string());
    shown("outlinks", record.outlinks.to_string());
    if let Some(language) = record.language {
        shown("language", language.to_string());
    }
    if let Some(place) = &record.archived {
        shown("archived", format!("{} at {}", place.file, place.offset));
    }
    if let Some(history) = view.history.as_ref().filter(|history| history.visits > 0) {
        let days = 1.0 / rate::estimate(&history.observations);
        shown("visits", format!("{}, changes about every {days:.1} days", history.visits));
        if let Some(due) = history.due {
            shown("next visit", format!("at {} ms since 1970", due.0));
        }
    }
    if let Some(find) = view.find.as_ref().filter(|find| !find.agent.is_empty()) {
        describe_find(find);
    }
    for why in &view.explain {
        shown("place", why.clone());
    }
    if let Some(site) = &view.site {
        describe_site(site);
    }
}

/// Who chose the page, why, and what it was worth.
fn describe_find(find: &Find) {
    let shown = |label: &str, value: String| output::line(format!("{label:12} {value}"));
    shown("relevance", format!("{:.3}", find.relevance));
    shown("chosen by", format!("{} with the score {:.3}", find.agent, find.score));
    if let Some(finder) = &find.finder {
        shown("named by", finder.clone());
    }
    if let Some(good) = find.verdict {
        shown("verdict", if good { "good" } else { "bad" }.into());
    }
    let Some(why) = &find.why else { return };
    for part in &why.parts {
        shown("because", format!("{:+.3} {}", part.value, part.name));
    }
    for (label, value) in [("energy", why.energy), ("pheromone", why.pheromone)] {
        if let Some(value) = value {
            shown(label, format!("{value:.3}"));
        }
    }
    if let Some(contract) = &why.contract {
        shown("contract", format!("{contract} (lycosa agents --conversation {contract})"));
    }
}

fn describe_site(site: &SiteView) {
    let shown = |label: &str, value: String| output::line(format!("{label:12} {value}"));
    let address = site.address.map_or(String::new(), |address| format!(" at {address}"));
    shown("site", format!("{}{address}, {}", site.site, output::counted(site.pages, "page")));
    let delay = site.crawl_delay.map_or(String::new(), |delay| format!(", Crawl-delay {delay} s"));
    shown("robots.txt", format!("{}{delay}", site.robots));
    for line in &site.signals {
        shown("", line.clone());
    }
    if site.rests_ms > 0 {
        let step = match site.back_off {
            0 => String::new(),
            step => format!(", step {step} of its back-off"),
        };
        shown("rests", format!("{:.1} s more{step}", site.rests_ms as f64 / 1e3));
    }
}
