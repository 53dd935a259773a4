//! `lycosa serve`: the search page and the API.

use crate::cli::{Common, Serve};
use crate::config::Config;
use crate::failure::{Ending, Failure};
use crate::interrupt::Interrupt;
use crate::token::TokenFile;
use crate::{crawllets, embeddings, hunts, output, reception, watches};
use lycosa_interface::Crawl;
use lycosa_interface::web::{self, About, CRAWL_PATIENCE, Doors, Runs};
use lycosa_runtime::Registry;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpListener;

/// How many ports after the usual one are tried.
const NEXT_PORTS: u16 = 20;

pub(crate) fn run(common: &Common, args: &Serve) -> Result<Ending, Failure> {
    let config = Config::load(common.config.as_deref())?;
    let interrupt = Interrupt::watch()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let address = args.listen.as_deref().unwrap_or(&config.serve.listen);
        let listener = bind(address, false).await?;
        let address = listener.local_addr()?;
        let token = TokenFile::open(&config, &common.data())?;
        if common.json {
            let listen = format!("http://{address}/");
            output::json(&serde_json::json!({ "listen": listen, "token_file": token.path }))?;
        } else {
            output::line(format!("The search page is at http://{address}/  (Ctrl-C ends)"));
            announce(address, &token);
        }
        serve(listener, &token, &common.data(), &config, &interrupt).await?;
        Ok(Ending::Done)
    })
}

/// Says where the token is that people on other machines need.
pub(crate) fn announce(address: SocketAddr, token: &TokenFile) {
    if !address.ip().is_loopback() {
        output::note(format!(
            "Other machines can reach it. The token to sign in with is in {}",
            token.path.display()
        ));
    }
}

/// Binds an address. When it was not chosen by a person, a port in use is no obstacle.
pub(crate) async fn bind(address: &str, flexible: bool) -> Result<TcpListener, Failure> {
    bind_flag("--listen", address, flexible).await
}

/// As [`bind`], of an address that is chosen by another flag.
pub(crate) async fn bind_flag(
    flag: &str,
    address: &str,
    flexible: bool,
) -> Result<TcpListener, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("cannot listen on {address}: {error}"))
            .hint(format!("choose another address with {flag} HOST:PORT"))
    };
    match TcpListener::bind(address).await {
        Ok(listener) => Ok(listener),
        Err(_) if flexible => {
            let Ok(mut next) = address.parse::<SocketAddr>() else {
                return TcpListener::bind("127.0.0.1:0").await.map_err(failed);
            };
            for _ in 0..NEXT_PORTS {
                next.set_port(next.port().wrapping_add(1));
                if let Ok(listener) = TcpListener::bind(next).await {
                    return Ok(listener);
                }
            }
            TcpListener::bind("127.0.0.1:0").await.map_err(failed)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Serves until the person at the terminal has enough.
pub(crate) async fn serve(
    listener: TcpListener,
    token: &TokenFile,
    data: &Path,
    config: &Config,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let registry = Registry::default();
    let queries = std::thread::available_parallelism().map_or(2, usize::from);
    let crawl = Crawl::Folder(data.to_owned());
    let embedding = config.search.embeddings.as_deref().map(embeddings::load).transpose()?;
    let embedding = embedding.map(Arc::new);
    let (hunts, manager) = hunts::open(&registry, data, config, interrupt)?;
    let (watches, keeper) = watches::open(&registry, data, config, interrupt)?;
    let managers = (Some(hunts), Some(watches));
    let (interface, handles) =
        reception::open(&registry, data, queries, crawl, CRAWL_PATIENCE, embedding, managers);
    let guard = Arc::new(token.guard(listener.local_addr()?, &config.serve));
    let runs = Arc::new(Runs::of(data.to_owned()));
    let key_directory = crawllets::directory(config, data);
    let about = About { key_directory, ..reception::about(config) };
    let doors = Doors { interface, runs, about, guard };
    let stop = interrupt.clone();
    web::serve(listener, doors, async move { stop.wait().await }).await?;
    for handle in handles {
        handle.abort();
        // It lets go of whom it asks.
        handle.join().await;
    }
    // A hunt under way comes to an orderly end, and goes on when somebody serves again.
    manager.join().await;
    keeper.join().await;
    Ok(())
}
