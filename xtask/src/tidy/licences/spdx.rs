//! Does a licence expression offer a way that we accept?
//!
//! SPDX expressions as manifests have them: names, `OR`, `AND`, `WITH`, parentheses, and the old
//! `MIT/Apache-2.0` for `OR`. `AND` binds tighter than `OR`.

use std::iter::Peekable;
use std::vec::IntoIter;

/// Deepest nesting of parentheses that is read.
const MAX_DEPTH: usize = 16;

/// Why an expression cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// A licence name should stand where something else, or nothing, stands.
    NameExpected,
    /// A parenthesis is not closed, or closed without being open.
    Parenthesis,
    /// Two names without a word between them.
    Leftover,
    TooDeep,
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unreadable::NameExpected => "a licence name is missing",
            Unreadable::Parenthesis => "parentheses do not match",
            Unreadable::Leftover => "two names without OR, AND or WITH",
            Unreadable::TooDeep => "too many parentheses",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    Or,
    And,
    With,
    Name(String),
}

/// Whether the expression can be satisfied with names for which `accept` is true. A name with an
/// exception is asked as `NAME WITH EXCEPTION`.
pub(super) fn allowed(text: &str, accept: impl Fn(&str) -> bool) -> Result<bool, Unreadable> {
    let mut parser = Parser { tokens: tokens(text).into_iter().peekable(), accept, depth: 0 };
    let answer = parser.any()?;
    match parser.tokens.next() {
        None => Ok(answer),
        Some(Token::Close) => Err(Unreadable::Parenthesis),
        Some(_) => Err(Unreadable::Leftover),
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('/', " / ");
    let token = |word: &str| match word {
        "(" => Token::Open,
        ")" => Token::Close,
        "OR" | "/" => Token::Or,
        "AND" => Token::And,
        "WITH" => Token::With,
        name => Token::Name(name.to_owned()),
    };
    spaced.split_whitespace().map(token).collect()
}

struct Parser<F> {
    tokens: Peekable<IntoIter<Token>>,
    accept: F,
    depth: usize,
}

impl<F: Fn(&str) -> bool> Parser<F> {
    /// `all (OR all)*`
    fn any(&mut self) -> Result<bool, Unreadable> {
        let mut answer = self.all()?;
        while self.tokens.next_if_eq(&Token::Or).is_some() {
            // Both sides are read, so that a fault in either is seen.
            answer |= self.all()?;
        }
        Ok(answer)
    }

    /// `one (AND one)*`
    fn all(&mut self) -> Result<bool, Unreadable> {
        let mut answer = self.one()?;
        while self.tokens.next_if_eq(&Token::And).is_some() {
            answer &= self.one()?;
        }
        Ok(answer)
    }

    /// `( any )` or `NAME [WITH NAME]`
    fn one(&mut self) -> Result<bool, Unreadable> {
        match self.tokens.next() {
            Some(Token::Open) if self.depth == MAX_DEPTH => Err(Unreadable::TooDeep),
            Some(Token::Open) => {
                self.depth += 1;
                let answer = self.any()?;
                self.depth -= 1;
                self.tokens.next_if_eq(&Token::Close).ok_or(Unreadable::Parenthesis)?;
                Ok(answer)
            }
            Some(Token::Name(name)) => {
                if self.tokens.next_if_eq(&Token::With).is_none() {
                    return Ok((self.accept)(&name));
                }
                match self.tokens.next() {
                    Some(Token::Name(exception)) => {
                        Ok((self.accept)(&format!("{name} WITH {exception}")))
                    }
                    _ => Err(Unreadable::NameExpected),
                }
            }
            _ => Err(Unreadable::NameExpected),
        }
    }
}

#[cfg(test)]
mod tests;
