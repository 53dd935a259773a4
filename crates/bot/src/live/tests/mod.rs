//! The live web against small servers on loopback that say exactly what a test wants said.

mod access;
mod connections;
mod faults;
mod fuzz;
mod guarding;
mod heads;
mod http1;
mod posting;
mod proxying;
mod secure;
mod socks;

use super::*;
use lycosa_model::TlsFault;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Long enough never to run out in a test that does not mean it to.
const PLENTY: Duration = Duration::from_secs(60);
/// Short enough to wait for.
const MOMENT: Duration = Duration::from_millis(60);

/// A server on loopback; it ends with the test's runtime.
struct Server {
    address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Hands each connection to `serve`.
    async fn new<F, S>(serve: S) -> Server
    where
        S: Fn(TcpStream, Requests) -> F + Send + 'static,
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let server = Server {
            address: listener.local_addr().unwrap(),
            accepted: Arc::default(),
            requests: Arc::default(),
        };
        let accepted = Arc::clone(&server.accepted);
        let requests = Requests(Arc::clone(&server.requests));
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                accepted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(tcp, requests.clone()));
            }
        });
        server
    }

    /// Answers every request with the same bytes and keeps the connection open.
    async fn answering(reply: impl Into<Vec<u8>>) -> Server {
        let reply = Arc::new(reply.into());
        Server::new(move |tcp, requests| serve_http1(tcp, requests, Arc::clone(&reply), true)).await
    }

    /// Answers one request on each connection and hangs up.
    async fn answering_once(reply: impl Into<Vec<u8>>) -> Server {
        let reply = Arc::new(reply.into());
        Server::new(move |tcp, requests| serve_http1(tcp, requests, Arc::clone(&reply), false))
            .await
    }

    fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// An http URL of this server.
    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn port(&self) -> u16 {
        self.address.port()
    }
}

/// The request heads that a server has read.
#[derive(Clone)]
struct Requests(Arc<Mutex<Vec<String>>>);

impl Requests {
    /// Reads one request head; `None` when the client hung up.
    async fn read(&self, io: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<String>> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            match io.read_u8().await {
                Ok(byte) => head.push(byte),
                Err(_) if head.is_empty() => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        let head = String::from_utf8(head).unwrap();
        self.0.lock().unwrap().push(head.clone());
        Ok(Some(head))
    }
}

async fn serve_http1(
    mut io: impl AsyncRead + AsyncWrite + Unpin,
    requests: Requests,
    reply: Arc<Vec<u8>>,
    keep_alive: bool,
) -> io::Result<()> {
    while requests.read(&mut io).await?.is_some() {
        io.write_all(&reply).await?;
        io.flush().await?;
        if !keep_alive {
            break;
        }
    }
    Ok(())
}

/// A resolver that knows what it was told and counts how often it was asked.
#[derive(Default)]
struct Names {
    known: HashMap<&'static str, Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl Names {
    fn new<const N: usize>(name: &'static str, addresses: [[u8; 4]; N]) -> Arc<Names> {
        let addresses = addresses.map(IpAddr::from).to_vec();
        Arc::new(Names { known: HashMap::from([(name, addresses)]), asked: AtomicUsize::new(0) })
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let found = self.known.get(name).cloned();
        Box::pin(async move { found.ok_or_else(|| io::ErrorKind::NotFound.into()) })
    }
}

/// Settings for a server on loopback.
fn private() -> LiveSettings {
    LiveSettings { allow_private: true, ..LiveSettings::default() }
}

fn live(settings: LiveSettings) -> LiveWeb {
    // A test that asks the system's resolver has gone astray.
    LiveWeb::with_resolver(&settings, Arc::new(Names::default())).unwrap()
}

fn ask(url: impl Into<String>) -> Ask {
    Ask {
        url: url.into(),
        headers: Headers::default(),
        max_body: 1 << 20,
        cut: false,
        timeout: PLENTY,
    }
}

/// The outcome of one GET with default settings on loopback.
async fn get(url: impl Into<String>) -> Result<Answer, FetchError> {
    live(private()).get(ask(url)).await
}

/// Lets the pool take connections back; the runtime of a test has one thread.
async fn settle() {
    for _ in 0..64 {
        tokio::task::yield_now().await;
    }
}

fn lines(headers: &Headers) -> Vec<(&str, &[u8])> {
    headers.0.iter().map(|header| (header.name.as_str(), &header.value[..])).collect()
}
