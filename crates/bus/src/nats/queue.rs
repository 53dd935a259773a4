//! How does a queue of work live on the servers?
//!
//! One stream with two subjects: what is to be done, and what is parked. How often a message may be handed out is
//! not left to the server, which would then never hand it out again and say so only to who listens at that moment.

use super::{Request, ask, header, line};
use crate::error::{Error, Result};
use crate::work::{Counts, Delivery, Entry, Lane, PAUSES, Pushed, Queue, Settle, WorkSettings};
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::CreateStreamErrorKind;
use async_nats::jetstream::stream::{
    Config, DiscardPolicy, RawMessageErrorKind, RetentionPolicy, StorageType, Stream,
};
use async_nats::jetstream::{self, ErrorCode};
use async_nats::{Client, HeaderMap};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use lycosa_runtime::{Backoff, chain};
use serde::Deserialize;
use std::time::Duration;
use tokio::time::Instant;

/// How long one try may take; an election takes about six seconds, and is waited for between tries.
const TRY: Duration = Duration::from_secs(2);

/// How long one request for messages waits on the server, so that the death of the server is noticed.
const SLICE: Duration = Duration::from_secs(2);

/// The one consumer that all who pull share.
const CONSUMER: &str = "workers";

/// Messages of one queue that may be held at the same time by everybody together.
const MAX_HELD: i64 = 65_536;

/// Requests for messages that may wait at the same time.
const MAX_PULLERS: i64 = 4096;

const MARK: &str = "Nats-Msg-Id";
const ID: &str = "Lycosa-Id";
const ATTEMPTS: &str = "Lycosa-Attempts";
const REASON: &str = "Lycosa-Reason";

/// A stream and its consumer.
pub(super) struct NatsQueue {
    client: Client,
    stream: Stream,
    consumer: PullConsumer,
    todo: String,
    parked: String,
}

/// What a server answers when it was given a message to keep.
#[derive(Deserialize)]
struct Answer {
    error: Option<Trouble>,
    #[serde(default)]
    duplicate: bool,
}

#[derive(Deserialize)]
struct Trouble {
    code: u16,
    #[serde(default)]
    description: String,
}

/// What an error of a stream means: those of the server pass, those about the request do not.
fn meaning(code: usize, text: String) -> Error {
    match code {
        _ if text.contains("maximum messages") => Error::Full(String::new()),
        500.. => Error::Disturbed(text),
        _ => Error::Rejected(text),
    }
}

fn disturbed(error: impl std::error::Error) -> Error {
    Error::Disturbed(chain(&error))
}

impl NatsQueue {
    pub(super) async fn open(
        client: Client,
        name: String,
        todo: String,
        copies: usize,
        settings: WorkSettings,
    ) -> Result<NatsQueue> {
        let parked = format!("{todo}.parked");
        let mut context = jetstream::new(client.clone());
        context.set_timeout(TRY);
        let config = Config {
            name,
            subjects: vec![todo.clone(), parked.clone()],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            max_messages_per_subject: i64::from(settings.max_messages),
            duplicate_window: settings.dedup,
            storage: StorageType::File,
            num_replicas: copies,
            ..Config::default()
        };
        let mut backoff = Backoff::new(PAUSES.0, PAUSES.1, settings.patience);
        loop {
            match make(&context, &config, &todo, &settings).await {
                Ok((stream, consumer)) => {
                    return Ok(NatsQueue { client, stream, consumer, todo, parked });
                }
                Err(Error::Nobody(_)) if !client.server_info().jetstream => {
                    return Err(Error::NoStreams);
                }
                Err(error) if error.passes() && backoff.pause().await => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Messages that are there, or the first one that comes.
    async fn fetch(&self, most: usize, wait: Option<Duration>) -> Result<Vec<Delivery>> {
        let batch = match wait {
            None => self.consumer.fetch().max_messages(most).messages().await,
            Some(wait) => self.consumer.batch().max_messages(most).expires(wait).messages().await,
        };
        let mut batch = batch.map_err(disturbed)?;
        let end = Instant::now() + wait.unwrap_or_default() + TRY;
        let mut found = Vec::new();
        loop {
            match tokio::time::timeout_at(end, batch.next()).await {
                Ok(Some(Ok(message))) => found.extend(delivery(&message)),
                Ok(None) => return Ok(found),
                Ok(Some(Err(error))) if found.is_empty() => {
                    return Err(Error::Disturbed(error.to_string()));
                }
                Err(_) if found.is_empty() => {
                    return Err(Error::Disturbed("the queue does not answer".to_owned()));
                }
                Ok(Some(Err(_))) | Err(_) => return Ok(found),
            }
        }
    }
}

/// Makes stream and consumer, or brings those that are there up to date.
async fn make(
    context: &jetstream::Context,
    config: &Config,
    todo: &str,
    settings: &WorkSettings,
) -> Result<(Stream, PullConsumer)> {
    let created = context.create_stream(config.clone()).await.map_err(|error| match error.kind() {
        CreateStreamErrorKind::JetStream(error)
            if error.error_code() == ErrorCode::STREAM_NAME_EXIST =>
        {
            None
        }
        CreateStreamErrorKind::JetStream(inner) => Some(meaning(inner.code(), inner.to_string())),
        CreateStreamErrorKind::JetStreamUnavailable => Some(Error::Nobody(config.name.clone())),
        _ => Some(disturbed(error)),
    });
    let stream = match created {
        Ok(stream) => stream,
        Err(Some(error)) => return Err(error),
        Err(None) => {
            let there = context.get_stream(&config.name).await.map_err(disturbed)?;
            // Copies are never taken away because somebody knows fewer servers.
            let num_replicas = there.cached_info().config.num_replicas.max(config.num_replicas);
            let config = Config { num_replicas, ..config.clone() };
            context.update_stream(config).await.map_err(disturbed)?;
            there
        }
    };
    let consumer = stream.create_consumer(pull::Config {
        durable_name: Some(CONSUMER.to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: settings.ack_wait,
        max_ack_pending: MAX_HELD,
        max_waiting: MAX_PULLERS,
        filter_subject: todo.to_owned(),
        ..pull::Config::default()
    });
    let consumer = consumer.await.map_err(disturbed)?;
    Ok((stream, consumer))
}

/// A message with what the server tells of it; nothing if it tells nothing, as none of ours does.
fn delivery(message: &jetstream::Message) -> Option<Delivery> {
    let info = message.info().ok()?;
    let place = info.stream_sequence;
    let headers = message.headers.as_ref();
    Some(Delivery {
        id: header(headers, ID).unwrap_or_else(|| place.to_string()),
        bytes: message.payload.clone(),
        attempt: u32::try_from(info.delivered).unwrap_or(u32::MAX),
        handed: Instant::now(),
        place,
        ticket: message.reply.as_ref()?.to_string(),
    })
}

impl Queue for NatsQueue {
    fn push<'a>(
        &'a self,
        lane: Lane,
        mark: &'a str,
        entry: Entry,
    ) -> BoxFuture<'a, Result<Pushed>> {
        async move {
            let subject = match lane {
                Lane::Todo => &self.todo,
                Lane::Parked => &self.parked,
            };
            let (bytes, most) = (entry.bytes.len(), self.client.max_payload());
            let mut headers = HeaderMap::new();
            headers.insert(MARK, mark);
            headers.insert(ID, entry.id.as_str());
            if lane == Lane::Parked {
                headers.insert(ATTEMPTS, entry.attempts.to_string());
                headers.insert(REASON, line(&entry.reason));
            }
            let request = Request::new().payload(entry.bytes).headers(headers).timeout(Some(TRY));
            let answer = ask(&self.client, subject.clone(), request).await;
            let answer = answer.map_err(|error| match error {
                // The stream has no leader now.
                Error::Nobody(_) => Error::Disturbed("the queue has no leader".to_owned()),
                Error::Rejected(_) => Error::TooLarge { bytes, most },
                other => other,
            })?;
            let answer: Answer = serde_json::from_slice(&answer.payload).map_err(disturbed)?;
            match answer.error {
                Some(trouble) => Err(meaning(trouble.code.into(), trouble.description)),
                None if answer.duplicate => Ok(Pushed::Known),
                None => Ok(Pushed::Stored),
            }
        }
        .boxed()
    }

    fn pull(&self, most: usize, wait: Duration) -> BoxFuture<'_, Result<Vec<Delivery>>> {
        async move {
            let mut found = self.fetch(most, None).await?;
            if found.is_empty() && !wait.is_zero() {
                found = self.fetch(1, Some(wait.min(SLICE))).await?;
                if !found.is_empty() && most > 1 {
                    // Where one came there may be more; if not, one is enough.
                    found.extend(self.fetch(most - 1, None).await.unwrap_or_default());
                }
            }
            Ok(found)
        }
        .boxed()
    }

    fn settle<'a>(&'a self, ticket: &'a str, settle: Settle) -> BoxFuture<'a, Result<()>> {
        async move {
            let word = match settle {
                Settle::Done => Bytes::from_static(b"+ACK"),
                Settle::Keep => Bytes::from_static(b"+WPI"),
                Settle::Again(delay) => format!("-NAK {{\"delay\": {}}}", delay.as_nanos()).into(),
            };
            let request = Request::new().payload(word).timeout(Some(TRY));
            match ask(&self.client, ticket.to_owned(), request).await {
                Ok(_) => Ok(()),
                Err(Error::Nobody(_)) => {
                    Err(Error::Disturbed("the queue has no leader".to_owned()))
                }
                Err(error) => Err(error),
            }
        }
        .boxed()
    }

    fn parked(&self, most: usize) -> BoxFuture<'_, Result<Vec<(u64, Entry)>>> {
        async move {
            let (mut found, mut from) = (Vec::new(), 1);
            while found.len() < most {
                let next = self.stream.get_first_raw_message_by_subject(&self.parked, from).await;
                let message = match next {
                    Ok(message) => message,
                    Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => break,
                    Err(error) => return Err(disturbed(error)),
                };
                let place = message.sequence;
                let headers = Some(&message.headers);
                let number = |text: String| text.parse().ok();
                let entry = Entry {
                    id: header(headers, ID).unwrap_or_default(),
                    attempts: header(headers, ATTEMPTS).and_then(number).unwrap_or_default(),
                    reason: header(headers, REASON).unwrap_or_default(),
                    bytes: message.payload,
                };
                found.push((place, entry));
                from = place + 1;
            }
            Ok(found)
        }
        .boxed()
    }

    fn remove(&self, place: u64) -> BoxFuture<'_, Result<()>> {
        async move {
            match self.stream.delete_message(place).await {
                Ok(_) => Ok(()),
                Err(error) if chain(&error).contains("no message found") => Ok(()),
                Err(error) => Err(disturbed(error)),
            }
        }
        .boxed()
    }

    fn counts(&self) -> BoxFuture<'_, Result<Counts>> {
        async move {
            let info = self.stream.info_builder().subjects(self.parked.clone()).fetch().await;
            let mut info = info.map_err(disturbed)?;
            let total = info.info.state.messages;
            let mut parked = 0;
            while let Some(subject) = info.next().await {
                parked += subject.map_err(disturbed)?.1 as u64;
            }
            Ok(Counts { waiting: total.saturating_sub(parked), parked })
        }
        .boxed()
    }
}
