//! `lycosa mcp`: the tools of the Model Context Protocol on standard input and output.

use crate::cli::Common;
use crate::config::Config;
use crate::failure::{Ending, Failure};
use crate::interrupt::Interrupt;
use crate::{embeddings, hunts, reception, watches};
use lycosa_interface::web::CRAWL_PATIENCE;
use lycosa_interface::{Crawl, mcp};
use lycosa_runtime::Registry;
use std::sync::Arc;
use std::time::Duration;

/// A read from standard input cannot be called back; the end does not wait for it.
const GRACE: Duration = Duration::from_millis(100);

pub(crate) fn run(common: &Common) -> Result<Ending, Failure> {
    let config = Config::load(common.config.as_deref())?;
    let data = common.data();
    // A crawl under way also ends, in good order, when the client goes.
    let (interrupt, gone) = Interrupt::watch()?.of_one();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let registry = Registry::default();
        let queries = std::thread::available_parallelism().map_or(2, usize::from);
        let crawl = Crawl::Folder(data.clone());
        let embedding = config.search.embeddings.as_deref().map(embeddings::load).transpose()?;
        let embedding = embedding.map(Arc::new);
        let (hunts, manager) = hunts::open(&registry, &data, &config, &interrupt)?;
        let (watches, keeper) = watches::open(&registry, &data, &config, &interrupt)?;
        let managers = (Some(hunts), Some(watches));
        let (interface, handles) =
            reception::open(&registry, &data, queries, crawl, CRAWL_PATIENCE, embedding, managers);
        let served = mcp::serve_stdio(interface, interrupt.wait()).await;
        // Nobody may be waiting.
        let _ = gone.send(true);
        for handle in handles {
            handle.abort();
            // It lets go of whom it asks.
            handle.join().await;
        }
        manager.join().await;
        keeper.join().await;
        Ok::<_, Failure>(served)
    });
    runtime.shutdown_timeout(GRACE);
    served??;
    Ok(Ending::Done)
}
