//! An engine for tests.

use crate::front::Running;
use crawllet_host::client::Client;
use lycosa_crawllet::Fault;
use lycosa_crawllet::descriptor::{Descriptor, RUN, WELL_KNOWN};
use lycosa_crawllet::engine::{
    Cargo, End, Event, Granted, Hello, HelloSent, OutputKind, Reason, ResultReader, Seed, Wanted,
};
use lycosa_crawllet::identity::EngineKeys;
use lycosa_crawllet::limits::Limits;
use lycosa_crawllet::record::Record;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) const DOMAIN: &str = "engine.example";

pub(crate) fn keys(seed: u8) -> EngineKeys {
    EngineKeys::generate(DOMAIN, [seed; 32]).unwrap()
}

pub(crate) fn now_ms() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

pub(crate) fn random() -> [u8; 32] {
    crawllet_host::host::fresh().unwrap()
}

/// Limits for modules of tests: little of everything.
pub(crate) fn little() -> Limits {
    Limits {
        cpu_ms: 2_000,
        fuel: 0,
        mem_mib: 16,
        out_mib: 1,
        pages: 50,
        wall_s: 20,
        module_kib: 1024,
    }
}

/// An engine that speaks to one host.
pub(crate) struct Engine {
    pub(crate) keys: EngineKeys,
    pub(crate) client: Client,
}

/// What came of a job.
#[derive(Debug, Default)]
pub(crate) struct Harvest {
    pub(crate) records: Vec<Record>,
    pub(crate) logs: Vec<String>,
    pub(crate) state: Option<Vec<u8>>,
    pub(crate) progress: usize,
    pub(crate) end: Option<Result<End, Fault>>,
}

impl Harvest {
    pub(crate) fn reason(&self) -> Reason {
        match &self.end {
            Some(Ok(end)) => end.reason,
            other => panic!("no end: {other:?}, {:?}", self.logs),
        }
    }
}

impl Engine {
    pub(crate) fn new(host: &Running) -> Engine {
        Engine::with(host, keys(1))
    }

    pub(crate) fn with(host: &Running, keys: EngineKeys) -> Engine {
        let client = Client::new(&host.url(), Duration::from_secs(60)).unwrap();
        Engine { keys, client }
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Vec<u8>) {
        self.ask("GET", path, &[])
    }

    pub(crate) fn post(&self, path: &str, body: &[u8]) -> (u16, Vec<u8>) {
        self.ask("POST", path, body)
    }

    fn ask(&self, method: &str, path: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let answer = self.client.send(method, path, body).unwrap();
        (answer.status, answer.body(1 << 30).unwrap())
    }

    pub(crate) fn hello_bytes(&self, limits: Limits, time_ms: u64) -> (Vec<u8>, HelloSent) {
        let (status, bytes) = self.get(WELL_KNOWN);
        assert_eq!(status, 200);
        let descriptor = Descriptor::parse(&bytes).unwrap();
        let authority = descriptor.authority.clone();
        let wanted =
            Wanted { limits, purpose: vec!["test".to_owned()], job: [7; 16], resume: false };
        Hello::new(&self.keys, &descriptor, &bytes, &authority, wanted, time_ms, random()).unwrap()
    }

    pub(crate) fn try_hello(&self, limits: Limits) -> Result<Granted, Fault> {
        let (hello, sent) = self.hello_bytes(limits, now_ms());
        let (status, body) = self.post(RUN, &hello);
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        sent.read_grant(&body)
    }

    pub(crate) fn hello(&self, limits: Limits) -> Granted {
        self.try_hello(limits).unwrap()
    }

    /// Runs a module that needs no key in it.
    pub(crate) fn run_wat(&self, wat: &str, limits: Limits) -> Harvest {
        self.run_module(&wat::parse_str(wat).unwrap(), limits)
    }

    pub(crate) fn run_module(&self, module: &[u8], limits: Limits) -> Harvest {
        self.run(module, [0; 32], limits, true, None)
    }

    /// Runs a guest that is shipped.
    pub(crate) fn run_guest(&self, name: &str, limits: Limits, resume: Option<&[u8]>) -> Harvest {
        let guest = lycosa_crawllet::guests::by_name(name).unwrap();
        let key = random();
        let module = lycosa_crawllet::guests::key_patched(guest, &key).unwrap();
        self.run(&module, key, limits, true, resume)
    }

    pub(crate) fn run(
        &self,
        module: &[u8],
        mac_key: [u8; 32],
        limits: Limits,
        compressed: bool,
        resume: Option<&[u8]>,
    ) -> Harvest {
        let (path, bytes, reader) = self.upload(module, mac_key, limits, compressed, resume);
        self.collect(&path, &bytes, reader)
    }

    /// Path, body and reader of an upload.
    pub(crate) fn upload(
        &self,
        module: &[u8],
        mac_key: [u8; 32],
        limits: Limits,
        compressed: bool,
        resume: Option<&[u8]>,
    ) -> (String, Vec<u8>, ResultReader) {
        let granted = self.hello(limits);
        let path = format!("{RUN}?s={}", granted.session_hex());
        let cargo = Cargo {
            module,
            mac_key,
            output: OutputKind { compressed },
            params: &[],
            scope: &[],
            seeds: &[Seed { path: "/".to_owned() }],
            seen: &[],
            resume,
            soft_limit_percent: 0,
        };
        let (bytes, reader) = granted.upload(cargo).unwrap();
        (path, bytes, reader)
    }

    pub(crate) fn collect(&self, path: &str, bytes: &[u8], mut reader: ResultReader) -> Harvest {
        let answer = self.client.send("POST", path, bytes).unwrap();
        if answer.status != 200 {
            let status = answer.status;
            panic!("{status}: {}", String::from_utf8_lossy(&answer.body(1 << 20).unwrap()));
        }
        let mut harvest = Harvest::default();
        let mut events = Vec::new();
        let read = answer.each(1 << 30, &mut |bytes| {
            reader.feed(bytes).map_err(std::io::Error::other)?;
            while let Some(event) = reader.next_event().map_err(std::io::Error::other)? {
                events.push(event);
            }
            Ok(())
        });
        for event in events {
            match event {
                Event::Record(record) => harvest.records.push(record),
                Event::Log(text) => harvest.logs.push(text),
                Event::State(state) => harvest.state = Some(state),
                Event::Progress { .. } => harvest.progress += 1,
                _ => {}
            }
        }
        harvest.end = Some(match read {
            Ok(()) => reader.finish(),
            Err(_) => Err(Fault::Truncated(0)),
        });
        harvest
    }
}
