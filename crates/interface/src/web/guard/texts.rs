//! What is said at the door?

use super::refusal::Refused;

/// Everything the guard says in one language.
pub(in crate::web) struct GuardTexts {
    pub(in crate::web) sign_in: &'static str,
    pub(in crate::web) sign_out: &'static str,
    pub(in crate::web) signed_in: &'static str,
    pub(in crate::web) token_label: &'static str,
    pub(in crate::web) token_help: &'static str,
    pub(in crate::web) wrong_token: &'static str,
    too_fast: [&'static str; 2],
    another_site: [&'static str; 2],
    old_form: [&'static str; 2],
    unreadable: [&'static str; 2],
}

impl GuardTexts {
    /// Every text, so that a test can compare languages.
    #[cfg(test)]
    #[rustfmt::skip]
    pub(in crate::web) fn all(&self) -> impl Iterator<Item = &'static str> {
        let GuardTexts {
            sign_in, sign_out, signed_in, token_label, token_help, wrong_token, too_fast, another_site, old_form,
            unreadable,
        } = *self;
        let single = [sign_in, sign_out, signed_in, token_label, token_help, wrong_token];
        single.into_iter().chain([too_fast, another_site, old_form, unreadable].into_iter().flatten())
    }

    /// Title and message of the page for whoever may not pass.
    pub(super) fn refused(&self, refused: Refused) -> (&'static str, &'static str) {
        let [title, message] = match refused {
            Refused::TooFast(_) | Refused::TooManyTries(_) => self.too_fast,
            Refused::AnotherSite => self.another_site,
            Refused::SignIn | Refused::WrongToken => [self.sign_in, self.token_help],
            Refused::OldForm => self.old_form,
            Refused::NoJson | Refused::TooLarge | Refused::TooSlow => self.unreadable,
        };
        (title, message)
    }
}

pub(in crate::web) const EN: GuardTexts = GuardTexts {
    sign_in: "Sign in",
    sign_out: "Sign out",
    signed_in: "You are signed in.",
    token_label: "Token",
    token_help: "The token is in the file “token” of the data folder.",
    wrong_token: "This is not the token of this server.",
    too_fast: ["Too many requests", "Please wait a moment and try again."],
    another_site: [
        "Not from there",
        "This request comes from a page of another site, or under a name that this server does not have.",
    ],
    old_form: ["This form is too old", "Go back, load the page again, and send it once more."],
    unreadable: ["This cannot be read", "What was sent is too large, too slow or of another kind."],
};

pub(in crate::web) const ES: GuardTexts = GuardTexts {
    sign_in: "Entrar",
    sign_out: "Salir",
    signed_in: "Has entrado.",
    token_label: "Clave",
    token_help: "La clave está en el archivo «token» de la carpeta de datos.",
    wrong_token: "Esta no es la clave de este servidor.",
    too_fast: ["Demasiadas peticiones", "Espera un momento y vuelve a intentarlo."],
    another_site: [
        "Desde ahí no",
        "Esta petición viene de una página de otro sitio, o con un nombre que este servidor no tiene.",
    ],
    old_form: [
        "Este formulario es demasiado antiguo",
        "Vuelve atrás, carga la página de nuevo y envíalo otra vez.",
    ],
    unreadable: [
        "Esto no se puede leer",
        "Lo enviado es demasiado grande, demasiado lento o de otro tipo.",
    ],
};
