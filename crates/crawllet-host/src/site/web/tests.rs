use super::*;
use std::net::TcpListener;

/// Answers each connection with one text, and returns what was asked.
fn server(answers: Vec<&'static str>) -> (Upstream, std::thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = Upstream::Tcp(listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let mut asked = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut from = BufReader::new(stream.try_clone().unwrap());
            asked.push(String::from_utf8(head_bytes(&mut from, MAX_HEAD).unwrap()).unwrap());
            stream.write_all(answer.as_bytes()).unwrap();
        }
        asked
    });
    (at, thread)
}

fn web(at: Upstream) -> Web {
    Web::new(at, "example.org", "test/1\r\nX: y", 10, Duration::from_secs(5))
}

fn answer_to(text: &'static str) -> Result<Answer, Missed> {
    let (at, thread) = server(vec![text]);
    let answer = web(at).get("/", None);
    thread.join().unwrap();
    answer
}

#[test]
fn a_request_says_whose_site_it_is_and_nothing_of_the_crawllet() {
    let (at, thread) = server(vec!["HTTP/1.1 304 Not Modified\r\n\r\n"]);
    assert_eq!(web(at).get("/a?b", Some("\"v1\"")).unwrap().status, 304);
    let asked = thread.join().unwrap().remove(0);
    assert!(asked.starts_with("GET /a?b HTTP/1.1\r\nHost: example.org\r\n"));
    assert!(asked.contains("\r\nUser-Agent: test/1X: y\r\n"), "{asked}");
    assert!(asked.contains("\r\nIf-None-Match: \"v1\"\r\n"));
    assert!(!asked.to_lowercase().contains("cookie") && !asked.contains("Authorization"));
}

#[test]
fn bodies_come_by_length_in_chunks_or_until_the_end() {
    for text in [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x\r\nllo\r\n0\r\nA: b\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nhello",
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    ] {
        let answer = answer_to(text).unwrap();
        assert_eq!((answer.status, answer.body.as_slice()), (200, b"hello".as_slice()), "{text}");
    }
}

#[test]
fn a_body_beyond_the_limit_is_not_read() {
    for text in [
        "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nhello world",
    ] {
        assert_eq!(answer_to(text), Err(Missed::TooLarge), "{text}");
    }
}

#[test]
fn half_an_answer_is_none() {
    for text in [
        "",
        "HTTP/1.1 200 OK\r\n",
        "SSH-2.0-x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx",
    ] {
        assert!(matches!(answer_to(text), Err(Missed::NoAnswer(_))), "{text}");
    }
}

#[test]
fn a_connection_that_was_closed_meanwhile_is_replaced() {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let (at, thread) = server(vec![text, text]);
    let mut web = web(at);
    assert_eq!(web.get("/1", None).unwrap().body, b"ok");
    assert_eq!(web.get("/2", None).unwrap().body, b"ok");
    assert_eq!(thread.join().unwrap().len(), 2);
}

#[test]
fn what_is_meant_for_one_visitor_is_private() {
    let answer = |status, headers: &[(&str, &str)]| Answer {
        status,
        headers: headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
        body: Vec::new(),
    };
    assert!(answer(401, &[]).is_private() && answer(403, &[]).is_private());
    assert!(answer(200, &[("set-cookie", "a=b")]).is_private());
    assert!(answer(200, &[("cache-control", "max-age=0, Private")]).is_private());
    assert!(answer(200, &[("cache-control", "private=\"x\"")]).is_private());
    assert!(
        answer(200, &[("cache-control", "public"), ("cache-control", "no-store")]).is_private()
    );
    assert!(!answer(200, &[("cache-control", "no-cache, max-age=3")]).is_private());
    assert!(!answer(404, &[]).is_private());
}
