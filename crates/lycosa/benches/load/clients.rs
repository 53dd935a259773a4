//! How long did answers take, to clients who ask at a fixed pace?

use anyhow::Result;
use rand::seq::IndexedRandom;
use rand::{SeedableRng, rngs::StdRng};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};

/// Longest wait for one answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest answer.
const MOST_BYTES: usize = 4 << 20;

/// How much is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// Requests a second, of all clients together.
    pub(crate) rate: u64,
    /// Connections.
    pub(crate) clients: usize,
    /// For how long.
    pub(crate) seconds: u64,
}

/// What clients saw.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Milliseconds from when each answer should have been asked for, in order of size.
    waits: Vec<f64>,
    /// Answers that were none, or not as they should be.
    pub(crate) wrong: usize,
    /// The first of them.
    pub(crate) example: Option<String>,
    /// How long all of it took.
    pub(crate) seconds: f64,
}

impl Told {
    /// How many answers there were.
    pub(crate) fn answers(&self) -> usize {
        self.waits.len()
    }

    /// The wait that this share of the answers did not exceed, in milliseconds.
    pub(crate) fn at(&self, share: f64) -> f64 {
        let last = self.waits.len().saturating_sub(1);
        self.waits.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
    }
}

/// Asks for paths, drawn at random, at the pace that was wanted.
pub(crate) fn ask(address: &str, paths: &[String], load: Load, seed: u64) -> Result<Told> {
    // One thread, so that the clients take little from what they measure.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let began = Instant::now() + Duration::from_millis(200);
        let clients = (0..load.clients).map(|number| {
            let mut dice = StdRng::seed_from_u64(seed ^ (number as u64) << 32);
            async move { client(address, paths, load, number, began, &mut dice).await }
        });
        let mut all = Told::default();
        for one in futures_util::future::join_all(clients).await {
            all.waits.extend(one.waits);
            all.wrong += one.wrong;
            all.example = all.example.or(one.example);
        }
        all.seconds = began.elapsed().as_secs_f64();
        all.waits.sort_unstable_by(f64::total_cmp);
        Ok(all)
    })
}

/// One client: every request has its moment, and is late when the one before it took too long.
async fn client(
    address: &str,
    paths: &[String],
    load: Load,
    number: usize,
    began: Instant,
    dice: &mut StdRng,
) -> Told {
    let mut told = Told::default();
    let mut stream = None;
    let mut buffer = Vec::new();
    let total = load.rate * load.seconds;
    let mut request = number as u64;
    while request < total {
        let due = began + Duration::from_secs_f64(request as f64 / load.rate as f64);
        sleep_until(due).await;
        let path = paths.choose(dice).map_or("/", String::as_str);
        let answer = timeout(PATIENCE, exchange(&mut stream, address, path, &mut buffer)).await;
        let fault = match answer {
            Ok(Ok(())) => fault_of(&buffer).map(|fault| format!("{path}: {fault}")),
            Ok(Err(error)) => Some(format!("{path}: {error}")),
            Err(_) => Some(format!("{path}: no answer")),
        };
        if let Some(fault) = fault {
            told.wrong += 1;
            told.example.get_or_insert(fault);
            stream = None;
        }
        told.waits.push(due.elapsed().as_secs_f64() * 1000.0);
        request += load.clients as u64;
    }
    told
}

/// What is wrong with an answer.
fn fault_of(answer: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(answer);
    let status = text.lines().next().unwrap_or_default();
    if !status.contains(" 200 ") {
        return Some(status.to_owned());
    }
    // Every word is in the index, so there is always something to be found.
    (!text.contains("class=\"result\"")).then(|| "nothing was found".to_owned())
}

async fn exchange(
    stream: &mut Option<TcpStream>,
    address: &str,
    path: &str,
    buffer: &mut Vec<u8>,
) -> std::io::Result<()> {
    let open = match stream {
        Some(open) => open,
        None => {
            let fresh = TcpStream::connect(address).await?;
            fresh.set_nodelay(true)?;
            stream.insert(fresh)
        }
    };
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: text/html\r\n\r\n");
    open.write_all(request.as_bytes()).await?;
    buffer.clear();
    loop {
        if open.read_buf(buffer).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if is_whole(buffer) || buffer.len() > MOST_BYTES {
            return Ok(());
        }
    }
}

/// Whether an answer with a length has all of its body.
fn is_whole(answer: &[u8]) -> bool {
    let Some(head) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
    let fields = String::from_utf8_lossy(&answer[..head]).to_ascii_lowercase();
    let length = fields.lines().find_map(|line| line.strip_prefix("content-length:"));
    match length.and_then(|length| length.trim().parse::<usize>().ok()) {
        Some(length) => answer.len() >= head + 4 + length,
        // Chunks end with an empty one.
        None => answer.ends_with(b"\r\n0\r\n\r\n"),
    }
}
