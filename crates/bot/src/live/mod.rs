//! How is the live web asked?
//!
//! [`LiveWeb`] is the live side of the [`Web`] port: HTTP/1.1 and HTTP/2 over pooled connections,
//! one GET at a time, no redirect followed. Everything a peer may send or keep back is bounded by
//! a named setting, and every way to fail has its [`FetchError`].

mod access;
mod connect;
mod courier;
mod fault;
pub mod guard;
mod head;
mod pace;
mod post;
mod proxy;
mod resolve;
mod settings;
mod socks;
mod stream;
#[cfg(test)]
mod tests;
mod tls;

pub use access::{Credential, CredentialError, SiteAccess};
pub use post::{Posted, Poster};
pub use resolve::{Resolve, Resolving, SystemResolver};
pub use settings::{LiveError, LiveSettings};

use bytes::{Bytes, BytesMut};
use connect::Connector;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri, Version, header};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Body, Incoming};
use hyper_util::client::legacy::connect::{CaptureConnection, capture_connection};
use hyper_util::client::legacy::{Client, ResponseFuture};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use lycosa_frontier::{normal, whatwg};
use lycosa_model::{FetchError, Headers, Site};
use lycosa_runtime::{Answer, Ask, Web};
use pace::Pace;
use proxy::Proxy;
use std::collections::HashMap;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use stream::Wire;
use tokio::time::{Instant, timeout, timeout_at};
use url::{Host, Url};

/// Longest time that an exchange may be given, whatever the [`Ask`] says.
const MAX_EXCHANGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Most bytes that are reserved for a body on the word of its `Content-Length` alone.
const MAX_RESERVED_BODY: u64 = 1 << 20;

/// Headers that belong to the connection; the caller's are not sent.
const CONNECTION_HEADERS: [HeaderName; 8] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// The live web.
///
/// Connections are pooled over all askers; drop the value to close the idle ones. It must be used
/// inside a tokio runtime with time and I/O enabled.
pub struct LiveWeb {
    client: Client<Connector, Empty<Bytes>>,
    proxy: Option<Proxy>,
    credentials: HashMap<Site, Credential>,
    allow_private: bool,
    first_byte_timeout: Duration,
    idle_read_timeout: Duration,
    min_rate: u64,
    rate_window: Duration,
    max_header_bytes: usize,
    max_headers: usize,
}

impl LiveWeb {
    /// The live web, with names resolved by the operating system.
    ///
    /// # Errors
    /// If the root certificates cannot be read or the proxy cannot be used.
    pub fn new(settings: &LiveSettings) -> Result<LiveWeb, LiveError> {
        LiveWeb::with_resolver(settings, Arc::new(SystemResolver))
    }

    /// The live web, with names resolved by `resolver`.
    ///
    /// # Errors
    /// If the root certificates cannot be read or the proxy cannot be used.
    pub fn with_resolver(
        settings: &LiveSettings,
        resolver: Arc<dyn Resolve>,
    ) -> Result<LiveWeb, LiveError> {
        let proxy = settings.proxy.as_ref().map(Proxy::from_url).transpose()?;
        let connector = Connector::new(settings, resolver, proxy.clone())?;
        Ok(LiveWeb {
            client: pooled_client(settings, connector),
            proxy,
            credentials: credentials(settings),
            allow_private: settings.allow_private,
            first_byte_timeout: settings.first_byte_timeout,
            idle_read_timeout: settings.idle_read_timeout,
            min_rate: settings.min_rate,
            rate_window: settings.rate_window,
            max_header_bytes: settings.max_header_bytes,
            max_headers: settings.max_headers,
        })
    }

    async fn exchange(&self, ask: &Ask, started: Instant) -> Result<Answer, FetchError> {
        let mut request = self.request(ask)?;
        let connection = capture_connection(&mut request);
        let response = self.client.request(request);
        let response = self.head(response, connection).await?;
        let (parts, body) = response.into_parts();
        if parts.headers.len() > self.max_headers {
            return Err(FetchError::HeadTooLarge);
        }
        // Before the body, after which the connection may serve another request.
        let wire = parts.extensions.get::<Wire>();
        let headers = match wire {
            Some(wire) => wire.with_head(|head| head::headers_as_received(&parts.headers, head)),
            None => head::headers_as_received(&parts.headers, None),
        };
        let (body, cut) = self.body(body, ask).await?;
        if let Some(wire) = wire {
            wire.answered();
        }
        Ok(Answer {
            status: parts.status.as_u16(),
            version: version_name(parts.version),
            headers,
            body,
            ip: wire.and_then(|wire| wire.peer),
            cut,
            took: started.elapsed(),
            captured: true,
        })
    }

    /// The request, if the address is one that may be asked.
    fn request(&self, ask: &Ask) -> Result<Request<Empty<Bytes>>, FetchError> {
        let mut url = whatwg::read(None, None, &ask.url).map_err(|_| FetchError::Protocol)?;
        if !whatwg::is_web(&url) {
            return Err(FetchError::Protocol);
        }
        self.check_host(&url)?;
        url.set_fragment(None);
        // Credentials come from the configuration, never from a link. Both calls succeed on any
        // URL with a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let uri = Uri::try_from(&*whatwg::written(&url)).map_err(|_| FetchError::Protocol)?;
        let mut request = Request::new(Empty::new());
        *request.headers_mut() = request_headers(&ask.headers);
        if let (Some(proxy), "http") = (&self.proxy, url.scheme())
            && let Some(credentials) = proxy.forwarding_credentials()
        {
            let name = header::PROXY_AUTHORIZATION;
            request.headers_mut().insert(name, credentials.clone());
        }
        // Put on last and here, so that nobody who keeps requests ever sees it.
        if let Some(credential) = self.credential(&url) {
            request.headers_mut().insert(credential.name.clone(), credential.value.clone());
        }
        *request.uri_mut() = uri;
        Ok(request)
    }

    /// What proves to this very site who asks.
    fn credential(&self, url: &Url) -> Option<&Credential> {
        if self.credentials.is_empty() {
            return None;
        }
        let address = normal::parse(&whatwg::written(url)).ok()?;
        self.credentials.get(&address.site)
    }

    /// Refuses what can be refused by the URL alone. With a proxy nothing more can be checked,
    /// because the proxy resolves the names; without one, every resolved address is checked too.
    fn check_host(&self, url: &Url) -> Result<(), FetchError> {
        check_host(url, self.allow_private)
    }

    /// The response up to its body. The time to connect is the connector's; from then on the
    /// server has `first_byte_timeout` to send its headers.
    async fn head(
        &self,
        response: ResponseFuture,
        mut connection: CaptureConnection,
    ) -> Result<Response<Incoming>, FetchError> {
        let mut response = pin!(response);
        let early = tokio::select! {
            biased;
            early = &mut response => Some(early),
            _ = connection.wait_for_connection_metadata() => None,
        };
        let response = match early {
            Some(early) => early,
            None => {
                timeout(self.first_byte_timeout, response).await.map_err(|_| FetchError::Timeout)?
            }
        };
        response.map_err(|error| match fault::outcome(&error) {
            FetchError::Protocol if self.was_large(&connection) => FetchError::HeadTooLarge,
            outcome => outcome,
        })
    }

    /// Whether the head that was refused on this connection was too large.
    fn was_large(&self, connection: &CaptureConnection) -> bool {
        let mut extensions = http::Extensions::new();
        if let Some(connected) = connection.connection_metadata().as_ref() {
            connected.get_extras(&mut extensions);
        }
        extensions.get::<Wire>().is_some_and(|wire| {
            let large = wire.has_large_head(self.max_header_bytes);
            wire.answered();
            large
        })
    }

    /// The body, and whether it goes on.
    async fn body(&self, body: Incoming, ask: &Ask) -> Result<(Bytes, bool), FetchError> {
        // What Content-Length promises, or nothing.
        let promised = body.size_hint().lower();
        if promised > ask.max_body && !ask.cut {
            return Err(FetchError::TooLarge);
        }
        let mut body = pin!(body);
        let mut received = Received::default();
        let mut pace = Pace::start(Instant::now(), self.min_rate, self.rate_window);
        loop {
            let silence = Instant::now() + self.idle_read_timeout;
            let frame = loop {
                let patience = pace.judged_at().map_or(silence, |at| at.min(silence));
                match timeout_at(patience, body.frame()).await {
                    Ok(frame) => break frame,
                    Err(_) if patience == silence => return Err(FetchError::Timeout),
                    Err(_) => pace.judge(Instant::now(), received.len())?,
                }
            };
            let Some(frame) = frame else {
                return Ok((received.into_bytes(), false));
            };
            let frame = frame.map_err(|error| fault::outcome(&error))?;
            if let Ok(data) = frame.into_data() {
                let room = ask.max_body.saturating_sub(received.len());
                let fits = data.len() as u64 <= room;
                if !fits && !ask.cut {
                    return Err(FetchError::TooLarge);
                }
                let length = usize::try_from(room).unwrap_or(usize::MAX).min(data.len());
                received.push(data.slice(..length), promised.min(MAX_RESERVED_BODY));
                if !fits {
                    return Ok((received.into_bytes(), true));
                }
            }
            pace.judge(Instant::now(), received.len())?;
        }
    }
}

impl Web for LiveWeb {
    fn get<'a>(
        &'a self,
        ask: Ask,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, FetchError>> + Send + 'a>> {
        Box::pin(async move {
            let started = Instant::now();
            let deadline = started + ask.timeout.min(MAX_EXCHANGE);
            match timeout_at(deadline, self.exchange(&ask, started)).await {
                Ok(answer) => answer,
                Err(_) => Err(FetchError::Timeout),
            }
        })
    }
}

fn check_host(url: &Url, allow_private: bool) -> Result<(), FetchError> {
    let public = match url.host() {
        Some(Host::Ipv4(ip)) => guard::is_public(ip.into()),
        Some(Host::Ipv6(ip)) => guard::is_public(ip.into()),
        Some(Host::Domain(name)) => !guard::is_localhost(name),
        None => return Err(FetchError::Protocol),
    };
    if public || allow_private { Ok(()) } else { Err(FetchError::PrivateAddress) }
}

fn credentials(settings: &LiveSettings) -> HashMap<Site, Credential> {
    let given = settings
        .sites
        .iter()
        .filter_map(|(site, access)| Some((site.clone(), access.credential.clone()?)));
    given.collect()
}

fn pooled_client(settings: &LiveSettings, connector: Connector) -> Client<Connector, Empty<Bytes>> {
    let max_header_list = u32::try_from(settings.max_header_bytes).unwrap_or(u32::MAX);
    Client::builder(TokioExecutor::new())
        // Without a timer idle connections would be closed only when their site is asked again.
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(settings.idle_timeout)
        .pool_max_idle_per_host(settings.max_idle_per_site)
        .timer(TokioTimer::new())
        .retry_canceled_requests(true)
        .http1_max_buf_size(settings.max_header_bytes.max(settings::MIN_HEADER_BYTES))
        .http1_max_headers(settings.max_headers)
        // Some old servers compare header names by case.
        .http1_title_case_headers(true)
        // Slips that browsers forgive and pages are served with.
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http1_ignore_invalid_headers_in_responses(true)
        .http2_max_header_list_size(max_header_list)
        .build(connector)
}

/// The caller's headers, without those that belong to the connection and those that cannot be
/// sent (a stored `ETag` may be any bytes; without it the page is simply fetched in full).
fn request_headers(headers: &Headers) -> HeaderMap {
    let mut map = HeaderMap::with_capacity(headers.0.len());
    for header in &headers.0 {
        let name = HeaderName::from_bytes(header.name.as_bytes());
        let value = HeaderValue::from_maybe_shared(header.value.clone());
        match (name, value) {
            (Ok(name), _) if CONNECTION_HEADERS.contains(&name) => {}
            (Ok(name), Ok(value)) => {
                map.append(name, value);
            }
            _ => tracing::debug!(name = header.name, "a header cannot be sent"),
        }
    }
    map
}

fn version_name(version: Version) -> &'static str {
    match version {
        Version::HTTP_2 => "2",
        Version::HTTP_10 => "1.0",
        _ => "1.1",
    }
}

/// A body in the making. Most pages come in one or two pieces, and one piece is not copied.
#[derive(Default)]
struct Received {
    first: Bytes,
    all: BytesMut,
}

impl Received {
    fn len(&self) -> u64 {
        self.first.len().max(self.all.len()) as u64
    }

    fn push(&mut self, data: Bytes, expected: u64) {
        if self.first.is_empty() && self.all.is_empty() {
            self.first = data;
            return;
        }
        if self.all.is_empty() {
            self.all.reserve(usize::try_from(expected).unwrap_or(0));
            self.all.extend_from_slice(&self.first);
            self.first = Bytes::new();
        }
        self.all.extend_from_slice(&data);
    }

    fn into_bytes(self) -> Bytes {
        if self.all.is_empty() { self.first } else { self.all.freeze() }
    }
}
