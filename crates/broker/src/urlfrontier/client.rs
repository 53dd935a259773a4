//! How does one speak with a URLFrontier server? A plain client for tools and tests.

use super::messages::{AckMessage, GetParams, UrlInfo, UrlItem};
use super::routes::SERVICE;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use futures_util::Stream;
use hyper_util::client::legacy::Client as Line;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use prost::Message;
use std::net::SocketAddr;
use tonic::body::Body;
use tonic::client::Grpc;
use tonic::{Request, Status, Streaming};
use tonic_prost::ProstCodec;

/// Bytes of answers on one stream that nobody has read yet; the server keeps the others.
const STREAM_WINDOW: u32 = 64 << 10;

/// The same for the connection. It is large so that many small frames may wait: HTTP/2 ends a connection
/// on which more wait than this window lets expect.
const CONNECTION_WINDOW: u32 = 64 << 20;

/// A client of one server, on one connection. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    grpc: Grpc<Line<HttpConnector, Body>>,
}

impl Client {
    /// A client of the server at this address. It connects with the first call.
    pub fn new(server: SocketAddr) -> Result<Client, Status> {
        let uri: Uri = format!("http://{server}")
            .parse()
            .map_err(|_| Status::invalid_argument(format!("{server} is no address")))?;
        let mut connector = HttpConnector::new();
        // A call is two small writes, and somebody waits for its answer.
        connector.set_nodelay(true);
        let line = Line::builder(TokioExecutor::new())
            .http2_only(true)
            .http2_initial_stream_window_size(STREAM_WINDOW)
            .http2_initial_connection_window_size(CONNECTION_WINDOW)
            .build(connector);
        Ok(Client { grpc: Grpc::with_origin(line, uri) })
    }

    /// A call with one answer, by its name.
    pub async fn call<Q, A>(&mut self, name: &str, asked: Q) -> Result<A, Status>
    where
        Q: Message + Send + Sync + 'static,
        A: Message + Default + Send + Sync + 'static,
    {
        self.ready().await?;
        let codec = ProstCodec::<Q, A>::default();
        Ok(self.grpc.unary(Request::new(asked), path(name)?, codec).await?.into_inner())
    }

    /// A call with many answers.
    pub async fn list<Q, A>(&mut self, name: &str, asked: Q) -> Result<Streaming<A>, Status>
    where
        Q: Message + Send + Sync + 'static,
        A: Message + Default + Send + Sync + 'static,
    {
        self.ready().await?;
        let codec = ProstCodec::<Q, A>::default();
        Ok(self.grpc.server_streaming(Request::new(asked), path(name)?, codec).await?.into_inner())
    }

    /// A call with a stream of messages and a stream of answers.
    pub async fn stream<Q, A>(
        &mut self,
        name: &str,
        asked: impl Stream<Item = Q> + Send + 'static,
    ) -> Result<Streaming<A>, Status>
    where
        Q: Message + Send + Sync + 'static,
        A: Message + Default + Send + Sync + 'static,
    {
        self.ready().await?;
        let codec = ProstCodec::<Q, A>::default();
        Ok(self.grpc.streaming(Request::new(asked), path(name)?, codec).await?.into_inner())
    }

    /// Puts URLs on a stream of their own; all their acknowledgements.
    pub async fn put(&mut self, items: Vec<UrlItem>) -> Result<Vec<AckMessage>, Status> {
        all(self.stream("PutURLs", futures_util::stream::iter(items)).await?).await
    }

    /// URLs to fetch now.
    pub async fn get(&mut self, asked: GetParams) -> Result<Vec<UrlInfo>, Status> {
        all(self.list("GetURLs", asked).await?).await
    }

    async fn ready(&mut self) -> Result<(), Status> {
        self.grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))
    }
}

/// Everything on a stream.
async fn all<A>(mut answers: Streaming<A>) -> Result<Vec<A>, Status> {
    let mut list = Vec::new();
    while let Some(answer) = answers.message().await? {
        list.push(answer);
    }
    Ok(list)
}

fn path(name: &str) -> Result<PathAndQuery, Status> {
    let path = PathAndQuery::try_from(format!("{SERVICE}{name}"));
    path.map_err(|_| Status::invalid_argument(format!("{name} is no call")))
}
