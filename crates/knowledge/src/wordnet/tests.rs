use super::*;

/// An animal, a dog, a pack of dogs, a tail, and a thing that is a set of its own.
pub(super) const DATA: &str = "  1 This is a licence.
00000001 03 n 02 animal 0 Beast 0 000 | a living thing
00000002 03 n 02 dog 0 domestic_dog 0 003 @ 00000001 n 0000 #m 00000003 n 0000 %p 00000004 n 0000 | barks
00000003 03 n 01 pack 0 001 %m 00000002 n 0000 | a group of hunting dogs
00000004 03 n 01 tail 0 002 #p 00000002 n 0000 ~ 99999999 n 0000 | wags
00000005 03 n 01 gl\u{e6}sse 0 001 + 00000077 v 0101 | not seen by everyone
00000006 03 n 01 wolf 0 001 @ 00000001 n 0000 | howls
00000007 03 n 01 Lassie 0 001 @i 00000002 n 0000 | acts
";
pub(super) const EXCEPTIONS: &str = "wolves wolf\ncourts-martial court-martial\n";
pub(super) const LMF: &str = r#"<?xml version="1.0"?><!DOCTYPE LexicalResource SYSTEM "x.dtd">
<LexicalResource><!-- > --><Lexicon id="oewn">
<LexicalEntry id="e1"><Lemma writtenForm="dog" partOfSpeech="n"><Pronunciation>d</Pronunciation></Lemma>
<Form writtenForm="doggen"/><Sense id="s1" synset="d"/></LexicalEntry>
<LexicalEntry id="e2"><Lemma writtenForm="animal" partOfSpeech="n"/><Sense id="s2" synset='a'/></LexicalEntry>
<LexicalEntry id="e3"><Lemma writtenForm="bark" partOfSpeech="v"/><Sense id="s3" synset="v"/></LexicalEntry>
<LexicalEntry id="e4"><Lemma writtenForm="dog&apos;s tail" partOfSpeech="n"/><Sense id="s4" synset="t"/></LexicalEntry>
<Synset id="d" partOfSpeech="n" members="e1"><Definition>a > b</Definition>
<SynsetRelation relType="hypernym" target="a"/><SynsetRelation relType="mero_part" target="t"/></Synset>
<Synset id="a" partOfSpeech="n"/><Synset id="t" partOfSpeech="n"></Synset>
<Synset id="v" partOfSpeech="v"><SynsetRelation relType="hypernym" target="w"/></Synset>
</Lexicon></LexicalResource>"#;

fn small() -> WordNet {
    WordNet::from_wndb(DATA.as_bytes(), EXCEPTIONS.as_bytes()).expect("good files")
}

#[test]
fn words_are_related_as_the_paper_counts_them() {
    let wordnet = small();
    let closeness = Closeness::default();
    for (a, b, expected, counts) in [
        ("unheard", "unheard", Relation::Same, 1.0),
        ("dogs", "dog", Relation::Same, 1.0),
        ("wolves", "wolf", Relation::Same, 1.0),
        ("beast", "animals", Relation::Synonym, 1.0),
        ("dog", "animal", Relation::IsA, 0.5),
        ("animal", "lassie", Relation::IsA, 0.5),
        ("domestic dogs", "pack", Relation::PartOf, 0.75),
        ("tail", "dog", Relation::PartOf, 0.75),
        ("dog", "wolf", Relation::None, 0.001),
        ("dog", "unheard", Relation::None, 0.001),
    ] {
        assert_eq!(wordnet.relation(a, b), expected, "{a}, {b}");
        assert_eq!(wordnet.relation(b, a), expected, "{b}, {a}");
        assert_eq!(closeness.of(expected), counts);
    }
    assert_eq!((wordnet.words(), wordnet.synsets()), (9, 7));
    assert!(wordnet.meaning("glaesse").is_known(), "words are folded as texts are");
}

#[test]
fn a_kind_that_is_too_far_above_is_none() {
    let mut data = String::from("00000000 03 n 01 w0 0 000 | top\n");
    for number in 1..=MAX_IS_A + 1 {
        data += &format!("{number:08} 03 n 01 w{number} 0 001 @ {:08} n 0000 | x\n", number - 1);
    }
    let wordnet = WordNet::from_wndb(data.as_bytes(), b"").expect("good file");
    assert_eq!(wordnet.relation(&format!("w{MAX_IS_A}"), "w0"), Relation::IsA);
    assert_eq!(wordnet.relation(&format!("w{}", MAX_IS_A + 1), "w0"), Relation::None);
}

#[test]
fn kinds_that_go_in_a_circle_end() {
    let data = "00000001 03 n 01 a 0 001 @ 00000002 n 0000 | x\n\
                00000002 03 n 01 b 0 001 @ 00000001 n 0000 | x\n\
                00000003 03 n 01 c 0 000 | x\n";
    let wordnet = WordNet::from_wndb(data.as_bytes(), b"").expect("good file");
    assert_eq!(wordnet.relation("a", "c"), Relation::None);
    assert_eq!(wordnet.relation("a", "b"), Relation::IsA);
}

#[test]
fn the_xml_of_open_english_wordnet_says_the_same() {
    let wordnet = WordNet::from_lmf(LMF.as_bytes()).expect("good file");
    assert_eq!(wordnet.relation("doggen", "dog"), Relation::Same);
    assert_eq!(wordnet.relation("dogs", "animal"), Relation::IsA);
    assert_eq!(wordnet.relation("dog's tail", "dog"), Relation::PartOf);
    assert!(!wordnet.meaning("bark").is_known(), "verbs are left out");
}

#[test]
fn a_file_that_is_torn_or_of_another_kind_says_where() {
    let said = |data: &str| WordNet::from_wndb(data.as_bytes(), b"").unwrap_err().to_string();
    assert!(said("").contains("no nouns"));
    assert!(said(&DATA[..DATA.len() - 12]).contains("line 8 of data.noun: it has no `|`"));
    let half = DATA.find("00000004 03").expect("there");
    assert!(said(&DATA[..half]).contains("points to `00000004`"));
    assert!(said("00000001 03 v 01 run 0 000 | fast\n").contains("line 1 of data.noun: no noun"));
    assert!(said("<html> | </html>").contains("eight digits"));
    assert!(said("00000001 03 n ffff a 0 | x").contains("fewer words than it says"));
    let broken = WordNet::from_wndb(DATA.as_bytes(), b"wolves\n").unwrap_err();
    assert!(broken.to_string().contains("line 1 of noun.exc: `wolves` has no singular"));
    assert!(broken.hint().contains("wordnet-base"));
    let torn = WordNet::from_lmf(&LMF.as_bytes()[..LMF.len() - 18]).unwrap_err().to_string();
    assert!(torn.contains("it ends before"), "{torn}");
    let bytes = WordNet::from_wndb(b"00000001 \xff", b"").unwrap_err().to_string();
    assert!(bytes.contains("line 1 of data.noun: not UTF-8"));
}

#[test]
#[allow(clippy::print_stderr, reason = "says why nothing was tested")]
fn the_system_s_wordnet_fits_and_is_quick() {
    let folder = std::path::Path::new("/usr/share/wordnet");
    let (Ok(data), Ok(exceptions)) =
        (std::fs::read(folder.join("data.noun")), std::fs::read(folder.join("noun.exc")))
    else {
        eprintln!("skipped: no WordNet of the system (wordnet-base is not installed)");
        return;
    };
    let wordnet = WordNet::from_wndb(&data, &exceptions).expect("the system's files are good");
    assert!(wordnet.synsets() > 80_000 && wordnet.words() > 110_000);
    assert!(wordnet.bytes() < 10 << 20, "{} bytes", wordnet.bytes());
    assert_eq!(wordnet.relation("automobiles", "car"), Relation::Synonym);
    assert_eq!(wordnet.relation("soccer", "sport"), Relation::IsA);
    assert_eq!(wordnet.relation("brims", "vessel"), Relation::PartOf);
    assert_eq!(wordnet.relation("geese", "goose"), Relation::Same);
    assert_eq!(wordnet.relation("painting", "volcano"), Relation::None);
    let start = std::time::Instant::now();
    let known = (0..1_000).filter(|_| wordnet.meaning("football").is_known()).count();
    assert_eq!(known, 1_000);
    // A bound that a busy machine holds, too; one look takes well below a microsecond.
    assert!(start.elapsed().as_millis() < 100, "{:?}", start.elapsed());
}
