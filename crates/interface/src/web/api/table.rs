//! What can programs ask? One table: the routes are mounted from it, and the OpenAPI document is written
//! from it, so that neither knows more than the other.

use super::operation::{Kind, Operation, Parameter, optional, required, strictly};
use super::{
    agents, complete, events, export, hunts, openapi, page, picture, search, status, url, watches,
};
use crate::events::{Conversation, Life};
use crate::web::door::Doors;
use crate::web::form::{MAX_LIMIT, MAX_OFFSET, PAGE_SIZE};
use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::routing::{delete, get, patch, post};
use lycosa_model::message::{
    Budget, HuntOrder, HuntView, UrlView, WatchEdit, WatchOrder, WatchView,
};
use lycosa_model::{SearchResponse, StoredPage, Tended};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::sync::Arc;

/// Where all of it is.
pub(super) const ROOT: &str = "/api/v1";

const NONE: &[Parameter] = &[];
const AFTER: Parameter = optional(
    "after",
    "Only what comes behind this place in the log: the id of an event, or `lycosa-next` of the last answer",
    Kind::Number { default: 0, least: 0, most: 1 << 53 },
);
const NO_HUNT: &[(u16, &str)] = &[(404, "There is no such hunt.")];
const TELL_HUNT: &[(u16, &str)] =
    &[(404, "There is no such hunt."), (409, "The hunt is in no state to do that.")];
const EXCLUDE: &[(u16, &str)] = &[
    (404, "There is no such hunt."),
    (409, "The hunt is in no state to do that, or it is not excluded."),
    (422, "This is no exclusion."),
];
const LOOK_AT_HUNT: &[(u16, &str)] = &[
    (404, "There is no such hunt, or nothing of that name in it."),
    (409, "It has not begun yet."),
];
const NO_WATCH: &[(u16, &str)] =
    &[(404, "There is no such watch."), (409, "The watch is in no state to do that.")];

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// A list of one text and one list of texts, in words that all readers of such documents know.
fn completions(_: &mut SchemaGenerator) -> Schema {
    let texts = json_schema!({ "type": "array", "items": { "type": "string" } });
    let either = json_schema!({ "anyOf": [{ "type": "string" }, texts] });
    json_schema!({ "type": "array", "minItems": 2, "maxItems": 2, "items": either })
}

/// A reading operation; the others are made from it.
const READ: Operation = Operation {
    method: "get",
    path: "",
    alias: None,
    id: "",
    summary: "",
    parameters: NONE,
    body: None,
    may_be_empty: false,
    media: &["application/json"],
    answer: (200, of::<()>),
    faults: &[],
    handler: || get(crate::web::error::not_found),
};

const TELL: Operation =
    Operation { method: "post", answer: (200, of::<hunts::Done>), faults: TELL_HUNT, ..READ };

const LOOK: Operation = Operation { faults: LOOK_AT_HUNT, ..READ };

const TELL_WATCH: Operation = Operation { faults: NO_WATCH, ..TELL };

/// Everything there is.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        path: "/search",
        alias: Some("/api/search"),
        id: "search",
        summary: "Searches the index",
        parameters: &[
            required("q", "The words", Kind::Words),
            optional(
                "limit",
                "Results at most",
                Kind::Number { default: PAGE_SIZE, least: 1, most: MAX_LIMIT },
            ),
            optional(
                "offset",
                "Results to skip",
                Kind::Number { default: 0, least: 0, most: MAX_OFFSET },
            ),
            optional("lang", "Only pages with some of this language", Kind::Language),
            optional("site", "Only pages of this host and the hosts below it", Kind::Text),
            optional(
                "raise",
                "Pages of these hosts and the hosts below them count more",
                Kind::Sites,
            ),
            optional("lower", "They count less", Kind::Sites),
            optional("block", "They are left out", Kind::Sites),
            optional("explain", "Say how each score came about", Kind::Flag),
        ],
        answer: (200, of::<SearchResponse>),
        handler: || get(search::endpoint),
        ..READ
    },
    Operation {
        path: "/complete",
        alias: Some("/api/complete"),
        id: "complete",
        summary: "Queries that this one may become: the query, then a list of whole queries",
        parameters: &[optional("q", "What was typed so far", Kind::Text)],
        answer: (200, completions),
        handler: || get(complete::endpoint),
        ..READ
    },
    Operation {
        path: "/status",
        alias: Some("/api/status"),
        id: "status",
        summary: "The size of the index, and the crawl in numbers while one runs",
        answer: (200, of::<status::StatusView>),
        handler: || get(status::endpoint),
        ..READ
    },
    Operation {
        path: "/agents",
        alias: Some("/api/agents"),
        id: "agents",
        summary: "Every agent that is alive, and what it shows of itself",
        answer: (200, of::<agents::AgentsView>),
        handler: || get(agents::endpoint),
        ..READ
    },
    Operation {
        path: "/url",
        id: "url",
        summary: "What the running crawl knows of a URL, and why it was or was not fetched",
        parameters: &[required("url", "Absolute address", Kind::Words)],
        answer: (200, of::<UrlView>),
        faults: &[(404, "The URL is not known."), (409, "No crawl runs that could be asked.")],
        handler: || get(url::endpoint),
        ..READ
    },
    Operation {
        path: "/page",
        id: "page",
        summary: "What the index keeps of a page: its title and its text",
        parameters: &[required("url", "Absolute address", Kind::Words)],
        answer: (200, of::<StoredPage>),
        faults: &[(404, "The page is not in the index.")],
        handler: || get(page::endpoint),
        ..READ
    },
    Operation {
        path: "/hunts",
        id: "listHunts",
        summary: "All hunts, the newest first, without their results",
        answer: (200, of::<Vec<HuntView>>),
        handler: || get(hunts::list),
        ..READ
    },
    Operation {
        method: "post",
        path: "/hunts",
        id: "startHunt",
        summary: "Starts a hunt, or lets it wait for its turn",
        body: Some(of::<HuntOrder>),
        answer: (201, of::<hunts::Started>),
        faults: &[(422, "This cannot be hunted.")],
        handler: || post(hunts::start),
        ..READ
    },
    Operation {
        path: "/hunts/{id}",
        id: "showHunt",
        summary: "A hunt as it is now",
        answer: (200, of::<HuntView>),
        faults: NO_HUNT,
        handler: || get(hunts::show),
        ..READ
    },
    Operation {
        path: "/hunts/{id}/results",
        id: "huntResults",
        summary: "What a hunt has found so far, the most relevant first",
        parameters: &[optional(
            "limit",
            "Results at most",
            Kind::Number { default: hunts::RESULTS, least: 1, most: hunts::MOST_RESULTS },
        )],
        answer: (200, of::<hunts::Results>),
        faults: NO_HUNT,
        handler: || get(hunts::results),
        ..READ
    },
    Operation {
        path: "/hunts/{id}/export",
        id: "exportHunt",
        summary: "What a hunt has found as a table, or which page led to which as a graph",
        parameters: &[optional("format", "The form", Kind::OneOf(export::FORMS))],
        media: export::MEDIA,
        answer: (200, of::<String>),
        faults: NO_HUNT,
        handler: || get(export::endpoint),
        ..READ
    },
    Operation {
        path: "/hunts/{id}/pause",
        id: "pauseHunt",
        summary: "Lets a hunt begin nothing new until it is resumed",
        handler: || post(hunts::pause),
        ..TELL
    },
    Operation {
        path: "/hunts/{id}/resume",
        id: "resumeHunt",
        summary: "Lets a paused hunt go on",
        handler: || post(hunts::resume),
        ..TELL
    },
    Operation {
        path: "/hunts/{id}/stop",
        id: "stopHunt",
        summary: "Ends a hunt; what it has found is kept",
        handler: || post(hunts::stop),
        ..TELL
    },
    Operation {
        path: "/hunts/{id}/cancel",
        id: "cancelHunt",
        summary: "Ends a hunt and throws away what it has found",
        handler: || post(hunts::cancel),
        ..TELL
    },
    Operation {
        path: "/hunts/{id}/limit",
        id: "limitHunt",
        summary: "Changes the limits of a hunt",
        body: Some(of::<Budget>),
        handler: || post(hunts::limit),
        ..TELL
    },
    Operation {
        path: "/hunts/{id}/verdict",
        id: "judgePage",
        summary: "Says whether a page that a hunt has read is what is wanted",
        body: Some(of::<hunts::Verdict>),
        handler: || post(hunts::verdict),
        ..TELL
    },
    Operation {
        path: "/hunts/{id}/exclude",
        id: "exclude",
        summary: "Leaves hosts, beginnings of addresses or patterns alone from now on",
        body: Some(of::<hunts::Patterns>),
        faults: EXCLUDE,
        handler: || post(hunts::exclude),
        ..TELL
    },
    Operation {
        path: "/hunts/{id}/include",
        id: "include",
        summary: "Leaves them alone no more: what was set aside for them waits again",
        body: Some(of::<hunts::Patterns>),
        faults: EXCLUDE,
        handler: || post(hunts::include),
        ..TELL
    },
    Operation {
        path: "/hunts/{id}/events",
        id: "huntEvents",
        summary: "What happens in a hunt, as it happens, as server-sent events: log, status, end",
        parameters: &[AFTER],
        media: &["text/event-stream"],
        answer: (200, of::<String>),
        faults: NO_HUNT,
        handler: || get(events::stream),
        ..READ
    },
    Operation {
        path: "/hunts/{id}/log",
        id: "huntLog",
        summary: "What happened in a hunt, one event on each line",
        parameters: &[
            AFTER,
            optional(
                "bytes",
                "Bytes at most, but a whole line at least",
                Kind::Number { default: events::FRAME_BYTES, least: 1, most: events::MOST_BYTES },
            ),
            optional("tail", "The last lines, wherever they begin", Kind::Flag),
        ],
        media: &["application/x-ndjson"],
        answer: (200, of::<String>),
        faults: NO_HUNT,
        handler: || get(events::log),
        ..READ
    },
    Operation {
        path: "/hunts/{id}/agents",
        id: "huntAgents",
        summary: "The agents of a hunt, in order of birth",
        answer: (200, of::<Vec<Life>>),
        handler: || get(picture::agents),
        ..LOOK
    },
    Operation {
        path: "/hunts/{id}/agents/{name}",
        id: "huntAgent",
        summary: "One agent of a hunt, with the pages that it read, the last ones first",
        answer: (200, of::<picture::Biography>),
        handler: || get(picture::agent),
        ..LOOK
    },
    Operation {
        path: "/hunts/{id}/agents/{name}/feed",
        id: "feedAgent",
        summary: "Feeds an agent: energy for a spider, a clone of a walker, links for a crawler",
        answer: (200, of::<Tended>),
        handler: || post(hunts::feed),
        ..TELL
    },
    Operation {
        path: "/hunts/{id}/agents/{name}/stop",
        id: "stopAgent",
        summary: "Ends an agent; what it was on its way to is not lost",
        answer: (200, of::<Tended>),
        handler: || post(hunts::stop_agent),
        ..TELL
    },
    Operation {
        path: "/hunts/{id}/path",
        id: "huntPath",
        summary: "How a hunt came to a page",
        parameters: &[required("url", "Absolute address", Kind::Words)],
        answer: (200, of::<Vec<picture::Step>>),
        handler: || get(picture::path),
        ..LOOK
    },
    Operation {
        path: "/hunts/{id}/graph",
        id: "huntGraph",
        summary: "Pages of a hunt and which led to which, with who went there when",
        parameters: &[optional(
            "nodes",
            "Pages at most, the most relevant ones",
            Kind::Number { default: picture::NODES, least: 1, most: picture::MOST_NODES },
        )],
        answer: (200, of::<picture::Graph>),
        handler: || get(picture::graph),
        ..LOOK
    },
    Operation {
        path: "/hunts/{id}/conversations",
        id: "huntConversations",
        summary: "What the agents of a hunt talked about",
        answer: (200, of::<Vec<Conversation>>),
        handler: || get(picture::conversations),
        ..LOOK
    },
    Operation {
        path: "/hunts/{id}/conversations/{conversation}",
        id: "huntConversation",
        summary: "What was said in one conversation",
        answer: (200, of::<Vec<picture::Said>>),
        handler: || get(picture::conversation),
        ..LOOK
    },
    Operation {
        path: "/watches",
        id: "listWatches",
        summary: "All watches by number, without their changes and deliveries",
        answer: (200, of::<Vec<WatchView>>),
        faults: &[(409, "They cannot be read.")],
        handler: || get(watches::list),
        ..READ
    },
    Operation {
        method: "post",
        path: "/watches",
        id: "addWatch",
        summary: "Begins to watch a query, a page or a site",
        body: Some(of::<WatchOrder>),
        answer: (201, of::<watches::Added>),
        faults: &[(422, "This cannot be watched.")],
        handler: || post(watches::add),
        ..READ
    },
    Operation {
        path: "/watches/{id}",
        id: "showWatch",
        summary: "A watch with its last changes and deliveries",
        answer: (200, of::<WatchView>),
        faults: NO_WATCH,
        handler: || get(watches::show),
        ..READ
    },
    Operation {
        method: "patch",
        path: "/watches/{id}",
        id: "editWatch",
        summary: "Goes on watching by another schedule, threshold, filter or receiver",
        body: Some(of::<WatchEdit>),
        answer: (200, of::<watches::Edited>),
        faults: &[(404, "There is no such watch."), (422, "It cannot be watched like this.")],
        handler: || patch(watches::edit),
        ..READ
    },
    Operation {
        method: "delete",
        path: "/watches/{id}",
        id: "removeWatch",
        summary: "Forgets a watch and all that it has found",
        handler: || delete(watches::remove),
        ..TELL_WATCH
    },
    Operation {
        path: "/watches/{id}/run",
        id: "runWatch",
        summary: "Looks at a watch within a second",
        handler: || post(watches::run),
        ..TELL_WATCH
    },
    Operation {
        path: "/watches/{id}/pause",
        id: "pauseWatch",
        summary: "Lets a watch rest until it is resumed",
        handler: || post(watches::pause),
        ..TELL_WATCH
    },
    Operation {
        path: "/watches/{id}/resume",
        id: "resumeWatch",
        summary: "Lets a watch go on, also with a webhook or mail that was switched off",
        handler: || post(watches::resume),
        ..TELL_WATCH
    },
    Operation {
        path: "/watches/{id}/rotate",
        id: "rotateWatch",
        summary: "Gives the webhook of a watch a new secret, which is told only now",
        answer: (200, of::<watches::NewSecret>),
        handler: || post(watches::rotate),
        ..TELL_WATCH
    },
    Operation {
        path: "/watches/{id}/retry",
        id: "retryWatch",
        summary: "Tries again to tell what was given up: one delivery, or all",
        body: Some(of::<watches::Again>),
        may_be_empty: true,
        handler: || post(watches::retry),
        ..TELL_WATCH
    },
];

/// The routes of the table, and the document that describes them.
pub(in crate::web) fn routes() -> Router<Arc<Doors>> {
    let mut router = Router::new().route("/api/v1/openapi.json", get(openapi::endpoint));
    for operation in OPERATIONS {
        let parameters = operation.parameters;
        let strict =
            from_fn(move |request: Request, next: Next| strictly(parameters, request, next));
        let handler = (operation.handler)().route_layer(strict);
        router = router.route(&format!("{ROOT}{}", operation.path), handler);
        if let Some(alias) = operation.alias {
            router = router.route(alias, (operation.handler)());
        }
    }
    router
}
