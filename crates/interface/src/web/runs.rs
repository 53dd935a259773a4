//! What do watchers look at? The logs of runs, and what they add up to; each is read once for all watchers.

use super::door::{Doors, Refusal};
use crate::events::{Log, Picture};
use lycosa_model::message::{HuntMessage, HuntReply, HuntView, Unanswered};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Pictures that are kept; the one that was not looked at for the longest time goes first.
const MOST_PICTURES: usize = 4;

/// So long all watchers of a hunt are told the same of it.
const FRESH: Duration = Duration::from_millis(400);

/// Hunts whose state is kept for that time.
const MOST_VIEWS: usize = 64;

type Shared<T> = Arc<Mutex<T>>;

/// See the module.
#[derive(Default)]
pub struct Runs {
    data: Option<PathBuf>,
    pictures: Mutex<Vec<(u32, Shared<Picture>)>>,
    views: tokio::sync::Mutex<HashMap<u64, (Instant, Arc<HuntView>)>>,
}

impl Runs {
    /// The runs of a data folder.
    pub fn of(data: PathBuf) -> Runs {
        Runs { data: Some(data), ..Runs::default() }
    }

    /// The log of a run.
    pub(super) fn log(&self, run: u32) -> Option<Log> {
        self.data.as_deref().map(|data| Log::of_run(data, run))
    }

    /// Looks at a run as it is by now.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        run: u32,
        look: impl FnOnce(&Picture) -> T + Send + 'static,
    ) -> Option<T> {
        let log = self.log(run)?;
        let picture = self.picture(run);
        let looked = tokio::task::spawn_blocking(move || {
            let mut picture = picture.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = picture.advance(&log) {
                tracing::warn!("the events of run {run} cannot be read: {error}");
            }
            look(&picture)
        });
        looked.await.ok()
    }

    fn picture(&self, run: u32) -> Shared<Picture> {
        let mut pictures = self.pictures.lock().unwrap_or_else(PoisonError::into_inner);
        let known = pictures.iter().position(|(of, _)| *of == run);
        let entry = match known {
            Some(place) => pictures.remove(place),
            None => (run, Shared::default()),
        };
        let picture = Arc::clone(&entry.1);
        pictures.push(entry);
        if pictures.len() > MOST_PICTURES {
            pictures.remove(0);
        }
        picture
    }
}

impl Doors {
    /// A hunt as it is now, or was a moment ago.
    pub(super) async fn hunt(&self, id: u64) -> Result<Option<Arc<HuntView>>, Refusal> {
        // One asks for all who wait here.
        let mut views = self.runs.views.lock().await;
        if let Some((at, view)) = views.get(&id).filter(|(at, _)| at.elapsed() < FRESH) {
            tracing::trace!("hunt {id} was looked at {:?} ago", at.elapsed());
            return Ok(Some(Arc::clone(view)));
        }
        match self.hunts(HuntMessage::Show { id }).await? {
            HuntReply::Hunt(view) => {
                let view = Arc::new(*view);
                if views.len() >= MOST_VIEWS {
                    views.clear();
                }
                views.insert(id, (Instant::now(), Arc::clone(&view)));
                Ok(Some(view))
            }
            HuntReply::Unknown => Ok(None),
            _ => Err(Refusal {
                why: Unanswered::Failed,
                error: "the manager of hunts answered another question".into(),
                hint: "try again".into(),
            }),
        }
    }

    /// What was known of a hunt does not hold any more.
    pub(super) async fn forget_hunt(&self, id: u64) {
        self.runs.views.lock().await.remove(&id);
    }
}
