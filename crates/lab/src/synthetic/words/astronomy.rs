//! What is written about the night sky?

use super::{Edition, Topic, section, subject};

pub(super) const ASTRONOMY: Topic = Topic {
    en: Edition {
        host: "stars",
        title: "The Night Sky",
        tagline: "Stars, planets and telescopes for patient eyes",
        keywords: "astronomy, stars, telescope, planets, night sky",
        sections: [
            section("deep-sky", "Deep sky"),
            section("instruments", "Instruments"),
            section("solar-system", "Solar system"),
            section("watching", "Watching the sky"),
        ],
        subjects: [
            subject(
                "black-holes",
                "Black holes",
                "black holes",
                [
                    "A black hole cannot be seen, but a telescope shows the hot gas that falls towards it and the stars that circle it.",
                    "Nothing that passes the event horizon of a black hole comes back, not even light.",
                    "The observatory at {place} pointed a radio telescope at the black hole in the middle of our galaxy for {many} nights.",
                ],
            ),
            subject(
                "galaxies",
                "Galaxies",
                "galaxies",
                [
                    "A galaxy holds billions of stars, together with gas, dust and a good deal of dark matter.",
                    "Spiral galaxies wind their arms around a bright bulge, while elliptical galaxies look like a soft ball of old stars.",
                    "From {place} the Andromeda galaxy is a pale smudge, and yet its light has travelled for more than two million years.",
                ],
            ),
            subject(
                "nebulae",
                "Nebulae",
                "nebulae",
                [
                    "A nebula is a cloud of gas and dust in which new stars are born, or which old stars have left behind.",
                    "The Orion nebula is bright enough for a small telescope and shows a greenish glow.",
                    "{who} drew the same nebula on {many} evenings, and no two of the drawings are alike.",
                ],
            ),
            subject(
                "telescopes",
                "Telescopes",
                "telescopes",
                [
                    "The width of its mirror decides how much light a telescope gathers, and light matters more than magnification.",
                    "A reflecting telescope uses a curved mirror; a refracting telescope uses lenses.",
                    "The telescope club of {place} lends a small instrument to anybody who asks twice.",
                ],
            ),
            subject(
                "space-telescopes",
                "Space telescopes",
                "space telescopes",
                [
                    "Above the air a space telescope sees sharper and in colours that never reach the ground.",
                    "An infrared space telescope has to be kept colder than anything on Earth, or it would see its own warmth.",
                    "{who} of {place} has compared {many} images of one distant galaxy taken by a space telescope.",
                ],
            ),
            subject(
                "observatories",
                "Observatories",
                "observatories",
                [
                    "Observatories stand on high and dry mountains, far from the lights of the cities.",
                    "The dome of the observatory at {place} weighs as much as {many} cars and turns without a sound.",
                    "An observatory works at night and repairs its instruments by day.",
                ],
            ),
            subject(
                "the-moon",
                "The Moon",
                "the Moon",
                [
                    "The Moon always turns the same face towards the Earth, and its craters stand out best along the line of shadow.",
                    "The dark plains of the Moon are old lava, which early observers took for seas.",
                    "At the school of {place} children count {many} craters on the Moon with nothing but binoculars.",
                ],
            ),
            subject(
                "mars",
                "Mars",
                "Mars",
                [
                    "Mars is red because of the rust in its dust, and its thin air carries storms around the whole planet.",
                    "Dry river beds on Mars tell of water that flowed there long ago.",
                    "{who} waited {n} years for a good opposition of Mars and then it rained.",
                ],
            ),
            subject(
                "comets",
                "Comets",
                "comets",
                [
                    "A comet is a lump of ice and dust that grows a tail when it comes close to the Sun.",
                    "The tail of a comet always points away from the Sun, whichever way the comet is going.",
                    "{who} found a faint comet from a balcony in {place} after {many} nights of looking.",
                ],
            ),
            subject(
                "constellations",
                "Constellations",
                "the constellations",
                [
                    "A constellation is a picture in our heads: its stars are far apart and have little to do with one another.",
                    "Orion, the Great Bear and Cassiopeia are the constellations that most people learn first.",
                    "On the hill above {place} a wooden board shows the constellations of each month.",
                ],
            ),
            subject(
                "eclipses",
                "Eclipses",
                "eclipses",
                [
                    "During a total solar eclipse the Moon covers the Sun and the corona becomes visible for a few minutes.",
                    "A lunar eclipse is slower and gentler, and everyone on the night side of the Earth can watch it.",
                    "The eclipse of {year} brought {many} buses to {place}, a village with one café.",
                ],
            ),
            subject(
                "meteor-showers",
                "Meteor showers",
                "meteor showers",
                [
                    "A meteor shower happens when the Earth crosses the trail of dust that a comet has left.",
                    "The Perseids of August and the Geminids of December are the richest meteor showers of the year.",
                    "{who} counted {many} meteors in one hour from a field near {place}.",
                ],
            ),
        ],
        asides: &[
            "Let your eyes rest in the dark for twenty minutes before you judge the sky.",
            "A red torch keeps the eyes used to the dark, so every member of the {place} club carries one.",
            "With {thing} and a star chart, {who} says, a cold night passes quickly.",
            "Light from the city is the worst enemy of astronomy, and {place} has switched off {many} street lamps after midnight.",
            "Nobody needs expensive equipment to begin; {thing} will do for the first winter.",
            "Astronomers measure such distances in light years, because kilometres soon run out of names.",
            "The best nights come after rain, when the air is clean and the stars hardly twinkle.",
            "{who} keeps a notebook with the date, the weather and a small drawing of every observation.",
        ],
        tips: &[
            "Check the phase of the Moon before you plan the night.",
            "Dress more warmly than you think you need.",
            "Learn {n} bright stars by name and walk from one to the next.",
            "Give the telescope time to cool down outside.",
            "Write down what you see at once.",
            "Start with low magnification and only then go closer.",
            "Ask the neighbours to turn off the garden light.",
        ],
        things: &[
            "a pair of binoculars",
            "a small telescope",
            "a folding chair",
            "a star map",
            "a warm blanket",
            "an old tripod",
        ],
        table: (
            "Nights of observation",
            ["Place", "Year", "Clear nights"],
            ["{elsewhere}", "{past}", "{many}"],
        ),
    },
    es: Edition {
        host: "estrellas",
        title: "El cielo nocturno",
        tagline: "Estrellas, planetas y telescopios para ojos pacientes",
        keywords: "astronomía, estrellas, telescopio, planetas, cielo nocturno",
        sections: [
            section("cielo-profundo", "Cielo profundo"),
            section("instrumentos", "Instrumentos"),
            section("sistema-solar", "Sistema solar"),
            section("observacion", "Observación"),
        ],
        subjects: [
            subject(
                "agujeros-negros",
                "Agujeros negros",
                "los agujeros negros",
                [
                    "Un agujero negro no se puede ver, pero el telescopio muestra el gas caliente que cae hacia él y las estrellas que lo rodean.",
                    "Nada de lo que cruza el horizonte de sucesos de un agujero negro vuelve a salir, ni siquiera la luz.",
                    "El observatorio de {place} apuntó un radiotelescopio hacia el agujero negro del centro de nuestra galaxia durante {many} noches.",
                ],
            ),
            subject(
                "galaxias",
                "Galaxias",
                "las galaxias",
                [
                    "Una galaxia reúne miles de millones de estrellas, además de gas, polvo y mucha materia oscura.",
                    "Las galaxias espirales enrollan sus brazos alrededor de un centro brillante; las elípticas parecen una bola suave de estrellas viejas.",
                    "Desde {place} la galaxia de Andrómeda es una mancha pálida, aunque su luz ha viajado más de dos millones de años.",
                ],
            ),
            subject(
                "nebulosas",
                "Nebulosas",
                "las nebulosas",
                [
                    "Una nebulosa es una nube de gas y polvo donde nacen estrellas nuevas, o lo que dejaron atrás las antiguas.",
                    "La nebulosa de Orión brilla lo suficiente para un telescopio pequeño y muestra un resplandor verdoso.",
                    "{who} dibujó la misma nebulosa durante {many} noches y no hay dos dibujos iguales.",
                ],
            ),
            subject(
                "telescopios",
                "Telescopios",
                "los telescopios",
                [
                    "El tamaño del espejo decide cuánta luz recoge un telescopio, y la luz importa más que los aumentos.",
                    "El telescopio reflector usa un espejo curvo; el refractor usa lentes.",
                    "El club de {place} presta un telescopio pequeño a quien lo pide dos veces.",
                ],
            ),
            subject(
                "telescopios-espaciales",
                "Telescopios espaciales",
                "los telescopios espaciales",
                [
                    "Por encima del aire, un telescopio espacial ve con más nitidez y en colores que nunca llegan al suelo.",
                    "Un telescopio espacial infrarrojo debe estar más frío que cualquier cosa de la Tierra, pues si no vería su propio calor.",
                    "{who}, de {place}, ha comparado {many} imágenes de una galaxia lejana tomadas por un telescopio espacial.",
                ],
            ),
            subject(
                "observatorios",
                "Observatorios",
                "los observatorios",
                [
                    "Los observatorios están en montañas altas y secas, lejos de las luces de la ciudad.",
                    "La cúpula del observatorio de {place} pesa como {many} coches y gira sin hacer ruido.",
                    "Un observatorio trabaja de noche y repara sus instrumentos de día.",
                ],
            ),
            subject(
                "la-luna",
                "La Luna",
                "la Luna",
                [
                    "La Luna enseña siempre la misma cara a la Tierra, y sus cráteres se ven mejor junto a la línea de sombra.",
                    "Las llanuras oscuras de la Luna son lava antigua que los primeros observadores tomaron por mares.",
                    "En la escuela de {place} los niños cuentan {many} cráteres de la Luna solo con prismáticos.",
                ],
            ),
            subject(
                "marte",
                "Marte",
                "Marte",
                [
                    "Marte es rojo por el óxido de su polvo, y su aire tan fino lleva tormentas por todo el planeta.",
                    "Los cauces secos de Marte hablan del agua que corrió allí hace mucho tiempo.",
                    "{who} esperó {n} años una buena oposición de Marte y aquella noche llovió.",
                ],
            ),
            subject(
                "cometas",
                "Cometas",
                "los cometas",
                [
                    "Un cometa es un trozo de hielo y polvo al que le crece una cola cuando se acerca al Sol.",
                    "La cola de un cometa apunta siempre en dirección contraria al Sol, vaya el cometa hacia donde vaya.",
                    "{who} encontró un cometa muy débil desde un balcón de {place} tras {many} noches de búsqueda.",
                ],
            ),
            subject(
                "constelaciones",
                "Constelaciones",
                "las constelaciones",
                [
                    "Una constelación es un dibujo en nuestra cabeza: sus estrellas están muy lejos unas de otras.",
                    "Orión, la Osa Mayor y Casiopea son las constelaciones que casi todo el mundo aprende primero.",
                    "En la colina de {place} un panel de madera muestra las constelaciones de cada mes.",
                ],
            ),
            subject(
                "eclipses",
                "Eclipses",
                "los eclipses",
                [
                    "En un eclipse total de Sol la Luna cubre el disco y la corona se hace visible unos minutos.",
                    "Un eclipse de Luna es más lento y más suave, y lo puede ver todo el lado nocturno de la Tierra.",
                    "El eclipse de {year} llevó {many} autobuses a {place}, un pueblo con un solo café.",
                ],
            ),
            subject(
                "lluvias-de-estrellas",
                "Lluvias de estrellas",
                "las lluvias de estrellas",
                [
                    "Una lluvia de estrellas ocurre cuando la Tierra cruza el rastro de polvo que ha dejado un cometa.",
                    "Las perseidas de agosto y las gemínidas de diciembre son las lluvias de estrellas más ricas del año.",
                    "{who} contó {many} meteoros en una hora desde un campo cerca de {place}.",
                ],
            ),
        ],
        asides: &[
            "Deje descansar los ojos en la oscuridad veinte minutos antes de juzgar el cielo.",
            "Una linterna roja conserva la vista nocturna, por eso todos los socios del club de {place} llevan una.",
            "Con {thing} y una carta celeste, dice {who}, la noche fría pasa deprisa.",
            "La luz de la ciudad es la peor enemiga de la astronomía, y {place} ha apagado {many} farolas después de medianoche.",
            "Nadie necesita un equipo caro para empezar; {thing} basta para el primer invierno.",
            "Los astrónomos miden estas distancias en años luz, porque a los kilómetros pronto les faltan nombres.",
            "Las mejores noches llegan después de la lluvia, cuando el aire está limpio y las estrellas apenas titilan.",
            "{who} apunta en un cuaderno la fecha, el tiempo y un pequeño dibujo de cada observación.",
        ],
        tips: &[
            "Mire la fase de la Luna antes de planear la noche.",
            "Abríguese más de lo que cree necesario.",
            "Aprenda el nombre de {n} estrellas brillantes y pase de una a otra.",
            "Deje que el telescopio se enfríe al aire libre.",
            "Anote enseguida lo que ve.",
            "Empiece con pocos aumentos y acérquese después.",
            "Pida a los vecinos que apaguen la luz del jardín.",
        ],
        things: &[
            "unos prismáticos",
            "un telescopio pequeño",
            "una silla plegable",
            "un mapa de estrellas",
            "una manta gruesa",
            "un trípode viejo",
        ],
        table: (
            "Noches de observación",
            ["Lugar", "Año", "Noches despejadas"],
            ["{elsewhere}", "{past}", "{many}"],
        ),
    },
};
