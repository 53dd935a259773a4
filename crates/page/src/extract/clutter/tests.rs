use crate::tests::document;

const PROSE: &str = "<p>The keeper of the lighthouse wrote about gulls, tides and weather, and about all \
                     that nobody had read before the winter came over the islands.</p>";

fn main_of(html: &str) -> String {
    document(&format!("<main>{html}{PROSE}{PROSE}{PROSE}{PROSE}</main>")).main
}

#[test]
fn signs_to_link_to_a_heading_are_no_text() {
    for sign in ["¶", "#", "§", "🔗", "<span>¶</span>", ""] {
        let main = main_of(&format!("<h2>Gulls<a class=headerlink href=#gulls>{sign}</a></h2>"));
        assert!(main.starts_with("Gulls\n"), "{sign}: {main}");
    }
    // One with words is a heading, as is one that leads to its own place.
    assert!(main_of("<h2 id=g><a href=#g>Gulls</a></h2>").starts_with("Gulls\n"));
    assert!(!main_of("<h2><a href=/g>Gulls</a></h2>").starts_with("Gulls"));
}

#[test]
fn the_numbers_of_lines_are_no_code() {
    let code =
        "<table><tr><td><pre>1\n2\n3\n</pre></td><td><pre>let a\n= 1\n;</pre></td></tr></table>";
    let found = document(&format!("<main>{code}{PROSE}{PROSE}{PROSE}</main>"));
    assert!(found.main.starts_with("let a"), "{}", found.main);
    assert!(found.markdown.starts_with("```\nlet a\n= 1\n;\n```"), "{}", found.markdown);
    let numbers = main_of("<pre>7\n8\n9</pre>");
    assert!(numbers.starts_with("7"), "numbers that stand alone are what the page says: {numbers}");
}

#[test]
fn a_list_that_the_text_announces_belongs_to_it() {
    let list = "<ul><li><a href=/a>A first paper</a><li><a href=/b>A second paper</a></ul>";
    let main = main_of(&format!("<p>If you are new here, read one of these first:</p>\n {list}"));
    assert!(main.contains("A first paper\nA second paper"), "{main}");
    let main = main_of(&format!("<p>Nobody said anything about what follows.</p>{list}"));
    assert!(!main.contains("A first paper"), "{main}");
}

#[test]
fn a_page_of_links_gives_its_links() {
    let entry = |number: usize| {
        format!(
            "<article><h2><a href=/{number}>A long story about gulls, part {number}</a></h2></article>"
        )
    };
    let entries: String = (0..30).map(entry).collect();
    let found = document(&format!(
        "<nav><a href=/x>Menu</a></nav><div>{entries}</div><div><p>Write to us whenever you want.</p></div>\
         <footer>Copyright</footer>"
    ));
    assert!(found.main.contains("part 0\n") && found.main.contains("part 29"), "{}", found.main);
    assert!(!found.main.contains("Menu") && !found.main.contains("Copyright"));
    assert!(found.markdown.contains("](http://site.test/7)"), "{}", found.markdown);
}

#[test]
fn a_long_piece_of_code_is_not_all_of_the_content() {
    let code = "let gull = keeper.write(tide, weather, winter, lighthouse);\n".repeat(80);
    let found = document(&format!(
        "<body><h1>How to write</h1><p>The keeper writes like this, and nobody knows why it is so.</p>\
         <table><tr><td><pre>{code}</pre></table><p>That is all there is to say about it, he says.</p>"
    ));
    assert!(
        found.main.contains("nobody knows") && found.main.contains("That is all"),
        "{}",
        found.main
    );
    assert!(found.main.contains("let gull"));
}

#[test]
fn of_many_articles_in_a_list_none_is_the_content() {
    let entry = |number: usize| {
        let words = PROSE.repeat(1 + number % 2);
        format!("<article><h2><a href=/{number}>Story {number}</a></h2>{words}</article>")
    };
    let entries: String = (0..4).map(entry).collect();
    let main = document(&format!("<main><div>{entries}</div></main>")).main;
    assert_eq!(main.matches("The keeper").count(), 6, "{main}");
    assert!(main.starts_with("Story 0\n") && main.contains("\nStory 3\n"), "{main}");
    let long = format!("<article>{}</article>", PROSE.repeat(9));
    let main = document(&format!("<main>{long}<div>{entries}</div></main>")).main;
    assert_eq!(main.matches("The keeper").count(), 9, "{main}");
}
