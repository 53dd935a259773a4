//! How is a digest written and sent? One mail with text and HTML, grouped by host, to a server of the configuration.

use super::Env;
use crate::config::{Config, Security};
use crate::failure::Failure;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{Message, SmtpTransport, Transport};
use lycosa_model::Tick;
use lycosa_model::message::{ChangeKind, WatchEntry, WatchOrder};
use lycosa_watch::diff::plain;
use lycosa_watch::feed::{escape, html, is_web, rfc3339, word};
use lycosa_watch::{Attempt, Delivery, Watch};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use url::Url;

/// Refuses mail that could never be sent.
pub(super) fn check(order: &WatchOrder, config: &Config) -> Result<(), Failure> {
    if order.mail.is_empty() {
        return Ok(());
    }
    let Some(smtp) = &config.watch.smtp else {
        return Err(Failure::new("no server for mail is configured").hint(
            "name one under [watch.smtp] in the configuration: host, from, user, password_file",
        ));
    };
    for address in order.mail.iter().chain([&smtp.from]) {
        address.parse::<Mailbox>().map_err(|error| {
            Failure::new(format!("`{address}` is no address for mail: {error}"))
                .hint("write name@host")
        })?;
    }
    Ok(())
}

/// Tries it once.
pub(super) async fn send(env: &Env, watch: &Watch, delivery: &Delivery) -> Attempt {
    if watch.order.mail.is_empty() {
        return Attempt::Hopeless("nobody gets mail any more".into());
    }
    let made = compose(&env.config, watch, delivery);
    let prepared = made.and_then(|message| Ok((message, transport(&env.config)?)));
    let (message, transport) = match prepared {
        Ok(prepared) => prepared,
        // Somebody may put the configuration right.
        Err(failure) => return Attempt::Failed(failure.to_string(), None),
    };
    match tokio::task::spawn_blocking(move || transport.send(&message)).await {
        Ok(Ok(answer)) => Attempt::Taken(format!("the mail server said {}", answer.code())),
        Ok(Err(error)) if error.is_permanent() => {
            Attempt::Hopeless(format!("the mail server refused it: {error}"))
        }
        Ok(Err(error)) => Attempt::Failed(format!("the mail was not sent: {error}"), None),
        Err(error) => Attempt::Failed(error.to_string(), None),
    }
}

fn transport(config: &Config) -> Result<SmtpTransport, Failure> {
    let Some(smtp) = &config.watch.smtp else {
        return Err(Failure::new("no server for mail is configured"));
    };
    let parameters = || trusted(&smtp.host, config.fetch.extra_roots.as_deref());
    let (port, tls) = match smtp.security {
        Security::None => (25, Tls::None),
        Security::Starttls => (587, Tls::Required(parameters()?)),
        Security::Tls => (465, Tls::Wrapper(parameters()?)),
    };
    let mut transport = SmtpTransport::builder_dangerous(&smtp.host)
        .port(smtp.port.unwrap_or(port))
        .tls(tls)
        .timeout(Some(smtp.timeout.0));
    if let Some(user) = &smtp.user {
        let is_here = matches!(smtp.host.as_str(), "localhost" | "127.0.0.1" | "::1");
        if smtp.security == Security::None && !is_here {
            return Err(Failure::new("a password is not sent without TLS")
                .hint("set security = \"starttls\" or \"tls\" under [watch.smtp]"));
        }
        let password = match &smtp.password_file {
            None => String::new(),
            Some(path) => std::fs::read_to_string(path).map_err(|error| {
                Failure::new(format!("cannot read {}: {error}", path.display()))
            })?,
        };
        transport = transport.credentials(Credentials::new(user.clone(), password.trim().into()));
    }
    Ok(transport.build())
}

/// Whom a mail server must prove to be: certified as web sites are, or by the further authorities of `[fetch]`.
fn trusted(host: &str, roots: Option<&Path>) -> Result<TlsParameters, Failure> {
    let mut parameters = TlsParameters::builder(host.to_owned());
    if let Some(path) = roots {
        let pem = std::fs::read(path)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
        parameters = parameters.add_root_certificate(Certificate::from_pem(&pem)?);
    }
    Ok(parameters.build()?)
}

/// The mail: the same for every attempt.
fn compose(config: &Config, watch: &Watch, delivery: &Delivery) -> Result<Message, Failure> {
    let Some(smtp) = &config.watch.smtp else {
        return Err(Failure::new("no server for mail is configured"));
    };
    let from: Mailbox = smtp.from.parse()?;
    let domain = from.email.domain().to_owned();
    let unsubscribe = unsubscribe(config, watch, &from);
    let one_click = unsubscribe.starts_with("<https:");
    let subject = format!("Lycosa: {}: {}", line(watch.name()), counts(&delivery.entries));
    let mut message = Message::builder()
        .from(from)
        .subject(subject)
        .message_id(Some(format!("<{}@{domain}>", delivery.id)))
        .date(std::time::UNIX_EPOCH + std::time::Duration::from_millis(delivery.made.0))
        .raw_header(header("List-Unsubscribe", unsubscribe.clone()))
        .raw_header(header("Auto-Submitted", "auto-generated".into()));
    if one_click {
        let value = "List-Unsubscribe=One-Click".to_owned();
        message = message.raw_header(header("List-Unsubscribe-Post", value));
    }
    for address in &watch.order.mail {
        message = message.to(address.parse()?);
    }
    let hosts = by_host(&delivery.entries);
    let address = unsubscribe.trim_matches(['<', '>']);
    let text = as_text(watch, &hosts, address, delivery.made);
    let html = as_html(watch, &hosts, address);
    Ok(message.multipart(
        MultiPart::alternative()
            .singlepart(part(ContentType::TEXT_PLAIN, text))
            .singlepart(part(ContentType::TEXT_HTML, html)),
    )?)
}

fn part(kind: ContentType, body: String) -> lettre::message::SinglePart {
    lettre::message::SinglePart::builder().header(kind).body(body)
}

fn header(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
}

/// Where somebody says that there is enough of it.
fn unsubscribe(config: &Config, watch: &Watch, from: &Mailbox) -> String {
    match &config.watch.server {
        Some(server) => {
            let server = server.trim_end_matches('/');
            format!("<{server}/watches/{}/unsubscribe?token={}>", watch.id, watch.token.0)
        }
        None => format!("<mailto:{}?subject=unsubscribe%20watch%20{}>", from.email, watch.id),
    }
}

/// Text on one line.
fn line(text: &str) -> String {
    text.split(|c: char| c.is_control()).collect::<Vec<_>>().join(" ")
}

/// `2 new, 1 changed`
fn counts(entries: &[WatchEntry]) -> String {
    let kinds = [ChangeKind::New, ChangeKind::Changed, ChangeKind::Gone, ChangeKind::Error];
    let told = kinds.map(|kind| {
        let count = entries.iter().filter(|entry| entry.change == kind).count();
        (count > 0).then(|| format!("{count} {}", kind.name()))
    });
    told.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn by_host(entries: &[WatchEntry]) -> BTreeMap<String, Vec<&WatchEntry>> {
    let mut hosts: BTreeMap<String, Vec<&WatchEntry>> = BTreeMap::new();
    for entry in entries {
        let host = Url::parse(&entry.url).ok().and_then(|url| Some(url.host_str()?.to_owned()));
        hosts.entry(host.unwrap_or_default()).or_default().push(entry);
    }
    hosts
}

fn why(entry: &WatchEntry) -> String {
    let score = entry.score.map(|score| format!("score {score:.1}"));
    let agent = Some(format!("found by {}", entry.agent)).filter(|_| !entry.agent.is_empty());
    let said = Some(entry.why.clone()).filter(|why| !why.is_empty());
    [said, score, agent].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn as_text(
    watch: &Watch,
    hosts: &BTreeMap<String, Vec<&WatchEntry>>,
    leave: &str,
    made: Tick,
) -> String {
    let mut out = format!("What is new for: {}\n", line(watch.name()));
    for (host, entries) in hosts {
        let _ = write!(out, "\n== {host} ==\n");
        for entry in entries {
            let _ =
                write!(out, "\n{}: {}\n{}\n", word(entry.change), line(&entry.title), entry.url);
            let body = if entry.diff.is_empty() { entry.text.clone() } else { plain(&entry.diff) };
            for said in [body, why(entry)].iter().filter(|said| !said.is_empty()) {
                let _ = writeln!(out, "{said}");
            }
        }
    }
    let _ = write!(out, "\n-- \nFound {} by Lycosa. No more of this: {leave}\n", rfc3339(made));
    out
}

fn as_html(watch: &Watch, hosts: &BTreeMap<String, Vec<&WatchEntry>>, leave: &str) -> String {
    let mut out = format!(
        "<!DOCTYPE html><html><head><meta charset=\"utf-8\"></head><body><h1>{}</h1>",
        escape(watch.name())
    );
    for (host, entries) in hosts {
        let _ = write!(out, "<h2>{}</h2>", escape(host));
        for entry in entries {
            let title = escape(&entry.title);
            let title = match is_web(&entry.url) {
                true => format!("<a href=\"{}\">{title}</a>", escape(&entry.url)),
                false => title,
            };
            let _ = write!(out, "<h3>{}: {title}</h3>{}", word(entry.change), html(entry));
            let _ = write!(out, "<p><small>{}</small></p>", escape(&why(entry)));
        }
    }
    let leave = escape(leave);
    let _ = write!(out, "<hr><p><a href=\"{leave}\">No more of this</a></p></body></html>");
    out
}
