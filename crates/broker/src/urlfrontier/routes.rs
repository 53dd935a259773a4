//! Which call is meant? From paths of HTTP/2 to the calls of the door.

use super::door::Door;
use axum::http::{Request, Response};
use futures_util::stream::BoxStream;
use hyper::body::Incoming;
use prost::Message;
use std::future::Future;
use std::pin::Pin;
use tonic::body::Body;
use tonic::server::{Grpc, ServerStreamingService, StreamingService, UnaryService};
use tonic::{Code, Status, Streaming};
use tonic_prost::ProstCodec;

/// Largest message that is read.
pub(super) const MAX_MESSAGE: usize = 4 << 20;

/// How the paths of the calls begin.
pub(super) const SERVICE: &str = "/urlfrontier.URLFrontier/";

/// Messages that an answer consists of.
pub(super) type Answers<T> = BoxStream<'static, Result<T, Status>>;

type Later<T> = Pin<Box<dyn Future<Output = Result<T, Status>> + Send>>;

/// A call as the protocol's machinery wants it.
struct Call<F>(F);

impl<Q, A, F, R> UnaryService<Q> for Call<F>
where
    F: FnMut(Q) -> R,
    R: Future<Output = Result<A, Status>> + Send + 'static,
{
    type Response = A;
    type Future = Later<tonic::Response<A>>;

    fn call(&mut self, request: tonic::Request<Q>) -> Self::Future {
        let answer = self.0(request.into_inner());
        Box::pin(async move { Ok(tonic::Response::new(answer.await?)) })
    }
}

impl<Q, A, F, R> ServerStreamingService<Q> for Call<F>
where
    F: FnMut(Q) -> R,
    R: Future<Output = Result<Answers<A>, Status>> + Send + 'static,
{
    type Response = A;
    type ResponseStream = Answers<A>;
    type Future = Later<tonic::Response<Answers<A>>>;

    fn call(&mut self, request: tonic::Request<Q>) -> Self::Future {
        UnaryService::call(self, request)
    }
}

impl<Q, A, F, R> StreamingService<Q> for Call<F>
where
    F: FnMut(Streaming<Q>) -> R,
    R: Future<Output = Result<Answers<A>, Status>> + Send + 'static,
{
    type Response = A;
    type ResponseStream = Answers<A>;
    type Future = Later<tonic::Response<Answers<A>>>;

    fn call(&mut self, request: tonic::Request<Streaming<Q>>) -> Self::Future {
        UnaryService::call(self, request)
    }
}

fn grpc<A, Q>() -> Grpc<ProstCodec<A, Q>>
where
    A: Message + Default + Send + 'static,
    Q: Message + Default + Send + 'static,
{
    Grpc::new(ProstCodec::default()).max_decoding_message_size(MAX_MESSAGE)
}

/// One message in, one out.
async fn one<Q, A, F, R>(door: Door, request: Request<Incoming>, call: F) -> Response<Body>
where
    Q: Message + Default + Send + 'static,
    A: Message + Default + Send + 'static,
    F: Fn(Door, Q) -> R + Send,
    R: Future<Output = Result<A, Status>> + Send + 'static,
{
    grpc().unary(Call(move |asked| call(door.clone(), asked)), request).await
}

/// One message in, many out.
async fn many<Q, A, F, R>(door: Door, request: Request<Incoming>, call: F) -> Response<Body>
where
    Q: Message + Default + Send + 'static,
    A: Message + Default + Send + 'static,
    F: Fn(Door, Q) -> R + Send,
    R: Future<Output = Result<Answers<A>, Status>> + Send + 'static,
{
    grpc().server_streaming(Call(move |asked| call(door.clone(), asked)), request).await
}

/// Many messages in, many out.
async fn both<Q, A, F, R>(door: Door, request: Request<Incoming>, call: F) -> Response<Body>
where
    Q: Message + Default + Send + 'static,
    A: Message + Default + Send + 'static,
    F: Fn(Door, Streaming<Q>) -> R + Send,
    R: Future<Output = Result<Answers<A>, Status>> + Send + 'static,
{
    grpc().streaming(Call(move |asked| call(door.clone(), asked)), request).await
}

/// Answers one request.
pub(super) async fn answer(door: Door, request: Request<Incoming>) -> Response<Body> {
    let path = request.uri().path();
    match path.strip_prefix(SERVICE).unwrap_or_default() {
        "ListNodes" => one(door, request, Door::list_nodes).await,
        "ListCrawls" => one(door, request, Door::list_crawls).await,
        "DeleteCrawl" => one(door, request, Door::delete_crawl).await,
        "ListQueues" => one(door, request, Door::list_queues).await,
        "GetURLs" => many(door, request, Door::get_urls).await,
        "PutURLs" => both(door, request, Door::put_urls).await,
        "PutDiscovered" => both(door, request, Door::put_discovered).await,
        "GetStats" => one(door, request, Door::get_stats).await,
        "DeleteQueue" => one(door, request, Door::delete_queue).await,
        "BlockQueueUntil" => one(door, request, Door::block_queue_until).await,
        "SetActive" => one(door, request, Door::set_active).await,
        "GetActive" => one(door, request, Door::get_active).await,
        "SetDelay" => one(door, request, Door::set_delay).await,
        "SetLogLevel" => one(door, request, Door::set_log_level).await,
        "SetCrawlLimit" => one(door, request, Door::set_crawl_limit).await,
        "GetURLStatus" => one(door, request, Door::get_url_status).await,
        "ListURLs" => many(door, request, Door::list_urls).await,
        "CountURLs" => one(door, request, Door::count_urls).await,
        "PurgeURLs" => one(door, request, Door::purge_urls).await,
        _ => Status::new(Code::Unimplemented, "no such call").into_http(),
    }
}
