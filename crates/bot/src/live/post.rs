//! How is something told to a receiver on the web? One POST, on the terms on which pages are asked for: the same
//! guard between name resolution and connect, no redirect followed, a time for each step.

use super::connect::Connector;
use super::proxy::Proxy;
use super::resolve::{Resolve, SystemResolver};
use super::{LiveError, LiveSettings, check_host, fault, request_headers};
use bytes::Bytes;
use http::{Method, Request, Response, Uri, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use lycosa_frontier::whatwg;
use lycosa_model::{FetchError, Headers};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// What a receiver said. Its body is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// HTTP status.
    pub status: u16,
    /// How long it wants to be left alone, where it says so in seconds.
    pub retry_after: Option<Duration>,
}

/// Sends requests that tell something. It must be used inside a tokio runtime with time and I/O enabled.
pub struct Poster {
    client: Client<Connector, Full<Bytes>>,
    proxy: Option<Proxy>,
    allow_private: bool,
}

impl Poster {
    /// One with these bounds. Credentials of sites are for pages: receivers get none.
    ///
    /// # Errors
    /// If the root certificates cannot be read or the proxy cannot be used.
    pub fn new(settings: &LiveSettings) -> Result<Poster, LiveError> {
        Poster::with_resolver(settings, Arc::new(SystemResolver))
    }

    /// The same, with names resolved by `resolver`.
    ///
    /// # Errors
    /// If the root certificates cannot be read or the proxy cannot be used.
    pub fn with_resolver(
        settings: &LiveSettings,
        resolver: Arc<dyn Resolve>,
    ) -> Result<Poster, LiveError> {
        let settings = LiveSettings { sites: HashMap::new(), ..settings.clone() };
        let proxy = settings.proxy.as_ref().map(Proxy::from_url).transpose()?;
        let connector = Connector::new(&settings, resolver, proxy.clone())?;
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_max_idle_per_host(0)
            // Whether something is told again is decided by whoever keeps the record of it.
            .retry_canceled_requests(false)
            .build(connector);
        Ok(Poster { client, proxy, allow_private: settings.allow_private })
    }

    /// Tells it once, within this time.
    ///
    /// # Errors
    /// Why there is no answer.
    pub async fn post(
        &self,
        url: &str,
        headers: &Headers,
        body: Bytes,
        limit: Duration,
    ) -> Result<Posted, FetchError> {
        let answer = self.send(url, headers, body, limit).await?;
        let wait = answer.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        let seconds = wait.and_then(|text| text.trim().parse().ok());
        let retry_after = seconds.map(Duration::from_secs);
        Ok(Posted { status: answer.status().as_u16(), retry_after })
    }

    /// Sends a request; its answer has begun within this time.
    pub(super) async fn send(
        &self,
        url: &str,
        headers: &Headers,
        body: Bytes,
        limit: Duration,
    ) -> Result<Response<Incoming>, FetchError> {
        let mut url = whatwg::read(None, None, url).map_err(|_| FetchError::Protocol)?;
        if !whatwg::is_web(&url) {
            return Err(FetchError::Protocol);
        }
        check_host(&url, self.allow_private)?;
        url.set_fragment(None);
        // Both calls succeed on any URL with a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let uri = Uri::try_from(&*whatwg::written(&url)).map_err(|_| FetchError::Protocol)?;
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.headers_mut() = request_headers(headers);
        if let (Some(proxy), "http") = (&self.proxy, url.scheme())
            && let Some(credentials) = proxy.forwarding_credentials()
        {
            request.headers_mut().insert(header::PROXY_AUTHORIZATION, credentials.clone());
        }
        *request.uri_mut() = uri;
        let answer = timeout(limit, self.client.request(request)).await;
        let answer = answer.map_err(|_| FetchError::Timeout)?;
        answer.map_err(|error| fault::outcome(&error))
    }
}
