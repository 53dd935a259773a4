//! How do agents speak over a cluster of NATS servers?
//!
//! Only core messages, streams and consumers are used, which servers since 2.9 have; the client's key-value store
//! is not, since it does not work with 2.9.

mod queue;

use crate::error::{Error, Result};
use crate::wire::{Message, Sink, Wire};
use crate::work::{PAUSES, Queue, WorkSettings};
use async_nats::client::{PublishErrorKind, RequestErrorKind};
use async_nats::{Client, ConnectOptions, Event, HeaderMap, Request, ServerAddr, StatusCode};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use lycosa_runtime::{Backoff, chain};
use queue::NatsQueue;
use std::sync::Arc;
use std::time::Duration;

/// The oldest server that the tests were run with.
const OLDEST: (&str, u64, u64) = ("2.9.0", 2, 9);

/// How long one server may take to accept us, and one call to leave this process.
const CALL: Duration = Duration::from_secs(5);

/// After how long a silent connection is asked whether it still lives.
const PING: Duration = Duration::from_secs(10);

/// Messages of one subscription that may wait inside the client; ours are behind it.
const CLIENT_WAITING: usize = 65_536;

/// Copies of a queue, if there are as many servers.
const COPIES: usize = 3;

const FROM: &str = "Lycosa-From";
const REFUSED: &str = "Lycosa-Refused";

/// One member's connection to the cluster.
pub(crate) struct Nats {
    client: Client,
    servers: usize,
}

/// The servers of `nats://a:4222,b:4222`; each may have a user and password, and a scheme of its own.
fn servers(address: &str) -> Result<Vec<ServerAddr>> {
    let bad = |why: String| Error::Address { address: hide(address), why };
    let Some((scheme, list)) = address.split_once("://") else {
        return Err(bad("it has no scheme".to_owned()));
    };
    if !matches!(scheme, "nats" | "tls") {
        return Err(bad(format!("the scheme `{scheme}` is not known")));
    }
    let parse = |one: &str| {
        if one.is_empty() {
            return Err(bad("a server has no name".to_owned()));
        }
        let whole = if one.contains("://") { one.to_owned() } else { format!("{scheme}://{one}") };
        whole.parse::<ServerAddr>().map_err(|e| bad(e.to_string()))
    };
    list.split(',').map(|one| parse(one.trim())).collect()
}

/// An address without its passwords, for messages to people.
fn hide(address: &str) -> String {
    let parts: Vec<String> = address.split(',').map(hide_one).collect();
    parts.join(",")
}

fn hide_one(part: &str) -> String {
    let (scheme, rest) = part.split_once("://").map_or(("", part), |(s, rest)| (s, rest));
    let rest = rest.rsplit_once('@').map_or(rest.to_owned(), |(_, host)| format!("***@{host}"));
    if scheme.is_empty() { rest } else { format!("{scheme}://{rest}") }
}

fn is_too_old(version: &str) -> bool {
    let mut numbers = version.split(['.', '-']).map(|n| n.parse::<u64>().unwrap_or(0));
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    (major, minor) < (OLDEST.1, OLDEST.2)
}

impl Nats {
    pub(crate) async fn connect(address: &str) -> Result<Nats> {
        let list = servers(address)?;
        let listed = list.len();
        let options = ConnectOptions::new()
            .name("lycosa")
            .connection_timeout(CALL)
            .request_timeout(Some(CALL))
            .ping_interval(PING)
            .subscription_capacity(CLIENT_WAITING)
            .reconnect_delay_callback(|number| Backoff::nth(PAUSES.0, PAUSES.1, number))
            .event_callback(|event| async move {
                match event {
                    Event::Connected | Event::Closed | Event::Draining => {
                        tracing::debug!(%event, "nats");
                    }
                    other => tracing::warn!(event = %other, "nats"),
                }
            });
        let client = options
            .connect(list)
            .await
            .map_err(|error| Error::Unreachable { address: hide(address), why: chain(&error) })?;
        let info = client.server_info();
        if is_too_old(&info.version) {
            return Err(Error::TooOld { found: info.version, needed: OLDEST.0 });
        }
        Ok(Nats { client, servers: listed.max(info.connect_urls.len()) })
    }

    /// Returns when the server has done everything that was sent before: it answers a question that nobody else
    /// can.
    async fn round_trip(&self) -> Result<()> {
        let nowhere = self.client.new_inbox();
        match ask(&self.client, nowhere, Request::new().timeout(Some(CALL))).await {
            Ok(_) | Err(Error::Nobody(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// One question to the server or to somebody behind it.
async fn ask(client: &Client, subject: String, request: Request) -> Result<async_nats::Message> {
    client.send_request(subject.clone(), request).await.map_err(|error| match error.kind() {
        RequestErrorKind::NoResponders => Error::Nobody(subject),
        RequestErrorKind::MaxPayloadExceeded => Error::Rejected(chain(&error)),
        _ => Error::Disturbed(chain(&error)),
    })
}

/// Text that can be the value of a header.
fn line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn header(headers: Option<&HeaderMap>, name: &str) -> Option<String> {
    headers?.get(name).map(|value| value.as_str().to_owned())
}

fn received(message: async_nats::Message) -> Message {
    let headers = message.headers.as_ref();
    Message {
        from: header(headers, FROM),
        refused: header(headers, REFUSED),
        nobody: message.status == Some(StatusCode::NO_RESPONDERS),
        subject: message.subject.to_string(),
        reply: message.reply.map(|reply| reply.to_string()),
        bytes: message.payload,
    }
}

impl Wire for Nats {
    fn send(&self, message: Message) -> BoxFuture<'_, Result<()>> {
        async move {
            let Message { subject, reply, from, refused, bytes, .. } = message;
            let length = bytes.len();
            let mut headers = HeaderMap::new();
            for (name, value) in [(FROM, from), (REFUSED, refused)] {
                if let Some(value) = value {
                    headers.insert(name, line(&value));
                }
            }
            let sent = publish(&self.client, subject, reply, headers, bytes);
            match tokio::time::timeout(CALL, sent).await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => Err(match error.kind() {
                    PublishErrorKind::MaxPayloadExceeded => {
                        Error::TooLarge { bytes: length, most: self.client.max_payload() }
                    }
                    PublishErrorKind::InvalidSubject => Error::Subject(chain(&error)),
                    PublishErrorKind::Send => Error::Closed,
                }),
                Err(_) => Err(Error::Disturbed("not connected, and too much waits".to_owned())),
            }
        }
        .boxed()
    }

    fn listen<'a>(
        &'a self,
        pattern: &'a str,
        group: Option<&'a str>,
        sink: Sink,
    ) -> BoxFuture<'a, Result<()>> {
        async move {
            let pattern = pattern.to_owned();
            let subscriber = match group {
                Some(group) => self.client.queue_subscribe(pattern, group.to_owned()).await,
                None => self.client.subscribe(pattern).await,
            };
            let mut subscriber = subscriber.map_err(|e| Error::Disturbed(chain(&e)))?;
            tokio::spawn(async move {
                loop {
                    tokio::select! {
                        message = subscriber.next() => match message {
                            Some(message) => if !sink.put(received(message)) { return },
                            None => return,
                        },
                        () = sink.closed() => return,
                    }
                }
            });
            self.round_trip().await
        }
        .boxed()
    }

    fn inbox(&self) -> String {
        self.client.new_inbox()
    }

    fn queue<'a>(
        &'a self,
        crawl: &'a str,
        name: &'a str,
        subject: String,
        settings: WorkSettings,
    ) -> BoxFuture<'a, Result<Arc<dyn Queue>>> {
        async move {
            // A sign that is in no word, so that two names never make one.
            let stream = format!("lycosa+{crawl}+{name}");
            let copies = self.servers.min(COPIES);
            let queue =
                NatsQueue::open(self.client.clone(), stream, subject, copies, settings).await?;
            Ok(Arc::new(queue) as Arc<dyn Queue>)
        }
        .boxed()
    }

    fn flush(&self) -> BoxFuture<'_, Result<()>> {
        self.round_trip().boxed()
    }

    fn state(&self) -> String {
        let info = self.client.try_server_info().unwrap_or_default();
        let state = self.client.connection_state();
        format!("nats {} at {} ({state})", info.version, info.server_name)
    }
}

async fn publish(
    client: &Client,
    subject: String,
    reply: Option<String>,
    headers: HeaderMap,
    bytes: Bytes,
) -> std::result::Result<(), async_nats::client::PublishError> {
    match reply {
        Some(reply) => client.publish_with_reply_and_headers(subject, reply, headers, bytes).await,
        None if headers.is_empty() => client.publish(subject, bytes).await,
        None => client.publish_with_headers(subject, headers, bytes).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_one_or_more_servers() {
        assert_eq!(servers("nats://a:1,b:2, c").unwrap().len(), 3);
        assert_eq!(servers("tls://a").unwrap().len(), 1);
        for bad in ["nats", "http://a", "nats://", "nats://a,,b"] {
            assert!(matches!(servers(bad), Err(Error::Address { .. })), "{bad}");
        }
    }

    #[test]
    fn passwords_are_not_told() {
        let hidden = hide("nats://me:secret@a:1,tls://you:secret@b:2,c:3");
        assert_eq!(hidden, "nats://***@a:1,tls://***@b:2,c:3");
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(is_too_old("2.8.4") && is_too_old("1.20.0") && is_too_old(""));
        assert!(!is_too_old("2.9.10") && !is_too_old("2.15.1") && !is_too_old("3.0.0-beta"));
    }
}
