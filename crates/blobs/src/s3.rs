//! How do blobs lie in a store that speaks the S3 protocol?

mod http;

use crate::blobs::{Settings, patiently};
use crate::error::{At, Error, Result};
use crate::files::blocking;
use crate::key::Key;
use crate::place::{Body, Content, Meta, Page, Place, Put};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use http::{Hyper, Trouble, trouble};
use lycosa_runtime::chain;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path as Location;
use object_store::{
    GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, RetryConfig,
};
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use url::Url;

/// The most parts that a store takes for one upload.
const MAX_PARTS: u64 = 10_000;

/// The smallest part that a store takes, other than the last.
const MIN_PART: u64 = 5 << 20;

/// Keys of one page.
const PAGE: usize = 1000;

/// A bucket, or what is below a prefix in it.
pub(crate) struct S3 {
    store: Arc<AmazonS3>,
    bucket: String,
    prefix: String,
    settings: Settings,
}

impl S3 {
    pub(crate) fn open(
        address: &str,
        variables: impl IntoIterator<Item = (String, String)>,
        settings: Settings,
    ) -> Result<S3> {
        let bad = |why: String| Error::Address { address: address.to_owned(), why };
        let url = Url::parse(address).map_err(|e| bad(e.to_string()))?;
        let bucket = url.host_str().unwrap_or_default().to_owned();
        if bucket.is_empty() {
            return Err(bad("it names no bucket".to_owned()));
        }
        let mut builder = AmazonS3Builder::new();
        let mut authorities = None;
        for (name, value) in variables {
            if name == "AWS_CA_BUNDLE" {
                authorities = Some(value);
                continue;
            }
            if name.starts_with("AWS_")
                && let Ok(key) = name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>()
            {
                builder = builder.with_config(key, value);
            }
        }
        for (name, value) in url.query_pairs() {
            builder = match name.as_ref() {
                "endpoint" => {
                    let plain = value.starts_with("http://");
                    builder.with_endpoint(value).with_allow_http(plain)
                }
                "region" => builder.with_region(value),
                other => return Err(bad(format!("`{other}` is not known"))),
            };
        }
        // One place tries again: the caller's.
        let once = RetryConfig { max_retries: 0, ..RetryConfig::default() };
        let http = Hyper::new(settings.stall, authorities.as_deref())?;
        let store = builder
            .with_bucket_name(&bucket)
            .with_retry(once)
            .with_disable_bulk_delete(true)
            .with_http_connector(http)
            .build()
            .map_err(|e| bad(e.to_string()))?;
        let prefix = url.path().trim_matches('/').to_owned();
        let prefix = if prefix.is_empty() { prefix } else { format!("{prefix}/") };
        Ok(S3 { store: Arc::new(store), bucket, prefix, settings })
    }

    fn location(&self, key: &Key) -> Result<Location> {
        let whole = format!("{}{key}", self.prefix);
        Location::parse(whole).map_err(|_| Error::Key(key.to_string()))
    }

    async fn put_bytes(&self, key: &Key, bytes: Bytes) -> Result<Put> {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        let location = self.location(key)?;
        match self.store.put_opts(&location, PutPayload::from(bytes), options).await {
            Ok(_) => Ok(Put::Stored),
            Err(object_store::Error::AlreadyExists { .. }) => Ok(Put::There),
            Err(error) => Err(meaning(key, error)),
        }
    }

    /// Uploads in parts. Nothing is there before the last step, and all of it after that.
    async fn put_parts(&self, key: &Key, path: &Path, bytes: u64) -> Result<Put> {
        if self.head(key).await?.is_some() {
            return Ok(Put::There);
        }
        let location = self.location(key)?;
        let begin = self.store.create_multipart(&location);
        let id = begin.await.map_err(|e| meaning(key, e))?;
        let done = async {
            let file = Arc::new(File::open(path).at(path)?);
            let size = part_size(bytes, self.settings.part);
            let parts = (0..bytes.div_ceil(size)).map(|number| {
                let range = number * size..bytes.min((number + 1) * size);
                self.put_part(key, &location, &id, number as usize, Arc::clone(&file), range)
            });
            let at_once = self.settings.at_once.max(1);
            let parts: Vec<PartId> = stream::iter(parts).buffered(at_once).try_collect().await?;
            let end = self.store.complete_multipart(&location, &id, parts);
            end.await.map_err(|e| meaning(key, e))?;
            Ok(Put::Stored)
        };
        let done = done.await;
        if done.is_err() {
            // What is not taken back costs room that nobody sees; the store's own rules end it in time.
            drop(self.store.abort_multipart(&location, &id).await);
        }
        match done {
            // The store has forgotten the upload, as one does that was restarted: it begins anew.
            Err(Error::NotFound(_)) => {
                Err(Error::Disturbed(format!("{key}: the store lost the upload")))
            }
            other => other,
        }
    }

    async fn put_part(
        &self,
        key: &Key,
        location: &Location,
        id: &object_store::MultipartId,
        number: usize,
        file: Arc<File>,
        range: Range<u64>,
    ) -> Result<PartId> {
        let name = key.to_string();
        let bytes = blocking(move || {
            let mut buffer = vec![0; usize::try_from(range.end - range.start).unwrap_or(0)];
            file.read_exact_at(&mut buffer, range.start).at(Path::new(&name))?;
            Ok(Bytes::from(buffer))
        });
        let bytes = bytes.await?;
        patiently(self.settings.patience, || async {
            let payload = PutPayload::from(bytes.clone());
            let put = self.store.put_part(location, id, number, payload).await;
            put.map_err(|e| meaning(key, e))
        })
        .await
    }
}

/// How large parts are: as wanted, larger when they would be too many, and the last one what is left.
fn part_size(bytes: u64, wanted: u64) -> u64 {
    wanted.max(MIN_PART).max(bytes.div_ceil(MAX_PARTS))
}

/// What an error of the store means to us.
fn meaning(key: &Key, error: object_store::Error) -> Error {
    use object_store::Error as E;
    let text = chain(&error);
    match trouble(&error) {
        Some(Trouble::Passing(why)) => return Error::Disturbed(why),
        Some(Trouble::Range) => {
            return Error::OutOfRange { key: key.clone(), bytes: 0, start: 0 };
        }
        Some(Trouble::Unfit(why)) => return Error::Rejected(why),
        None => {}
    }
    match error {
        E::NotFound { .. } if text.contains("NoSuchBucket") => {
            Error::Rejected("there is no such bucket".to_owned())
        }
        E::NotFound { .. } => Error::NotFound(key.clone()),
        E::PermissionDenied { .. } | E::Unauthenticated { .. } => Error::Denied(text),
        _ if text.contains("InvalidAccessKeyId") || text.contains("SignatureDoesNotMatch") => {
            Error::Denied(text)
        }
        _ => Error::Rejected(text),
    }
}

impl Place for S3 {
    fn head<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Meta>>> {
        async move {
            match self.store.head(&self.location(key)?).await {
                Ok(meta) => Ok(Some(Meta {
                    key: key.clone(),
                    bytes: meta.size,
                    changed: meta.last_modified.into(),
                })),
                Err(error) => match meaning(key, error) {
                    Error::NotFound(_) => Ok(None),
                    other => Err(other),
                },
            }
        }
        .boxed()
    }

    fn put<'a>(&'a self, key: &'a Key, content: Content<'a>) -> BoxFuture<'a, Result<Put>> {
        async move {
            match content {
                Content::Bytes(bytes) => self.put_bytes(key, bytes.clone()).await,
                Content::File(path, bytes) if bytes <= self.settings.part.max(MIN_PART) => {
                    let file = path.to_owned();
                    let bytes = blocking(move || std::fs::read(&file).at(&file)).await?;
                    self.put_bytes(key, bytes.into()).await
                }
                Content::File(path, bytes) => self.put_parts(key, path, bytes).await,
            }
        }
        .boxed()
    }

    fn read<'a>(&'a self, key: &'a Key, range: Option<Range<u64>>) -> BoxFuture<'a, Result<Body>> {
        async move {
            let start = range.as_ref().map(|range| range.start);
            let options =
                GetOptions { range: range.map(GetRange::Bounded), ..GetOptions::default() };
            let answer = self.store.get_opts(&self.location(key)?, options).await;
            let answer = match (answer.map_err(|error| meaning(key, error)), start) {
                // The store does not say how large it is.
                (Err(Error::OutOfRange { .. }), Some(start)) => {
                    let meta = self.head(key).await?;
                    let bytes = meta.ok_or_else(|| Error::NotFound(key.clone()))?.bytes;
                    return Err(Error::OutOfRange { key: key.clone(), bytes, start });
                }
                (answer, _) => answer?,
            };
            let bytes = answer.range.end - answer.range.start;
            let named = key.clone();
            let parts = answer.into_stream().map_err(move |error| meaning(&named, error));
            Ok(Body { parts: parts.boxed(), bytes })
        }
        .boxed()
    }

    fn page<'a>(&'a self, prefix: &'a str, next: Option<String>) -> BoxFuture<'a, Result<Page>> {
        async move {
            let whole = format!("{}{prefix}", self.prefix);
            let options = PaginatedListOptions {
                max_keys: Some(PAGE),
                page_token: next,
                ..PaginatedListOptions::default()
            };
            let listed = self.store.list_paginated(Some(&whole), options).await;
            let listed = listed.map_err(|error| match trouble(&error) {
                Some(Trouble::Passing(why)) => Error::Disturbed(why),
                _ => Error::Rejected(chain(&error)),
            })?;
            let metas = listed.result.objects.into_iter().filter_map(|object| {
                let key = object.location.as_ref().strip_prefix(&self.prefix)?.parse().ok()?;
                Some(Meta { key, bytes: object.size, changed: object.last_modified.into() })
            });
            Ok(Page { found: metas.collect(), next: listed.page_token })
        }
        .boxed()
    }

    fn delete<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<()>> {
        async move {
            match self.store.delete(&self.location(key)?).await {
                Ok(()) => Ok(()),
                Err(error) => match meaning(key, error) {
                    Error::NotFound(_) => Ok(()),
                    other => Err(other),
                },
            }
        }
        .boxed()
    }

    fn name(&self) -> String {
        format!("s3://{}/{}", self.bucket, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_neither_too_small_nor_too_many() {
        let mib = 1 << 20;
        assert_eq!(part_size(100 * mib, 8 * mib), 8 * mib);
        assert_eq!(part_size(100 * mib, 1), MIN_PART);
        let huge = 5_u64 << 40;
        let size = part_size(huge, 8 * mib);
        assert!(huge.div_ceil(size) <= MAX_PARTS, "{size}");
    }
}
