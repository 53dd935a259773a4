//! A receiver of webhooks, and one of mail: on loopback, and they remember what they were told.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// An answer that never comes.
pub const HELD: &str = "held";

/// A request that came in.
#[derive(Clone, Debug)]
pub struct Received {
    /// By name, in small letters.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}

/// A receiver of webhooks. It lives as long as the test program.
pub struct Receiver {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    answer: Arc<Mutex<String>>,
}

impl Receiver {
    pub fn listen() -> Receiver {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("bound");
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let answer = Arc::new(Mutex::new("204 No Content".to_owned()));
        let (heard, said) = (Arc::clone(&received), Arc::clone(&answer));
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for stream in listener.incoming().flatten() {
                // A client that was killed in the middle has told nothing.
                let Some(request) = read(&stream) else { continue };
                heard.lock().expect("whole").push(request);
                let said = said.lock().expect("whole").clone();
                if said == HELD {
                    held.push(stream);
                    continue;
                }
                let head =
                    format!("HTTP/1.1 {said}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                drop((&stream).write_all(head.as_bytes()));
            }
        });
        Receiver { address, received, answer }
    }

    /// The address to tell.
    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// What it answers from now on, as in `500 Broken`.
    pub fn answers(&self, status: &str) {
        *self.answer.lock().expect("whole") = status.to_owned();
    }

    /// All that came in.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().expect("whole").clone()
    }
}

fn read(stream: &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let mut headers = BTreeMap::new();
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    assert!(line.starts_with("POST /hook HTTP/1.1"), "{line}");
    loop {
        line.clear();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        match line.trim().split_once(": ") {
            Some((name, value)) => headers.insert(name.to_lowercase(), value.to_owned()),
            None => break,
        };
    }
    let length: usize = headers.get("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Received { headers, body: String::from_utf8(body).ok()? })
}

/// A server that takes mail. It lives as long as the test program.
pub struct MailServer {
    pub port: u16,
    mails: Arc<Mutex<Vec<String>>>,
}

impl MailServer {
    pub fn listen() -> MailServer {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let mails: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&mails);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                drop(take_mail(&stream, &kept));
            }
        });
        MailServer { port, mails }
    }

    /// All mails that were taken, with the envelope before each.
    pub fn mails(&self) -> Vec<String> {
        self.mails.lock().expect("whole").clone()
    }
}

/// One conversation by SMTP.
fn take_mail(mut stream: &TcpStream, mails: &Mutex<Vec<String>>) -> std::io::Result<()> {
    stream.write_all(b"220 test ESMTP\r\n")?;
    let mut lines = BufReader::new(stream).lines();
    let mut mail = String::new();
    while let Some(line) = lines.next().transpose()? {
        let verb = line.split([' ', ':']).next().unwrap_or_default().to_uppercase();
        match verb.as_str() {
            "EHLO" | "HELO" => stream.write_all(b"250-test\r\n250 8BITMIME\r\n")?,
            "DATA" => {
                stream.write_all(b"354 go on\r\n")?;
                for line in lines.by_ref() {
                    let line = line?;
                    if line == "." {
                        break;
                    }
                    mail.push_str(line.strip_prefix('.').unwrap_or(&line));
                    mail.push('\n');
                }
                mails.lock().expect("whole").push(std::mem::take(&mut mail));
                stream.write_all(b"250 taken\r\n")?;
            }
            "QUIT" => return stream.write_all(b"221 bye\r\n"),
            _ => {
                mail.push_str(&format!("{line}\n"));
                stream.write_all(b"250 ok\r\n")?;
            }
        }
    }
    Ok(())
}
