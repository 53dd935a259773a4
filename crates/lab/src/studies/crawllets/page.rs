//! How does a generated page look? Like pages of a department: the same frame on each, and between its parts
//! what this page has to say.

use super::prose::Topic;
use lycosa_strategy::dice::Dice;
use std::fmt::Write as _;

/// How much there is around the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// A menu, a side bar, tables, and classes on everything.
    Rich,
    /// A menu and a foot.
    Plain,
    /// Hardly anything.
    Bare,
}

impl Look {
    /// Sections in the menu.
    pub(super) fn menu(self) -> usize {
        match self {
            Look::Rich => 16,
            Look::Plain => 9,
            Look::Bare => 3,
        }
    }
}

/// A page that is being written.
pub(super) struct Page {
    look: Look,
    html: String,
    foot: String,
    related: Vec<(String, String)>,
    outgoing: Vec<(String, String)>,
}

impl Page {
    pub(super) fn new(look: Look, site: &str, title: &str, menu: &[(String, String)]) -> Page {
        let mut html = String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n");
        let _ = writeln!(html, "<meta charset=\"utf-8\">\n<title>{title} - {site}</title>");
        if look != Look::Bare {
            let _ = writeln!(
                html,
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
                 <link rel=\"stylesheet\" href=\"/assets/{site}.css\">\n\
                 <script src=\"/assets/{site}.js\" defer></script>"
            );
        }
        html += "</head>\n<body>\n";
        if look == Look::Rich {
            let _ = writeln!(
                html,
                "<a class=\"skip-link visually-hidden\" href=\"#content\">Skip to the content</a>\n\
                 <header class=\"page-header\" role=\"banner\">\n<div class=\"container header-inner\">\n\
                 <p class=\"brand\"><img class=\"logo\" src=\"/assets/logo.png\" width=\"160\" height=\"48\" \
                 alt=\"The sign of {site}\"></p>\n<form class=\"search-form\" role=\"search\" \
                 action=\"/search\" method=\"get\"><label for=\"q\">Search this site</label> <input id=\"q\" \
                 name=\"q\" type=\"search\" autocomplete=\"off\"> <button type=\"submit\" class=\"button \
                 button-small\">Search</button></form>\n</div>\n</header>"
            );
        }
        html += match look {
            Look::Bare => "<p>",
            _ => "<nav class=\"main-menu\" aria-label=\"Sections\">\n<ul class=\"menu-list\">\n",
        };
        for (path, name) in menu {
            let _ = match look {
                Look::Bare => write!(html, "<a href=\"{path}\">{name}</a> | "),
                Look::Plain => writeln!(html, "<li><a href=\"{path}\">{name}</a></li>"),
                Look::Rich => writeln!(
                    html,
                    "<li class=\"menu-item\"><a class=\"menu-link\" href=\"{path}\">{name}</a></li>"
                ),
            };
        }
        html += match look {
            Look::Bare => "<a href=\"/\">Home</a></p>\n",
            _ => "<li><a href=\"/\">Home</a></li>\n</ul>\n</nav>\n",
        };
        let _ = match look {
            Look::Bare => writeln!(html, "<h1>{title}</h1>"),
            _ => writeln!(html, "<main id=\"content\" class=\"content\">\n<h1>{title}</h1>"),
        };
        let foot = match look {
            Look::Bare => format!("<hr><p>{site}, all rights reserved.</p>\n</body>\n</html>\n"),
            _ => format!(
                "</main>\n<footer class=\"page-footer\">\n<p>This page belongs to {site}. Send what you think \
                 about it to <a href=\"mailto:web@{site}.example\">web@{site}.example</a>. We look after \
                 these pages as well as we can, and vouch for none of them.</p>\n<p class=\"legal\">All rights \
                 reserved. Read what we do with <a href=\"/\">what we know about you</a>.</p>\n</footer>\n\
                 </body>\n</html>\n"
            ),
        };
        Page { look, html, foot, related: Vec::new(), outgoing: Vec::new() }
    }

    /// A list of pages, each with its path and title.
    pub(super) fn list<'t>(&mut self, pages: impl Iterator<Item = (String, &'t str)>) {
        self.html += "<ul>\n";
        for (path, title) in pages {
            let _ = writeln!(self.html, "<li><a href=\"{path}\">{title}</a></li>");
        }
        self.html += "</ul>\n";
    }

    pub(super) fn see_also(&mut self, path: &str, title: &str) {
        self.related.push((path.to_owned(), title.to_owned()));
    }

    pub(super) fn outgoing(&mut self, url: &str, words: &str) {
        self.outgoing.push((url.to_owned(), words.to_owned()));
    }

    /// Writes until the page has about so many bytes.
    pub(super) fn fill(&mut self, bytes: usize, topic: &Topic<'_>, dice: &mut Dice) {
        let links = |links: &[(String, String)]| {
            links.iter().fold(String::new(), |mut text, (target, words)| {
                let _ = writeln!(text, "<li><a href=\"{target}\">{words}</a></li>");
                text
            })
        };
        for (name, kept) in [("See also", &self.related), ("Elsewhere", &self.outgoing)] {
            if kept.is_empty() {
                continue;
            }
            let list = links(kept);
            self.html += &match self.look {
                Look::Bare => format!("<ul>\n{list}</ul>\n"),
                _ => format!("<h2>{name}</h2>\n<ul class=\"links\">\n{list}</ul>\n"),
            };
        }
        let room = |page: &Page| bytes.saturating_sub(page.html.len() + page.foot.len());
        while room(self) > 40 {
            let most = room(self);
            let part = match (self.look, dice.below(6)) {
                (Look::Bare, _) => {
                    format!("<p>{}</p>\n", topic.sentences(most.min(400) - 20, dice))
                }
                (_, 0) if most > 900 => table(self.look, topic, dice),
                (_, 1) if most > 500 => {
                    let items: String = (0..4 + dice.below(5))
                        .map(|_| {
                            let words = 3 + dice.below(6);
                            format!("<li class=\"item\">{}</li>\n", topic.phrase(words, dice))
                        })
                        .collect();
                    format!("<ul class=\"points\">\n{items}</ul>\n")
                }
                (_, 2) if most > 400 => {
                    let words = 2 + dice.below(4);
                    format!("<h2 class=\"heading\">{}</h2>\n", topic.phrase(words, dice))
                }
                _ => format!("<p>{}</p>\n", topic.sentences(most.min(700) - 30, dice)),
            };
            self.html += &part;
        }
    }

    pub(super) fn finish(self) -> String {
        self.html + &self.foot
    }
}

fn table(look: Look, topic: &Topic<'_>, dice: &mut Dice) -> String {
    let (row, cell) = match look {
        Look::Rich => ("<tr class=\"table-row\">", "<td class=\"table-cell\" align=\"left\">"),
        _ => ("<tr>", "<td>"),
    };
    let rows: String = (0..5 + dice.below(6))
        .map(|_| {
            let words = 1 + dice.below(3);
            format!(
                "{row}{cell}{}</td>{cell}{}</td>{cell}{:02}:{:02}</td></tr>\n",
                topic.phrase(words, dice),
                100 + dice.below(900),
                8 + dice.below(12),
                15 * dice.below(4)
            )
        })
        .collect();
    format!(
        "<table class=\"data-table\" border=\"0\" cellpadding=\"4\" cellspacing=\"0\">\n{rows}</table>\n"
    )
}
