//! What does a page say about itself? Title, keywords, description, base, language, and its wishes.

use crate::date;
use crate::html::{Attr, Attrs};
use lycosa_model::{Lang, RobotsMeta};

/// The name by which pages can address this crawler in `meta` elements and headers.
pub const ROBOTS_NAME: &str = "lycosa";

/// White space as HTML means it.
pub(crate) fn is_html_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}' | '\u{a0}')
}

/// What the head of a page tells.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) title: String,
    pub(crate) keywords: String,
    description: String,
    og_description: String,
    pub(crate) base: Option<String>,
    pub(crate) lang: Option<Lang>,
    pub(crate) robots: RobotsMeta,
}

impl Facts {
    /// `meta description`, else `og:description`.
    pub(crate) fn description(&mut self) -> String {
        if self.description.is_empty() {
            std::mem::take(&mut self.og_description)
        } else {
            std::mem::take(&mut self.description)
        }
    }

    /// Reads a `meta` element; gives the address when it is a refresh.
    pub(crate) fn take_meta(&mut self, attrs: &Attrs) -> Option<String> {
        let content = attrs.get(Attr::Content)?;
        if let Some(equiv) = attrs.get(Attr::HttpEquiv) {
            if equiv.eq_ignore_ascii_case("refresh") {
                return refresh_target(content).map(str::to_owned);
            }
            if equiv.eq_ignore_ascii_case("content-language") && self.lang.is_none() {
                self.lang = Lang::parse(content.trim());
            }
        }
        let name = attrs.get(Attr::Name).or_else(|| attrs.get(Attr::Property))?.trim();
        let is = |word: &str| name.eq_ignore_ascii_case(word);
        if is("keywords") {
            keep_first(&mut self.keywords, content);
        } else if is("description") {
            keep_first(&mut self.description, content);
        } else if is("og:description")
            || attrs
                .get(Attr::Property)
                .is_some_and(|property| property.eq_ignore_ascii_case("og:description"))
        {
            keep_first(&mut self.og_description, content);
        } else if is("robots") || is(ROBOTS_NAME) {
            for directive in content.split([',', ' ', ';']) {
                obey(&mut self.robots, directive.trim());
            }
            // A date has spaces and may have a comma of its own.
            self.robots.join(expiry(content));
        }
        None
    }
}

fn keep_first(field: &mut String, value: &str) {
    if field.is_empty() {
        for word in value.split_whitespace() {
            if !field.is_empty() {
                field.push(' ');
            }
            field.push_str(word);
        }
    }
}

/// Adds one directive; the most restrictive wins when several are given.
fn obey(robots: &mut RobotsMeta, directive: &str) {
    match directive.to_ascii_lowercase().as_str() {
        "noindex" => robots.noindex = true,
        "nofollow" => robots.nofollow = true,
        "noarchive" | "nocache" => robots.noarchive = true,
        "none" => {
            robots.noindex = true;
            robots.nofollow = true;
        }
        _ => {}
    }
}

/// Reads an `X-Robots-Tag` header: directives for everyone, or after `name:` for one robot.
pub(crate) fn obey_header(robots: &mut RobotsMeta, value: &str) {
    let mut for_us = true;
    let mut rest = value;
    while !rest.is_empty() {
        let (part, after) = rest.split_once(',').unwrap_or((rest, ""));
        let mut directive = part.trim();
        while let Some((name, value)) = directive.split_once(':') {
            let name = name.trim();
            // The rest of a date has colons as well, but no robot is called `25 Jun 2010 15`.
            let is_value = VALUED.iter().any(|known| name.eq_ignore_ascii_case(known));
            if is_value || name.contains(char::is_whitespace) {
                break;
            }
            for_us = name == "*" || name.eq_ignore_ascii_case(ROBOTS_NAME);
            directive = value.trim();
        }
        if for_us {
            obey(robots, directive);
            if begins_with(directive, UNAVAILABLE_AFTER) {
                robots.join(expiry(&rest[rest.find(directive).unwrap_or(0)..]));
            }
        }
        rest = after;
    }
}

/// The directive that names a date.
const UNAVAILABLE_AFTER: &str = "unavailable_after";

/// Directives with a colon and a value of their own.
const VALUED: [&str; 4] =
    [UNAVAILABLE_AFTER, "max-snippet", "max-image-preview", "max-video-preview"];

fn begins_with(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// Bytes of a directive with a date that are looked at.
const MAX_EXPIRY: usize = 256;

/// The date after which a page does not want to be found, as far as the text names one.
fn expiry(text: &str) -> RobotsMeta {
    let text = &text[..text.floor_char_boundary(MAX_EXPIRY)];
    let lower = text.to_ascii_lowercase();
    let date = lower.find(UNAVAILABLE_AFTER).and_then(|at| {
        let value = text[at + UNAVAILABLE_AFTER.len()..].trim_start().strip_prefix(':')?;
        // With the comma after the day of the week, or up to the first comma.
        let commas = value.match_indices(',').map(|(at, _)| at).take(2);
        let mut ends: Vec<usize> = commas.collect();
        ends.insert(0, value.len());
        ends.into_iter().find_map(|end| date::parse(value[..end].trim()))
    });
    RobotsMeta { unavailable_after: date, ..RobotsMeta::default() }
}

/// The address in a refresh (`5; url='next.html'`), as the HTML standard reads it; `None` when the page
/// only refreshes itself or the value is malformed.
pub(crate) fn refresh_target(value: &str) -> Option<&str> {
    let value = value.trim_start_matches(is_html_space);
    let rest = value.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == value.len() && !rest.starts_with('.') {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.starts_with([';', ',']) && !rest.starts_with(is_html_space) {
        return None;
    }
    let rest = rest.trim_start_matches(is_html_space);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start_matches(is_html_space);
    let rest = after_url_equals(rest).unwrap_or(rest);
    let target = match rest.chars().next()? {
        quote @ ('"' | '\'') => rest[1..].split(quote).next().unwrap_or(""),
        _ => rest,
    };
    let target = target.trim_matches(is_html_space);
    (!target.is_empty()).then_some(target)
}

fn after_url_equals(text: &str) -> Option<&str> {
    let head = text.get(..3)?;
    if !head.eq_ignore_ascii_case("url") {
        return None;
    }
    let rest = text[3..].trim_start_matches(is_html_space).strip_prefix('=')?;
    Some(rest.trim_start_matches(is_html_space))
}

#[cfg(test)]
mod tests;
