//! What happens on Ctrl-C? The first asks for an orderly stop, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Exit status of a program that was ended by Ctrl-C.
const ENDED: i32 = 130;

/// What is rung by Ctrl-C.
struct Bell {
    asked: AtomicBool,
    sender: watch::Sender<bool>,
}

impl Bell {
    fn ring(&self) {
        if self.asked.swap(true, Ordering::Relaxed) {
            crate::tui::restore();
            std::process::exit(ENDED);
        }
        // Nobody may be waiting.
        let _ = self.sender.send(true);
    }
}

/// Watches for Ctrl-C and SIGTERM on a thread of its own, with a runtime of its own: the crawl's runtime
/// may be busy, and in a replay its clock is not the world's.
#[derive(Clone)]
pub(crate) struct Interrupt {
    receiver: watch::Receiver<bool>,
    bell: Arc<Bell>,
    /// Who else may ask for a stop.
    other: Option<watch::Receiver<bool>>,
}

impl Interrupt {
    /// Begins to watch.
    pub(crate) fn watch() -> std::io::Result<Interrupt> {
        let (sender, receiver) = watch::channel(false);
        let bell = Arc::new(Bell { asked: AtomicBool::new(false), sender });
        let rung = Arc::clone(&bell);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name("lycosa-signals".into()).spawn(move || {
            runtime.block_on(async move {
                let (Ok(mut interrupt), Ok(mut terminate)) =
                    (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
                else {
                    return;
                };
                loop {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                    }
                    rung.ring();
                }
            });
        })?;
        Ok(Interrupt { receiver, bell, other: None })
    }

    /// Does what a signal does, for a terminal that sends Ctrl-C as a key.
    pub(crate) fn ask(&self) {
        self.bell.ring();
    }

    /// The same for one of several things under way, which can also be stopped by itself.
    pub(crate) fn of_one(&self) -> (Interrupt, watch::Sender<bool>) {
        let (sender, receiver) = watch::channel(false);
        (Interrupt { other: Some(receiver), ..self.clone() }, sender)
    }

    /// Does something, unless a stop is asked for before it is done.
    pub(crate) async fn or<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.wait() => None,
            done = work => Some(done),
        }
    }

    /// Whether a stop was asked for.
    pub(crate) fn asked(&self) -> bool {
        let other = self.other.as_ref().is_some_and(|other| *other.borrow());
        other || self.bell.asked.load(Ordering::Relaxed)
    }

    /// Waits until a stop is asked for.
    pub(crate) async fn wait(&self) {
        let other = async {
            match &self.other {
                Some(other) => asked(other).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = asked(&self.receiver) => {}
            () = other => {}
        }
    }
}

/// Waits for a word. Where the sender is gone, or its thread could not start, nobody ever asks.
async fn asked(receiver: &watch::Receiver<bool>) {
    if receiver.clone().wait_for(|asked| *asked).await.is_err() {
        std::future::pending::<()>().await;
    }
}
