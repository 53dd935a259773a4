//! How is something put, read, listed and taken away?

use crate::error::{At, Error, Result};
use crate::files::{Draft, blocking, digest_of};
use crate::folder::Folder;
use crate::key::{Digest, Hasher, Key, is_prefix};
use crate::place::{Body, Content, Meta, Place, Put};
use crate::s3::S3;
use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use lycosa_runtime::Backoff;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The first and the longest pause between two tries.
pub(crate) const PAUSES: (Duration, Duration) =
    (Duration::from_millis(100), Duration::from_secs(5));

/// How patient and how large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How long a call tries again while the store is disturbed; an upload in parts, for each part.
    pub patience: Duration,
    /// How long one request may take, and how long a body that is read may stand still.
    pub stall: Duration,
    /// From which size on a file is uploaded in parts, and how large they are; at least 5 MiB, which S3 demands.
    pub part: u64,
    /// Parts that are on their way at the same time. So much memory is used: parts times their size.
    pub at_once: usize,
    /// The most that [`Blobs::get`] reads into memory.
    pub max_whole: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            patience: Duration::from_secs(60),
            stall: Duration::from_secs(60),
            part: 8 << 20,
            at_once: 4,
            max_whole: 256 << 20,
        }
    }
}

/// Tries something until it is done, it cannot pass, or patience ends.
pub(crate) async fn patiently<T, F>(patience: Duration, mut call: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let mut backoff = Backoff::new(PAUSES.0, PAUSES.1, patience);
    loop {
        match call().await {
            Err(error) if error.passes() => {
                tracing::debug!(%error, "another try");
                if !backoff.pause().await {
                    return Err(error);
                }
            }
            other => return other,
        }
    }
}

/// A store of things that never change. Cheap to clone.
#[derive(Clone)]
pub struct Blobs {
    place: Arc<dyn Place>,
    settings: Settings,
}

impl std::fmt::Debug for Blobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Blobs({})", self.place.name())
    }
}

impl Blobs {
    /// The store at this address: a folder, `file:///folder`, or `s3://bucket/prefix`, which may name another
    /// server than Amazon's (`?endpoint=https://host`) and a region (`&region=eu-west-1`). Credentials are in the
    /// variables `AWS_ACCESS_KEY_ID` and so on. Nobody is asked yet.
    ///
    /// # Errors
    /// When the address is none, or the folder cannot be made.
    pub fn open(address: &str) -> Result<Blobs> {
        Self::open_with(address, std::env::vars(), Settings::default())
    }

    /// The store at this address, with other variables than those of the process.
    ///
    /// # Errors
    /// When the address is none, or the folder cannot be made.
    pub fn open_with(
        address: &str,
        variables: impl IntoIterator<Item = (String, String)>,
        settings: Settings,
    ) -> Result<Blobs> {
        let bad = |why: &str| Error::Address { address: address.to_owned(), why: why.to_owned() };
        let place: Arc<dyn Place> = match address.split_once("://") {
            Some(("s3", _)) => Arc::new(S3::open(address, variables, settings.clone())?),
            Some(("file", path)) if path.starts_with('/') => {
                Arc::new(Folder::open(Path::new(path))?)
            }
            Some(("file", _)) => return Err(bad("a file has three slashes")),
            Some(_) => return Err(bad("its scheme is not known")),
            None if address.is_empty() => return Err(bad("it is empty")),
            None => Arc::new(Folder::open(Path::new(address))?),
        };
        Ok(Blobs { place, settings })
    }

    /// Where it is, for people.
    pub fn name(&self) -> String {
        self.place.name()
    }

    /// Puts bytes under a key. When it returns they are there, durably, as a whole.
    ///
    /// # Errors
    /// [`Error::Damaged`] when the bytes are not what the key says, or something else is there; that the store was
    /// disturbed for longer than the patience.
    pub async fn put_if_absent(&self, key: &Key, bytes: impl Into<Bytes>) -> Result<Put> {
        let bytes = bytes.into();
        key.check(&Digest::of(&bytes))?;
        self.put(key, Content::Bytes(&bytes)).await
    }

    /// Puts a file under a key, in parts if it is large. The memory for that is bounded by the settings.
    ///
    /// # Errors
    /// As [`Blobs::put_if_absent`], and when the file cannot be read.
    pub async fn put_file_if_absent(&self, key: &Key, path: &Path) -> Result<Put> {
        let file = path.to_owned();
        let (digest, bytes) = blocking(move || digest_of(&file)).await?;
        key.check(&digest)?;
        self.put(key, Content::File(path, bytes)).await
    }

    async fn put(&self, key: &Key, content: Content<'_>) -> Result<Put> {
        patiently(self.settings.patience, || async {
            let put = self.place.put(key, content).await?;
            if matches!((put, content), (Put::Stored, Content::Bytes(_))) {
                return Ok(put);
            }
            // What was there before, or came in parts, may be something else.
            let there = self.place.head(key).await?;
            let Some(there) = there else {
                return Err(Error::Disturbed(format!("{key} is not there after it was put")));
            };
            if there.bytes != content.len() {
                let why = format!("{} bytes are there, not {}", there.bytes, content.len());
                return Err(Error::Damaged { key: key.clone(), why });
            }
            Ok(put)
        })
        .await
    }

    /// What is known of a key; nothing when nothing is there.
    ///
    /// # Errors
    /// That the store was disturbed for longer than the patience.
    pub async fn head(&self, key: &Key) -> Result<Option<Meta>> {
        patiently(self.settings.patience, || self.place.head(key)).await
    }

    /// All of it, if it is what the key says and not too large for the memory.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::TooLarge`], [`Error::Damaged`], or that the store was disturbed for longer
    /// than the patience.
    pub async fn get(&self, key: &Key) -> Result<Bytes> {
        let bytes = patiently(self.settings.patience, || async {
            let body = self.place.read(key, None).await?;
            self.collect(key, body).await
        });
        let bytes = bytes.await?;
        key.check(&Digest::of(&bytes))?;
        Ok(bytes)
    }

    /// The bytes of a range, less if it ends behind the end. They cannot be checked against the key.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when it begins behind the end, [`Error::NotFound`], [`Error::TooLarge`], or that the
    /// store was disturbed for longer than the patience.
    pub async fn get_range(&self, key: &Key, range: Range<u64>) -> Result<Bytes> {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        patiently(self.settings.patience, || async {
            let body = self.place.read(key, Some(range.clone())).await?;
            if body.bytes > range.end - range.start {
                return Err(Error::Rejected("more came than the range".to_owned()));
            }
            self.collect(key, body).await
        })
        .await
    }

    /// Reads into a new file that is then put in place of `path`, if it is what the key says. Its folder is also
    /// that of the unfinished file.
    ///
    /// # Errors
    /// As [`Blobs::get`], and when the file cannot be written.
    pub async fn get_file(&self, key: &Key, path: &Path) -> Result<u64> {
        patiently(self.settings.patience, || async {
            let Body { mut parts, bytes } = self.place.read(key, None).await?;
            let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
            let mut draft = blocking(move || Draft::new(&folder)).await?;
            let (mut hasher, mut came) = (Hasher::default(), 0);
            while let Some(part) = self.next(&mut parts).await? {
                came += part.len() as u64;
                hasher.update(&part);
                draft = blocking(move || draft.write(&part).map(|()| draft)).await?;
            }
            complete(key, came, bytes)?;
            key.check(&hasher.finish())?;
            let path = path.to_owned();
            blocking(move || draft.replace(&path)).await?;
            Ok(came)
        })
        .await
    }

    async fn next(&self, parts: &mut BoxStream<'static, Result<Bytes>>) -> Result<Option<Bytes>> {
        match tokio::time::timeout(self.settings.stall, parts.next()).await {
            Ok(part) => part.transpose(),
            Err(_) => Err(Error::Disturbed("the store stopped sending".to_owned())),
        }
    }

    async fn collect(&self, key: &Key, body: Body) -> Result<Bytes> {
        let Body { mut parts, bytes } = body;
        let most = self.settings.max_whole;
        if bytes > most {
            return Err(Error::TooLarge { key: key.clone(), bytes, most });
        }
        let mut all = BytesMut::with_capacity(usize::try_from(bytes).unwrap_or(0));
        while let Some(part) = self.next(&mut parts).await? {
            all.extend_from_slice(&part);
            if all.len() as u64 > bytes {
                break;
            }
        }
        complete(key, all.len() as u64, bytes)?;
        Ok(all.freeze())
    }

    /// Everything whose key begins with a prefix, in the order of keys, read in pages. What is not ours by its
    /// name is left out.
    ///
    /// Each item may be an error as [`Blobs::head`] has them; it is the last one.
    pub fn list(&self, prefix: &str) -> BoxStream<'static, Result<Meta>> {
        if !is_prefix(prefix) {
            let error = Error::Key(prefix.to_owned());
            return stream::once(async { Err(error) }).boxed();
        }
        let (blobs, prefix) = (self.clone(), prefix.to_owned());
        let pages = stream::try_unfold(Some(None), move |next: Option<Option<String>>| {
            let (blobs, prefix) = (blobs.clone(), prefix.clone());
            async move {
                let Some(next) = next else { return Ok(None) };
                let patience = blobs.settings.patience;
                let page = patiently(patience, || blobs.place.page(&prefix, next.clone())).await?;
                let then = page.next.map(Some);
                let mut found = page.found;
                // rclone lists something twice that several put at the same time.
                found.dedup_by(|one, other| one.key == other.key);
                Ok(Some((stream::iter(found.into_iter().map(Ok)), then)))
            }
        });
        pages.try_flatten().boxed()
    }

    /// Takes it away; no error when it is not there.
    ///
    /// # Errors
    /// That the store was disturbed for longer than the patience.
    pub async fn delete(&self, key: &Key) -> Result<()> {
        patiently(self.settings.patience, || self.place.delete(key)).await
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }
}

/// Whether as much came as was told; a connection that breaks early is another try.
fn complete(key: &Key, came: u64, told: u64) -> Result<()> {
    if came == told {
        return Ok(());
    }
    Err(Error::Disturbed(format!("{key}: {came} bytes of {told} came")))
}

/// The size of a file.
pub(crate) fn size_of(path: &Path) -> Result<u64> {
    Ok(std::fs::metadata(path).at(path)?.len())
}
