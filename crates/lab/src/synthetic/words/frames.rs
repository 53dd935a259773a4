//! How does a page speak around its topic? Titles, turns of phrase, labels and invented names.

/// What a language contributes to every page, whatever its topic.
pub(in crate::synthetic) struct Frame {
    pub(in crate::synthetic) angles: [Angle; 3],
    /// Sentences about `{the}` that fit any subject.
    pub(in crate::synthetic) remarks: &'static [&'static str],
    /// For the `description` of a page.
    pub(in crate::synthetic) description: &'static str,
    /// Before and after a link in the running text.
    pub(in crate::synthetic) pointer: (&'static str, &'static str),
    pub(in crate::synthetic) byline: (&'static str, &'static str),
    pub(in crate::synthetic) months: [&'static str; 12],
    /// Between day, month and year of a date.
    pub(in crate::synthetic) date_glue: &'static str,
    pub(in crate::synthetic) given: &'static [&'static str],
    pub(in crate::synthetic) surname: (&'static [&'static str], &'static [&'static str]),
    pub(in crate::synthetic) town: (&'static [&'static str], &'static [&'static str]),
    pub(in crate::synthetic) labels: Labels,
}

/// From which side an article looks at its subject.
pub(in crate::synthetic) struct Angle {
    pub(in crate::synthetic) title: &'static str,
    pub(in crate::synthetic) intros: [&'static str; 3],
    pub(in crate::synthetic) headings: [&'static str; 3],
}

/// Fixed words of the layout.
pub(in crate::synthetic) struct Labels {
    pub(in crate::synthetic) home: &'static str,
    pub(in crate::synthetic) advice: &'static str,
    pub(in crate::synthetic) related: &'static str,
    pub(in crate::synthetic) translation: &'static str,
    pub(in crate::synthetic) latest: &'static str,
    pub(in crate::synthetic) neighbours: &'static str,
    pub(in crate::synthetic) section_intro: &'static str,
    pub(in crate::synthetic) archive: &'static str,
    pub(in crate::synthetic) footer: &'static str,
    pub(in crate::synthetic) not_found: &'static str,
    pub(in crate::synthetic) failed: &'static str,
}

/// English.
pub(in crate::synthetic) static EN: Frame = Frame {
    angles: [
        Angle {
            title: "{name}: a beginner's guide from {place}",
            intros: [
                "This guide is for people who have never had anything to do with {the} and would like to begin.",
                "Everybody begins somewhere, and with {the} the first step is the easiest.",
                "Here is what we tell visitors in {place} when they ask us about {the}.",
            ],
            headings: ["First things first", "What to look for", "Going further"],
        },
        Angle {
            title: "{name}: notes from {place}, {year}",
            intros: [
                "In {month} {year} we spent a week in {place} and talked with everyone who knows about {the}.",
                "These notes were written in {place} during a long {month}, and they are all about {the}.",
                "{who} invited us to {place} to learn about {the}, and we stayed for {n} days.",
            ],
            headings: ["The first day", "What people told us", "What remains"],
        },
        Angle {
            title: "What {who} knows about {the}",
            intros: [
                "We met {who} in {place} to talk about {the}.",
                "Few people know as much about {the} as {who}, who has lived in {place} since {year}.",
                "Ask for {who} in {place}, and before long the conversation will turn to {the}.",
            ],
            headings: ["How it began", "A closer look", "Advice for others"],
        },
    ],
    remarks: &[
        "People in {place} have talked about {the} for as long as anyone can remember.",
        "It was {who} who first wrote about {the} in the local paper, in {month} {year}.",
        "Whoever wants to understand {the} should begin with the simple things.",
        "A talk about {the} in the town hall of {town} drew {many} listeners.",
        "There are many books about {the}, and {friend} owns {many} of them.",
        "Most questions about {the} have a short answer and a long one.",
        "{friend} came to {place} because of {the} and never left.",
        "Of everything we know about {the}, half was found by accident.",
        "The library of {town} keeps a shelf on {the}, next to the window.",
        "What surprised us most about {the} was how much there is left to learn.",
    ],
    description: "An article about {the}, with advice from {who} in {place}.",
    pointer: ("There is more to read in ", "."),
    byline: ("Published on", "by"),
    months: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    date_glue: " ",
    given: &[
        "Ada", "Alice", "Arthur", "Clara", "Daniel", "Edith", "Frances", "George", "Hannah",
        "Henry", "Ivy", "James", "Laura", "Martin", "Nora", "Oliver", "Ruth", "Samuel", "Thomas",
        "Violet",
    ],
    surname: (
        &["Ash", "Brad", "Cald", "Dun", "Elm", "Fair", "Gran", "Hol", "Kes", "Mar", "Thorn", "Wex"],
        &["by", "combe", "dale", "field", "ley", "mere", "more", "well", "wick", "worth"],
    ),
    town: (
        &[
            "Alder", "Barn", "Crow", "Dray", "Ember", "Fal", "Gorse", "Hather", "Lin", "Merri",
            "Ox", "Stan",
        ],
        &["bridge", "bury", "combe", "ford", "ham", "haven", "mouth", "stead", "ton", "wood"],
    ),
    labels: Labels {
        home: "Home",
        advice: "In short",
        related: "Read also",
        translation: "In Spanish",
        latest: "Lately written",
        neighbours: "Our neighbours",
        section_intro: "All our articles in this section.",
        archive: "From the drawer",
        footer: "An invented site in an invented web. Any likeness to real people or places is chance.",
        not_found: "There is no such page here.",
        failed: "Something is broken here, and it stays broken.",
    },
};

/// Spanish.
pub(in crate::synthetic) static ES: Frame = Frame {
    angles: [
        Angle {
            title: "{name}: guía para principiantes desde {place}",
            intros: [
                "Esta guía es para quienes nunca han tenido nada que ver con {the} y quieren empezar.",
                "Todo el mundo empieza por algún sitio, y con {the} el primer paso es el más fácil.",
                "Esto es lo que contamos en {place} a quienes nos preguntan por {the}.",
            ],
            headings: ["Lo primero", "En qué hay que fijarse", "Para seguir aprendiendo"],
        },
        Angle {
            title: "{name}: apuntes de {place}, {year}",
            intros: [
                "En {month} de {year} pasamos una semana en {place} y hablamos con todos los que saben de {the}.",
                "Estos apuntes se escribieron en {place} durante un largo mes de {month}, y tratan de {the}.",
                "{who} nos invitó a {place} para aprender sobre {the}, y nos quedamos {n} días.",
            ],
            headings: ["El primer día", "Lo que nos contaron", "Lo que queda"],
        },
        Angle {
            title: "Lo que {who} sabe de {the}",
            intros: [
                "Quedamos con {who} en {place} para hablar de {the}.",
                "Pocas personas saben tanto de {the} como {who}, que vive en {place} desde {year}.",
                "Pregunte por {who} en {place}, y la conversación no tardará en llegar a {the}.",
            ],
            headings: ["Cómo empezó", "Una mirada más de cerca", "Consejos para los demás"],
        },
    ],
    remarks: &[
        "En {place} se habla de {the} desde que alguien tiene memoria.",
        "Fue {who} quien escribió por primera vez sobre {the} en el periódico local, en {month} de {year}.",
        "Quien quiera entender {the} debería empezar por lo más sencillo.",
        "Una charla sobre {the} en el ayuntamiento de {town} reunió a {many} personas.",
        "Hay muchos libros sobre {the}, y {friend} tiene {many}.",
        "Casi todas las preguntas sobre {the} tienen una respuesta corta y otra larga.",
        "{friend} llegó a {place} por {the} y ya no se marchó.",
        "De todo lo que sabemos sobre {the}, la mitad se descubrió por casualidad.",
        "La biblioteca de {town} guarda un estante sobre {the}, junto a la ventana.",
        "Lo que más nos sorprendió de {the} fue cuánto queda por aprender.",
    ],
    description: "Un artículo sobre {the}, con consejos de {who} desde {place}.",
    pointer: ("Puede leer más en ", "."),
    byline: ("Publicado el", "por"),
    months: [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    date_glue: " de ",
    given: &[
        "Ana", "Álvaro", "Begoña", "Carlos", "Elena", "Emilio", "Inés", "Íñigo", "Jesús", "Julia",
        "León", "Lucía", "Manuel", "Marta", "Mónica", "Pablo", "Pilar", "Ramón", "Rocío", "Teresa",
    ],
    surname: (
        &["Al", "Bar", "Cas", "Del", "Fer", "Gal", "Her", "Lar", "Mon", "Pal", "Rol", "Ver"],
        &["ares", "báñez", "daño", "deja", "ejo", "meño", "quera", "rueda", "tález", "villa"],
    ),
    town: (
        &[
            "Alba", "Arro", "Campo", "Fuente", "Mira", "Monte", "Nava", "Pedra", "Roble", "Salva",
            "Torre", "Villa",
        ],
        &[
            "ceda", "clara", "heñil", "llano", "luenga", "nares", "quejo", "rejón", "sierra",
            "verde",
        ],
    ),
    labels: Labels {
        home: "Inicio",
        advice: "En resumen",
        related: "Lea también",
        translation: "En inglés",
        latest: "Lo último que hemos escrito",
        neighbours: "Nuestros vecinos",
        section_intro: "Todos nuestros artículos de esta sección.",
        archive: "Del cajón",
        footer: "Un sitio inventado en una web inventada. Cualquier parecido con personas o lugares reales es casualidad.",
        not_found: "Aquí no hay ninguna página con ese nombre.",
        failed: "Aquí hay algo roto, y roto se queda.",
    },
};
