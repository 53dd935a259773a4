//! Which parts of an address are session ids? Those that the `surt` package removes, and no others.
//!
//! All texts here are in lower case already.

/// Removes the folder that ASP.NET puts before an `.aspx` page: `/(s(...))/` or `/(...)/`, where the dots
/// are 24 letters and digits.
pub(super) fn without_path_id(path: &str) -> String {
    let mut path = path.to_owned();
    for is_id in [is_marked_id, is_plain_id] {
        // The last folder of this kind that has a page after it.
        let found = path.rmatch_indices("/(").find_map(|(at, _)| {
            let folder = &path[at + 1..];
            let (id, page) = folder.split_once('/')?;
            let extension = page.find(".aspx")?;
            (is_id(id) && extension > 0).then_some(at + 1..at + 2 + id.len())
        });
        if let Some(folder) = found {
            path.replace_range(folder, "");
        }
    }
    path
}

/// `(` and `)` around 24 letters and digits.
fn is_plain_id(text: &str) -> bool {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.is_some_and(|inner| inner.len() == 24 && inner.bytes().all(is_alphanumeric))
}

/// `(` and `)` around one or more ids, each with a letter before it: `(a(...)s(...))`.
fn is_marked_id(text: &str) -> bool {
    const WIDTH: usize = 27;
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.is_some_and(|inner| {
        !inner.is_empty()
            && inner.len() % WIDTH == 0
            && inner.as_bytes().chunks(WIDTH).all(|chunk| {
                let [letter, b'(', id @ .., b')'] = chunk else {
                    return false;
                };
                letter.is_ascii_lowercase() && id.iter().copied().all(is_alphanumeric)
            })
    })
}

/// Removes one of each kind of session id that ends at `&` or at the end, the last one found.
pub(super) fn without_query_ids(query: &str) -> String {
    let mut query = query.to_owned();
    let fixed = |name: &'static str| {
        move |text: &str| {
            let value = text.strip_prefix(name)?;
            run(value, 32, is_alphanumeric)?;
            Some(name.len() + 32)
        }
    };
    cut_last(&mut query, "jsessionid=", fixed("jsessionid="));
    cut_last(&mut query, "phpsessid=", fixed("phpsessid="));
    cut_last(&mut query, "sid=", fixed("sid="));
    cut_last(&mut query, "aspsessionid", |text| {
        let rest = text.strip_prefix("aspsessionid")?;
        let value = run(rest, 8, |byte| byte.is_ascii_lowercase())?.strip_prefix('=')?;
        let rest = run(value, 24, |byte| byte.is_ascii_lowercase())?;
        Some(text.len() - rest.len())
    });
    cut_last(&mut query, "cfid=", |text| {
        let (first, rest) = text.split_once('&')?;
        let second = rest.split('&').next().unwrap_or(rest);
        let token = second.strip_prefix("cftoken=")?;
        let both = first.len() > "cfid=".len() && !token.is_empty();
        both.then_some(first.len() + 1 + second.len())
    });
    query
}

/// Cuts the last id that begins with `name`. `length` measures it at the start of a text; it counts only
/// when the query or the argument ends after it.
fn cut_last(query: &mut String, name: &str, length: impl Fn(&str) -> Option<usize>) {
    let found = query.rmatch_indices(name).find_map(|(at, _)| {
        let end = at + length(&query[at..])?;
        match query.as_bytes().get(end) {
            None => Some(at..end),
            Some(b'&') => Some(at..end + 1),
            Some(_) => None,
        }
    });
    if let Some(id) = found {
        query.replace_range(id, "");
    }
}

/// What follows `count` bytes of a kind.
fn run(text: &str, count: usize, kind: impl Fn(u8) -> bool) -> Option<&str> {
    let head = text.as_bytes().get(..count)?;
    head.iter().all(|byte| kind(*byte)).then(|| &text[count..])
}

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}
