//! Do the two sides understand each other?

use crate::descriptor::{Admit, Descriptor, RUN, SiteKey};
use crate::engine::{
    Cargo, Granted, Hello, HelloSent, OutputKind, ResultReader, Seed, Seen, Wanted,
};
use crate::host::{HelloRead, ResultWriter, SessionFile, read_hello};
use crate::identity::{EngineKeys, SiteSecret};
use crate::limits::Limits;
use crate::record::{Chain, Kind, LinkOut, Record, Source};
use crate::terms::{Runtime, Terms};
use sha2::{Digest, Sha256};

mod descriptor;
mod handshake;
mod hostile;
mod identity;
mod policy;
mod property;
mod transfer;

pub(crate) const NOW: u64 = 1_790_000_000_000;
pub(crate) const AUTHORITY: &str = "example.org";
pub(crate) const MAC_KEY: [u8; 32] = [9; 32];
pub(crate) const MODULE: &[u8] = b"\0asm\x01\0\0\0 a module of some sort";

pub(crate) fn limits() -> Limits {
    Limits {
        cpu_ms: 5000,
        fuel: 0,
        mem_mib: 64,
        out_mib: 2,
        pages: 5000,
        wall_s: 300,
        module_kib: 1024,
    }
}

/// A site and an engine that have heard of each other.
pub(crate) struct World {
    pub(crate) engine: EngineKeys,
    pub(crate) site: SiteSecret,
    pub(crate) descriptor: Descriptor,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn world() -> World {
    let engine = EngineKeys::generate("engine.test", [1; 32]).unwrap();
    let site = SiteSecret::generate([2; 32]).unwrap();
    let descriptor = Descriptor {
        clp: 1,
        endpoint: RUN.to_owned(),
        authority: AUTHORITY.to_owned(),
        keys: vec![SiteKey::of(&site, NOW / 1000 - 1000, NOW / 1000 + 1000)],
        admit: Admit::Allowlist,
        abi: vec![1],
        limits: limits(),
        scope: vec!["/".to_owned()],
        deny: vec!["/admin/".to_owned()],
        fs: true,
        contact: Some("mailto:owner@example.org".to_owned()),
        sig: None,
    };
    let bytes = descriptor.to_json().into_bytes();
    World { engine, site, descriptor, bytes }
}

pub(crate) fn wanted() -> Wanted {
    let limits = Limits { pages: 1000, ..Limits::default() };
    Wanted { limits, purpose: vec!["search".to_owned()], job: [7; 16], resume: false }
}

pub(crate) fn terms() -> Terms {
    Terms {
        limits: limits(),
        scope: vec!["/".to_owned()],
        deny: vec!["/admin/".to_owned()],
        robots_sha256: Some([4; 32]),
        crawl_delay: std::time::Duration::from_millis(250),
        runtime: Runtime { abi: 1, engine: "test 1".to_owned(), features: crate::host::features() },
        ..Terms::default()
    }
}

impl World {
    pub(crate) fn hello(&self) -> (Vec<u8>, HelloSent) {
        let (keys, descriptor) = (&self.engine, &self.descriptor);
        Hello::new(keys, descriptor, &self.bytes, AUTHORITY, wanted(), NOW, [3; 32]).unwrap()
    }

    pub(crate) fn read(&self, hello: &[u8]) -> Result<HelloRead, crate::Fault> {
        read_hello(hello, std::slice::from_ref(&self.site), AUTHORITY, &self.bytes, NOW + 50)
    }

    /// A session, as both sides have it.
    pub(crate) fn session(&self) -> (Granted, SessionFile) {
        // The same each time: nothing here is left to chance.
        static SHAKEN: std::sync::OnceLock<(Granted, SessionFile)> = std::sync::OnceLock::new();
        let shake = || {
            let (hello, sent) = self.hello();
            let (grant, session) = self.read(&hello).unwrap().grant(terms(), [5; 32]).unwrap();
            (sent.read_grant(&grant).unwrap(), session)
        };
        SHAKEN.get_or_init(shake).clone()
    }
}

pub(crate) fn cargo(compressed: bool) -> Cargo<'static> {
    Cargo {
        module: MODULE,
        mac_key: MAC_KEY,
        output: OutputKind { compressed },
        params: b"\xa0",
        scope: &[],
        seeds: &[],
        seen: &[],
        resume: None,
        soft_limit_percent: 90,
    }
}

pub(crate) fn seeds() -> Vec<Seed> {
    ["/", "/a?b=1"].map(|path| Seed { path: path.to_owned() }).to_vec()
}

pub(crate) fn seen() -> Vec<Seen> {
    let etag = "\"e\"".to_owned();
    vec![
        Seen { path: "/old".to_owned(), sha256: Some([8; 32]), etag },
        Seen { path: "/older".to_owned(), sha256: None, etag: String::new() },
    ]
}

/// The records of a job, chained.
pub(crate) fn records(count: usize) -> Vec<Record> {
    let mut chain = Chain::new(MAC_KEY);
    let mut list = Vec::new();
    for seq in 0..count {
        let body = format!("<p>page {seq}</p>").into_bytes();
        let mut record = Record {
            path: format!("/page/{seq}?q=1"),
            status: 200,
            kind: Kind::Page,
            headers: vec![("content-type".to_owned(), "text/html".to_owned())],
            sha256: Sha256::digest(&body).into(),
            body,
            out_links: vec![LinkOut {
                url: "https://other.test/".to_owned(),
                anchor: "other".to_owned(),
            }],
            in_links: vec![LinkOut { url: "/".to_owned(), anchor: String::new() }],
            source: Source::Http,
            seq: seq as u64,
            tag: [0; 8],
        };
        record.tag = chain.next(&record);
        list.push(record);
    }
    list
}

/// A reader and a writer of one session.
pub(crate) fn result(compressed: bool) -> (ResultReader, ResultWriter, Vec<u8>) {
    let (granted, session) = world().session();
    let (_, reader) = granted.upload(cargo(compressed)).unwrap();
    let (writer, head) = ResultWriter::new(&session, compressed).unwrap();
    (reader, writer, head)
}
