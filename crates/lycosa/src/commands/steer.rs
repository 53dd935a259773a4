//! `lycosa steer`: pauses, stops and corrects the crawl that runs, and tends its agents.

use crate::cli::{Common, Steer, SteerCommand};
use crate::commands::hunt;
use crate::failure::{Ending, Failure};
use crate::output;
use lycosa_interface::control::{self, ControlError};
use lycosa_model::Care;
use lycosa_model::message::{Budget, InterfaceMessage, InterfaceReply};

pub(crate) fn run(common: &Common, args: &Steer) -> Result<Ending, Failure> {
    match &args.what {
        SteerCommand::Pause => done(common, &InterfaceMessage::Pause, "paused"),
        SteerCommand::GoOn => done(common, &InterfaceMessage::GoOn, "going on"),
        SteerCommand::Stop => done(common, &InterfaceMessage::Stop, "stopping"),
        SteerCommand::Limit { pages, time } => {
            let seconds = time.map(|span| span.0.as_secs());
            let budget = Budget { pages: *pages, seconds };
            done(common, &InterfaceMessage::Limit(budget), "the limits are changed")
        }
        SteerCommand::Exclude { patterns } => {
            let message = InterfaceMessage::Exclude { patterns: patterns.clone() };
            done(common, &message, "left alone from now on")
        }
        SteerCommand::Include { patterns } => {
            let message = InterfaceMessage::Include { patterns: patterns.clone() };
            done(common, &message, "left alone no more")
        }
        SteerCommand::Feed { name } => tend(common, name, Care::Feed),
        SteerCommand::StopAgent { name } => tend(common, name, Care::Stop),
        SteerCommand::Good { urls } => judge(common, urls, true),
        SteerCommand::Bad { urls } => judge(common, urls, false),
        SteerCommand::Results { limit } => results(common, *limit),
    }
}

fn ask(common: &Common, message: &InterfaceMessage) -> Result<InterfaceReply, Failure> {
    control::ask(&common.data(), message).map_err(|error| match error {
        ControlError::NotRunning => {
            let data = common.data();
            Failure::new(format!("no crawl is running on {}", data.display()))
                .hint("is --data right?")
        }
        ControlError::Refused { error, hint } => Failure::new(error).hint(hint),
        other => other.into(),
    })
}

fn done(common: &Common, message: &InterfaceMessage, word: &str) -> Result<Ending, Failure> {
    ask(common, message)?;
    say(common, word)
}

fn say(common: &Common, word: &str) -> Result<Ending, Failure> {
    if common.json {
        output::json(&serde_json::json!({ "done": word }))?;
    } else if !common.quiet {
        output::line(word);
    }
    Ok(Ending::Done)
}

fn judge(common: &Common, urls: &[String], good: bool) -> Result<Ending, Failure> {
    for url in urls {
        let url = url.clone();
        ask(common, &InterfaceMessage::Verdict { url, good })?;
    }
    say(common, if good { "more like these" } else { "fewer like these" })
}

fn tend(common: &Common, name: &str, how: Care) -> Result<Ending, Failure> {
    let message = InterfaceMessage::Tend { agent: name.to_owned(), how };
    let InterfaceReply::Tended(tended) = ask(common, &message)? else {
        return Err(Failure::new("the running crawl answered something else"));
    };
    if common.json {
        output::json(&tended)?;
    } else if !common.quiet {
        output::line(tended.explain(name));
    }
    Ok(Ending::Done)
}

fn results(common: &Common, limit: usize) -> Result<Ending, Failure> {
    let InterfaceReply::Results(results) = ask(common, &InterfaceMessage::Results { limit })?
    else {
        return Err(Failure::new("the running crawl answered something else"));
    };
    if common.json {
        output::json(&results)?;
    } else {
        for prey in &results {
            output::line(hunt::row(prey));
            output::line(format!("       {}", prey.url));
        }
    }
    Ok(if results.is_empty() { Ending::Partial } else { Ending::Done })
}
