//! What is written about music?

use super::{Edition, Topic, section, subject};

pub(super) const MUSIC: Topic = Topic {
    en: Edition {
        host: "music",
        title: "The Listening Room",
        tagline: "Music made by hand",
        keywords: "music, instruments, songs, concerts, rhythm",
        sections: [
            section("instruments", "Instruments"),
            section("styles", "Styles"),
            section("making-music", "Making music"),
            section("on-stage", "On stage"),
        ],
        subjects: [
            subject(
                "guitar",
                "The guitar",
                "the guitar",
                [
                    "A classical guitar has six strings, three of nylon and three wound with metal.",
                    "The top of a guitar is made of spruce or cedar, and it sounds better after some years of playing.",
                    "{who} builds {n} guitars a year in a workshop behind the church of {place}.",
                ],
            ),
            subject(
                "piano",
                "The piano",
                "the piano",
                [
                    "A piano has eighty-eight keys and more than two hundred strings, each struck by a felt hammer.",
                    "The piano was named for being able to play softly and loudly.",
                    "The piano in the station of {place} has been tuned {n} times and played by thousands.",
                ],
            ),
            subject(
                "violin",
                "The violin",
                "the violin",
                [
                    "The violin has no frets, so the ear has to find every note.",
                    "A violin bow is strung with horsehair and rubbed with rosin.",
                    "{who} has played the same violin since {year} and still calls it new.",
                ],
            ),
            subject(
                "flamenco",
                "Flamenco",
                "flamenco",
                [
                    "Flamenco joins song, guitar, dance and the clapping of hands.",
                    "A flamenco singer holds one syllable while the guitar waits.",
                    "The flamenco night of {place} begins at midnight and ends with breakfast.",
                ],
            ),
            subject(
                "jazz",
                "Jazz",
                "jazz",
                [
                    "In jazz the tune is only a beginning; the solo is made up on the spot.",
                    "Jazz musicians listen first and play second.",
                    "The jazz quartet of {place} has rehearsed in the same garage since {year}.",
                ],
            ),
            subject(
                "opera",
                "Opera",
                "opera",
                [
                    "An opera singer fills a hall of two thousand people without a microphone.",
                    "In an opera the orchestra knows the truth before the characters do.",
                    "The opera house of {place} burned down in {year} and was rebuilt with {many} fewer seats.",
                ],
            ),
            subject(
                "songwriting",
                "Songwriting",
                "songwriting",
                [
                    "A song needs a verse that goes somewhere and a chorus that comes back.",
                    "Many songs begin with a wrong chord that somebody liked.",
                    "{who} wrote {many} songs in one winter in {place} and kept {n}.",
                ],
            ),
            subject(
                "rhythm",
                "Rhythm",
                "rhythm",
                [
                    "Rhythm is felt in the feet before it is counted in the head.",
                    "A drummer divides time; a good one also leaves some of it empty.",
                    "The drums of {place} play a rhythm of twelve beats that visitors count as {n}.",
                ],
            ),
            subject(
                "home-recording",
                "Home recording",
                "recording at home",
                [
                    "To record at home, put the microphone where the instrument sounds best and hang a blanket behind it.",
                    "A quiet room is worth more than an expensive microphone.",
                    "{who} recorded a whole album in a kitchen in {place}, between {n} and six in the morning.",
                ],
            ),
            subject(
                "orchestras",
                "Orchestras",
                "orchestras",
                [
                    "An orchestra tunes to the note A of the oboe.",
                    "The strings sit in front of the orchestra because they are the quietest.",
                    "The youth orchestra of {place} has {many} players and one timpani.",
                ],
            ),
            subject(
                "festivals",
                "Music festivals",
                "music festivals",
                [
                    "A music festival is remembered for the rain, the queue and one perfect song.",
                    "The small stage of a festival is where next year's names play.",
                    "The festival of {place} sold {many} hundred tickets in {year}.",
                ],
            ),
            subject(
                "choirs",
                "Choirs",
                "choirs",
                [
                    "A choir divides into sopranos, altos, tenors and basses, and is always short of tenors.",
                    "Singing in a choir begins with breathing together.",
                    "The choir of {place} rehearses on Thursdays with {many} voices and one heater.",
                ],
            ),
        ],
        asides: &[
            "Practise slowly; the fingers remember mistakes as well as music.",
            "{who} gave a concert in {place} for {many} people and {thing}.",
            "Between the songs somebody always tells the story of {year}.",
            "Silence is part of the music, and the hardest part.",
            "The musicians of {place} met on Tuesdays and played until the neighbours clapped.",
            "With {thing} on the chair beside her, the teacher listened to the end.",
            "A melody that can be whistled on the way home has done its work.",
            "{who} and {friend} have played together since {year} without counting in.",
        ],
        tips: &[
            "Play for {n} minutes every day rather than for hours on Sunday.",
            "Tune before you start, and again after the first piece.",
            "Sing the phrase before you play it.",
            "Record yourself and listen once.",
            "Go to concerts of music you do not know.",
            "Protect your ears.",
            "Play with people who are better than you.",
        ],
        things: &[
            "an old metronome",
            "a music stand",
            "a broken string",
            "a pile of scores",
            "a tuning fork",
            "a cup of cold tea",
        ],
        table: ("Concerts", ["Town", "Year", "Listeners"], ["{elsewhere}", "{past}", "{many}"]),
    },
    es: Edition {
        host: "musica",
        title: "La sala de escucha",
        tagline: "Música hecha a mano",
        keywords: "música, instrumentos, canciones, conciertos, ritmo",
        sections: [
            section("instrumentos", "Instrumentos"),
            section("estilos", "Estilos"),
            section("hacer-musica", "Hacer música"),
            section("escenario", "En el escenario"),
        ],
        subjects: [
            subject(
                "guitarra",
                "La guitarra",
                "la guitarra",
                [
                    "La guitarra española tiene seis cuerdas, tres de nailon y tres entorchadas de metal.",
                    "La tapa de la guitarra es de abeto o de cedro, y suena mejor después de unos años de uso.",
                    "{who} construye {n} guitarras al año en un taller detrás de la iglesia de {place}.",
                ],
            ),
            subject(
                "piano",
                "El piano",
                "el piano",
                [
                    "El piano tiene ochenta y ocho teclas y más de doscientas cuerdas, cada una golpeada por un macillo de fieltro.",
                    "El piano recibió su nombre porque podía sonar suave y fuerte.",
                    "El piano de la estación de {place} se ha afinado {n} veces y lo han tocado miles de personas.",
                ],
            ),
            subject(
                "violin",
                "El violín",
                "el violín",
                [
                    "El violín no tiene trastes, y el oído tiene que encontrar cada nota.",
                    "El arco del violín lleva crines de caballo y se frota con resina.",
                    "{who} toca el mismo violín desde {year} y todavía lo llama nuevo.",
                ],
            ),
            subject(
                "flamenco",
                "Flamenco",
                "el flamenco",
                [
                    "El flamenco une cante, guitarra, baile y palmas.",
                    "En el cante flamenco una sílaba se sostiene mientras la guitarra espera.",
                    "La noche flamenca de {place} empieza a medianoche y acaba con el desayuno.",
                ],
            ),
            subject(
                "jazz",
                "Jazz",
                "el jazz",
                [
                    "En el jazz el tema es solo el comienzo; el solo se inventa en el momento.",
                    "Los músicos de jazz primero escuchan y después tocan.",
                    "El cuarteto de jazz de {place} ensaya en el mismo garaje desde {year}.",
                ],
            ),
            subject(
                "opera",
                "Ópera",
                "la ópera",
                [
                    "Un cantante de ópera llena una sala de dos mil personas sin micrófono.",
                    "En la ópera la orquesta sabe la verdad antes que los personajes.",
                    "El teatro de ópera de {place} se quemó en {year} y se reconstruyó con {many} butacas menos.",
                ],
            ),
            subject(
                "composicion-de-canciones",
                "Composición de canciones",
                "la composición de canciones",
                [
                    "Una canción necesita una estrofa que vaya a algún sitio y un estribillo que vuelva.",
                    "Muchas canciones empiezan con un acorde equivocado que le gustó a alguien.",
                    "{who} escribió {many} canciones en un invierno en {place} y se quedó con {n}.",
                ],
            ),
            subject(
                "ritmo",
                "El ritmo",
                "el ritmo",
                [
                    "El ritmo se siente en los pies antes de contarse en la cabeza.",
                    "El batería divide el tiempo; el bueno, además, deja una parte vacía.",
                    "Los tambores de {place} tocan un ritmo de doce tiempos que los visitantes cuentan como {n}.",
                ],
            ),
            subject(
                "grabacion-en-casa",
                "Grabación en casa",
                "la grabación en casa",
                [
                    "Para grabar en casa, ponga el micrófono donde mejor suena el instrumento y cuelgue una manta detrás.",
                    "Una habitación silenciosa vale más que un micrófono caro.",
                    "{who} grabó un disco entero en una cocina de {place}, antes de que despertara el barrio.",
                ],
            ),
            subject(
                "orquestas",
                "Orquestas",
                "las orquestas",
                [
                    "La orquesta afina con el la del oboe.",
                    "Las cuerdas se sientan delante en la orquesta porque son las que menos suenan.",
                    "La orquesta joven de {place} tiene {many} músicos y un solo timbal.",
                ],
            ),
            subject(
                "festivales",
                "Festivales de música",
                "los festivales de música",
                [
                    "De un festival de música se recuerdan la lluvia, la cola y una canción perfecta.",
                    "En el escenario pequeño del festival tocan los nombres del año que viene.",
                    "El festival de {place} vendió {many} abonos en la primera hora de {year}.",
                ],
            ),
            subject(
                "coros",
                "Coros",
                "los coros",
                [
                    "Un coro se divide en sopranos, contraltos, tenores y bajos, y siempre le faltan tenores.",
                    "Cantar en un coro empieza por respirar juntos.",
                    "El coro de {place} ensaya los jueves con {many} voces y una estufa.",
                ],
            ),
        ],
        asides: &[
            "Practique despacio; los dedos recuerdan los errores tan bien como la música.",
            "{who} dio un concierto en {place} para {many} personas y {thing}.",
            "Entre canción y canción siempre hay quien cuenta la historia de {year}.",
            "El silencio es parte de la música, y la parte más difícil.",
            "Los músicos de {place} se reunían los martes y tocaban hasta que aplaudían los vecinos.",
            "Con {thing} en la silla de al lado, la maestra escuchó hasta el final.",
            "Una melodía que se puede silbar camino de casa ya ha hecho su trabajo.",
            "{who} y {friend} tocan a dúo desde {year} sin necesidad de contar.",
        ],
        tips: &[
            "Toque {n} minutos cada día mejor que varias horas el domingo.",
            "Afine antes de empezar, y otra vez después de la primera pieza.",
            "Cante la frase antes de tocarla.",
            "Grábese y escúchese una vez.",
            "Vaya a conciertos de música que no conoce.",
            "Proteja sus oídos.",
            "Toque con gente que sepa más que usted.",
        ],
        things: &[
            "un metrónomo viejo",
            "un atril",
            "una cuerda rota",
            "un montón de partituras",
            "un diapasón",
            "una taza de té frío",
        ],
        table: ("Conciertos", ["Ciudad", "Año", "Público"], ["{elsewhere}", "{past}", "{many}"]),
    },
};
