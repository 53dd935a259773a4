use super::*;
use proptest::prelude::*;

fn words(query: &str) -> Vec<String> {
    let asked = parse(query);
    asked.wanted().iter().map(|word| word.text.clone()).collect()
}

/// A query as it is understood, in one line.
fn shape(query: &str) -> String {
    fn several(nodes: &[Node], sign: &str) -> String {
        let nodes: Vec<String> = nodes.iter().map(node).collect();
        format!("({})", nodes.join(sign))
    }
    fn texts(words: &[Word]) -> String {
        words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join("_")
    }
    fn node(one: &Node) -> String {
        match one {
            Node::Word(word) => word.text.clone(),
            Node::Prefix(word) => format!("{}*", word.text),
            Node::Phrase(words) => format!("'{}'", texts(words)),
            Node::Filter(Filter::Title(words)) => format!("title:{}", texts(words)),
            Node::Filter(Filter::Address(words)) => format!("address:{}", texts(words)),
            Node::Filter(Filter::Site(site)) => format!("site:{site}"),
            Node::Filter(filter) => format!("{filter:?}"),
            Node::All(nodes) => several(nodes, " "),
            Node::Any(nodes) => several(nodes, "|"),
            Node::Not(inner) => format!("-{}", node(inner)),
        }
    }
    let nodes: Vec<String> = parse(query).nodes.iter().map(node).collect();
    nodes.join(" ")
}

#[test]
fn words_phrases_exclusions_and_filters_are_told_apart() {
    assert_eq!(
        shape(r#"cup "world of sport" -tennis -"red card" site:Example.org -site:a.test"#),
        "cup 'world_of_sport' -tennis -'red_card' site:example.org -site:a.test"
    );
    assert_eq!(
        shape("lang:es -lang:en filetype:PDF agent:bot-1 after:1970-01-02 before:1970-01-03"),
        "Lang(Lang(es)) -Lang(Lang(en)) FileType(\"pdf\") Agent(\"bot-1\") After(Tick(86400000)) Before(Tick(172800000))"
    );
    assert_eq!(
        shape(r#"intitle:wolf INTITLE:"wolf spider" inurl:a-b spi* a*"#),
        "title:wolf title:wolf_spider address:a_b spi* a"
    );
}

#[test]
fn or_binds_its_neighbours_and_parentheses_group() {
    assert_eq!(shape("a b OR c d"), "a (b|c) d");
    assert_eq!(shape("a OR b OR c"), "(a|b|c)");
    assert_eq!(shape("Spiders | The Zoo"), "Spiders The Zoo", "titles are full of bars");
    assert_eq!(shape("(a b) OR (c -d)"), "((a b)|(c -d))");
    assert_eq!(shape("a (b c) AND d"), "a b c d", "side by side is side by side");
    assert_eq!(shape("a NOT b -(c OR d)"), "a -b -(c|d)");
    assert_eq!(shape("e-mail OR post"), "((e mail)|post)");
    assert_eq!(shape("to be or not to be"), "to be or not to be", "small letters are words");
    assert_eq!(shape("site:a.test OR site:b.test cat"), "(site:a.test|site:b.test) cat");
}

#[test]
fn a_broken_query_is_repaired_and_says_so() {
    let cases: [(&str, &str, &[QueryNote]); 10] = [
        (r#"a "b c"#, "a 'b_c'", &[QueryNote::OpenQuote]),
        (r#"a""b"#, "a b", &[]),
        ("lang:spanish time: - -- +b", "lang spanish time b", &[QueryNote::NoLanguage]),
        ("after:soon x", "after soon x", &[QueryNote::NoDate]),
        ("site: cats", "cats", &[]),
        ("(a (b", "a b", &[QueryNote::OpenParenthesis]),
        ("a) b", "a b", &[QueryNote::StrayParenthesis]),
        ("OR a OR", "a", &[QueryNote::StrayOr]),
        ("() (OR) a", "a", &[QueryNote::StrayOr]),
        ("((((((((((a b))))))))))", "a b", &[QueryNote::TooDeep, QueryNote::StrayParenthesis]),
    ];
    for (query, expected, notes) in cases {
        assert_eq!(shape(query), expected, "{query}");
        assert_eq!(parse(query).notes, notes, "{query}");
    }
    assert!(parse(" \" - ' ").is_empty());
}

#[test]
fn a_quoted_word_is_a_word_and_a_hyphen_inside_is_no_sign() {
    assert_eq!(shape(r#""gol" e-mail -e-mail"#), "gol e mail -'e_mail'");
}

#[test]
fn a_quoted_value_stands_where_it_says() {
    let query = "intitle:«wolf spider» site:» xé cats";
    let asked = parse(query);
    assert_eq!(shape(query), "title:wolf_spider site xé cats");
    for word in asked.wanted() {
        assert_eq!(query[word.at.clone()], word.text);
    }
}

#[test]
fn a_long_question_is_prose() {
    let long =
        format!("{} \"type correct\" (really) -well site:a.test -site:b.test", "why ".repeat(30));
    assert_eq!(words(&long).len(), 34, "every word but those of the filters");
    assert!(shape(&long).starts_with("site:a.test -site:b.test why why"), "{}", shape(&long));
    assert_eq!(parse(&long).notes, [QueryNote::Prose]);
    assert_eq!(parse(&"why ".repeat(30)).notes, []);
}

#[test]
fn a_query_without_end_is_cut() {
    let asked = parse(&"word ".repeat(10_000));
    assert_eq!(asked.wanted().len(), MAX_WORDS);
    assert_eq!(asked.notes, [QueryNote::Cut, QueryNote::TooManyWords]);
    let excluded = parse(&"-cat ".repeat(100));
    assert_eq!((excluded.nodes.len(), excluded.notes.len()), (MAX_EXCLUDED, 1));
    let prefixes = shape(&"ca* ".repeat(20));
    assert_eq!(prefixes.matches('*').count(), MAX_PREFIXES);
    let filters = parse(&"site:a.test ".repeat(100));
    assert_eq!((filters.nodes.len(), filters.notes.len()), (MAX_FILTERS, 1));
}

proptest! {
    #[test]
    fn every_word_stands_where_it_says(query in "[a-zñ\"«»:+|()* '\\-]{0,60}|((in(title|url)|site|lang|after):[\"«]?|OR |[a-z ()\"]){0,30}|\\PC{0,60}") {
        let asked = parse(&query);
        for word in asked.wanted() {
            prop_assert_eq!(&query[word.at.clone()], &word.text);
        }
    }
}
