//! Which made-up web? Written as `PAGES`, `PAGES,SITES` or `PAGES,SITES,SEED`.

use lycosa_lab::synthetic::{MAX_PAGES_PER_SITE, MAX_SITES, Naming, Shape, SyntheticWeb};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;
use std::str::FromStr;

/// Pages of one site where the number of sites is not given.
const PAGES_OF_A_SITE: usize = 100;

/// The measures of a made-up web.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Synthetic {
    pages: usize,
    sites: usize,
    seed: u64,
}

impl Synthetic {
    /// The web itself. Each site has an equal share of the pages.
    pub(crate) fn web(self) -> SyntheticWeb {
        let shape = Shape::large(self.sites, self.pages / self.sites);
        SyntheticWeb::new(self.seed, shape, Naming::plain())
    }

    /// Where a crawl of all of it begins.
    pub(crate) fn front(self) -> Option<String> {
        let one = Synthetic { pages: self.pages / self.sites, sites: 1, ..self };
        one.web().fronts().into_iter().next()
    }
}

impl FromStr for Synthetic {
    type Err = String;

    fn from_str(text: &str) -> Result<Synthetic, String> {
        let why = || {
            format!(
                "`{text}` is no web; write PAGES, PAGES,SITES or PAGES,SITES,SEED, as in 10000,50"
            )
        };
        let mut numbers = text.split(',').map(|part| part.trim().parse::<u64>().map_err(|_| why()));
        let mut next = || numbers.next().transpose();
        let pages = usize::try_from(next()?.ok_or_else(why)?).map_err(|_| why())?;
        let sites = match next()? {
            Some(sites) => usize::try_from(sites).map_err(|_| why())?,
            None => pages.div_ceil(PAGES_OF_A_SITE),
        };
        let seed = next()?.unwrap_or(1);
        if numbers.next().is_some() {
            return Err(why());
        }
        if sites == 0 || sites > MAX_SITES || pages < sites || pages / sites > MAX_PAGES_PER_SITE {
            return Err(format!(
                "`{text}` cannot be built: there are 1 to {MAX_SITES} sites with 1 to \
                 {MAX_PAGES_PER_SITE} pages each"
            ));
        }
        if pages % sites != 0 {
            return Err(format!(
                "`{text}` cannot be built: {pages} pages are not shared equally by {sites} sites"
            ));
        }
        Ok(Synthetic { pages, sites, seed })
    }
}

impl fmt::Display for Synthetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.pages, self.sites, self.seed)
    }
}

impl Serialize for Synthetic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Synthetic {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Synthetic, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Synthetic, String> {
        text.parse()
    }

    #[test]
    fn pages_alone_are_enough() {
        assert_eq!(read("1000000").map(|web| web.to_string()), Ok("1000000,10000,1".into()));
        assert_eq!(read("600,12,7").map(|web| web.to_string()), Ok("600,12,7".into()));
    }

    #[test]
    fn what_cannot_be_built_is_refused_with_a_reason() {
        for (text, word) in [
            ("", "no web"),
            ("many", "no web"),
            ("1,2,3,4", "no web"),
            ("0", "cannot be built"),
            ("10,0", "cannot be built"),
            ("10,20", "cannot be built"),
            ("10,3", "equally"),
            ("99999999999999999999", "no web"),
        ] {
            let told = read(text).map(|web| web.to_string());
            assert!(told.as_ref().is_err_and(|why| why.contains(word)), "{text}: {told:?}");
        }
    }

    #[test]
    fn the_front_page_belongs_to_the_web() -> Result<(), String> {
        let synthetic = read("500,5,3")?;
        let front = synthetic.front().ok_or("no front page")?;
        assert_eq!(synthetic.web().fronts().first(), Some(&front));
        Ok(())
    }
}
