//! How is JSON read that is only nearly JSON? Written again, with the usual mistakes put right.

/// Objects and lists inside each other that are kept open.
const MAX_OPEN: usize = 100;

/// Writes JSON again: without comments, marks of comments and commas too many, with control characters in
/// strings as spaces, and with whatever is open at the end closed.
pub(super) fn repair(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 16);
    let mut open: Vec<char> = Vec::new();
    let mut last_string = 0;
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            rest = &rest[mark.len()..];
            continue;
        }
        if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
            continue;
        }
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => {
                last_string = out.len();
                rest = string(rest, &mut out);
            }
            '{' | '[' => {
                if open.len() >= MAX_OPEN {
                    break;
                }
                open.push(if c == '{' { '}' } else { ']' });
                out.push(c);
            }
            '}' | ']' => {
                // A bracket of the other kind, or one too many, closes nothing.
                if open.last() == Some(&c) {
                    open.pop();
                    close(&mut out);
                    out.push(c);
                }
            }
            ';' => {}
            c if c.is_control() || c.is_whitespace() => out.push(' '),
            c => out.push(c),
        }
    }
    // The end may come after a name.
    let is_name = out[..last_string].trim_end().ends_with(['{', ',']);
    if is_name && open.last() == Some(&'}') && out.trim_end().ends_with('"') {
        out.push_str(":null");
    }
    while let Some(bracket) = open.pop() {
        close(&mut out);
        out.push(bracket);
    }
    out
}

/// What pages put around scripts to hide them from readers of other things.
const MARKS: [&str; 6] = ["//<![CDATA[", "//]]>", "<![CDATA[", "]]>", "<!--", "-->"];

/// Takes what cannot stand before a closing bracket from the end, and gives a name without value one.
fn close(out: &mut String) {
    out.truncate(out.trim_end().len());
    while out.ends_with(',') {
        out.pop();
        out.truncate(out.trim_end().len());
    }
    if out.ends_with(':') {
        out.push_str("null");
    }
}

/// Copies a string behind its first quote; gives what follows it.
fn string<'j>(text: &'j str, out: &mut String) -> &'j str {
    out.push('"');
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                out.push('"');
                return &text[at + 1..];
            }
            '\\' => match chars.next() {
                Some((_, next @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't'))) => {
                    out.extend(['\\', next]);
                }
                Some((at, 'u')) if is_code(&text[at + 1..]) => out.push_str("\\u"),
                Some((_, next)) if !next.is_control() => out.push(next),
                _ => {}
            },
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    ""
}

/// Whether four hexadecimal digits stand here.
fn is_code(text: &str) -> bool {
    text.as_bytes().get(..4).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit))
}
