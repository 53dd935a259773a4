use crate::tests::document;

fn markdown(html: &str) -> String {
    document(&format!("<body><main>{html}</main>")).markdown
}

#[test]
fn headings_paragraphs_and_emphasis() {
    let found = markdown(
        "<h2>A heading</h2><p>Some <b>strong </b>and <em>soft</em> words in a paragraph, \
         <a href=/x?a=1&amp;b=2>a link</a>, and code <code>let x = `1`;</code> too.</p>",
    );
    assert_eq!(
        found,
        "## A heading\n\nSome **strong** and *soft* words in a paragraph, \
         [a link](http://site.test/x?a=1&b=2), and code ``let x = `1`;`` too."
    );
}

#[test]
fn lists_nest_and_count() {
    let found = markdown(
        "<p>Here is what there is to do.<ol><li>first<ul><li>inner<li>more</ul><li>second</ol>",
    );
    assert_eq!(found, "Here is what there is to do.\n\n1. first\n   - inner\n   - more\n2. second");
}

#[test]
fn code_keeps_its_lines_and_quotes_their_mark() {
    let found = markdown(
        "<p>Look at this code:</p><pre><code>fn a() {\n    b()\n}\n</code></pre><blockquote><p>One.<p>Two.</blockquote>",
    );
    assert_eq!(found, "Look at this code:\n\n```\nfn a() {\n    b()\n}\n```\n\n> One.\n>\n> Two.");
}

#[test]
fn a_table_of_data_is_a_table() {
    let found =
        markdown("<table><tr><th>Name<th>Height<tr><td>Aneto<td>3,404 m<tr><td>a|b<td></table>");
    assert_eq!(found, "| Name | Height |\n| --- | --- |\n| Aneto | 3,404 m |\n| a\\|b |  |");
}

#[test]
fn text_that_looks_like_markdown_is_escaped() {
    assert_eq!(
        markdown("<p># no heading *here*</p><p>1. no list [at] all</p><p>- nor here</p>"),
        "\\# no heading \\*here\\*\n\n1\\. no list \\[at\\] all\n\n\\- nor here"
    );
}

#[test]
fn items_with_paragraphs_stay_one_list() {
    assert_eq!(
        markdown(
            "<p>There are two of them.</p><ul><li><p>one</p><p>still one</p></li><li><p>two</p></li></ul><p>End.</p>"
        ),
        "There are two of them.\n\n- one\n\n  still one\n- two\n\nEnd."
    );
}

#[test]
fn code_says_its_language_where_its_highlighter_does() {
    let found =
        markdown("<p>Look at this code:</p><pre><code class='hljs language-rust'>a()</code></pre>");
    assert_eq!(found, "Look at this code:\n\n```rust\na()\n```");
    let found = markdown(
        "<p>Look at this code:</p><div class='highlight-python3'><div><pre>a()</pre></div></div><pre>b</pre>",
    );
    assert_eq!(found, "Look at this code:\n\n```python3\na()\n```\n\n```\nb\n```");
}

#[test]
fn images_say_what_they_show() {
    let found = markdown(
        "<p>Here is a picture: <img src='/a (1).png' alt='A [gull]'> and <img src=/b.png alt=''> \
         <a href=/c><img src=c.png alt=tide></a></p>",
    );
    assert_eq!(
        found,
        "Here is a picture: ![A \\[gull\\]](http://site.test/a%20%281%29.png) and \
         ![tide](http://site.test/dir/c.png)"
    );
}

#[test]
fn cells_of_tables_keep_links_code_and_emphasis() {
    let found = markdown(
        "<table><tr><th>Name<th>What<tr><td><code>a|b</code><td>See <a href=/x>the <b>page</b></a>.\
         <tr><td><p>two</p><p>lines</p><td></table>",
    );
    assert_eq!(
        found,
        "| Name | What |\n| --- | --- |\n| `a\\|b` | See [the **page**](http://site.test/x). |\n\
         | two lines |  |"
    );
}
