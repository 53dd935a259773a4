//! `lycosa replay`: archives as an HTTP(S) proxy that any crawler can use.

use crate::cli::{Common, Replay as Args};
use crate::commands::serve;
use crate::failure::{Ending, Failure};
use crate::interrupt::Interrupt;
use crate::output;
use lycosa_lab::replay::Replay;
use lycosa_lab::replay::proxy::{self, Ca};
use std::sync::Arc;

pub(crate) fn run(common: &Common, args: &Args) -> Result<Ending, Failure> {
    let interrupt = Interrupt::watch()?;
    let replay = Replay::open(&args.archives, &|_| {})?.with_latency(None);
    let dir = common.data();
    let ca = Ca::load_or_create(&dir)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = serve::bind(&args.listen, false).await?;
        let address = listener.local_addr()?;
        let pem = dir.join("ca.pem");
        if common.json {
            let facts = serde_json::json!({ "proxy": format!("http://{address}"), "ca": pem });
            output::json(&facts)?;
        } else {
            output::line(format!(
                "proxy http://{address} serves {}; for https trust {}  (Ctrl-C ends)",
                output::counted(replay.summary().addresses as u64, "address"),
                pem.display()
            ));
        }
        proxy::serve(Arc::new(replay), listener, ca, interrupt.wait()).await?;
        Ok(Ending::Done)
    })
}
