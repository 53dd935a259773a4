//! How is a lattice written down? As XML, in two files as Galicia has them, and as DOT for Graphviz.
//!
//! `Context::xml` gives `<context pages keywords>` with `<page id>`, `<keyword id>` and, for each page,
//! `<has page>` with the ids of its keywords. `Lattice::xml` gives `<lattice pages keywords concepts
//! truncated>` with the same pages and keywords, and for each concept `<concept id>` with `<extent>`,
//! `<intent>` and `<above>`: ids of pages, of keywords, and of the concepts directly above.

use super::{Context, Lattice, bits};
use std::fmt::Write as _;

impl Context {
    /// The table as XML.
    pub fn xml(&self) -> String {
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<context pages=\"{}\" keywords=\"{}\">\n",
            self.pages().len(),
            self.keywords().len()
        );
        self.names(&mut xml);
        for page in 0..self.pages().len() {
            let keywords = ids(bits(u64::from(self.row(page))));
            let _ = writeln!(xml, "  <has page=\"{page}\">{keywords}</has>");
        }
        xml + "</context>\n"
    }

    fn names(&self, xml: &mut String) {
        for (id, page) in self.pages().iter().enumerate() {
            let _ = writeln!(xml, "  <page id=\"{id}\">{}</page>", escaped(page));
        }
        for (id, keyword) in self.keywords().iter().enumerate() {
            let _ = writeln!(xml, "  <keyword id=\"{id}\">{}</keyword>", escaped(keyword));
        }
    }
}

impl Lattice {
    /// The lattice as XML.
    pub fn xml(&self) -> String {
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<lattice pages=\"{}\" keywords=\"{}\" \
             concepts=\"{}\" truncated=\"{}\">\n",
            self.context.pages().len(),
            self.context.keywords().len(),
            self.concepts.len(),
            self.truncated
        );
        self.context.names(&mut xml);
        for (id, (concept, above)) in self.concepts.iter().zip(self.covers()).enumerate() {
            let _ = writeln!(
                xml,
                "  <concept id=\"{id}\"><extent>{}</extent><intent>{}</intent><above>{}</above></concept>",
                ids(bits(concept.extent)),
                ids(bits(u64::from(concept.intent))),
                ids(above.into_iter())
            );
        }
        xml + "</lattice>\n"
    }

    /// The lattice as a drawing for Graphviz, the general concepts above. As usual in such diagrams a
    /// keyword stands only where it comes in, at the most general concept that has it.
    pub fn dot(&self) -> String {
        let mut dot = String::from("graph lattice {\n  rankdir=TB;\n  node [shape=box];\n");
        if self.truncated {
            dot += "  label=\"not all concepts are shown\";\n";
        }
        let covers = self.covers();
        for (id, (concept, above)) in self.concepts.iter().zip(&covers).enumerate() {
            let inherited = above.iter().fold(0, |set, &higher| set | self.concepts[higher].intent);
            let new = bits(u64::from(concept.intent & !inherited));
            let words: Vec<&str> =
                new.map(|keyword| self.context.keywords()[keyword].as_str()).collect();
            let label = words.join(", ").replace('\\', "\\\\").replace('"', "\\\"");
            let pages = concept.extent.count_ones();
            let _ = writeln!(dot, "  c{id} [label=\"{label}\\n{pages} pages\"];");
        }
        for (id, above) in covers.iter().enumerate() {
            for higher in above {
                let _ = writeln!(dot, "  c{higher} -- c{id};");
            }
        }
        dot + "}\n"
    }
}

fn ids(places: impl Iterator<Item = usize>) -> String {
    places.map(|place| place.to_string()).collect::<Vec<_>>().join(" ")
}

/// Text between tags. Characters that XML does not allow at all are left out.
fn escaped(text: &str) -> String {
    let allowed = |c: &char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    let text: String = text.chars().filter(allowed).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
