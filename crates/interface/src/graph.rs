//! How does a graph of pages get into other programs? As GraphML (yEd, NetworkX, igraph) or as GEXF (Gephi).

use std::fmt::Write as _;
use std::io::{self, Write};

/// A form of graph files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// GraphML.
    GraphMl,
    /// GEXF 1.3.
    Gexf,
}

impl Form {
    /// Its media type.
    pub fn media(self) -> &'static str {
        match self {
            Form::GraphMl => "application/graphml+xml",
            Form::Gexf => "application/gexf+xml",
        }
    }
}

/// What is said of each page or link: name, and whether it is a number.
pub type Column = (&'static str, bool);

/// Writes a graph piece by piece: all pages first, then all links.
pub struct GraphWriter<W: Write> {
    out: W,
    form: Form,
    pages: &'static [Column],
    links: &'static [Column],
    in_links: bool,
    edges: u64,
}

impl<W: Write> GraphWriter<W> {
    /// Begins a graph whose pages and links have these columns.
    pub fn begin(
        mut out: W,
        form: Form,
        pages: &'static [Column],
        links: &'static [Column],
    ) -> io::Result<GraphWriter<W>> {
        out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")?;
        match form {
            Form::GraphMl => {
                out.write_all(b"<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n")?;
                for (whose, columns) in [("node", pages), ("edge", links)] {
                    for (name, number) in columns {
                        let kind = if *number { "double" } else { "string" };
                        writeln!(
                            out,
                            "<key id=\"{whose}-{name}\" for=\"{whose}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>"
                        )?;
                    }
                }
                out.write_all(b"<graph edgedefault=\"directed\">\n")?;
            }
            Form::Gexf => {
                out.write_all(
                    b"<gexf xmlns=\"http://gexf.net/1.3\" version=\"1.3\">\n<graph defaultedgetype=\"directed\">\n",
                )?;
                for (whose, columns) in [("node", pages), ("edge", links)] {
                    writeln!(out, "<attributes class=\"{whose}\">")?;
                    for (name, number) in columns {
                        let kind = if *number { "double" } else { "string" };
                        writeln!(
                            out,
                            "<attribute id=\"{name}\" title=\"{name}\" type=\"{kind}\"/>"
                        )?;
                    }
                    out.write_all(b"</attributes>\n")?;
                }
                out.write_all(b"<nodes>\n")?;
            }
        }
        Ok(GraphWriter { out, form, pages, links, in_links: false, edges: 0 })
    }

    /// A page. An empty value is left out.
    pub fn page(&mut self, id: &str, label: &str, values: &[&str]) -> io::Result<()> {
        let (id, label) = (escaped(id), escaped(label));
        match self.form {
            Form::GraphMl => write!(self.out, "<node id=\"{id}\">")?,
            Form::Gexf => write!(self.out, "<node id=\"{id}\" label=\"{label}\">")?,
        }
        self.values("node", self.pages, values)?;
        self.out.write_all(b"</node>\n")
    }

    /// A link between two pages that were written. No page can be written behind it.
    pub fn link(&mut self, from: &str, to: &str, values: &[&str]) -> io::Result<()> {
        self.pages_end()?;
        let (number, from, to) = (self.edges, escaped(from), escaped(to));
        self.edges += 1;
        write!(self.out, "<edge id=\"e{number}\" source=\"{from}\" target=\"{to}\">")?;
        self.values("edge", self.links, values)?;
        self.out.write_all(b"</edge>\n")
    }

    /// Ends the graph, and gives back what it was written to.
    pub fn end(mut self) -> io::Result<W> {
        self.pages_end()?;
        self.out.write_all(match self.form {
            Form::GraphMl => b"</graph>\n</graphml>\n",
            Form::Gexf => b"</edges>\n</graph>\n</gexf>\n",
        })?;
        Ok(self.out)
    }

    fn pages_end(&mut self) -> io::Result<()> {
        if !self.in_links && self.form == Form::Gexf {
            self.out.write_all(b"</nodes>\n<edges>\n")?;
        }
        self.in_links = true;
        Ok(())
    }

    fn values(&mut self, whose: &str, columns: &[Column], values: &[&str]) -> io::Result<()> {
        let mut text = String::new();
        for ((name, _), value) in columns.iter().zip(values).filter(|(_, value)| !value.is_empty())
        {
            let value = escaped(value);
            // Writing to a string cannot fail.
            let _ = match self.form {
                Form::GraphMl => write!(text, "<data key=\"{whose}-{name}\">{value}</data>"),
                Form::Gexf => write!(text, "<attvalue for=\"{name}\" value=\"{value}\"/>"),
            };
        }
        match self.form {
            Form::Gexf if !text.is_empty() => write!(self.out, "<attvalues>{text}</attvalues>"),
            _ => self.out.write_all(text.as_bytes()),
        }
    }
}

/// Text as XML 1.0 can hold it.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_hold_what_pages_say_as_text() {
        for (form, part) in [
            (Form::GraphMl, "<data key=\"node-title\">a &lt;b&gt; &amp;</data>"),
            (Form::Gexf, "<attvalue for=\"title\" value=\"a &lt;b&gt; &amp;\"/>"),
        ] {
            let columns: &[Column] = &[("title", false), ("score", true)];
            let mut graph = GraphWriter::begin(Vec::new(), form, columns, &[]).unwrap();
            graph.page("http://a.test/?x=1&y", "a", &["a <b> &\u{1}", "0.5"]).unwrap();
            graph.page("http://b.test/", "b", &["", ""]).unwrap();
            graph.link("http://a.test/?x=1&y", "http://b.test/", &[]).unwrap();
            let text = String::from_utf8(graph.end().unwrap()).unwrap();
            assert!(text.contains(part), "{text}");
            assert!(text.contains("source=\"http://a.test/?x=1&amp;y\""), "{text}");
            let opened = text.matches("<node ").count();
            assert_eq!((opened, text.matches("</node>").count()), (2, 2));
        }
    }
}
