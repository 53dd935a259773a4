//! How is a crawllet sent over the live web? A POST on the terms on which everything else is asked for, whose
//! answer is read as it comes.

use super::{Poster, fault};
use crate::crawllet::{Courier, Letter, Reply, ReplyBody};
use futures_util::stream;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use lycosa_model::FetchError;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::timeout;

impl Courier for Poster {
    fn post<'a>(
        &'a self,
        letter: Letter,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, FetchError>> + Send + 'a>> {
        Box::pin(async move {
            let Letter { url, headers, body, patience, silence } = letter;
            let answer = self.send(&url, &headers, body, patience).await?;
            let status = answer.status().as_u16();
            Ok(Reply { status, body: pieces(answer.into_body(), silence) })
        })
    }
}

/// The body piece by piece; whoever is silent for too long has ended it.
fn pieces(body: Incoming, silence: Duration) -> ReplyBody {
    let next = move |body: Option<Incoming>| async move {
        let mut body = body?;
        loop {
            let frame = match timeout(silence, body.frame()).await {
                Err(_) => return Some((Err(FetchError::Timeout), None)),
                Ok(None) => return None,
                Ok(Some(Err(error))) => return Some((Err(fault::outcome(&error)), None)),
                Ok(Some(Ok(frame))) => frame,
            };
            if let Ok(data) = frame.into_data() {
                return Some((Ok(data), Some(body)));
            }
        }
    };
    Box::pin(stream::unfold(Some(body), next))
}
