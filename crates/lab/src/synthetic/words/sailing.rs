//! What is written about sailing?

use super::{Edition, Topic, section, subject};

pub(super) const SAILING: Topic = Topic {
    en: Edition {
        host: "sailing",
        title: "Before the Wind",
        tagline: "Small boats, honest weather, long evenings",
        keywords: "sailing, boats, wind, harbour, sea",
        sections: [
            section("boats", "Boats"),
            section("seamanship", "Seamanship"),
            section("weather", "Weather and water"),
            section("voyages", "Voyages"),
        ],
        subjects: [
            subject(
                "dinghies",
                "Dinghies",
                "sailing dinghies",
                [
                    "A dinghy has no keel but a centreboard, and the crew keeps it upright by leaning out.",
                    "Everything that a big sailing boat does slowly, a dinghy does at once.",
                    "The sailing school of {place} owns {many} dinghies, and most of them float.",
                ],
            ),
            subject(
                "catamarans",
                "Catamarans",
                "catamarans",
                [
                    "A catamaran has two hulls, little draught and a great deal of speed.",
                    "A catamaran hardly heels, so coffee stays in the cup.",
                    "{who} crossed the bay of {place} in a catamaran in {many} minutes.",
                ],
            ),
            subject(
                "wooden-yachts",
                "Wooden yachts",
                "wooden yachts",
                [
                    "A wooden yacht wants varnish in spring, salt water in summer and a dry shed in winter.",
                    "The planks of a wooden boat swell in the water and close the seams.",
                    "The yacht that {who} restored in {place} was launched in {year} and has leaked a little ever since.",
                ],
            ),
            subject(
                "knots",
                "Knots",
                "sailor's knots",
                [
                    "The bowline makes a loop that holds under load and opens easily afterwards.",
                    "A sailor who knows the bowline, the clove hitch and the figure of eight can moor anywhere.",
                    "{who} ties {n} different knots with gloves on and without looking.",
                ],
            ),
            subject(
                "anchoring",
                "Anchoring",
                "anchoring",
                [
                    "To anchor well, let out chain at least five times the depth of the water and reverse until it holds.",
                    "Sand and mud hold an anchor; rock and weed do not.",
                    "In the cove near {place} an anchor found {n} metres of sand and a very quiet night.",
                ],
            ),
            subject(
                "navigation",
                "Navigation",
                "navigation",
                [
                    "Navigation is knowing where you are, where you were an hour ago and why that is not the same.",
                    "A paper chart, a compass and a pencil still work when the batteries are empty.",
                    "{who} found the lighthouse of {place} with a sextant, {n} miles from where it should have been.",
                ],
            ),
            subject(
                "wind",
                "The wind",
                "the wind",
                [
                    "The sea breeze begins before noon, when the land grows warmer than the water.",
                    "No boat sails straight into the wind; it tacks to and fro at an angle.",
                    "At the pier of {place} the wind blew at {many} knots and took {n} hats.",
                ],
            ),
            subject(
                "tides",
                "Tides",
                "the tides",
                [
                    "The tide rises and falls twice a day, and the Moon has more to say about it than the Sun.",
                    "At spring tide the stream in a narrow channel is faster than a small sailing boat.",
                    "In the harbour of {place} the tide leaves {many} boats lying on the mud.",
                ],
            ),
            subject(
                "storms-at-sea",
                "Storms at sea",
                "storms at sea",
                [
                    "In a storm, reef early, clip on and stay away from the coast.",
                    "The waves go on long after the storm has passed.",
                    "The gale of {year} kept {who} and {friend} awake for {n} nights off {place}.",
                ],
            ),
            subject(
                "regattas",
                "Regattas",
                "regattas",
                [
                    "A regatta is often won at the start, by the boat with clear wind.",
                    "At the mark the inside boat has the right of way, and everybody shouts it.",
                    "The regatta of {place} has been sailed since {year} for a silver teapot.",
                ],
            ),
            subject(
                "ocean-crossings",
                "Ocean crossings",
                "crossing the ocean",
                [
                    "To cross the ocean under sail, follow the trade winds and carry more water than you think.",
                    "After two weeks at sea the crew talks mostly about fresh bread.",
                    "{who} crossed the ocean from {place} in {many} days with a broken radio.",
                ],
            ),
            subject(
                "harbours",
                "Harbours",
                "harbours",
                [
                    "A good harbour has shelter from three sides, a baker and an honest depth on the chart.",
                    "Enter a strange harbour slowly and by daylight.",
                    "The harbour master of {place} notes every boat in a book that begins in {year}.",
                ],
            ),
        ],
        asides: &[
            "The weather forecast promised sun, and {who} packed oilskins.",
            "One hand for yourself and one for the boat, they say in {place}.",
            "The crew found {thing} under the bunk after {n} days of searching.",
            "On the water, patience is quicker than force.",
            "{who} and {friend} shared the night watch and the last of the biscuits.",
            "A tidy deck is a safe deck.",
            "At sunset the sails were down and {place} was in sight.",
            "With {thing} most things on a boat can be repaired until the next port.",
        ],
        tips: &[
            "Look at the sky before you look at the phone.",
            "Wear a life jacket that fits.",
            "Tell someone ashore when you expect to be back.",
            "Check the depth {n} times before you anchor.",
            "Keep a knife where you can reach it.",
            "Reef when you first think of it.",
            "Coil every rope as if you needed it in the dark.",
        ],
        things: &[
            "a roll of tape",
            "an old compass",
            "a spare shackle",
            "a paper chart",
            "a length of rope",
            "a tin of biscuits",
        ],
        table: (
            "Days at sea",
            ["Port", "Year", "Miles sailed"],
            ["{elsewhere}", "{past}", "{many}0"],
        ),
    },
    es: Edition {
        host: "vela",
        title: "Viento en popa",
        tagline: "Barcos pequeños, tiempo honesto, tardes largas",
        keywords: "vela, barcos, viento, puerto, mar",
        sections: [
            section("barcos", "Barcos"),
            section("marineria", "Marinería"),
            section("tiempo", "Tiempo y mar"),
            section("viajes", "Viajes"),
        ],
        subjects: [
            subject(
                "vela-ligera",
                "Vela ligera",
                "la vela ligera",
                [
                    "Un barco de vela ligera no tiene quilla sino orza, y la tripulación lo mantiene derecho colgándose hacia fuera.",
                    "Todo lo que un velero grande hace despacio, uno pequeño lo hace al instante.",
                    "La escuela de vela de {place} tiene {many} barcos, y casi todos flotan.",
                ],
            ),
            subject(
                "catamaranes",
                "Catamaranes",
                "los catamaranes",
                [
                    "Un catamarán tiene dos cascos, poco calado y mucha velocidad.",
                    "El catamarán apenas escora, así que el café no se sale de la taza.",
                    "{who} cruzó la bahía de {place} en catamarán en {many} minutos.",
                ],
            ),
            subject(
                "veleros-de-madera",
                "Veleros de madera",
                "los veleros de madera",
                [
                    "Un velero de madera pide barniz en primavera, agua salada en verano y un techo seco en invierno.",
                    "Las tablas de un barco de madera se hinchan en el agua y cierran las juntas.",
                    "El velero que {who} restauró en {place} se botó en {year} y desde entonces hace un poco de agua.",
                ],
            ),
            subject(
                "nudos",
                "Nudos",
                "los nudos marineros",
                [
                    "El as de guía forma un lazo que aguanta la carga y después se abre con facilidad.",
                    "Quien sabe el as de guía, el ballestrinque y el nudo en ocho puede amarrar en cualquier sitio.",
                    "{who} hace {n} nudos distintos con guantes y sin mirar.",
                ],
            ),
            subject(
                "fondeo",
                "El fondeo",
                "el fondeo",
                [
                    "Para fondear bien hay que largar cadena, al menos cinco veces la profundidad, y dar atrás hasta que agarre.",
                    "La arena y el fango sujetan el ancla; la roca y las algas no.",
                    "En la cala de {place} el ancla encontró {n} metros de arena y una noche muy tranquila.",
                ],
            ),
            subject(
                "navegacion",
                "Navegación",
                "la navegación",
                [
                    "Navegar es saber dónde se está, dónde se estaba hace una hora y por qué no es lo mismo.",
                    "Una carta de papel, un compás y un lápiz funcionan también cuando se acaban las baterías.",
                    "{who} encontró el faro de {place} con un sextante, a {n} millas de donde debía estar.",
                ],
            ),
            subject(
                "viento",
                "El viento",
                "el viento",
                [
                    "La brisa de mar empieza antes del mediodía, cuando la tierra se calienta más que el agua.",
                    "Ningún barco navega directo contra el viento; avanza dando bordadas.",
                    "En el muelle de {place} el viento sopló a {many} nudos y se llevó {n} sombreros.",
                ],
            ),
            subject(
                "mareas",
                "Mareas",
                "las mareas",
                [
                    "La marea sube y baja dos veces al día, y la Luna manda en ella más que el Sol.",
                    "Con marea viva la corriente de un canal estrecho es más rápida que un velero pequeño.",
                    "En el puerto de {place} la marea deja {many} barcos tumbados en el fango.",
                ],
            ),
            subject(
                "temporales",
                "Temporales",
                "los temporales",
                [
                    "En un temporal hay que tomar rizos pronto, engancharse y alejarse de la costa.",
                    "Las olas siguen mucho después de que pase la tormenta.",
                    "El temporal de {year} tuvo a {who} y a {friend} {n} noches sin dormir frente a {place}.",
                ],
            ),
            subject(
                "regatas",
                "Regatas",
                "las regatas",
                [
                    "Una regata se gana muchas veces en la salida, con el viento limpio.",
                    "En la baliza tiene preferencia el barco de dentro, y todos lo gritan.",
                    "La regata de {place} se corre desde {year} por una tetera de plata.",
                ],
            ),
            subject(
                "travesias-oceanicas",
                "Travesías oceánicas",
                "las travesías oceánicas",
                [
                    "Para cruzar el océano a vela hay que seguir los alisios y llevar más agua de la que se piensa.",
                    "Tras dos semanas en el mar, la tripulación habla sobre todo de pan recién hecho.",
                    "{who} cruzó el océano desde {place} en {many} días con la radio rota.",
                ],
            ),
            subject(
                "puertos",
                "Puertos",
                "los puertos",
                [
                    "Un buen puerto tiene abrigo por tres lados, una panadería y una profundidad honesta en la carta.",
                    "En un puerto desconocido se entra despacio y de día.",
                    "El capitán del puerto de {place} apunta cada barco en un libro que empieza en {year}.",
                ],
            ),
        ],
        asides: &[
            "El pronóstico prometía sol, y {who} metió el traje de agua en la bolsa.",
            "Una mano para uno mismo y otra para el barco, dicen en {place}.",
            "La tripulación encontró {thing} debajo de la litera después de {n} días de búsqueda.",
            "En el agua la paciencia corre más que la fuerza.",
            "{who} y {friend} compartieron la guardia de noche y las últimas galletas.",
            "Una cubierta ordenada es una cubierta segura.",
            "Al anochecer las velas estaban recogidas y {place} ya se veía.",
            "Con {thing} casi todo en un barco se puede reparar hasta el próximo puerto.",
        ],
        tips: &[
            "Mire el cielo antes de mirar el teléfono.",
            "Póngase un chaleco de su talla.",
            "Diga a alguien en tierra cuándo piensa volver.",
            "Compruebe la profundidad {n} veces antes de fondear.",
            "Tenga un cuchillo al alcance de la mano.",
            "Tome rizos en cuanto lo piense por primera vez.",
            "Aduje cada cabo como si fuera a usarlo a oscuras.",
        ],
        things: &[
            "un rollo de cinta",
            "un compás viejo",
            "un grillete de repuesto",
            "una carta de papel",
            "un trozo de cabo",
            "una lata de galletas",
        ],
        table: (
            "Días de mar",
            ["Puerto", "Año", "Millas navegadas"],
            ["{elsewhere}", "{past}", "{many}0"],
        ),
    },
};
