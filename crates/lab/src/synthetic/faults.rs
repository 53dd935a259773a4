//! What goes wrong on this web, and where? One table, so that pages, links and facts agree.

use super::shape::Shape;
use lycosa_model::Lang;

/// A page that is not an ordinary article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Forbidden by robots.txt, and linked to all the same.
    Private,
    /// 301 to an article.
    Moved,
    /// Linked to, and answered with 404.
    Missing,
    /// 302 to [`Fault::ChainEnd`].
    ChainStart,
    /// 302 to an article.
    ChainEnd,
    /// 302 to [`Fault::LoopBack`].
    Loop,
    /// 302 to [`Fault::Loop`].
    LoopBack,
    /// 500, always.
    Broken,
    /// A page without any link.
    Leaflet,
    /// An article of the first site once more, a word or two changed.
    Mirror,
    /// A page that asks not to be indexed.
    Draft,
    /// A page with a `rel=nofollow` link to [`Fault::Sponsor`].
    Press,
    /// Reached by a `rel=nofollow` link only.
    Sponsor,
    /// Tag soup.
    Classic,
}

/// The folder that every robots.txt forbids.
pub(super) const PRIVATE_FOLDER: &str = "/private/";

struct Spot {
    fault: Fault,
    path: &'static str,
    /// The site that has it; every site when `None`.
    site: Option<usize>,
    /// English and Spanish words of the link that leads there; `None` when no list links to it.
    label: Option<(&'static str, &'static str)>,
}

const fn spot(
    fault: Fault,
    path: &'static str,
    site: Option<usize>,
    label: Option<(&'static str, &'static str)>,
) -> Spot {
    Spot { fault, path, site, label }
}

const SPOTS: [Spot; 16] = [
    spot(Fault::Private, "/private/members.html", None, Some(("Members only", "Solo para socios"))),
    spot(
        Fault::Private,
        "/private/accounts.html",
        None,
        Some(("Our accounts", "Nuestras cuentas")),
    ),
    spot(
        Fault::Moved,
        "/old/start.html",
        None,
        Some(("Where to start (old address)", "Por dónde empezar (dirección antigua)")),
    ),
    spot(
        Fault::Missing,
        "/lost/letters.html",
        None,
        Some(("Letters to the editor", "Cartas al director")),
    ),
    spot(
        Fault::ChainStart,
        "/moved/once.html",
        Some(0),
        Some(("The page that moved twice", "La página que se mudó dos veces")),
    ),
    spot(Fault::ChainEnd, "/moved/twice.html", Some(0), None),
    spot(Fault::Loop, "/carousel/left.html", Some(1), Some(("The carousel", "El carrusel"))),
    spot(Fault::LoopBack, "/carousel/right.html", Some(1), None),
    spot(Fault::Broken, "/calendar.html", Some(2), Some(("Calendar", "Calendario"))),
    spot(
        Fault::Leaflet,
        "/leaflet.html",
        Some(3),
        Some(("Leaflet to print", "Folleto para imprimir")),
    ),
    spot(
        Fault::Leaflet,
        "/leaflet.html",
        Some(4),
        Some(("Leaflet to print", "Folleto para imprimir")),
    ),
    spot(
        Fault::Mirror,
        "/guests/reprint.html",
        Some(6),
        Some(("A reprint from our neighbours", "Un artículo de nuestros vecinos")),
    ),
    spot(Fault::Draft, "/draft.html", Some(7), Some(("A draft", "Un borrador"))),
    spot(
        Fault::Press,
        "/press.html",
        Some(8),
        Some(("Press and sponsors", "Prensa y patrocinadores")),
    ),
    spot(Fault::Sponsor, "/sponsor.html", Some(8), None),
    spot(
        Fault::Classic,
        "/classic.html",
        Some(10),
        Some(("Our first page, as it was", "Nuestra primera página, tal como era")),
    ),
];

/// One fault of one site.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) fault: Fault,
    pub(super) path: &'static str,
    label: Option<(&'static str, &'static str)>,
}

impl Placed {
    /// The words of the link to it, when some list has one.
    pub(super) fn label(&self, lang: Lang) -> Option<&'static str> {
        let (en, es) = self.label?;
        Some(if lang == Lang::ES { es } else { en })
    }
}

/// The faults of one site. A web with fewer sites than the table names wraps around, so that every
/// fault is somewhere; a path that two spots then share belongs to the first.
pub(super) fn faults(shape: &Shape, site: usize) -> impl Iterator<Item = Placed> + use<> {
    let (on, sites) = (shape.faults, shape.sites);
    let here = move |spot: &Spot| spot.site.is_none_or(|owner| owner % sites == site);
    SPOTS
        .iter()
        .enumerate()
        .filter(move |(_, spot)| on && here(spot))
        .filter(move |(at, spot)| {
            !SPOTS[..*at].iter().any(|earlier| here(earlier) && earlier.path == spot.path)
        })
        .map(|(_, spot)| Placed { fault: spot.fault, path: spot.path, label: spot.label })
}

/// The fault at a path of a site.
pub(super) fn fault_at(shape: &Shape, site: usize, path: &str) -> Option<Fault> {
    faults(shape, site).find(|placed| placed.path == path).map(|placed| placed.fault)
}

/// The site whose articles come in three encodings: the first Spanish one from the fifth topic on,
/// else the last Spanish one.
pub(super) fn legacy_site(shape: &Shape) -> Option<usize> {
    let known = shape.sites.min(12);
    let spanish = |site: &usize| shape.faults && shape.lang(*site) == Lang::ES;
    (8..known).find(spanish).or_else(|| (0..known).rfind(spanish))
}

/// The site whose second article is compressed.
pub(super) fn gzip_site(shape: &Shape) -> Option<usize> {
    shape.faults.then_some(5 % shape.sites)
}
