//! Sites that do everything wrong, and sites that behave, beside each other on loopback.
//!
//! DNS that changes its mind is in `rebinding.rs`: it needs a name server of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Sites that behave, and pages of each.
pub const GOOD_SITES: usize = 5;
pub const GOOD_PAGES: usize = 16;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
const NONE: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

/// What a site does with a request for a path; false ends the connection.
pub type Deed = Box<dyn Fn(&str, &mut TcpStream) -> std::io::Result<bool> + Send + Sync>;

/// Serves on a port of its own, until the test program ends.
pub fn serve(deed: Deed) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let deed = Arc::new(deed);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let deed = Arc::clone(&deed);
            std::thread::spawn(move || drop(converse(stream, &deed)));
        }
    });
    port
}

/// Serves in the same way, with an honest robots.txt.
pub fn serve_pages(deed: Deed) -> u16 {
    serve(Box::new(move |path, stream| match path {
        "/robots.txt" => stream.write_all(NONE.as_bytes()).map(|()| true),
        path => deed(path, stream),
    }))
}

/// Answers until one of both has had enough.
fn converse(mut stream: TcpStream, deed: &Deed) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
        if !deed(&path, &mut stream)? {
            return Ok(());
        }
    }
}

/// A page with its length.
fn html(body: &str) -> String {
    format!("{OK}Content-Length: {}\r\n\r\n{body}", body.len())
}

/// A site that behaves: a chain of pages, each after some thinking.
pub struct Good {
    port: u16,
    /// When it was first asked, and when it gave its last answer.
    span: Arc<Mutex<Option<(Instant, Instant)>>>,
}

impl Good {
    /// Serves [`GOOD_PAGES`] pages that tell of `name`; `served` hears of each of them.
    pub fn serve(
        name: usize,
        thinking: Duration,
        served: impl Fn() + Send + Sync + 'static,
    ) -> Good {
        let span = Arc::<Mutex<Option<(Instant, Instant)>>>::default();
        let seen = Arc::clone(&span);
        let port = serve(Box::new(move |path, stream| {
            let asked = Instant::now();
            sleep(thinking);
            let page: Option<usize> = path.strip_prefix("/page/").and_then(|n| n.parse().ok());
            let answer = match page {
                Some(n) if n < GOOD_PAGES => html(&page_of(name, n)),
                _ => NONE.to_owned(),
            };
            stream.write_all(answer.as_bytes())?;
            let mut seen = seen.lock().expect("no panic");
            let first = seen.map_or(asked, |(first, _)| first);
            *seen = Some((first, Instant::now()));
            if page.is_some() {
                served();
            }
            Ok(true)
        }));
        Good { port, span }
    }

    /// What the addresses of its pages begin with.
    pub fn prefix(&self) -> String {
        format!("http://127.0.0.1:{}/page/", self.port)
    }

    /// Time from its first question to its last answer.
    pub fn took(&self) -> Duration {
        let (first, last) = self.span.lock().expect("no panic").expect("it was asked");
        last - first
    }
}

/// A page that leads to the next one. No two pages and no two sites are alike: a mirror would be left.
fn page_of(site: usize, n: usize) -> String {
    let words = (0..20).map(|word| format!("w{}", (site * 1000 + n) * 20 + word));
    let text = words.collect::<Vec<_>>().join(" ");
    let next =
        if n + 1 < GOOD_PAGES { format!("<a href=/page/{}>on</a>", n + 1) } else { "".into() };
    format!("<title>{site} {n}</title><p>{text}</p>{next}")
}

/// A door that is shut until somebody opens it, once and for all.
#[derive(Default)]
pub struct Door(Mutex<bool>, Condvar);

impl Door {
    pub fn open(&self) {
        *self.0.lock().expect("no panic") = true;
        self.1.notify_all();
    }

    /// Waits until it is open.
    pub fn pass(&self) {
        let open = self.0.lock().expect("no panic");
        drop(self.1.wait_while(open, |open| !*open).expect("no panic"));
    }

    pub fn is_open(&self) -> bool {
        *self.0.lock().expect("no panic")
    }
}

/// A site that does one thing wrong.
pub struct Bad {
    pub name: &'static str,
    /// Its front page.
    pub url: String,
    /// The outcome that its front page ends with.
    pub outcome: &'static str,
}

/// Endless bytes, until the other side has had enough.
fn flood(stream: &mut TcpStream, unit: &str) -> std::io::Result<bool> {
    let part = unit.repeat(4096 / unit.len() + 1);
    loop {
        stream.write_all(part.as_bytes())?;
    }
}

/// A byte now and then, until the other side has had enough.
fn drip(stream: &mut TcpStream, head: &str, unit: &str) -> std::io::Result<bool> {
    stream.write_all(head.as_bytes())?;
    loop {
        stream.write_all(unit.as_bytes())?;
        sleep(Duration::from_millis(50));
    }
}

/// The first 79 of 158 bytes by which the reference encoder stands for 100 MB of zeros.
const BROTLI_BOMB: [u8; 79] = [
    203, 255, 255, 63, 248, 39, 0, 226, 177, 64, 32, 247, 254, 143, 255, 255, 127, 240, 79, 0, 196,
    97, 17, 128, 238, 253, 31, 255, 255, 255, 224, 159, 0, 136, 195, 2, 0, 221, 251, 63, 254, 255,
    255, 193, 63, 1, 16, 135, 5, 0, 186, 247, 127, 252, 255, 255, 131, 127, 2, 32, 14, 11, 0, 116,
    239, 255, 248, 255, 255, 7, 255, 4, 64, 28, 22, 0, 232, 222, 255,
];

/// Content codings, each with a few bytes that stand for 100 MB.
fn bombs() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    use flate2::{Compression, write::GzEncoder, write::ZlibEncoder};
    let zeros = vec![0; 100 << 20];
    let gzip = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory")
    };
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    let zlib = zlib.write_all(&zeros).and_then(|()| zlib.finish()).expect("memory");
    let once = gzip(&zeros);
    vec![
        ("nested bomb", "gzip, gzip", gzip(&once)),
        ("gzip bomb", "gzip", once),
        ("deflate bomb", "deflate", zlib),
        ("brotli bomb", "br", BROTLI_BOMB.to_vec()),
        ("zstd bomb", "zstd", zstd::encode_all(&zeros[..], 1).expect("memory")),
    ]
}

/// Answers every request with these bytes, and hangs up.
fn say(what: impl Into<Vec<u8>>) -> Deed {
    let what = what.into();
    Box::new(move |_, stream| {
        stream.write_all(&what)?;
        Ok(false)
    })
}

/// A redirect.
fn moved(stream: &mut TcpStream, to: &str) -> std::io::Result<bool> {
    let head = format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nSet-Cookie: seen=1\r\n");
    stream.write_all(format!("{head}Content-Length: 0\r\n\r\n").as_bytes())?;
    Ok(true)
}

/// Months without end, the next one on each page.
fn calendar(path: &str, stream: &mut TcpStream) -> std::io::Result<bool> {
    let month = path.trim_start_matches("/cal/").replace('/', "").parse().unwrap_or(202_601_u32);
    let next = if month % 100 >= 12 { month + 89 } else { month + 1 };
    let (year, month) = (next / 100, next % 100);
    let page = format!("<p>{path}</p><a href=/cal/{year}/{month:02}>next month</a>");
    stream.write_all(html(&page).as_bytes())?;
    Ok(true)
}

/// What is done wrong over HTTP, and the outcome of each.
fn deeds() -> Vec<(&'static str, &'static str, Deed)> {
    let mut deeds: Vec<(&str, &str, Deed)> = Vec::new();
    for (name, coding, body) in bombs() {
        let length = body.len();
        let head = format!("{OK}Content-Encoding: {coding}\r\nContent-Length: {length}\r\n\r\n");
        deeds.push((name, "decompression_bomb", say([head.as_bytes(), &body].concat())));
    }
    let chunked = format!("{OK}Transfer-Encoding: chunked\r\n\r\n");
    let long = format!("{OK}Content-Length: 100000\r\n\r\n");
    let (slow, cut) = (long.clone(), long.clone());
    deeds.extend([
        ("body drip", "too_slow", Box::new(move |_: &str, s: &mut _| drip(s, &slow, ".")) as Deed),
        ("head drip", "timeout", Box::new(|_, s| drip(s, OK, "X-More: x\r\n"))),
        ("stands still", "too_slow", Box::new(move |_, s| hold(s, &long))),
        ("says nothing", "timeout", Box::new(|_, s| hold(s, ""))),
        ("large head", "head_too_large", Box::new(|_, s| large_head(s))),
        (
            "endless head",
            "head_too_large",
            Box::new(|_, s| s.write_all(OK.as_bytes()).and_then(|()| flood(s, "X-More: x\r\n"))),
        ),
        (
            "endless interim",
            "head_too_large",
            Box::new(|_, s| flood(s, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")),
        ),
        (
            "endless body",
            "too_large",
            Box::new(|_, s| {
                s.write_all(format!("{OK}\r\n").as_bytes()).and_then(|()| flood(s, "for ever "))
            }),
        ),
        ("large promise", "too_large", say(format!("{OK}Content-Length: 1000000000\r\n\r\n"))),
        ("length too long", "protocol_error", say(format!("{cut}only this"))),
        (
            "length too short",
            "fetched",
            say(format!("{OK}Content-Length: 7\r\n\r\n<p>good and more")),
        ),
        (
            "two lengths",
            "protocol_error",
            say(format!("{OK}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd")),
        ),
        ("bad chunks", "protocol_error", say(format!("{chunked}zz\r\nhello\r\n"))),
        ("hangs up in a chunk", "protocol_error", say(format!("{chunked}ff\r\nhello"))),
        ("huge chunk", "protocol_error", say(format!("{chunked}fffffffffffffffff\r\nhello"))),
        ("no head", "protocol_error", say("<html>no head at all</html>\r\n\r\n")),
        ("another protocol", "protocol_error", say("SSH-2.0-OpenSSH_9.2p1\r\n\r\n")),
        ("hangs up", "protocol_error", say("")),
        ("redirect to itself", "redirect", Box::new(|path, s| moved(s, path))),
        (
            "cycle of redirects",
            "redirect",
            Box::new(|path, s| moved(s, if path == "/" { "/b" } else { "/" })),
        ),
        (
            "endless redirects",
            "redirect",
            Box::new(|path, s| {
                let n: u32 = path.trim_start_matches("/r").parse().unwrap_or(0);
                moved(s, &format!("/r{}", n + 1))
            }),
        ),
        ("calendar", "fetched", Box::new(calendar)),
    ]);
    deeds
}

/// Begins, and says no more until the other side hangs up.
fn hold(stream: &mut TcpStream, begin: &str) -> std::io::Result<bool> {
    stream.write_all(begin.as_bytes())?;
    stream.read(&mut [0]).map(|_| false)
}

/// A head of 100 MB.
fn large_head(stream: &mut TcpStream) -> std::io::Result<bool> {
    stream.write_all(format!("{OK}X-Large: ").as_bytes())?;
    for _ in 0..(100 << 20) / 65_536 {
        stream.write_all(&[b'x'; 65_536])?;
    }
    stream.write_all(b"\r\nContent-Length: 0\r\n\r\n")?;
    Ok(false)
}

/// Serves the bad sites. Each of them has an honest robots.txt, but for those that are about it.
pub fn bad_sites() -> Vec<Bad> {
    let http = deeds().into_iter().map(|(name, outcome, deed)| {
        let port = serve_pages(deed);
        Bad { name, url: format!("http://127.0.0.1:{port}/"), outcome }
    });
    let mut sites: Vec<Bad> = http.collect();
    // Whatever is asked: the site as a whole cannot be reached, and no page of it is asked for.
    let silent = serve(Box::new(|_, stream| hold(stream, "")));
    let (tls, reset) = (serve_raw(drop), serve_raw(reset));
    let raw = [
        ("silent site", "http", silent, "timeout"),
        ("TLS abort", "https", tls, "tls_failed"),
        ("reset", "http", reset, "protocol_error"),
    ];
    sites.extend(raw.map(|(name, scheme, port, outcome)| Bad {
        name,
        url: format!("{scheme}://127.0.0.1:{port}/"),
        outcome,
    }));
    sites
}

/// Hands over each connection as it was accepted.
fn serve_raw(deed: impl Fn(TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || listener.incoming().flatten().for_each(deed));
    port
}

/// Resets the connection in the middle of a page, as the system does when a socket is closed that has
/// bytes which nobody has read.
fn reset(mut stream: TcpStream) {
    let mut begin = [0; 15];
    while stream.peek(&mut begin).is_ok_and(|count| count < begin.len() && count > 0) {}
    // Who hangs up first is not waited for.
    drop(match &begin == b"GET /robots.txt" {
        true => stream.read(&mut [0; 4096]).and_then(|_| stream.write(NONE.as_bytes())).map(drop),
        false => stream.write_all(format!("{OK}Content-Length: 99\r\n\r\nhalf").as_bytes()),
    });
}
