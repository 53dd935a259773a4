//! What does an error say, with all that it comes from?

/// An error and its sources in one line, each text once.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let said = inner.to_string();
        if !text.contains(&said) {
            text += ": ";
            text += &said;
        }
        source = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Layer {
        text: &'static str,
        source: Option<Box<Layer>>,
    }

    #[test]
    fn every_source_is_told_once() {
        let bottom = Layer { text: "refused", source: None };
        let middle = Layer { text: "no connection", source: Some(Box::new(bottom)) };
        let same = Layer { text: "get: no connection", source: Some(Box::new(middle)) };
        assert_eq!(chain(&same), "get: no connection: refused");
    }
}
