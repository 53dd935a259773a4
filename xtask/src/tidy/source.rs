//! Which part of a Rust file is code, and which part of the code is shipped?
//!
//! A lexer for the few things that matter here: comments, string and character literals, and
//! items under `#[cfg(test)]`. Blanked text becomes spaces, so lines stay where they were.

use super::Tree;

/// Rust text with the contents of comments, strings and character literals blanked.
pub(super) fn bare(text: &str) -> String {
    let mut lexer = Lexer { rest: text, out: String::with_capacity(text.len()) };
    while !lexer.rest.is_empty() {
        lexer.step();
    }
    lexer.out
}

struct Lexer<'a> {
    rest: &'a str,
    out: String,
}

impl Lexer<'_> {
    fn step(&mut self) {
        let rest = self.rest;
        if rest.starts_with("//") {
            self.blank(rest.find('\n').unwrap_or(rest.len()));
        } else if rest.starts_with("/*") {
            self.blank(block_comment(rest));
        } else if let Some(length) = raw_string(rest).filter(|_| !self.inside_word()) {
            self.blank(length);
        } else if rest.starts_with('"') {
            self.blank(quoted(rest));
        } else if rest.starts_with('\'') {
            match character(rest) {
                Some(length) => self.blank(length),
                None => self.keep(1),
            }
        } else {
            self.keep(rest.chars().next().map_or(0, char::len_utf8));
        }
    }

    /// Whether the last character kept is part of a word, so that `r"` in `bar"` is no raw string.
    fn inside_word(&self) -> bool {
        self.out.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_')
    }

    fn keep(&mut self, length: usize) {
        self.out.push_str(&self.rest[..length]);
        self.rest = &self.rest[length..];
    }

    fn blank(&mut self, length: usize) {
        blank_into(&mut self.out, &self.rest[..length]);
        self.rest = &self.rest[length..];
    }
}

fn blank_into(out: &mut String, text: &str) {
    out.extend(text.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
}

/// Length of a block comment; they nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Length of `r"…"`, `r#"…"#` and their `b` and `c` forms, if the text begins with one.
fn raw_string(text: &str) -> Option<usize> {
    let after = text.strip_prefix("br").or_else(|| text.strip_prefix("cr"));
    let after = after.or_else(|| text.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&close).map_or(body.len(), |at| at + close.len());
    Some(text.len() - body.len() + end)
}

/// Length of a string literal with escapes.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of a character literal; `None` for a lifetime.
fn character(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    let (_, first) = chars.next()?;
    if first == '\\' {
        chars.next()?;
        return chars.find(|(_, c)| *c == '\'').map(|(at, _)| at + 1);
    }
    let (at, second) = chars.next()?;
    (second == '\'').then_some(at + 1)
}

/// Bare code without the items under `#[cfg(test)]`.
pub(super) fn without_tests(code: &str) -> String {
    if code.contains("#![cfg(test)]") {
        let mut out = String::with_capacity(code.len());
        blank_into(&mut out, code);
        return out;
    }
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = test_attribute(rest) {
        out.push_str(&rest[..at]);
        let end = at + item_length(&rest[at..]);
        blank_into(&mut out, &rest[at..end]);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// Where the next attribute begins that leaves an item to tests.
fn test_attribute(code: &str) -> Option<usize> {
    let marks = ["#[cfg(test)]", "#[cfg(all(test"];
    marks.iter().filter_map(|mark| code.find(mark)).min()
}

/// Length of an item with its attributes: to its closing brace or its semicolon.
fn item_length(code: &str) -> usize {
    let (mut braces, mut others) = (0_i32, 0_i32);
    for (at, c) in code.char_indices() {
        match c {
            '{' => braces += 1,
            '}' => braces -= 1,
            '(' | '[' => others += 1,
            ')' | ']' => others -= 1,
            _ => {}
        }
        let closed = (c == '}' && braces <= 0) || (c == ';' && braces == 0);
        if closed && others <= 0 {
            return at + 1;
        }
    }
    code.len()
}

/// Whether a path is that of tests, benches or examples by its place.
pub(super) fn is_test_path(path: &str) -> bool {
    let place = |part: &str| path.contains(&format!("/{part}/"));
    place("tests") || place("benches") || place("examples") || path.ends_with("/tests.rs")
}

/// Files of modules declared as `#[cfg(test)] mod name;`, without `.rs`.
pub(super) fn test_modules(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in tree.with_ending(".rs") {
        let code = bare(text);
        let mut rest = code.as_str();
        while let Some(at) = test_attribute(rest) {
            let length = item_length(&rest[at..]);
            let item = &rest[at..at + length];
            if let Some((_, name)) =
                item.rsplit_once(" mod ").or_else(|| item.rsplit_once("\nmod "))
                && let Some(name) = name.strip_suffix(';')
            {
                found.push(format!("{}/{}", module_folder(path), name.trim()));
            }
            rest = &rest[at + length..];
        }
    }
    found
}

/// The folder in which the modules of a file are.
fn module_folder(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "lib.rs" | "main.rs" | "mod.rs" => folder,
        _ => path.trim_end_matches(".rs"),
    }
}

/// Whether a file is that of the module, or of one below it.
pub(super) fn belongs_to(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// Whether `word` occurs in a line of code other than as the end of a longer word.
pub(super) fn has_word_start(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests;
