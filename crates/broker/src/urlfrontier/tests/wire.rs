//! Are the messages those of the `.proto` file? Every message is filled, written, and taken apart again by
//! field numbers and wire types alone; what is found must be what the file says.

use super::*;
use prost::Message;
use std::collections::BTreeMap;

const PROTO: &str = include_str!("../urlfrontier.proto");

/// Number and wire type of the fields of each message in the file.
fn fields_of_the_file() -> BTreeMap<String, Vec<(u32, u8)>> {
    let mut messages: BTreeMap<String, Vec<(u32, u8)>> = BTreeMap::new();
    let (mut name, mut inside_enum) = (String::new(), false);
    for line in PROTO.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("message ") {
            name = rest.trim_end_matches(" {").to_owned();
            messages.insert(name.clone(), Vec::new());
        } else if line.starts_with("enum ") {
            inside_enum = true;
        } else if line == "}" {
            inside_enum = false;
        } else if let (Some((left, number)), false) = (line.split_once(" = "), inside_enum) {
            let Ok(number) = number.trim_end_matches(';').parse() else { continue };
            let kind = left.rsplit_once(' ').map(|(kind, _)| kind).unwrap_or_default();
            let kind = kind.trim_start_matches("optional ");
            // Packed lists, words, maps and messages are bytes with a length; the rest are varints.
            let varint = matches!(kind, "bool" | "uint32" | "uint64" | "Level" | "Status");
            messages.get_mut(&name).expect("a message").push((number, if varint { 0 } else { 2 }));
        }
    }
    for fields in messages.values_mut() {
        fields.sort_unstable();
    }
    messages
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first().expect("a byte");
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            break;
        }
    }
    number
}

/// Number and wire type of the fields in these bytes.
fn fields_of(message: &impl Message) -> Vec<(u32, u8)> {
    let encoded = message.encode_to_vec();
    let mut bytes = encoded.as_slice();
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let (number, kind) = ((tag >> 3) as u32, (tag & 7) as u8);
        let value = varint(&mut bytes);
        if kind == 2 {
            bytes = &bytes[value as usize..];
        }
        fields.push((number, kind));
    }
    fields.sort_unstable();
    fields.dedup();
    fields
}

#[test]
fn every_message_has_the_numbers_and_types_of_the_file() {
    let (t, s) = (true, || "x".to_owned());
    let list = StringList { values: vec![s()] };
    let said =
        UrlInfo { url: s(), key: s(), metadata: [(s(), list.clone())].into(), crawl_id: s() };
    let found = DiscoveredUrlItem { info: Some(said.clone()) };
    let visited = KnownUrlItem { info: Some(said.clone()), refetchable_from_date: 1 };
    let item = |item| UrlItem { item: Some(item), id: s(), creation_date: 1 };
    let items = [
        item(url_item::Item::Discovered(found.clone())),
        item(url_item::Item::Known(visited.clone())),
    ];
    let get = |item| GetParams {
        max_urls_per_queue: 1,
        max_queues: 1,
        key: s(),
        delay_requestable: 1,
        item: Some(item),
    };
    let gets = [get(get_params::Item::Any(AnyCrawlId {})), get(get_params::Item::CrawlId(s()))];
    let union = |left: Vec<(u32, u8)>, right: Vec<(u32, u8)>| {
        let all: std::collections::BTreeSet<_> = left.into_iter().chain(right).collect();
        all.into_iter().collect::<Vec<_>>()
    };
    let ours = [
        ("Empty", fields_of(&Empty {})),
        ("AnyCrawlID", fields_of(&AnyCrawlId {})),
        ("Local", fields_of(&Local { local: t })),
        ("Active", fields_of(&Active { state: t, local: t })),
        ("Boolean", fields_of(&Boolean { state: t })),
        ("Long", fields_of(&Long { value: 1 })),
        ("StringList", fields_of(&list)),
        ("DeleteCrawlMessage", fields_of(&DeleteCrawlMessage { value: s(), local: t })),
        (
            "Pagination",
            fields_of(&Pagination {
                start: 1,
                size: 1,
                include_inactive: t,
                crawl_id: s(),
                local: t,
            }),
        ),
        (
            "QueueList",
            fields_of(&QueueList { values: vec![s()], total: 1, start: 1, size: 1, crawl_id: s() }),
        ),
        (
            "QueueWithinCrawlParams",
            fields_of(&QueueWithinCrawlParams { key: s(), crawl_id: s(), local: t }),
        ),
        (
            "QueueDelayParams",
            fields_of(&QueueDelayParams {
                key: s(),
                delay_requestable: 1,
                crawl_id: s(),
                local: t,
            }),
        ),
        (
            "BlockQueueParams",
            fields_of(&BlockQueueParams { key: s(), time: 1, crawl_id: s(), local: t }),
        ),
        (
            "CrawlLimitParams",
            fields_of(&CrawlLimitParams { key: s(), limit: 1, crawl_id: s(), local: t }),
        ),
        ("LogLevelParams", fields_of(&LogLevelParams { package: s(), level: 1, local: t })),
        (
            "Stats",
            fields_of(&Stats {
                size: 1,
                in_process: 1,
                counts: [(s(), 1)].into(),
                number_of_queues: 1,
                crawl_id: s(),
            }),
        ),
        ("GetParams", union(fields_of(&gets[0]), fields_of(&gets[1]))),
        ("URLInfo", fields_of(&said)),
        ("KnownURLItem", fields_of(&visited)),
        ("DiscoveredURLItem", fields_of(&found)),
        ("URLItem", union(fields_of(&items[0]), fields_of(&items[1]))),
        ("AckMessage", fields_of(&AckMessage { id: s(), status: 1 })),
        ("DiscoveredBatch", fields_of(&DiscoveredBatch { id: s(), items: vec![said] })),
        ("BatchAck", fields_of(&BatchAck { id: s(), statuses: vec![1, 2] })),
        ("URLStatusRequest", fields_of(&UrlStatusRequest { url: s(), key: s(), crawl_id: s() })),
        (
            "ListUrlParams",
            fields_of(&ListUrlParams {
                start: 1,
                size: 1,
                key: s(),
                crawl_id: s(),
                local: t,
                filter: Some(s()),
                ignore_case: Some(t),
            }),
        ),
        (
            "CountUrlParams",
            fields_of(&CountUrlParams {
                key: s(),
                crawl_id: s(),
                filter: Some(s()),
                ignore_case: Some(t),
                local: Some(t),
            }),
        ),
        ("PurgeUrlParams", fields_of(&PurgeUrlParams { key: s(), crawl_id: s(), days: 1 })),
    ];
    let ours: BTreeMap<String, Vec<(u32, u8)>> =
        ours.into_iter().map(|(name, fields)| (name.to_owned(), fields)).collect();
    assert_eq!(ours, fields_of_the_file());
}

#[tokio::test]
async fn every_call_of_the_file_is_answered() {
    let mut yard = Yard::open().await;
    let calls = PROTO.lines().filter_map(|line| line.trim().strip_prefix("rpc "));
    let names: Vec<&str> = calls.filter_map(|call| call.split(' ').next()).collect();
    assert_eq!(names.len(), 19);
    for name in names {
        // All messages of the protocol may be empty, so each call can be asked with nothing.
        let answer = yard.client.call::<_, Empty>(name, Empty {}).await;
        let missing = answer.is_err_and(|fault| fault.code() == Code::Unimplemented);
        assert!(!missing, "{name}");
    }
}
