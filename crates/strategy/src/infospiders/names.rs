//! What is a spider called? By a name that people can say, and that no other has.

const NAMES: [&str; 64] = [
    "Ada", "Agnes", "Alba", "Alma", "Anton", "Ariadne", "Arne", "Bela", "Berta", "Boris", "Bruno",
    "Carla", "Clara", "Cora", "Dario", "Dora", "Edda", "Edgar", "Elmo", "Elsa", "Emil", "Emma",
    "Enzo", "Erna", "Ezra", "Felix", "Fanny", "Frida", "Gala", "Gino", "Greta", "Hanna", "Hugo",
    "Ida", "Igor", "Ines", "Irma", "Ivo", "Jana", "Jonas", "Juno", "Karl", "Klara", "Lara", "Leo",
    "Lola", "Lucia", "Luis", "Mara", "Marta", "Max", "Milo", "Nina", "Noa", "Olga", "Oskar",
    "Otto", "Paula", "Pia", "Rosa", "Tara", "Theo", "Vera", "Zoe",
];

/// The name of the spider of this number.
pub(super) fn name(number: u64) -> String {
    let count = NAMES.len() as u64;
    let name = NAMES[(number % count) as usize];
    match number / count {
        0 => name.to_owned(),
        more => format!("{name}-{}", more + 1),
    }
}
