use super::*;

fn targets(text: &str) -> Vec<String> {
    read(text).links.into_iter().map(|link| link.target).collect()
}

#[test]
fn all_forms_of_links_are_seen_with_their_lines() {
    let text = "[a](one.md) and ![b](two.png \"title\")\n[c](<three four.md>)\n[d]: five.md\n\
                <img src=\"six.svg\" alt=\"x\"> <a href=\"seven.md\">y</a>\n[e](https://x/(8))";
    let links = read(text).links;
    let seen: Vec<(usize, &str)> = links.iter().map(|l| (l.line, l.target.as_str())).collect();
    assert_eq!(
        seen,
        [
            (1, "one.md"),
            (1, "two.png"),
            (2, "three four.md"),
            (3, "five.md"),
            (4, "seven.md"),
            (4, "six.svg"),
            (5, "https://x/(8)"),
        ]
    );
}

#[test]
fn an_image_inside_a_link_gives_both_targets() {
    assert_eq!(targets("[![picture](a.png)](b.md)"), ["a.png", "b.md"]);
}

#[test]
fn code_has_no_links() {
    let text =
        "`[a](b.md)` ``x ` [c](d.md)``\n```md\n[e](f.md)\n~~~\n```\n~~~\n[g](h.md)\n~~~\n[i](j.md)";
    assert_eq!(targets(text), ["j.md"]);
}

#[test]
fn headings_make_anchors_as_forges_do() {
    let text = "# The Life of a URL!\n## `xtask` & [links](x.md)\n## Twice\n## Twice\n#no heading\n\
                ### Ñandú_b\n<a id=\"here\"></a>";
    let anchors = read(text).anchors;
    for anchor in ["the-life-of-a-url", "xtask--links", "twice", "twice-1", "ñandú_b", "here"] {
        assert!(anchors.contains(anchor), "{anchor} in {anchors:?}");
    }
    assert_eq!(anchors.len(), 6);
}

#[test]
fn footnotes_and_lists_are_no_definitions() {
    assert_eq!(targets("[^1]: a footnote\n- [ ] open: yes\n[x]:"), [""; 0]);
}
