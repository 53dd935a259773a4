//! What is written about birds?

use super::{Edition, Topic, section, subject};

pub(super) const BIRDS: Topic = Topic {
    en: Edition {
        host: "birds",
        title: "Feather and Field",
        tagline: "Birds, and how to stand still for them",
        keywords: "birds, birdwatching, nests, migration, nature",
        sections: [
            section("birds-of-prey", "Birds of prey"),
            section("water-birds", "Water birds"),
            section("songbirds", "Songbirds"),
            section("fieldwork", "In the field"),
        ],
        subjects: [
            subject(
                "eagles",
                "Eagles",
                "eagles",
                [
                    "An eagle soars on warm air for hours without a beat of its wings.",
                    "A golden eagle needs a valley of its own and keeps the same nest for many years.",
                    "The eagles above {place} raised {n} young between {year} and last summer.",
                ],
            ),
            subject(
                "owls",
                "Owls",
                "owls",
                [
                    "Owls fly without a sound because the edge of each feather is soft like a comb.",
                    "An owl finds a mouse under the snow by hearing alone.",
                    "In the bell tower of {place} a pair of owls has nested since {year}.",
                ],
            ),
            subject(
                "falcons",
                "Falcons",
                "falcons",
                [
                    "The peregrine falcon is the fastest of all birds when it stoops on its prey.",
                    "Kestrels, small falcons of the fields, hang in the wind above one spot.",
                    "{who} has watched the falcons of {place} cathedral for {many} months.",
                ],
            ),
            subject(
                "storks",
                "Storks",
                "white storks",
                [
                    "White storks return to the same nest each spring and greet each other by clattering their bills.",
                    "A stork's nest can weigh as much as a small car.",
                    "On the roofs of {place} there are {many} nests of white storks.",
                ],
            ),
            subject(
                "flamingos",
                "Flamingos",
                "flamingos",
                [
                    "Flamingos are pink because of what they eat: small shrimps and algae of salt water.",
                    "A flamingo feeds with its head upside down and filters the water through its bill.",
                    "The lagoon of {place} holds {many} flamingos in a wet year.",
                ],
            ),
            subject(
                "seabirds",
                "Seabirds",
                "seabirds",
                [
                    "Seabirds such as shearwaters and gannets come to land only to breed.",
                    "Many seabirds find the way home to their island by smell.",
                    "From the lighthouse of {place}, {who} counted {many} shearwaters in an hour.",
                ],
            ),
            subject(
                "nightingales",
                "Nightingales",
                "nightingales",
                [
                    "The nightingale is a plain brown bird with the richest song of the spring night.",
                    "A nightingale knows up to two hundred phrases and seldom repeats one.",
                    "By the river at {place} {n} nightingales sing against each other in May.",
                ],
            ),
            subject(
                "swallows",
                "Swallows",
                "swallows",
                [
                    "Swallows build their nests of mud under roofs and catch insects on the wing.",
                    "A swallow weighs twenty grams and crosses the Sahara twice a year.",
                    "In the stable of {who} near {place} {n} pairs of swallows come and go by the window.",
                ],
            ),
            subject(
                "robins",
                "Robins",
                "robins",
                [
                    "The robin sings in winter too, because it defends its garden all year.",
                    "A robin follows the gardener and takes the worms that the spade turns up.",
                    "{who} of {place} feeds a robin that arrives at {n} every morning.",
                ],
            ),
            subject(
                "migration",
                "Bird migration",
                "bird migration",
                [
                    "On migration, birds steer by the Sun, the stars and the magnetic field of the Earth.",
                    "Most songbirds migrate at night and rest by day.",
                    "In October {many} cranes an hour pass over {place} on migration to the south.",
                ],
            ),
            subject(
                "nest-boxes",
                "Nest boxes",
                "nest boxes",
                [
                    "A nest box should face away from the midday sun and hang higher than a cat can jump.",
                    "The width of the entrance decides which bird will move into a nest box.",
                    "The children of {place} have built {many} nest boxes, and {n} were taken in the first spring.",
                ],
            ),
            subject(
                "bird-ringing",
                "Bird ringing",
                "bird ringing",
                [
                    "A ringed bird wears a light metal band with a number for the rest of its life.",
                    "Ringing has shown how old small birds become and where they spend the winter.",
                    "At the ringing station of {place} {who} has ringed {many} birds in one morning.",
                ],
            ),
        ],
        asides: &[
            "Stand still, and after ten minutes the birds forget you.",
            "{who} writes every species in a notebook with {thing} as a bookmark.",
            "The best hour is the first one after sunrise, before {place} wakes up.",
            "Most birds are heard long before they are seen.",
            "Binoculars of eight by forty are enough for almost everything.",
            "The wetland near {place} was a rubbish tip until {year}.",
            "With {thing} and some patience a garden becomes a nature reserve.",
            "{who} and {friend} counted {many} species in a single day, and argued about one.",
        ],
        tips: &[
            "Keep the Sun behind you.",
            "Learn {n} songs each spring.",
            "Stay away from the nest.",
            "Wear dull colours and close the car door gently.",
            "Note the date, the place and the weather.",
            "Put out water in summer and seeds in winter.",
            "Report every ring number that you can read.",
        ],
        things: &[
            "a pencil stub",
            "a pair of binoculars",
            "a bag of seeds",
            "a field guide",
            "a folding stool",
            "a grey feather",
        ],
        table: ("Birds counted", ["Place", "Year", "Species"], ["{elsewhere}", "{past}", "{many}"]),
    },
    es: Edition {
        host: "aves",
        title: "Pluma y campo",
        tagline: "Las aves, y cómo quedarse quieto para verlas",
        keywords: "aves, pájaros, nidos, migración, naturaleza",
        sections: [
            section("rapaces", "Rapaces"),
            section("aves-acuaticas", "Aves acuáticas"),
            section("pajaros-cantores", "Pájaros cantores"),
            section("en-el-campo", "En el campo"),
        ],
        subjects: [
            subject(
                "aguilas",
                "Águilas",
                "las águilas",
                [
                    "El águila planea durante horas en el aire caliente sin batir las alas.",
                    "El águila real necesita un valle entero y conserva el mismo nido muchos años.",
                    "Las águilas de {place} han criado {n} pollos entre {year} y el último verano.",
                ],
            ),
            subject(
                "buhos",
                "Búhos",
                "los búhos",
                [
                    "Los búhos vuelan sin ruido porque el borde de cada pluma es suave como un peine.",
                    "Un búho encuentra al ratón bajo la nieve solo con el oído.",
                    "En el campanario de {place} anida una pareja de búhos desde {year}.",
                ],
            ),
            subject(
                "halcones",
                "Halcones",
                "los halcones",
                [
                    "El halcón peregrino es la más rápida de las aves cuando cae sobre su presa.",
                    "El cernícalo, un halcón pequeño del campo, se queda quieto en el viento sobre un punto.",
                    "{who} observa los halcones de la catedral de {place} desde hace {many} meses.",
                ],
            ),
            subject(
                "ciguenas",
                "Cigüeñas",
                "las cigüeñas",
                [
                    "Las cigüeñas blancas vuelven cada primavera al mismo nido y se saludan golpeando el pico.",
                    "El nido de una cigüeña puede pesar tanto como un coche pequeño.",
                    "En los tejados de {place} hay {many} nidos de cigüeña.",
                ],
            ),
            subject(
                "flamencos",
                "Flamencos",
                "los flamencos",
                [
                    "El flamenco es rosa por lo que come: pequeños crustáceos y algas de agua salada.",
                    "El flamenco come con la cabeza hacia abajo y filtra el agua con el pico.",
                    "La laguna de {place} reúne {many} flamencos en un año húmedo.",
                ],
            ),
            subject(
                "aves-marinas",
                "Aves marinas",
                "las aves marinas",
                [
                    "Las aves marinas, como pardelas y alcatraces, solo vienen a tierra para criar.",
                    "Muchas aves marinas encuentran el camino a su isla por el olor.",
                    "Desde el faro de {place}, {who} contó {many} pardelas en una hora.",
                ],
            ),
            subject(
                "ruisenores",
                "Ruiseñores",
                "los ruiseñores",
                [
                    "El ruiseñor es un pájaro pardo y discreto con el canto más rico de las noches de primavera.",
                    "Un ruiseñor conoce hasta doscientas frases y casi nunca repite una.",
                    "Junto al río, en {place}, {n} ruiseñores cantan en mayo unos contra otros.",
                ],
            ),
            subject(
                "golondrinas",
                "Golondrinas",
                "las golondrinas",
                [
                    "Las golondrinas hacen sus nidos de barro bajo los tejados y cazan insectos al vuelo.",
                    "Una golondrina pesa veinte gramos y cruza el Sáhara dos veces al año.",
                    "En el establo de {who}, cerca de {place}, {n} parejas de golondrinas entran y salen por la ventana.",
                ],
            ),
            subject(
                "petirrojos",
                "Petirrojos",
                "los petirrojos",
                [
                    "El petirrojo canta también en invierno, porque defiende su jardín todo el año.",
                    "El petirrojo sigue al jardinero y se lleva las lombrices que levanta la pala.",
                    "{who}, de {place}, da de comer a un petirrojo que llega cada mañana antes de las {n}.",
                ],
            ),
            subject(
                "migracion",
                "La migración de las aves",
                "la migración de las aves",
                [
                    "En la migración las aves se orientan por el Sol, las estrellas y el campo magnético de la Tierra.",
                    "La mayoría de los pájaros cantores migra de noche y descansa de día.",
                    "En octubre pasan {many} grullas por hora sobre {place} camino del sur.",
                ],
            ),
            subject(
                "cajas-nido",
                "Cajas nido",
                "las cajas nido",
                [
                    "La caja nido no debe mirar al sol del mediodía y ha de estar más alta que el salto de un gato.",
                    "El tamaño de la entrada decide qué pájaro ocupará la caja nido.",
                    "Los niños de {place} han hecho {many} cajas nido, y {n} se ocuparon la primera primavera.",
                ],
            ),
            subject(
                "anillamiento",
                "Anillamiento de aves",
                "el anillamiento de aves",
                [
                    "Un ave anillada lleva toda su vida una anilla ligera de metal con un número.",
                    "El anillamiento ha enseñado cuánto viven los pájaros pequeños y dónde pasan el invierno.",
                    "En la estación de anillamiento de {place}, {who} ha anillado {many} aves en una mañana.",
                ],
            ),
        ],
        asides: &[
            "Quédese quieto, y a los diez minutos las aves le olvidan.",
            "{who} apunta cada especie en un cuaderno que guarda junto a {thing}.",
            "La mejor hora es la primera después del amanecer, antes de que despierte {place}.",
            "A casi todas las aves se las oye mucho antes de verlas.",
            "Unos prismáticos de ocho por cuarenta bastan para casi todo.",
            "El humedal de {place} era un vertedero hasta {year}.",
            "Con {thing} y un poco de paciencia, un jardín se convierte en reserva natural.",
            "{who} y {friend} contaron {many} especies en un solo día, y discutieron por una.",
        ],
        tips: &[
            "Tenga el sol a la espalda.",
            "Aprenda {n} cantos cada primavera.",
            "No se acerque al nido.",
            "Vista colores apagados y cierre la puerta del coche con cuidado.",
            "Anote la fecha, el lugar y el tiempo.",
            "Ponga agua en verano y semillas en invierno.",
            "Comunique cada número de anilla que pueda leer.",
        ],
        things: &[
            "un trozo de lápiz",
            "unos prismáticos",
            "una bolsa de semillas",
            "una guía de campo",
            "un taburete plegable",
            "una pluma gris",
        ],
        table: ("Aves contadas", ["Lugar", "Año", "Especies"], ["{elsewhere}", "{past}", "{many}"]),
    },
};
