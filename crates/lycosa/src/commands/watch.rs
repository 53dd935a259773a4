//! `lycosa watch`: standing queries.

mod show;

use crate::cli::{Common, Watch, WatchAdd, WatchChange, WatchRun};
use crate::config::Config;
use crate::failure::{Ending, Failure};
use crate::interrupt::Interrupt;
use crate::output;
use crate::watches::{self, Env, Shelf, now, unknown};
use lycosa_model::Tick;
use lycosa_watch::feed;
use serde_json::{Value, json};
use std::time::Duration;

/// How long to wait for another process that looks at watches.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn run(common: &Common, command: Watch) -> Result<Ending, Failure> {
    let shelf = Shelf::new(&common.data());
    let done = |said: String| {
        match common.json {
            true => output::json(&json!({ "done": true }))?,
            false => output::line(said),
        }
        Ok(Ending::Done)
    };
    match command {
        Watch::Add(args) => add(common, &shelf, *args),
        Watch::List => show::list(common, &shelf),
        Watch::Show { id } => show::one(common, &shelf, id),
        Watch::Edit(args) => edit(common, &shelf, *args),
        Watch::Run(args) => look(common, &args),
        Watch::Remove { ids } => {
            for id in &ids {
                if !shelf.remove(*id)? {
                    return Err(unknown(*id));
                }
            }
            done("removed".to_owned())
        }
        Watch::Pause { id } => {
            changed(shelf.change(id, |watch| watch.paused = true)?, id)?;
            done(format!("watch {id} rests"))
        }
        Watch::Resume { id } => {
            changed(shelf.change(id, watches::go_on)?, id)?;
            done(format!("watch {id} goes on"))
        }
        Watch::Rotate { id } => {
            let secret = watches::rotate(&shelf, id)?;
            if common.json {
                output::json(&json!({ "id": id, "secret": secret }))?;
            } else {
                output::line(&secret);
                output::note("this secret is not shown again; the old one signs as well for a day");
            }
            Ok(Ending::Done)
        }
        Watch::Retry { id, delivery } => {
            let again = |watch: &mut lycosa_watch::Watch| watch.retry(delivery.as_deref(), now());
            match changed(shelf.change(id, again)?, id)? {
                0 => Err(Failure::new("nothing was given up that could be tried again")
                    .hint(format!("lycosa watch show {id} lists deliveries"))),
                count => {
                    done(format!("to be tried again by lycosa serve or lycosa watch run: {count}"))
                }
            }
        }
        Watch::Feed { id, server } => {
            let watch = shelf.one(id)?.ok_or_else(|| unknown(id))?;
            output::line(feed::atom(&watch, server.trim_end_matches('/')).trim_end());
            Ok(Ending::Done)
        }
    }
}

fn changed<T>(told: Option<T>, id: u64) -> Result<T, Failure> {
    told.ok_or_else(|| unknown(id))
}

fn add(common: &Common, shelf: &Shelf, args: WatchAdd) -> Result<Ending, Failure> {
    let mut config = Config::load(common.config.as_deref())?;
    config.watch.allow_private |= args.allow_private;
    let added = watches::add(shelf, args.order(), &config)?;
    if common.json {
        let watches::Added { id, feed, secret } = added;
        output::json(&json!({ "id": id, "feed": feed, "secret": secret }))?;
        return Ok(Ending::Done);
    }
    output::line(format!("watch {}", added.id));
    output::line(format!("feed    {}  (on the server that lycosa serve starts)", added.feed));
    if let Some(secret) = &added.secret {
        output::line(format!("secret  {secret}"));
        output::note(
            "the secret of the webhook is not shown again; lycosa watch rotate makes a new one",
        );
    }
    Ok(Ending::Done)
}

fn edit(common: &Common, shelf: &Shelf, args: WatchChange) -> Result<Ending, Failure> {
    let mut config = Config::load(common.config.as_deref())?;
    config.watch.allow_private |= args.allow_private;
    let id = args.id;
    let secret = watches::edit(shelf, id, args.edit(), &config)?;
    if common.json {
        output::json(&json!({ "id": id, "secret": secret }))?;
        return Ok(Ending::Done);
    }
    output::line(format!("watch {id} is kept by what you said"));
    if let Some(secret) = &secret {
        output::line(format!("secret  {secret}"));
        output::note("the webhook has a new secret, which is not shown again");
    }
    Ok(Ending::Done)
}

/// Looks at watches and tells what is new.
fn look(common: &Common, args: &WatchRun) -> Result<Ending, Failure> {
    let mut config = Config::load(common.config.as_deref())?;
    config.watch.allow_private |= args.allow_private;
    config.fetch.allow_private |= args.allow_private;
    let env = Env::new(&common.data(), config, Interrupt::watch()?);
    let known = env.shelf.all()?;
    if let Some(id) = args.ids.iter().find(|id| !known.iter().any(|watch| watch.id == **id)) {
        return Err(unknown(*id));
    }
    let is_due = |watch: &&lycosa_watch::Watch| match args.ids.is_empty() {
        true => args.all || (!watch.paused && watch.due <= now()),
        false => args.ids.contains(&watch.id),
    };
    let chosen: Vec<(u64, String)> =
        known.iter().filter(is_due).map(|watch| (watch.id, watch.name().to_owned())).collect();
    let mut rows = Vec::new();
    let mut failures = 0;
    for (id, name) in &chosen {
        if env.interrupt.asked() {
            break;
        }
        match watches::check(&env, *id, args.dry_run, PATIENCE) {
            Ok(checked) => {
                if !common.json {
                    show::checked(*id, name, &checked);
                }
                failures += usize::from(checked.check.errors > 0);
                rows.push(json!({
                    "id": id, "name": name, "check": checked.check, "entries": checked.entries,
                    "failing": checked.failing,
                }));
            }
            Err(failure) => {
                failures += 1;
                if !common.json {
                    let hint = failure.hint_text().map(|hint| format!("; {hint}"));
                    let hint = hint.unwrap_or_default();
                    output::note(format!("watch {id}: {failure}{hint}"));
                }
                rows.push(failed(*id, name, &failure));
            }
        }
    }
    let all: Vec<u64> = known.iter().map(|watch| watch.id).collect();
    let sent = match args.dry_run || env.interrupt.asked() {
        true => watches::Sent::default(),
        false => watches::send_due(&env, &all, PATIENCE)?,
    };
    if common.json {
        let told = json!({ "taken": sent.taken, "failed": sent.failed });
        output::json(&json!({ "watches": rows, "told": told, "dry_run": args.dry_run }))?;
    } else {
        if chosen.is_empty() {
            output::note(next_time(&known));
        }
        if sent.taken + sent.failed > 0 {
            let (taken, failed) = (sent.taken, sent.failed);
            output::note(format!("told: {taken} taken, {failed} not (they are tried again)"));
        }
    }
    let partial = failures > 0 || sent.failed > 0 || env.interrupt.asked();
    Ok(if partial { Ending::Partial } else { Ending::Done })
}

fn failed(id: u64, name: &str, failure: &Failure) -> Value {
    let (error, hint) = (failure.to_string(), failure.hint_text());
    json!({ "id": id, "name": name, "error": error, "hint": hint })
}

/// What to say when nothing is due.
fn next_time(known: &[lycosa_watch::Watch]) -> String {
    let due = known.iter().filter(|watch| !watch.paused).map(|watch| watch.due).min();
    match due {
        Some(Tick(due)) => format!(
            "nothing is due before {}; lycosa watch run --all looks at everything",
            show::moment(Tick(due))
        ),
        None if known.is_empty() => "nothing is watched yet; see lycosa watch add --help".into(),
        None => "all watches rest; lycosa watch resume ID lets one go on".into(),
    }
}
