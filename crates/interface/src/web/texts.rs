//! What do the pages say by themselves?
//!
//! One struct, one value per language: a text that is missing in a language does not compile. Templates
//! hold no words of their own (a test sees to it). Sentences with numbers in them are functions, because
//! languages count differently.

use super::guard::{self, GuardTexts};
use super::hunts::{self, HuntTexts};
use super::search::{self, SiteTexts};
use super::ui::Ui;
use super::watches::{self, WatchTexts};
use lycosa_model::QueryNote;

/// Everything the pages say in one language.
pub(super) struct Texts {
    pub(super) skip: &'static str,
    pub(super) tagline: &'static str,
    pub(super) search: &'static str,
    pub(super) search_label: &'static str,
    pub(super) search_placeholder: &'static str,
    pub(super) page_language: &'static str,
    pub(super) about: &'static str,
    pub(super) home_link: &'static str,
    pub(super) facts_label: &'static str,
    pub(super) documents: fn(u64) -> String,
    pub(super) index_empty: &'static str,
    pub(super) crawling: fn(u64, u64) -> String,
    pub(super) crawl_rate: fn(f64, &str) -> String,
    pub(super) crawled: fn(u64) -> String,
    pub(super) results_title: fn(&str) -> String,
    pub(super) results_heading: &'static str,
    pub(super) found: fn(u64, f64) -> String,
    pub(super) on_page: fn(usize) -> String,
    pub(super) filters_label: &'static str,
    pub(super) language_label: &'static str,
    pub(super) site_label: &'static str,
    pub(super) any_language: &'static str,
    pub(super) any_site: &'static str,
    pub(super) found_by: &'static str,
    pub(super) fetched: &'static str,
    pub(super) dated: &'static str,
    pub(super) more_from_site: fn(u64) -> String,
    pub(super) why: &'static str,
    pub(super) year_label: &'static str,
    pub(super) complete: fn(u64) -> String,
    pub(super) query_note: fn(QueryNote) -> &'static str,
    pub(super) also_at: fn(usize) -> String,
    pub(super) and_more: fn(usize) -> String,
    pub(super) did_you_mean: &'static str,
    pub(super) nothing_title: fn(&str) -> String,
    pub(super) nothing_help: [&'static str; 3],
    pub(super) nothing_crawl: &'static str,
    pub(super) drop_filters: &'static str,
    pub(super) past_end: &'static str,
    pub(super) first_page: &'static str,
    pub(super) pages_label: &'static str,
    pub(super) previous: &'static str,
    pub(super) next: &'static str,
    pub(super) ask_something: &'static str,
    pub(super) query_cut: fn(usize) -> String,
    pub(super) no_such_language: &'static str,
    pub(super) no_such_site: &'static str,
    pub(super) unavailable_title: &'static str,
    pub(super) index_broken: &'static str,
    pub(super) query_failed: &'static str,
    pub(super) query_slow: &'static str,
    pub(super) query_gone: &'static str,
    pub(super) try_again: &'static str,
    pub(super) not_found_title: &'static str,
    pub(super) not_found: &'static str,
    pub(super) wrong_method_title: &'static str,
    pub(super) wrong_method: &'static str,
    pub(super) broken_page: &'static str,
    pub(super) about_title: &'static str,
    pub(super) about_what: &'static str,
    pub(super) about_index: &'static str,
    pub(super) agent_title: &'static str,
    pub(super) agent_intro: &'static str,
    pub(super) agent_manners: &'static str,
    pub(super) block_title: &'static str,
    pub(super) block_intro: &'static str,
    pub(super) block_part: &'static str,
    pub(super) block_page: &'static str,
    pub(super) contact_title: &'static str,
    pub(super) contact_intro: &'static str,
    pub(super) contact_none: &'static str,
    pub(super) api_title: &'static str,
    pub(super) api_intro: &'static str,
    pub(super) cached: &'static str,
    pub(super) cached_note: &'static str,
    pub(super) cached_none: &'static str,
    pub(super) theme_label: &'static str,
    pub(super) no_more_mail: &'static str,
    pub(super) no_more_mail_button: &'static str,
    /// Light, dark, as the system has it.
    pub(super) themes: [&'static str; 3],
    pub(super) keys_title: &'static str,
    pub(super) keys: [(&'static str, &'static str); 7],
    pub(super) close: &'static str,
    pub(super) guard: GuardTexts,
    pub(super) hunt: HuntTexts,
    pub(super) sites: SiteTexts,
    pub(super) watch: WatchTexts,
    /// Months as dates show them, January first.
    pub(super) months: [&'static str; 12],
    /// A date from day, month and year.
    pub(super) date: fn(i8, &str, i16) -> String,
}

/// English.
pub(super) const EN: Texts = Texts {
    skip: "Skip to content",
    tagline: "Hunts the web politely. Search what it caught.",
    search: "Search",
    search_label: "Words to search for",
    search_placeholder: "Search the crawled web",
    page_language: "Language of this page",
    about: "About",
    home_link: "home page",
    facts_label: "The index and the crawl",
    documents: |n| match n {
        1 => "1 page in the index".into(),
        n => format!("{} pages in the index", Ui::En.count(n)),
    },
    index_empty: "The index is empty. Fill it with:",
    crawling: |pages, queued| {
        format!("A crawl is running: {} fetched, {} waiting", en_pages(pages), Ui::En.count(queued))
    },
    crawl_rate: |rate, strategy| format!("{strategy}, {} pages a second", Ui::En.measure(rate)),
    crawled: |pages| format!("The crawl has finished: {} fetched", en_pages(pages)),
    results_title: |query| format!("{query} – search"),
    results_heading: "Results",
    found: |total, ms| match total {
        1 => format!("1 page in {} ms", Ui::En.measure(ms)),
        n => format!("{} pages in {} ms", Ui::En.count(n), Ui::En.measure(ms)),
    },
    on_page: |page| format!("page {page}"),
    filters_label: "Narrow the search",
    language_label: "Language",
    site_label: "Site",
    any_language: "Any",
    any_site: "All sites",
    found_by: "found by",
    fetched: "fetched",
    dated: "dated",
    more_from_site: |n| match n {
        0 => "More from this site".into(),
        n => format!("{} more from this site", Ui::En.count(n)),
    },
    why: "Why this result",
    year_label: "Year",
    complete: |n| match n {
        0 => "none with every word".into(),
        n => format!("{} with every word", Ui::En.count(n)),
    },
    query_note: |note| match note {
        QueryNote::OpenQuote => "The open quote was closed at the end.",
        QueryNote::OpenParenthesis => "The open parenthesis was closed at the end.",
        QueryNote::StrayParenthesis => "A closing parenthesis without an opening one was left out.",
        QueryNote::StrayOr => "An OR without something on both sides was left out.",
        QueryNote::TooDeep => "Parentheses inside so many others were left out.",
        QueryNote::NoSite => "What follows site: is no site; it was searched as words.",
        QueryNote::NoLanguage => {
            "What follows lang: is no language code; it was searched as words."
        }
        QueryNote::NoDate => {
            "A date is written as 2024, 2024-05 or 2024-05-17; what was there was searched as words."
        }
        QueryNote::Prose => "A question this long is read as prose: quotes and signs do not count.",
        QueryNote::Cut => "The query is too long and was cut.",
        QueryNote::TooManyWords => "The query has too many words; the last ones were left out.",
        QueryNote::TooManyFilters => "The query has too many filters; the last ones were left out.",
        QueryNote::SitesLeftOut => {
            "Some of what was to be raised, lowered or blocked is no site, or one too many; it was left out."
        }
    },
    also_at: |n| match n {
        1 => "The same text at 1 other address".into(),
        n => format!("The same text at {n} other addresses"),
    },
    and_more: |n| format!("and {} more", Ui::En.count(n as u64)),
    did_you_mean: "Did you mean",
    nothing_title: |query| format!("Nothing found for “{query}”"),
    nothing_help: [
        "Check the spelling.",
        "Try fewer words, or more general ones.",
        "Try another language: the index holds pages as they were written.",
    ],
    nothing_crawl: "Only pages that were crawled can be found. To add a site:",
    drop_filters: "Search again in all languages and sites",
    past_end: "There are no more results on this page.",
    first_page: "Back to the first page",
    pages_label: "Pages of results",
    previous: "Previous",
    next: "Next",
    ask_something: "Type a few words to begin.",
    query_cut: |limit| format!("Your query was long; its first {limit} characters were used."),
    no_such_language: "The language in the address is not known, so all languages were searched.",
    no_such_site: "The site in the address is not a host name, so all sites were searched.",
    unavailable_title: "No answer right now",
    index_broken: "The index cannot be read at the moment.",
    query_failed: "The search failed, and so did a second try.",
    query_slow: "The search took too long and was given up.",
    query_gone: "The search is shutting down.",
    try_again: "Try again",
    not_found_title: "No such page",
    not_found: "There is nothing at this address. The search is on the",
    wrong_method_title: "Not like this",
    wrong_method: "This address can only be read (GET).",
    broken_page: "This page could not be written.",
    about_title: "About this search engine",
    about_what: "Lycosa is a web crawler and search engine made of agents. Bots fetch pages, a broker decides \
                 what comes next, filters read what was fetched, an indexer files it, and query agents \
                 answer you. Lycosa is the genus of the wolf spider, which hunts instead of waiting.",
    about_index: "The index holds only what this installation has crawled. Nothing you type here leaves it, \
                  and no script runs but our own files. Cookies hold the colours and the sites that you chose, and tell \
                  the server that its own pages ask.",
    agent_title: "Our crawler",
    agent_intro: "It introduces itself on every request:",
    agent_manners: "It reads robots.txt first and keeps to it, also to Crawl-delay; it asks a site for one \
                    page at a time, with a pause in between; it stays away from sites that answer with \
                    errors, and honours Retry-After.",
    block_title: "How to keep it out",
    block_intro: "Put this into the robots.txt of your site:",
    block_part: "To close only a part of it:",
    block_page: "A single page can ask not to be indexed, or not to have its links followed:",
    contact_title: "Contact",
    contact_intro: "Whoever runs this crawler can be reached at:",
    contact_none: "The operator of this installation has given no address.",
    api_title: "For programs",
    api_intro: "The same search as JSON, with limit, offset, lang, site, raise, lower, block and explain as further parameters:",
    cached: "Kept text",
    cached_note: "This is the text of the page as it was read:",
    cached_none: "Nothing is kept of this page.",
    theme_label: "Colours",
    no_more_mail: "No more mail of this watch?",
    no_more_mail_button: "No more mail",
    themes: ["Light", "Dark", "Automatic"],
    keys_title: "Keys",
    keys: [
        ("/", "to the search box"),
        ("↓ ↑", "in it: through the suggestions"),
        ("j k", "to the next and the previous result"),
        ("o", "opens the result"),
        ("n p", "turns to the next and the previous page"),
        ("?", "shows and hides these keys"),
        ("+ − ← →", "on the map: nearer, farther, and around"),
    ],
    close: "Close",
    guard: guard::EN,
    hunt: hunts::EN,
    sites: search::EN,
    watch: watches::EN,
    months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    date: |day, month, year| format!("{day} {month} {year}"),
};

/// Spanish.
pub(super) const ES: Texts = Texts {
    skip: "Saltar al contenido",
    tagline: "Caza en la web con cortesía. Busca entre lo que atrapó.",
    search: "Buscar",
    search_label: "Palabras que buscar",
    search_placeholder: "Busca en la web rastreada",
    page_language: "Idioma de esta página",
    about: "Acerca de",
    home_link: "página de inicio",
    facts_label: "El índice y el rastreo",
    documents: |n| match n {
        1 => "1 página en el índice".into(),
        n => format!("{} páginas en el índice", Ui::Es.count(n)),
    },
    index_empty: "El índice está vacío. Llénalo con:",
    crawling: |pages, queued| {
        format!("Hay un rastreo en marcha: {}, {} en espera", es_pages(pages), Ui::Es.count(queued))
    },
    crawl_rate: |rate, strategy| {
        format!("{strategy}, {} páginas por segundo", Ui::Es.measure(rate))
    },
    crawled: |pages| format!("El rastreo ha terminado: {}", es_pages(pages)),
    results_title: |query| format!("{query} – búsqueda"),
    results_heading: "Resultados",
    found: |total, ms| match total {
        1 => format!("1 página en {} ms", Ui::Es.measure(ms)),
        n => format!("{} páginas en {} ms", Ui::Es.count(n), Ui::Es.measure(ms)),
    },
    on_page: |page| format!("hoja {page}"),
    filters_label: "Acotar la búsqueda",
    language_label: "Idioma",
    site_label: "Sitio",
    any_language: "Todos",
    any_site: "Todos los sitios",
    found_by: "hallada por",
    fetched: "descargada",
    dated: "fechada",
    more_from_site: |n| match n {
        0 => "Más de este sitio".into(),
        n => format!("{} más de este sitio", Ui::Es.count(n)),
    },
    why: "Por qué este resultado",
    year_label: "Año",
    complete: |n| match n {
        0 => "ninguna con todas las palabras".into(),
        n => format!("{} con todas las palabras", Ui::Es.count(n)),
    },
    query_note: |note| match note {
        QueryNote::OpenQuote => "Las comillas abiertas se cerraron al final.",
        QueryNote::OpenParenthesis => "El paréntesis abierto se cerró al final.",
        QueryNote::StrayParenthesis => "Se omitió un paréntesis de cierre sin apertura.",
        QueryNote::StrayOr => "Se omitió un OR sin algo a ambos lados.",
        QueryNote::TooDeep => "Se omitieron paréntesis dentro de demasiados otros.",
        QueryNote::NoSite => "Lo que sigue a site: no es un sitio; se buscó como palabras.",
        QueryNote::NoLanguage => {
            "Lo que sigue a lang: no es un código de idioma; se buscó como palabras."
        }
        QueryNote::NoDate => {
            "Una fecha se escribe 2024, 2024-05 o 2024-05-17; lo que había se buscó como palabras."
        }
        QueryNote::Prose => {
            "Una pregunta tan larga se lee como prosa: comillas y signos no cuentan."
        }
        QueryNote::Cut => "La consulta es demasiado larga y se cortó.",
        QueryNote::TooManyWords => {
            "La consulta tiene demasiadas palabras; se omitieron las últimas."
        }
        QueryNote::TooManyFilters => {
            "La consulta tiene demasiados filtros; se omitieron los últimos."
        }
        QueryNote::SitesLeftOut => {
            "Algo de lo que había que subir, bajar o bloquear no es un sitio, o sobra; se omitió."
        }
    },
    also_at: |n| match n {
        1 => "El mismo texto en otra dirección".into(),
        n => format!("El mismo texto en otras {n} direcciones"),
    },
    and_more: |n| format!("y {} más", Ui::Es.count(n as u64)),
    did_you_mean: "Quizá quisiste decir",
    nothing_title: |query| format!("No se encontró nada para «{query}»"),
    nothing_help: [
        "Revisa la ortografía.",
        "Prueba con menos palabras, o con otras más generales.",
        "Prueba en otro idioma: el índice guarda las páginas tal como se escribieron.",
    ],
    nothing_crawl: "Solo se encuentran las páginas rastreadas. Para añadir un sitio:",
    drop_filters: "Buscar de nuevo en todos los idiomas y sitios",
    past_end: "No hay más resultados en esta hoja.",
    first_page: "Volver a la primera hoja",
    pages_label: "Hojas de resultados",
    previous: "Anterior",
    next: "Siguiente",
    ask_something: "Escribe unas palabras para empezar.",
    query_cut: |limit| format!("La consulta era larga; se usaron sus primeros {limit} caracteres."),
    no_such_language: "El idioma de la dirección no se conoce; se buscó en todos.",
    no_such_site: "El sitio de la dirección no es un nombre de servidor; se buscó en todos.",
    unavailable_title: "Sin respuesta por ahora",
    index_broken: "El índice no se puede leer en este momento.",
    query_failed: "La búsqueda falló, y el segundo intento también.",
    query_slow: "La búsqueda tardó demasiado y se abandonó.",
    query_gone: "El buscador se está cerrando.",
    try_again: "Intentar de nuevo",
    not_found_title: "Esa página no existe",
    not_found: "No hay nada en esta dirección. El buscador está en la",
    wrong_method_title: "Así no",
    wrong_method: "Esta dirección solo se puede leer (GET).",
    broken_page: "No se pudo escribir esta página.",
    about_title: "Acerca de este buscador",
    about_what: "Lycosa es un rastreador y buscador web hecho de agentes. Los bots descargan páginas, un \
                 intermediario decide qué sigue, los filtros leen lo descargado, un indexador lo archiva y los \
                 agentes de consulta te responden. Lycosa es el género de la araña lobo, que caza en vez de \
                 esperar.",
    about_index: "El índice contiene solo lo que esta instalación ha rastreado. Nada de lo que escribas aquí \
                  sale de ella y solo se ejecutan nuestros propios scripts. Las cookies guardan los colores y los sitios \
                  que elegiste, y dicen al servidor que preguntan sus propias páginas.",
    agent_title: "Nuestro rastreador",
    agent_intro: "Se presenta en cada petición:",
    agent_manners: "Antes de nada lee robots.txt y lo respeta, también Crawl-delay; pide a cada sitio una sola \
                    página a la vez, con una pausa entre una y otra; se aparta de los sitios que responden con \
                    errores y obedece Retry-After.",
    block_title: "Cómo impedirle el paso",
    block_intro: "Pon esto en el robots.txt de tu sitio:",
    block_part: "Para cerrar solo una parte:",
    block_page: "Una página suelta puede pedir que no se indexe, o que no se sigan sus enlaces:",
    contact_title: "Contacto",
    contact_intro: "A quien opera este rastreador se le puede escribir a:",
    contact_none: "El operador de esta instalación no ha dado ninguna dirección.",
    api_title: "Para programas",
    api_intro: "La misma búsqueda en JSON, con limit, offset, lang, site, raise, lower, block y explain como otros parámetros:",
    cached: "Texto guardado",
    cached_note: "Este es el texto de la página tal como se leyó:",
    cached_none: "De esta página no se guarda nada.",
    theme_label: "Colores",
    no_more_mail: "¿No más correo de esta vigilancia?",
    no_more_mail_button: "No más correo",
    themes: ["Claro", "Oscuro", "Automático"],
    keys_title: "Teclas",
    keys: [
        ("/", "a la caja de búsqueda"),
        ("↓ ↑", "en ella: por las sugerencias"),
        ("j k", "al resultado siguiente y al anterior"),
        ("o", "abre el resultado"),
        ("n p", "a la hoja siguiente y a la anterior"),
        ("?", "muestra y oculta estas teclas"),
        ("+ − ← →", "en el mapa: más cerca, más lejos y alrededor"),
    ],
    close: "Cerrar",
    guard: guard::ES,
    hunt: hunts::ES,
    sites: search::ES,
    watch: watches::ES,
    months: ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"],
    date: |day, month, year| format!("{day} {month} {year}"),
};

fn en_pages(n: u64) -> String {
    match n {
        1 => "1 page".into(),
        n => format!("{} pages", Ui::En.count(n)),
    }
}

fn es_pages(n: u64) -> String {
    match n {
        1 => "1 página descargada".into(),
        n => format!("{} páginas descargadas", Ui::Es.count(n)),
    }
}
