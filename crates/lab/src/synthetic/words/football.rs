//! What is written about football?

use super::{Edition, Topic, section, subject};

pub(super) const FOOTBALL: Topic = Topic {
    en: Edition {
        host: "football",
        title: "The Touchline",
        tagline: "Football, seen from the cheap seats",
        keywords: "football, world cup, match, players, goals",
        sections: [
            section("competitions", "Competitions"),
            section("players", "Players"),
            section("rules", "The rules"),
            section("clubs", "Clubs and grounds"),
        ],
        subjects: [
            subject(
                "world-cup",
                "The World Cup",
                "the World Cup",
                [
                    "The World Cup is played every four years, and its final is watched on every continent.",
                    "A World Cup final is decided by extra time and penalties when nobody is ahead after ninety minutes.",
                    "{who} has seen {n} World Cup finals on the same old television in {place}.",
                ],
            ),
            subject(
                "league-championship",
                "The league championship",
                "the league championship",
                [
                    "The league rewards patience: every club meets every other one twice, at home and away.",
                    "Three points for a win changed the league, because a draw became a disappointment.",
                    "{place} won the championship of {year} on the last day, with {many} points.",
                ],
            ),
            subject(
                "cup-matches",
                "Cup matches",
                "cup matches",
                [
                    "In the cup one bad afternoon is enough, so small clubs dream of it all year.",
                    "A cup final on neutral ground belongs to the louder supporters.",
                    "The amateurs of {place} reached the cup semi-final of {year} and hired {n} buses.",
                ],
            ),
            subject(
                "goalkeepers",
                "Goalkeepers",
                "goalkeepers",
                [
                    "A goalkeeper may use the hands inside the penalty area and stands alone with every mistake.",
                    "Good goalkeepers speak all the time and move before the shot is taken.",
                    "{who} kept goal for {place} in {many} matches and wore the same gloves in most of them.",
                ],
            ),
            subject(
                "strikers",
                "Strikers",
                "strikers",
                [
                    "A striker lives from goals and is forgiven everything else.",
                    "The best strikers arrive late, in the space that the defenders have just left.",
                    "{who} scored {many} goals for {place}, half of them with the weaker foot.",
                ],
            ),
            subject(
                "midfielders",
                "Midfielders",
                "midfielders",
                [
                    "Midfielders connect the defence with the attack and run more than anybody else in the team.",
                    "A calm midfielder decides how fast a match is played.",
                    "The midfield of {place} made {many} passes before the first goal.",
                ],
            ),
            subject(
                "offside-rule",
                "The offside rule",
                "the offside rule",
                [
                    "A player is offside when nearer to the goal line than the ball and the second last opponent at the moment of the pass.",
                    "Nobody is offside in their own half, nor from a throw-in or a corner.",
                    "{who} explains the offside rule to the children of {place} with salt cellars on a table.",
                ],
            ),
            subject(
                "penalties",
                "Penalties",
                "penalties",
                [
                    "A penalty is taken from eleven metres, with only the goalkeeper to beat.",
                    "In a penalty shoot-out each team takes five kicks, and then the nerves decide.",
                    "The final of {year} in {place} went to {n} extra penalties.",
                ],
            ),
            subject(
                "referees",
                "Referees",
                "referees",
                [
                    "The referee has two assistants, a whistle and very few friends on a match day.",
                    "A good referee is forgotten before the players have left the pitch.",
                    "{who} has refereed {many} youth matches around {place} without a red card.",
                ],
            ),
            subject(
                "stadiums",
                "Stadiums",
                "stadiums",
                [
                    "An old stadium stands in the middle of the town, and on match days the whole quarter smells of onions.",
                    "A stadium sounds best when the roof is low and the stands are close to the pitch.",
                    "The stadium of {place} has room for {many} thousand people and one very slow gate.",
                ],
            ),
            subject(
                "youth-academies",
                "Youth academies",
                "youth academies",
                [
                    "A youth academy teaches the first touch before it teaches tactics.",
                    "Of every hundred children in a football academy, one or two become professionals.",
                    "The academy of {place} trains {many} boys and girls on a pitch beside the river.",
                ],
            ),
            subject(
                "supporters",
                "Supporters",
                "supporters",
                [
                    "Supporters travel all night to see their team lose, and travel back singing.",
                    "The songs of the supporters are older than most of the players.",
                    "The supporters' club of {place} has {many} members and a dog.",
                ],
            ),
        ],
        asides: &[
            "The match was decided, as so often, by a corner in the last ten minutes.",
            "{who} played on the wing for {place} and still limps a little when it rains.",
            "Training ended at dusk, with {thing} left behind on the grass.",
            "Football is a simple game, the coach of {place} likes to say, until somebody starts to think.",
            "Nobody in the stand agreed, and {many} people explained why at the same time.",
            "The ball is round and the season is long.",
            "With {thing} and two coats for a goal you can play anywhere.",
            "The team of {year} is still discussed in the bars of {place}.",
        ],
        tips: &[
            "Look up before the ball arrives.",
            "Warm up for {n} minutes, whatever the weather.",
            "Talk to your defenders.",
            "Practise with the weaker foot.",
            "Shake hands with the referee after the match.",
            "Drink water at half-time.",
            "Arrive early, and leave when the stand is empty.",
        ],
        things: &[
            "a flat ball",
            "a whistle",
            "a club scarf",
            "a pair of muddy boots",
            "a borrowed shirt",
            "a thermos of tea",
        ],
        table: (
            "Finals of the regional cup",
            ["Winner", "Year", "Goals in the season"],
            ["{elsewhere}", "{past}", "{many}"],
        ),
    },
    es: Edition {
        host: "futbol",
        title: "La banda",
        tagline: "El fútbol visto desde la grada barata",
        keywords: "fútbol, mundial, partido, jugadores, goles",
        sections: [
            section("competiciones", "Competiciones"),
            section("jugadores", "Jugadores"),
            section("reglas", "Las reglas"),
            section("clubes", "Clubes y estadios"),
        ],
        subjects: [
            subject(
                "copa-del-mundo",
                "La Copa del Mundo",
                "la Copa del Mundo",
                [
                    "El Mundial se juega cada cuatro años y la final de la Copa del Mundo se ve en todos los continentes.",
                    "Una final del Mundial se decide en la prórroga y en los penaltis si nadie va por delante tras noventa minutos.",
                    "{who} ha visto {n} finales de la Copa del Mundo en el mismo televisor viejo de {place}.",
                ],
            ),
            subject(
                "campeonato-de-liga",
                "El campeonato de liga",
                "el campeonato de liga",
                [
                    "La liga premia la paciencia: cada club juega dos veces contra todos los demás, en casa y fuera.",
                    "Los tres puntos por victoria cambiaron la liga, porque el empate pasó a ser una decepción.",
                    "{place} ganó el campeonato de {year} el último día, con {many} puntos.",
                ],
            ),
            subject(
                "partidos-de-copa",
                "Partidos de copa",
                "los partidos de copa",
                [
                    "En la copa basta una mala tarde, y por eso los clubes pequeños sueñan con ella todo el año.",
                    "Una final de copa en campo neutral es de la afición que más grita.",
                    "El equipo modesto de {place} llegó a la semifinal de copa de {year} y alquiló {n} autobuses.",
                ],
            ),
            subject(
                "porteros",
                "Porteros",
                "los porteros",
                [
                    "El portero puede usar las manos dentro del área y está solo con cada error.",
                    "Los buenos porteros hablan todo el tiempo y se mueven antes del disparo.",
                    "{who} defendió la portería de {place} en {many} partidos, casi siempre con los mismos guantes.",
                ],
            ),
            subject(
                "delanteros",
                "Delanteros",
                "los delanteros",
                [
                    "El delantero vive del gol y todo lo demás se le perdona.",
                    "Los mejores delanteros llegan tarde, al hueco que los defensas acaban de dejar.",
                    "{who} marcó {many} goles con {place}, la mitad de ellos con la pierna mala.",
                ],
            ),
            subject(
                "centrocampistas",
                "Centrocampistas",
                "los centrocampistas",
                [
                    "Los centrocampistas unen la defensa con el ataque y corren más que nadie en el equipo.",
                    "Un centrocampista tranquilo decide a qué velocidad se juega el partido.",
                    "El centro del campo de {place} dio {many} pases antes del primer gol.",
                ],
            ),
            subject(
                "fuera-de-juego",
                "El fuera de juego",
                "el fuera de juego",
                [
                    "Un jugador está en fuera de juego si en el momento del pase está más cerca de la línea de meta que el balón y el penúltimo rival.",
                    "No hay fuera de juego en campo propio, ni en un saque de banda, ni en un córner.",
                    "{who} explica el fuera de juego a los niños de {place} con saleros sobre una mesa.",
                ],
            ),
            subject(
                "penaltis",
                "Penaltis",
                "los penaltis",
                [
                    "El penalti se lanza desde once metros, con el portero como único rival.",
                    "En la tanda de penaltis cada equipo lanza cinco, y después deciden los nervios.",
                    "La final de {year} en {place} necesitó {n} penaltis más.",
                ],
            ),
            subject(
                "arbitros",
                "Árbitros",
                "los árbitros",
                [
                    "El árbitro tiene dos asistentes, un silbato y muy pocos amigos el día del partido.",
                    "A un buen árbitro se le olvida antes de que los jugadores dejen el césped.",
                    "{who} ha arbitrado {many} partidos juveniles cerca de {place} sin una tarjeta roja.",
                ],
            ),
            subject(
                "estadios",
                "Estadios",
                "los estadios",
                [
                    "Un estadio viejo está en medio de la ciudad, y el día de partido todo el barrio huele a cebolla.",
                    "Un estadio suena mejor cuando el techo es bajo y la grada está cerca del campo.",
                    "El estadio de {place} tiene sitio para {many} mil personas y una puerta muy lenta.",
                ],
            ),
            subject(
                "canteras",
                "Canteras",
                "las canteras",
                [
                    "En la cantera se enseña el primer toque antes que la táctica.",
                    "De cada cien niños de una escuela de fútbol, uno o dos llegan a profesionales.",
                    "La cantera de {place} entrena a {many} niños y niñas en un campo junto al río.",
                ],
            ),
            subject(
                "aficiones",
                "Aficiones",
                "las aficiones",
                [
                    "La afición viaja toda la noche para ver perder a su equipo, y vuelve cantando.",
                    "Las canciones de la afición son más viejas que la mayoría de los jugadores.",
                    "La peña de {place} tiene {many} socios y un perro.",
                ],
            ),
        ],
        asides: &[
            "El partido se decidió, como tantas veces, en un córner de los últimos diez minutos.",
            "{who} jugaba de extremo en {place} y todavía cojea un poco cuando llueve.",
            "El entrenamiento acabó al anochecer, con {thing} sobre la hierba.",
            "El fútbol es un juego sencillo, suele decir el entrenador de {place}, hasta que alguien se pone a pensar.",
            "En la grada nadie estaba de acuerdo, y {many} personas lo explicaron a la vez.",
            "El balón es redondo y la temporada es larga.",
            "Con {thing} y dos abrigos como portería se puede jugar en cualquier sitio.",
            "Del equipo de {year} se habla todavía en los bares de {place}.",
        ],
        tips: &[
            "Levante la cabeza antes de que llegue el balón.",
            "Caliente {n} minutos, haga el tiempo que haga.",
            "Hable con sus defensas.",
            "Practique con la pierna mala.",
            "Dé la mano al árbitro después del partido.",
            "Beba agua en el descanso.",
            "Llegue pronto y váyase cuando la grada esté vacía.",
        ],
        things: &[
            "un balón desinflado",
            "un silbato",
            "una bufanda del club",
            "unas botas llenas de barro",
            "una camiseta prestada",
            "un termo de té",
        ],
        table: (
            "Finales de la copa regional",
            ["Ganador", "Año", "Goles de la temporada"],
            ["{elsewhere}", "{past}", "{many}"],
        ),
    },
};
