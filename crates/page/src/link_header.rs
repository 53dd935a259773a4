//! Which links stand in a `Link` header? As RFC 8288 writes them.

/// One link of a header.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HeaderLink<'h> {
    /// The address as written.
    pub(crate) target: &'h str,
    /// The relations.
    pub(crate) rel: &'h str,
    /// The media type that is to be expected.
    pub(crate) media_type: Option<&'h str>,
    /// Whether it is about another document than this one.
    pub(crate) has_anchor: bool,
}

/// The links of one header; what is malformed is passed over.
pub(crate) fn parse(value: &str) -> impl Iterator<Item = HeaderLink<'_>> {
    let mut rest = value;
    std::iter::from_fn(move || {
        let (target, after) = rest[rest.find('<')? + 1..].split_once('>')?;
        let mut link =
            HeaderLink { target: target.trim(), rel: "", media_type: None, has_anchor: false };
        let end = outside_quotes(after, ',');
        let mut parameters = &after[..end];
        rest = &after[end..];
        while !parameters.is_empty() {
            let end = outside_quotes(parameters, ';');
            take(&mut link, &parameters[..end]);
            parameters = parameters.get(end + 1..).unwrap_or("");
        }
        Some(link)
    })
}

/// Where a character first stands outside of quotes; the end when it does not.
fn outside_quotes(text: &str, wanted: char) -> usize {
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            c if c == wanted && !quoted => return at,
            _ => {}
        }
    }
    text.len()
}

fn take<'h>(link: &mut HeaderLink<'h>, parameter: &'h str) {
    let Some((name, value)) = parameter.split_once('=') else {
        return;
    };
    let (name, value) = (name.trim(), value.trim().trim_matches('"'));
    if name.eq_ignore_ascii_case("rel") && link.rel.is_empty() {
        link.rel = value;
    } else if name.eq_ignore_ascii_case("type") {
        link.media_type = Some(value);
    } else if name.eq_ignore_ascii_case("anchor") {
        link.has_anchor = true;
    }
}

#[cfg(test)]
mod tests {
    use super::{HeaderLink, parse};
    use proptest::prelude::*;

    #[test]
    fn a_header_has_several_links_with_parameters() {
        let header = "</a,b>; rel=\"next up\"; title=\"x, \\\"y\\\"; <z>\",<c> ;REL=preload;as=font,\
            <d>;type=\"text/html\" ; anchor=\"#e\"";
        let link = |target, rel, media_type, has_anchor| HeaderLink {
            target,
            rel,
            media_type,
            has_anchor,
        };
        assert_eq!(
            parse(header).collect::<Vec<_>>(),
            [
                link("/a,b", "next up", None, false),
                link("c", "preload", None, false),
                link("d", "", Some("text/html"), true),
            ]
        );
        assert_eq!(parse("rel=next, <open").count(), 0);
    }

    proptest! {
        #[test]
        fn any_value_is_taken(value in "([<>;,=\"\\\\ñ ]|rel|[a-z]){0,40}") {
            prop_assert!(parse(&value).count() <= value.len());
        }
    }
}
