//! Does a site allow this URL, and by which line?
//!
//! A parser and matcher of the Robots Exclusion Protocol (RFC 9309) of our own, because we answer with
//! the rule and its line, and keep the lines of others (`Content-Signal` and the like) with their group.
//! It takes the mistakes that webmasters make and everybody accepts: a missing colon, common misspellings,
//! a broken byte order mark, any line ending.
//!
//! What robots.txt *means for the crawl* when it cannot be fetched is not decided here.

mod line;
mod pattern;

use line::{Key, Line, lines, within_limit};
use pattern::{Pattern, Target};
use std::time::Duration;

#[cfg(test)]
mod tests;

/// What is read of a robots.txt; RFC 9309 asks for at least this much. A line that is cut by the limit
/// is ignored, since half a rule is another rule.
pub const MAX_ROBOTS_BYTES: usize = 500 * 1024;

/// The longest `Crawl-delay` there is: a century, which is for ever as far as a crawl is concerned and
/// still a moment on its clock. A delay of any length is a matter of scheduling.
pub const MAX_CRAWL_DELAY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// Longest path of a `Crawllet` line, in bytes.
const MAX_CRAWLLET_PATH: usize = 256;

/// How many bytes of a robots.txt count: all of them, or those up to the last whole line within
/// [`MAX_ROBOTS_BYTES`]. Nobody needs to keep or carry more.
pub fn readable_bytes(text: &[u8]) -> usize {
    within_limit(text).len()
}

/// What robots.txt says about one URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the URL may be fetched.
    pub allowed: bool,
    /// The rule that decided, as `Disallow: /private/`; none when no rule speaks of the URL.
    pub rule: Option<String>,
    /// The line of that rule, counted from 1.
    pub line: Option<usize>,
}

/// A line that is neither part of RFC 9309 nor a sitemap nor a delay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherLine {
    /// The word before the colon, in lower case.
    pub key: String,
    /// What follows it.
    pub value: String,
    /// Its line, counted from 1.
    pub line: usize,
    /// The group it stands in; none before the first user-agent line.
    group: Option<usize>,
    /// It is meant for the agents named before it: the first so many of the group.
    named: usize,
}

/// A robots.txt, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Robots {
    groups: Vec<Group>,
    sitemaps: Vec<String>,
    other: Vec<OtherLine>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Group {
    /// Product tokens in lower case, or `*`.
    agents: Vec<String>,
    rules: Vec<Rule>,
    /// A delay binds the agents named before it: the first so many of `agents`.
    delays: Vec<(usize, Duration)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    allow: bool,
    text: String,
    pattern: Pattern,
    line: usize,
}

/// Whether a site may name this place for crawllets: a path on the site itself.
pub fn is_crawllet_path(path: &str) -> bool {
    // `//host/` would be another site.
    path.starts_with('/')
        && !path.starts_with("//")
        && path.len() <= MAX_CRAWLLET_PATH
        && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}

impl Robots {
    /// Reads a robots.txt. Never fails: what cannot be understood is skipped, as the RFC asks.
    pub fn parse(bytes: &[u8]) -> Robots {
        let mut robots = Robots::default();
        // User-agent lines that follow each other open one group; rules close the list.
        let mut open = false;
        for Line { key, value, number } in lines(bytes) {
            match key {
                Key::UserAgent => {
                    if !open {
                        robots.groups.push(Group::default());
                        open = true;
                    }
                    if let Some(group) = robots.groups.last_mut() {
                        group.agents.push(agent_of_line(value));
                    }
                }
                Key::Allow | Key::Disallow => {
                    open = false;
                    if let Some(group) = robots.groups.last_mut() {
                        group.add_rule(key == Key::Allow, value, number);
                    }
                }
                Key::CrawlDelay => {
                    if let (Some(group), Some(delay)) = (robots.groups.last_mut(), seconds(value)) {
                        group.delays.push((group.agents.len(), delay));
                    }
                }
                Key::Sitemap => robots.sitemaps.push(lossy(value)),
                Key::Other(key) => robots.other.push(OtherLine {
                    key,
                    value: lossy(value),
                    line: number,
                    group: robots.groups.len().checked_sub(1),
                    named: robots.groups.last().map_or(0, |group| group.agents.len()),
                }),
            }
        }
        robots
    }

    /// What the rules say about `agent` and `url`. The longest rule decides, and `Allow` among equally
    /// long ones.
    ///
    /// `agent` is a product token (`lycosa`) or begins with one and a slash (`Lycosa/0.1 (...)`); case
    /// does not matter. `url` is an address as it would be requested, or a path with its query.
    pub fn verdict(&self, agent: &str, url: &str) -> Verdict {
        let target = Target::new(&pattern::path_of(url));
        let mut best: Option<&Rule> = None;
        for rule in self.groups_of(agent).flat_map(|group| &group.rules) {
            let better = best.is_none_or(|best| rule.rank() > best.rank());
            if better && rule.matches(&target) {
                best = Some(rule);
            }
        }
        Verdict {
            allowed: best.is_none_or(|rule| rule.allow),
            rule: best.map(|rule| rule.text.clone()),
            line: best.map(|rule| rule.line),
        }
    }

    /// Whether `agent` may fetch `url`: by [`Robots::verdict`], except that `/robots.txt` itself is
    /// always allowed (RFC 9309, 2.2.2), whatever the rules say.
    pub fn permits(&self, agent: &str, url: &str) -> bool {
        pattern::path_of(url) == "/robots.txt" || self.verdict(agent, url).allowed
    }

    /// The pause between requests that the site asks of `agent`: the longest, where several are named.
    pub fn crawl_delay(&self, agent: &str) -> Option<Duration> {
        let name = self.name_for(agent);
        let mut longest = None;
        for group in &self.groups {
            let Some(at) = group.agents.iter().position(|named| *named == name) else {
                continue;
            };
            let binding = group.delays.iter().filter(|(named, _)| at < *named);
            longest = longest.max(binding.map(|(_, delay)| *delay).max());
        }
        longest
    }

    /// The sitemaps it names, as written, for every agent.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// Where the site says that crawllets may be sent to it (`Crawllet: /.well-known/crawllet`): a path on
    /// the site itself, for every agent, wherever the line stands. The first that is one counts.
    pub fn crawllet(&self) -> Option<&str> {
        let named = self.other.iter().filter(|line| line.key == "crawllet");
        let mut paths = named.map(|line| line.value.as_str());
        paths.find(|path| is_crawllet_path(path))
    }

    /// The lines that this crate does not interpret.
    pub fn other(&self) -> &[OtherLine] {
        &self.other
    }

    /// Those of them that are meant for `agent`: in the groups that bind it, or before all groups.
    pub fn other_for(&self, agent: &str) -> impl Iterator<Item = &OtherLine> {
        let name = self.name_for(agent);
        let binds = move |line: &&OtherLine| {
            let agents = self.agents_of(line);
            agents.is_empty() || agents.contains(&name)
        };
        self.other.iter().filter(binds)
    }

    /// The agents for whom such a line is meant, in lower case: those of its group that are named before
    /// it. None before the first group.
    pub fn agents_of(&self, line: &OtherLine) -> &[String] {
        let group = line.group.and_then(|group| self.groups.get(group));
        group.and_then(|group| group.agents.get(..line.named)).unwrap_or_default()
    }

    /// The name under which groups bind `agent`: its own when any group has it, else `*`.
    fn name_for(&self, agent: &str) -> String {
        let token = token_of_agent(agent);
        if self.groups.iter().any(|group| group.names(&token)) { token } else { "*".to_owned() }
    }

    /// All groups that bind `agent`; together they are one group.
    fn groups_of(&self, agent: &str) -> impl Iterator<Item = &Group> {
        let name = self.name_for(agent);
        self.groups.iter().filter(move |group| group.names(&name))
    }
}

impl Group {
    fn names(&self, agent: &str) -> bool {
        self.agents.iter().any(|named| named == agent)
    }

    fn add_rule(&mut self, allow: bool, value: &[u8], line: usize) {
        if value.is_empty() {
            // "Disallow:" forbids nothing; that the group exists is all it says.
            return;
        }
        let word = if allow { "Allow" } else { "Disallow" };
        let text = format!("{word}: {}", lossy(value));
        // Who allows a folder's index page means the folder too.
        if let Some(folder) = pattern::folder_of_index(value).filter(|_| allow) {
            self.rules.push(Rule {
                allow,
                text: text.clone(),
                pattern: Pattern::new(&folder),
                line,
            });
        }
        self.rules.push(Rule { allow, text, pattern: Pattern::new(value), line });
    }
}

impl Rule {
    fn rank(&self) -> (usize, bool) {
        (self.pattern.length(), self.allow)
    }

    fn matches(&self, target: &Target) -> bool {
        if self.allow {
            self.pattern.matches_exactly(target)
        } else {
            self.pattern.matches_in_spirit(target)
        }
    }
}

/// The name in a user-agent line: `*`, or the product token at its start. A token is letters, hyphens
/// and underscores (RFC 9309, 2.2.1): what follows, as the digits of `AB42bot`, is not part of it.
fn agent_of_line(value: &[u8]) -> String {
    let word = value.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    if word == b"*" {
        return "*".to_owned();
    }
    let is_token = |byte: &&u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    word.iter().take_while(is_token).map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

/// The product token of our own name.
fn token_of_agent(agent: &str) -> String {
    let token = agent.split_once('/').map_or(agent, |(token, _)| token);
    token.trim().to_ascii_lowercase()
}

/// A decimal number of seconds; what follows the number is ignored.
fn seconds(value: &[u8]) -> Option<Duration> {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let number: f64 = std::str::from_utf8(&value[..digits]).ok()?.parse().ok()?;
    let number = number.min(MAX_CRAWL_DELAY.as_secs_f64());
    Duration::try_from_secs_f64(number).ok()
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
