//! What is written about the kitchen?

use super::{Edition, Topic, section, subject};

pub(super) const COOKING: Topic = Topic {
    en: Edition {
        host: "kitchen",
        title: "The Slow Kitchen",
        tagline: "Recipes that forgive you",
        keywords: "cooking, recipes, kitchen, food, ingredients",
        sections: [
            section("eggs-and-potatoes", "Eggs and potatoes"),
            section("baking", "Bread and baking"),
            section("pots", "Soups, rice and stews"),
            section("market", "From the market"),
        ],
        subjects: [
            subject(
                "spanish-omelette",
                "Spanish omelette",
                "the Spanish omelette",
                [
                    "A Spanish omelette needs eggs, potatoes, olive oil and salt; whether onion belongs in it divides families.",
                    "The recipe begins with potatoes that cook slowly in plenty of oil until they are soft but not brown.",
                    "{who} turns the omelette with a plate in one quick move and has dropped it only {n} times.",
                ],
            ),
            subject(
                "fried-eggs",
                "Fried eggs",
                "fried eggs",
                [
                    "A fried egg wants hot oil for a crisp edge and a spoon to baste the yolk.",
                    "Fresh eggs keep their shape in the pan, and old eggs run.",
                    "In {place} a fried egg is served on bread with peppers and a little ham.",
                ],
            ),
            subject(
                "roast-potatoes",
                "Roast potatoes",
                "roast potatoes",
                [
                    "Boil the potatoes first, shake them until the edges are rough, and roast them in a very hot oven.",
                    "A floury potato turns crisp and a waxy one stays firm, so choose before you peel.",
                    "The market of {place} sells {n} kinds of potato and has an opinion about each.",
                ],
            ),
            subject(
                "sourdough-bread",
                "Sourdough bread",
                "sourdough bread",
                [
                    "Sourdough bread is made of flour, water, salt and time; the starter does the work of the yeast.",
                    "A long cold rise gives the bread its flavour and its open crumb.",
                    "The starter in the bakery of {place} has been fed every day since {year}.",
                ],
            ),
            subject(
                "empanadas",
                "Empanadas",
                "empanadas",
                [
                    "An empanada is a pastry folded around meat, tuna or vegetables and sealed with a fork.",
                    "The filling of an empanada must be cold before it meets the dough.",
                    "{who} bakes {many} empanadas for the summer fair of {place}.",
                ],
            ),
            subject(
                "chocolate-cake",
                "Chocolate cake",
                "chocolate cake",
                [
                    "A good chocolate cake uses dark chocolate, butter, sugar, eggs and very little flour.",
                    "Take the chocolate cake out of the oven while the middle still trembles.",
                    "The recipe for this chocolate cake came to {place} in a letter from {year}.",
                ],
            ),
            subject(
                "gazpacho",
                "Gazpacho",
                "gazpacho",
                [
                    "Gazpacho is a cold soup of ripe tomatoes, cucumber, pepper, garlic, vinegar and olive oil.",
                    "The better the tomatoes, the shorter the recipe for gazpacho.",
                    "In {place} a jug of gazpacho waits in every refrigerator from June to September.",
                ],
            ),
            subject(
                "lentil-stew",
                "Lentil stew",
                "lentil stew",
                [
                    "A lentil stew simmers with carrot, onion, bay leaf and a piece of chorizo.",
                    "Small brown lentils need no soaking and are ready in forty minutes.",
                    "{who} cooks lentil stew every Monday and freezes {n} portions.",
                ],
            ),
            subject(
                "paella",
                "Paella",
                "paella",
                [
                    "Paella is a rice dish: the rice lies in a thin layer, drinks the broth and is never stirred.",
                    "Saffron gives the rice of a paella its colour, and a crust at the bottom is the cook's reward.",
                    "At the fair of {place} one paella feeds {many} people from a single pan.",
                ],
            ),
            subject(
                "olive-oil",
                "Olive oil",
                "olive oil",
                [
                    "Extra virgin olive oil is pressed without heat, and the first oil of the season tastes of grass and pepper.",
                    "Keep olive oil in the dark; light spoils it faster than time.",
                    "The mill of {place} presses {many} tonnes of olives between November and January.",
                ],
            ),
            subject(
                "cheese",
                "Cheese",
                "cheese",
                [
                    "Sheep's milk gives a firm cheese that keeps for a year and grows sharper every month.",
                    "Take cheese out of the cold an hour before you serve it.",
                    "{who} looks after {many} goats near {place} and makes one small cheese a day from each.",
                ],
            ),
            subject(
                "cured-ham",
                "Cured ham",
                "cured ham",
                [
                    "Cured ham hangs for two winters in mountain air before it is cut.",
                    "Slice the ham by hand, thin enough to see the knife through it.",
                    "The cellar of {place} holds {many} hams and smells of salt and hazelnuts.",
                ],
            ),
        ],
        asides: &[
            "Taste before you add salt, and taste again before you serve.",
            "A heavy pan and {thing} are worth more than a drawer full of gadgets.",
            "The recipe on this page feeds {n} people, or fewer who come hungry.",
            "{who} learned the recipe from a grandmother in {place} who measured everything with a coffee cup.",
            "Read the whole recipe before you light the stove.",
            "Good cooking is mostly shopping, and the market of {place} opens at seven.",
            "Leftovers taste better the next day, as every kitchen knows.",
            "With {thing} within reach the cook stays calm.",
        ],
        tips: &[
            "Use the best oil you can afford.",
            "Weigh the flour instead of guessing.",
            "Let the dish rest for {n} minutes before you cut it.",
            "Sharpen the knife before you begin.",
            "Keep a little of the cooking water.",
            "Warm the plates in the oven.",
            "Save the bones and peelings for broth.",
        ],
        things: &[
            "a wooden spoon",
            "a sharp knife",
            "a cast iron pan",
            "a bunch of parsley",
            "a head of garlic",
            "a glass of water",
        ],
        table: (
            "Servings at the village fair",
            ["Village", "Year", "Plates served"],
            ["{elsewhere}", "{past}", "{many}"],
        ),
    },
    es: Edition {
        host: "cocina",
        title: "La cocina lenta",
        tagline: "Recetas que perdonan",
        keywords: "cocina, recetas, comida, ingredientes, tortilla",
        sections: [
            section("huevos-y-patatas", "Huevos y patatas"),
            section("horno", "Pan y horno"),
            section("cuchara", "Sopas, arroces y guisos"),
            section("mercado", "Del mercado"),
        ],
        subjects: [
            subject(
                "tortilla-de-patatas",
                "Tortilla de patatas",
                "la tortilla de patatas",
                [
                    "La receta de la tortilla lleva huevos, patatas, aceite de oliva y sal; la cebolla divide a las familias.",
                    "Para una buena tortilla las patatas se cuecen despacio en mucho aceite hasta que están tiernas, sin dorarse, y hay quien añade jamón en dados.",
                    "{who} da la vuelta a la tortilla con un plato, de un solo gesto, y solo se le ha caído {n} veces.",
                ],
            ),
            subject(
                "huevos-fritos",
                "Huevos fritos",
                "los huevos fritos",
                [
                    "Un huevo frito pide aceite muy caliente para que salga la puntilla y una cuchara para bañar la yema.",
                    "Los huevos frescos mantienen la forma en la sartén; los viejos se desparraman.",
                    "En {place} el huevo frito se sirve sobre pan con pimientos y un poco de jamón.",
                ],
            ),
            subject(
                "patatas-asadas",
                "Patatas asadas",
                "las patatas asadas",
                [
                    "Primero se hierven las patatas, se agitan para que los bordes queden ásperos y se asan en un horno muy caliente.",
                    "La patata harinosa queda crujiente y la cerosa se mantiene firme, así que elija antes de pelar.",
                    "El mercado de {place} vende {n} clases de patata y tiene una opinión sobre cada una.",
                ],
            ),
            subject(
                "pan-de-masa-madre",
                "Pan de masa madre",
                "el pan de masa madre",
                [
                    "El pan de masa madre se hace con harina, agua, sal y tiempo; la masa madre hace el trabajo de la levadura.",
                    "Una fermentación larga y fría da al pan su sabor y su miga abierta.",
                    "La masa madre de la panadería de {place} se alimenta todos los días desde {year}.",
                ],
            ),
            subject(
                "empanadas",
                "Empanadas",
                "las empanadas",
                [
                    "La empanada es una masa doblada sobre carne, atún o verduras y cerrada con un tenedor.",
                    "El relleno de la empanada debe estar frío antes de tocar la masa.",
                    "{who} hornea {many} empanadas para la feria de verano de {place}.",
                ],
            ),
            subject(
                "tarta-de-chocolate",
                "Tarta de chocolate",
                "la tarta de chocolate",
                [
                    "Una buena tarta de chocolate lleva chocolate negro, mantequilla, azúcar, huevos y muy poca harina.",
                    "Saque la tarta de chocolate del horno cuando el centro aún tiemble.",
                    "La receta de esta tarta llegó a {place} en una carta de {year}.",
                ],
            ),
            subject(
                "gazpacho",
                "Gazpacho",
                "el gazpacho",
                [
                    "El gazpacho es una sopa fría de tomates maduros, pepino, pimiento, ajo, vinagre y aceite de oliva.",
                    "Cuanto mejores son los tomates, más corta es la receta del gazpacho.",
                    "En {place} una jarra de gazpacho espera en cada nevera de junio a septiembre.",
                ],
            ),
            subject(
                "lentejas",
                "Lentejas",
                "las lentejas",
                [
                    "Las lentejas se guisan con zanahoria, cebolla, laurel y un trozo de chorizo.",
                    "Las lentejas pequeñas no necesitan remojo y están listas en cuarenta minutos.",
                    "{who} cocina lentejas cada lunes y congela {n} raciones.",
                ],
            ),
            subject(
                "paella",
                "Paella",
                "la paella",
                [
                    "La paella es un plato de arroz: el arroz va en una capa fina, bebe el caldo y no se remueve nunca.",
                    "El azafrán da color al arroz de la paella, y el socarrat del fondo es el premio del cocinero.",
                    "En la feria de {place} una sola paella da de comer a {many} personas.",
                ],
            ),
            subject(
                "aceite-de-oliva",
                "Aceite de oliva",
                "el aceite de oliva",
                [
                    "El aceite de oliva virgen extra se extrae en frío, y el primero de la campaña sabe a hierba y a pimienta.",
                    "Guarde el aceite de oliva en la oscuridad; la luz lo estropea antes que el tiempo.",
                    "La almazara de {place} muele {many} toneladas de aceituna entre noviembre y enero.",
                ],
            ),
            subject(
                "queso",
                "Queso",
                "el queso",
                [
                    "La leche de oveja da un queso firme que se conserva un año y cada mes es más fuerte.",
                    "Saque el queso de la nevera una hora antes de servirlo.",
                    "{who} cuida {many} cabras cerca de {place} y hace un queso pequeño al día.",
                ],
            ),
            subject(
                "jamon-curado",
                "Jamón curado",
                "el jamón curado",
                [
                    "El jamón cuelga dos inviernos en el aire de la montaña antes de cortarse.",
                    "Corte el jamón a cuchillo, tan fino que se vea la hoja a través de la loncha.",
                    "La bodega de {place} guarda {many} jamones y huele a sal y a avellana.",
                ],
            ),
        ],
        asides: &[
            "Pruebe antes de echar sal, y vuelva a probar antes de servir.",
            "Una sartén pesada y {thing} valen más que un cajón lleno de aparatos.",
            "La receta de esta página es para {n} personas, o para menos si llegan con hambre.",
            "{who} aprendió la receta de una abuela de {place} que lo medía todo con una taza de café.",
            "Lea la receta entera antes de encender el fuego.",
            "Cocinar bien es sobre todo comprar bien, y el mercado de {place} abre a las siete.",
            "Lo que sobra sabe mejor al día siguiente, como sabe cualquier cocina.",
            "Con {thing} a mano, el cocinero no pierde la calma.",
        ],
        tips: &[
            "Use el mejor aceite que pueda permitirse.",
            "Pese la harina en lugar de calcularla a ojo.",
            "Deje reposar el plato {n} minutos antes de cortarlo.",
            "Afile el cuchillo antes de empezar.",
            "Guarde un poco del agua de cocción.",
            "Caliente los platos en el horno.",
            "Aproveche los huesos y las peladuras para el caldo.",
        ],
        things: &[
            "una cuchara de madera",
            "un cuchillo afilado",
            "una sartén de hierro",
            "un manojo de perejil",
            "una cabeza de ajos",
            "un vaso de agua",
        ],
        table: (
            "Raciones en la feria del pueblo",
            ["Pueblo", "Año", "Platos servidos"],
            ["{elsewhere}", "{past}", "{many}"],
        ),
    },
};
