use super::prose::SmallWords;
use super::sentences::{Marks, Sentences, sentences};
use super::shares;
use lycosa_model::{Lang, LangShare};
use proptest::prelude::*;

const ENGLISH: [&str; 6] = [
    "The river rises in the northern hills and runs for two hundred miles before it meets the sea.",
    "Its valley was settled early, and the first mills were built where the water falls over the rocks.",
    "Farmers bring their cattle down to the meadows in spring, when the grass is long and the days are mild.",
    "A narrow road follows the left bank, crossing three bridges that were rebuilt after the great flood.",
    "Visitors who walk the whole way should allow at least nine days and carry enough food for the last two.",
    "At the mouth of the river there is a small harbour with a lighthouse, a chapel and a dozen houses.",
];
const SPANISH: [&str; 4] = [
    "El pueblo celebra cada verano una fiesta en honor de su patrona con música y bailes en la plaza.",
    "Los pescadores salen al mar antes del amanecer y vuelven cuando el sol ya está muy alto.",
    "La biblioteca municipal abre todos los días menos los domingos y los días de fiesta.",
    "Muchos vecinos recuerdan todavía la gran inundación que destruyó los tres puentes del valle.",
];

fn codes(shares: &[LangShare]) -> Vec<String> {
    shares.iter().map(|share| share.lang.to_string()).collect()
}

#[test]
fn a_page_in_one_language_has_one_language() {
    assert_eq!(codes(&shares(&ENGLISH.join("\n"), None)), ["en"]);
    assert_eq!(codes(&shares(&SPANISH.join(" "), None)), ["es"]);
}

#[test]
fn one_spanish_sentence_in_an_english_page_is_found() {
    for (number, sentence) in SPANISH.iter().enumerate() {
        let mut page: Vec<&str> = ENGLISH.to_vec();
        page.insert(number + 1, sentence);
        let found = shares(&page.join(" "), Some(Lang::EN));
        assert_eq!(codes(&found), ["en", "es"], "{sentence}");
        assert!(found[0].share > 0.7 && found[1].share > 0.05, "{found:?}");
    }
}

#[test]
fn names_and_labels_are_no_proof_of_a_language() {
    let labels = "San Francisco Los Angeles\nEl Dorado Santa Fe Sierra Nevada\nMenu Total Final\n";
    let page = format!("{labels}{}", ENGLISH.join("\n"));
    assert_eq!(codes(&shares(&page, None)), ["en"]);
}

#[test]
fn the_script_decides_where_it_can() {
    for (text, code) in [
        (
            "Το ποτάμι πηγάζει στα βόρεια βουνά και χύνεται στη θάλασσα μετά από διακόσια μίλια.",
            "el",
        ),
        (
            "Река берёт начало в северных горах и течёт двести миль, прежде чем впадает в море.",
            "ru",
        ),
        ("Річка бере початок у північних горах і тече двісті миль, перш ніж впадає в море.", "uk"),
        (
            "この川は北の山々に源を発し、二百マイルを流れて海に注ぎます。谷には古くから人が住んでいました。",
            "ja",
        ),
        ("这条河发源于北方的群山，流经二百英里后注入大海，河谷很早就有人居住。", "zh"),
        ("이 강은 북쪽 산에서 시작하여 이백 마일을 흐른 뒤 바다로 들어갑니다.", "ko"),
        ("הנהר מתחיל בהרים הצפוניים וזורם מאתיים מייל לפני שהוא נשפך אל הים.", "he"),
    ] {
        assert_eq!(codes(&shares(text, None)), [code], "{text}");
    }
}

#[test]
fn languages_beyond_the_sixteen_are_found() {
    let polish = "Rzeka ma swoje źródła w północnych górach i płynie dwieście mil, zanim wpadnie do morza. \
        Jej dolina została wcześnie zasiedlona, a pierwsze młyny zbudowano tam, gdzie woda spada ze skał. \
        Wąska droga biegnie wzdłuż lewego brzegu i przecina trzy mosty odbudowane po wielkiej powodzi.";
    assert_eq!(codes(&shares(polish, Lang::parse("pl"))), ["pl"]);
    assert_eq!(codes(&shares(polish, None)), ["pl"]);
}

const CATALAN: [&str; 4] = [
    "Avui hem anat amb els amics a veure la festa del poble, però no hi havia gairebé ningú.",
    "El carrer que porta al mercat és molt estret i els cotxes no hi poden passar.",
    "El dia que el Joan va veure el mar des del terrat, també va veure el port.",
    "Quan vam arribar, els meus pares ja eren a casa i feia una estona que ens esperaven.",
];

#[test]
fn a_page_in_catalan_has_no_spanish_but_where_it_quotes_some() {
    let page = CATALAN.join("\n");
    let frame = format!("{page}\nGenerado con una herramienta, con el tema claro");
    for claimed in [None, Some(Lang::ES)] {
        assert_eq!(codes(&shares(&page, claimed)), ["ca"]);
        assert_eq!(codes(&shares(&frame, claimed)), ["ca"], "a line of the frame");
    }
    let quote = format!("{page}\n{}", SPANISH[1]);
    assert_eq!(codes(&shares(&quote, None)), ["ca", "es"]);
}

#[test]
fn programs_and_addresses_are_no_prose() {
    for line in [
        "X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y)",
        "such as tan x = sin x/cos x, cot x = cos x/sin x, cosec x = 1/sin x, and sin x by itself",
        "dibuja_al_actor, orden_de_tecla, sale_del_modo, mueve_el_cursor, cierra_la_ventana",
        "https://news.example/noticias/el-costo-de-los-viajes-a-la-luna-en-los-tiempos-de-la-paz",
    ] {
        let page = format!("{}\n{line}\n{line} 2\n", ENGLISH.join("\n"));
        assert_eq!(codes(&shares(&page, None)), ["en"], "{line}");
    }
}

#[test]
fn a_text_too_short_to_tell_is_in_the_language_that_it_claims() {
    for text in ["Gamma Function Algorithm", "Alberto Conde, Portus Apostoli", "Final Radar Total"]
    {
        assert!(shares(text, None).is_empty(), "{text}");
        assert_eq!(codes(&shares(text, Some(Lang::EN))), ["en"], "{text}");
    }
    assert!(shares("A gift from van der Berg", None).is_empty(), "as much English as Dutch");
    assert_eq!(codes(&shares("Finding the roots of a polynomial", Some(Lang::ES))), ["en"]);
}

#[test]
fn a_claim_decides_only_when_there_is_nothing_to_ask() {
    assert_eq!(codes(&shares("Hola", Some(Lang::ES))), ["es"]);
    assert_eq!(codes(&shares(&ENGLISH.join(" "), Some(Lang::ES))), ["en"]);
    assert!(shares("", Some(Lang::ES)).is_empty());
    assert!(shares("123 456", None).is_empty());
}

#[test]
fn shares_add_up_to_no_more_than_the_whole() {
    let page = [ENGLISH.join(" "), SPANISH.join(" ")].join("\n");
    let found = shares(&page, None);
    assert_eq!(codes(&found), ["en", "es"]);
    assert!((found.iter().map(|share| share.share).sum::<f32>() - 1.0).abs() < 0.01);
}

#[test]
fn tables_and_plant_names_are_no_proof_of_a_language() {
    for line in [
        "Durio zibethinus, Durio dulcis, Durio grandiflorus, Durio graveolens and Durio testudinarum",
        "open (6) hana 6-3, 6-1 1983 french open (5) mima 6-1, 6-2 1984 australian open (2) helena",
        "saxophone – trumpet – trombone – clarinet – piano – guitar – double bass – drums – vocals",
    ] {
        let page = format!("{line}\n{}", ENGLISH.join("\n"));
        assert_eq!(codes(&shares(&page, None)), ["en"], "{line}");
    }
}

#[test]
fn english_with_words_that_other_languages_have_too_is_plain() {
    let plain =
        |text: &str| SmallWords::of(text, 0..text.len(), &Marks::of(text).letters, false).plain();
    assert_eq!(plain("I do not know what it was that they had over there, so ask"), Some(Lang::EN));
    assert_eq!(plain("los perros y las calles del barrio, donde hay muy pocos"), Some(Lang::ES));
    assert_eq!(plain("the dog that was there, los perros y las calles"), None);
}

proptest! {
    #[test]
    fn sentences_of_ascii_end_where_those_of_any_text_do(text in "[ab \t\n.!:\"')]{0,160}") {
        let marks = Marks::of(&text);
        let quick: Vec<&str> = sentences(&text, &marks).map(|places| &text[places]).collect();
        let mut slow = Vec::new();
        for line in text.split('\n').map(str::trim) {
            let any = Sentences { text: line, marks: &marks, from: 0, to: line.len(), is_ascii: false };
            slow.extend(any.map(|places| &line[places]));
        }
        prop_assert_eq!(quick, slow);
    }

    #[test]
    fn small_words_are_counted_wherever_they_stand(
        words in proptest::collection::vec("(the|los|de|y|naïve|zzzzzzzzzz|door|[a-c]{1,3})", 0..60),
        before in "[ ,]{0,70}",
    ) {
        let sentence = words.join(", ");
        let text = format!("{before}{sentence} x");
        let part = before.len()..before.len() + sentence.len();
        let is_beyond = !text.is_ascii();
        let found = SmallWords::of(&text, part, &Marks::of(&text).letters, is_beyond);
        let mut expected = SmallWords::default();
        for word in &words {
            let letters = Marks::of(word).letters;
            expected.join(&SmallWords::of(word, 0..word.len(), &letters, !word.is_ascii()));
        }
        prop_assert_eq!(found, expected);
    }
}
