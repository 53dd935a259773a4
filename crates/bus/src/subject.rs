//! What is a subject, and which pattern names it?

use crate::error::{Error, Result};

/// Longest subject in bytes; servers allow more, and nobody needs it.
pub(crate) const MAX_SUBJECT: usize = 200;

/// Before the subjects of all crawls.
const ROOT: &str = "lycosa";

/// The subjects of one crawl: two crawls on one bus do not hear each other.
#[derive(Debug, Clone)]
pub(crate) struct Space {
    prefix: String,
    crawl: String,
}

impl Space {
    pub(crate) fn new(crawl: &str) -> Result<Space> {
        if !is_word(crawl) || crawl.len() > MAX_SUBJECT / 2 {
            return Err(Error::Subject(crawl.to_owned()));
        }
        Ok(Space { prefix: format!("{ROOT}.{crawl}."), crawl: crawl.to_owned() })
    }

    /// The name of the crawl.
    pub(crate) fn crawl(&self) -> &str {
        &self.crawl
    }

    /// The whole name of a subject.
    pub(crate) fn subject(&self, subject: &str) -> Result<String> {
        self.whole(subject, is_word)
    }

    /// The whole name of a pattern, in which `*` is any word and a last `>` any rest.
    pub(crate) fn pattern(&self, pattern: &str) -> Result<String> {
        let (before, last) = pattern.rsplit_once('.').unwrap_or(("", pattern));
        let either = |word: &str| word == "*" || is_word(word);
        match last {
            ">" if pattern == ">" => Ok(format!("{}>", self.prefix)),
            ">" => Ok(format!("{}.>", self.whole(before, either)?)),
            _ => self.whole(pattern, either),
        }
    }

    fn whole(&self, subject: &str, good: impl Fn(&str) -> bool) -> Result<String> {
        let whole = format!("{}{subject}", self.prefix);
        if whole.len() <= MAX_SUBJECT && subject.split('.').all(good) {
            return Ok(whole);
        }
        Err(Error::Subject(subject.to_owned()))
    }

    /// A subject without the part that is the same for all; as it is when it is of nobody's space.
    pub(crate) fn short<'a>(&self, whole: &'a str) -> &'a str {
        whole.strip_prefix(&self.prefix).unwrap_or(whole)
    }
}

/// Whether this can be one word of a subject: letters, digits, `-` and `_`.
pub(crate) fn is_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// Whether a pattern names a subject: `*` is any one word, `>` at the end is one or more.
pub fn matches(pattern: &str, subject: &str) -> bool {
    let mut words = subject.split('.');
    for part in pattern.split('.') {
        match (part, words.next()) {
            (">", Some(_)) => return true,
            ("*", Some(_)) => {}
            (part, Some(word)) if part == word => {}
            _ => return false,
        }
    }
    words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn patterns_name_what_nats_says_they_name() {
        for (pattern, subject, named) in [
            ("a.b", "a.b", true),
            ("a.b", "a.b.c", false),
            ("a.*", "a.b", true),
            ("a.*", "a", false),
            ("a.*", "a.b.c", false),
            ("*.b", "a.b", true),
            ("a.>", "a.b.c", true),
            ("a.>", "a", false),
            (">", "a.b.c", true),
            ("a.*.c", "a.b.c", true),
            ("a.*.c", "a.b.d", false),
        ] {
            assert_eq!(matches(pattern, subject), named, "{pattern} {subject}");
        }
    }

    #[test]
    fn only_words_are_subjects() {
        let space = Space::new("c1").unwrap();
        assert_eq!(space.subject("work.index").unwrap(), "lycosa.c1.work.index");
        for bad in ["", "a..b", ".a", "a.", "a b", "a.*", ">", "ä", "a\r\nPUB x"] {
            assert!(matches!(space.subject(bad), Err(Error::Subject(_))), "{bad}");
        }
        for bad in ["", "a.>.b", "a b", "a*", ".>"] {
            assert!(matches!(space.pattern(bad), Err(Error::Subject(_))), "{bad}");
        }
        assert_eq!(space.pattern("hb.*").unwrap(), "lycosa.c1.hb.*");
        assert_eq!(space.pattern(">").unwrap(), "lycosa.c1.>");
        assert_eq!(space.pattern("a.*.>").unwrap(), "lycosa.c1.a.*.>");
        assert!(Space::new("a.b").is_err() && Space::new("").is_err());
        assert!(space.subject(&"x".repeat(MAX_SUBJECT)).is_err());
    }

    proptest! {
        #[test]
        fn a_subject_is_named_by_itself_and_by_stars(words in prop::collection::vec("[a-z]{1,3}", 1..5)) {
            let subject = words.join(".");
            let stars = vec!["*"; words.len()].join(".");
            prop_assert!(matches(&subject, &subject));
            prop_assert!(matches(&stars, &subject));
            let more = format!("{stars}.*");
            prop_assert!(!matches(&more, &subject));
            let deeper = format!("{subject}.x");
            let rest = format!("{subject}.>");
            prop_assert!(!matches(&subject, &deeper) && matches(&rest, &deeper));
        }
    }
}
