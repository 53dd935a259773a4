//! What does the page at a place look like? Every ordinary page and every odd one, as HTML.

use super::SyntheticWeb;
use super::article::{self, Article};
use super::faults::{Fault, faults};
use super::html::{self, Charset, Html, Sheet};
use super::place;
use super::words::SECTIONS;
use lycosa_runtime::dice;
use rand::RngExt;

/// Articles that a front page names.
const LATEST: usize = 6;
/// Children of each site in the tree of sites, so that every site is found from the first.
const BRANCHES: usize = 4;

/// An article as it first appeared, or reprinted elsewhere with a changed word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Print {
    Original,
    Reprint,
}

impl SyntheticWeb {
    /// The address of a page as another page of `from` writes it: relative on the same site.
    fn href(&self, from: Option<usize>, site: usize, path: &str) -> String {
        if from == Some(site) { path.to_owned() } else { self.url(site, path) }
    }

    fn article_link(&self, from: Option<usize>, site: usize, article: usize) -> (String, String) {
        let path = place::article_path(&self.shape, site, article);
        (self.href(from, site, &path), article::title(self.seed, &self.shape, site, article))
    }

    fn front_link(&self, from: usize, site: usize) -> (String, String) {
        let title = self.shape.edition(site).title;
        let text = match self.shape.name(site).rsplit_once('-') {
            Some((_, round)) => format!("{title} {round}"),
            None => title.to_owned(),
        };
        (self.href(Some(from), site, "/"), text)
    }

    fn section_link(&self, from: Option<usize>, site: usize, section: usize) -> (String, String) {
        let path = place::section_path(&self.shape, site, section);
        (self.href(from, site, &path), place::section_name(&self.shape, site, section))
    }

    /// Puts a main part into the layout of its site.
    fn layout(
        &self,
        site: usize,
        from: Option<usize>,
        (title, description): (&str, &str),
        (charset, noindex): (Charset, bool),
        main: Html,
    ) -> String {
        let (edition, frame) = (self.shape.edition(site), self.shape.frame(site));
        let mut nav = vec![(self.href(from, site, "/"), frame.labels.home.to_owned())];
        let sections = self.shape.sections().min(SECTIONS);
        nav.extend((0..sections).map(|section| self.section_link(from, site, section)));
        let sheet = Sheet {
            lang: self.shape.lang(site),
            charset,
            title,
            site_title: edition.title,
            description,
            keywords: edition.keywords,
            noindex,
            nav: &nav,
            footer: frame.labels.footer,
            hue: site * 67 % 360,
        };
        html::page(&sheet, &main.take())
    }

    pub(super) fn front_html(&self, site: usize) -> String {
        let shape = &self.shape;
        let (edition, labels) = (shape.edition(site), &shape.frame(site).labels);
        let mut dice = dice(self.seed, &format!("synthetic/{}/front", shape.name(site)));
        let mut main = Html::new();
        main.tag("h1", edition.title).tag("p", edition.tagline);
        let sections: Vec<_> = (0..shape.sections())
            .map(|section| self.section_link(Some(site), site, section))
            .collect();
        main.raw("<ul>\n");
        for (href, text) in &sections {
            main.raw("<li>").link(href, text).raw("</li>\n");
        }
        main.raw("</ul>\n");

        let mut latest: Vec<usize> = Vec::new();
        for _ in 0..LATEST.min(shape.articles()) {
            let article = dice.random_range(0..shape.articles());
            if !latest.contains(&article) {
                latest.push(article);
            }
        }
        let latest: Vec<_> = latest
            .into_iter()
            .map(|article| self.article_link(Some(site), site, article))
            .collect();
        main.links(labels.latest, &latest);

        let mut neighbours: Vec<usize> = shape.twin(site).into_iter().collect();
        neighbours.extend(site.checked_sub(1).map(|before| before / BRANCHES));
        let first = site * BRANCHES + 1;
        neighbours.extend((first..first + BRANCHES).filter(|child| *child < shape.sites));
        neighbours.push(dice.random_range(0..shape.sites));
        neighbours.sort_unstable();
        neighbours.dedup();
        let neighbours: Vec<_> = neighbours
            .into_iter()
            .filter(|other| *other != site)
            .map(|other| self.front_link(site, other))
            .collect();
        main.links(labels.neighbours, &neighbours);
        if shape.sections() == 0 {
            main.links(labels.archive, &self.drawer(site, 0));
        }
        self.layout(
            site,
            Some(site),
            (edition.title, edition.tagline),
            (Charset::Utf8, false),
            main,
        )
    }

    /// Links to the odd pages of the site; each section has its share of them.
    fn drawer(&self, site: usize, section: usize) -> Vec<(String, String)> {
        let lang = self.shape.lang(site);
        let sections = self.shape.sections().max(1);
        faults(&self.shape, site)
            .filter_map(|placed| Some((placed.path.to_owned(), placed.label(lang)?.to_owned())))
            .enumerate()
            .filter(|(at, _)| at % sections == section)
            .map(|(_, link)| link)
            .collect()
    }

    pub(super) fn section_html(&self, site: usize, section: usize) -> String {
        let shape = &self.shape;
        let labels = &shape.frame(site).labels;
        let name = place::section_name(shape, site, section);
        let mut main = Html::new();
        main.tag("h1", &name).tag("p", labels.section_intro);
        main.raw("<ul>\n");
        for article in (section..shape.articles()).step_by(shape.sections().max(1)) {
            let (href, text) = self.article_link(Some(site), site, article);
            main.raw("<li>").link(&href, &text).raw("</li>\n");
        }
        main.raw("</ul>\n");
        main.links(labels.archive, &self.drawer(site, section));
        let description = format!("{name}. {}", shape.edition(site).tagline);
        self.layout(site, Some(site), (&name, &description), (Charset::Utf8, false), main)
    }

    /// Articles that an article points to: some on its own site, some on others.
    fn related(&self, site: usize, article: usize) -> Vec<(usize, usize)> {
        let shape = &self.shape;
        let purpose = format!("synthetic/{}/{article}/links", shape.name(site));
        let mut dice = dice(self.seed, &purpose);
        let mut chosen = Vec::with_capacity(shape.out_degree);
        for _ in 0..shape.out_degree {
            // Authors link to what they can read; the twin is the bridge to the other language.
            let target = if dice.random_bool(shape.cross_site) {
                let languages = shape.languages.len();
                let topic = dice.random_range(0..shape.sites.div_ceil(languages));
                topic * languages + site % languages
            } else {
                site
            };
            let target = if target < shape.sites { target } else { site };
            let link = (target, dice.random_range(0..shape.articles()));
            if link != (site, article) && !chosen.contains(&link) {
                chosen.push(link);
            }
        }
        chosen
    }

    pub(super) fn article_html(
        &self,
        site: usize,
        number: usize,
        charset: Charset,
        print: Print,
    ) -> String {
        let shape = &self.shape;
        let labels = &shape.frame(site).labels;
        // A reprint stands on another site, so all its links are absolute.
        let from = (print == Print::Original).then_some(site);
        let article = article::article(self.seed, shape, site, number);
        let mut main = Html::new();
        main.raw("<article>\n").tag("h1", &article.title);
        self.byline(site, &article, print, &mut main);
        main.tag("p", &article.intro);
        for (at, (heading, text)) in article.parts.iter().enumerate() {
            main.tag("h2", heading).raw("<p>").text(text);
            // The next article of the section, named in the running text.
            let next = (number + shape.sections()) % shape.articles().max(1);
            if at == 1 && next != number {
                let (before, after) = shape.frame(site).pointer;
                let (href, text) = self.article_link(from, site, next);
                main.raw(" ").text(before).link(&href, &text).text(after);
            }
            main.raw("</p>\n");
        }
        main.tag("h2", labels.advice).raw("<ul>\n");
        for tip in &article.tips {
            main.tag("li", tip);
        }
        main.raw("</ul>\n");
        self.table(site, &article, &mut main);
        main.raw("</article>\n");

        let section = place::section_of(shape, number);
        let mut links = vec![self.section_link(from, site, section)];
        let related = self.related(site, number);
        links.extend(
            related.iter().map(|(other, article)| self.article_link(from, *other, *article)),
        );
        main.links(labels.related, &links);
        if let Some(twin) = shape.twin(site) {
            main.links(labels.translation, &[self.article_link(from, twin, number)]);
        }
        self.layout(site, from, (&article.title, &article.description), (charset, false), main)
    }

    fn byline(&self, site: usize, article: &Article, print: Print, main: &mut Html) {
        let frame = self.shape.frame(site);
        let (published, by) = frame.byline;
        let month = usize::from(article.date.month().unsigned_abs()).saturating_sub(1) % 12;
        let date = [
            article.date.day().to_string(),
            frame.months[month].to_owned(),
            article.date.year().to_string(),
        ];
        let published = match print {
            Print::Original => published,
            Print::Reprint => "Reprinted on",
        };
        let date = date.join(frame.date_glue);
        main.raw("<p class=\"by\">")
            .text(&format!("{published} {date} {by} {}", article.author))
            .raw("</p>\n");
    }

    fn table(&self, site: usize, article: &Article, main: &mut Html) {
        if article.rows.is_empty() {
            return;
        }
        let (caption, columns, _) = self.shape.edition(site).table;
        main.raw("<table>\n").tag("caption", caption).raw("<tr>");
        for column in columns {
            main.raw("<th>").text(column).raw("</th>");
        }
        main.raw("</tr>\n");
        for row in &article.rows {
            main.raw("<tr>");
            for cell in row {
                main.raw("<td>").text(cell).raw("</td>");
            }
            main.raw("</tr>\n");
        }
        main.raw("</table>\n");
    }

    /// The page of a fault that has one; its text is that of an article which no list names.
    pub(super) fn odd_html(&self, site: usize, fault: Fault) -> String {
        let shape = &self.shape;
        // Numbers beyond the articles give texts of their own.
        let number = shape.articles() + fault as usize;
        let article = article::article(self.seed, shape, site, number);
        match fault {
            Fault::Leaflet => return leaflet(&article, shape.lang(site).as_str()),
            Fault::Classic => return self.soup(site, &article),
            _ => {}
        }
        let mut main = Html::new();
        main.tag("h1", &article.title).tag("p", &article.intro);
        for (heading, text) in &article.parts {
            main.tag("h2", heading).tag("p", text);
        }
        if fault == Fault::Press
            && let Some(sponsor) = faults(shape, site).find(|placed| placed.fault == Fault::Sponsor)
        {
            main.raw("<p><a rel=\"sponsored nofollow\" href=\"")
                .text(sponsor.path)
                .raw("\">")
                .text(self.shape.edition(site).title)
                .raw("</a></p>\n");
        }
        self.layout(
            site,
            Some(site),
            (&article.title, &article.description),
            (Charset::Utf8, fault == Fault::Draft),
            main,
        )
    }

    /// A page as it was written by hand long ago: no quotes, few end tags, crossed nesting.
    fn soup(&self, site: usize, article: &Article) -> String {
        let mut html = Html::new();
        html.raw("<TITLE>").text(&article.title);
        html.raw("</title><BODY bgcolor=white><center><font size=+2><b>")
            .text(&article.title)
            .raw("</font></b><p>")
            .text(&article.intro);
        for (heading, text) in &article.parts {
            html.raw("<h2>").text(heading).raw("<p><i>").text(text);
            html.raw("</p></i><br></br>");
        }
        html.raw("<table><td>");
        for section in 0..self.shape.sections().min(SECTIONS) {
            let (href, text) = self.section_link(Some(site), site, section);
            html.raw("<li><A HREF=").raw(&href).raw(">").text(&text);
        }
        html.raw("<li><a href='/'>")
            .text(self.shape.frame(site).labels.home)
            .raw("</table></a><!-- the end --!><p>&copy 1998 & later <");
        html.take()
    }
}

fn leaflet(article: &Article, lang: &str) -> String {
    let mut html = Html::new();
    html.raw("<!DOCTYPE html>\n<html lang=\"").raw(lang);
    html.raw("\">\n<head><meta charset=\"utf-8\"><title>")
        .text(&article.title)
        .raw("</title></head>\n<body>\n")
        .tag("h1", &article.title)
        .tag("p", &article.intro);
    for (_, text) in &article.parts {
        html.tag("p", text);
    }
    html.raw("</body></html>\n");
    html.take()
}
