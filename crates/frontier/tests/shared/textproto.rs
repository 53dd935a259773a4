//! What does a test file of the robots specification say? A reader for as much of the text format of
//! protocol buffers as these files use: nested messages, lists, strings in pieces, and names.

/// One robots.txt and what is expected of it.
pub(crate) struct Case {
    pub(crate) robots: Vec<u8>,
    pub(crate) expected: Vec<Expectation>,
}

/// One question and its answer.
#[derive(Debug, Default)]
pub(crate) struct Expectation {
    pub(crate) url: String,
    pub(crate) agent: String,
    pub(crate) allowed: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(Vec<u8>),
    Sign(u8),
}

/// All cases of a file. Panics on what it does not understand: a skipped case would pass unseen.
pub(crate) fn read_cases(bytes: &[u8]) -> Vec<Case> {
    let tokens = tokens(bytes);
    let mut cases = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Token::Word(name) = &tokens[at] else {
            at += 1;
            continue;
        };
        // Neighbouring strings were joined by the tokenizer, so a field is `name : value`.
        let value = match tokens.get(at + 1) {
            Some(Token::Sign(b':')) => tokens.get(at + 2),
            _ => panic!("{name} has no value"),
        };
        at += 2;
        match (name.as_str(), value) {
            ("robotstxt", Some(Token::Text(robots))) => {
                cases.push(Case { robots: robots.clone(), expected: Vec::new() })
            }
            ("testurl", Some(Token::Text(url))) => {
                let case = cases.last_mut().expect("a robotstxt before the expectations");
                case.expected.push(Expectation { url: utf8(url), ..Expectation::default() });
            }
            ("useragent", Some(Token::Text(agent))) => last(&mut cases).agent = utf8(agent),
            ("expected_outcome", Some(Token::Word(outcome))) => {
                last(&mut cases).allowed = match outcome.as_str() {
                    "ALLOWED" => true,
                    "DISALLOWED" => false,
                    other => panic!("unknown outcome {other}"),
                };
                at += 1;
            }
            ("test_type", Some(Token::Word(_))) => at += 1,
            ("tests" | "test_expectations" | "additional_explanation", _) => {}
            (other, value) => panic!("unknown field {other} with {value:?}"),
        }
    }
    cases
}

fn last(cases: &mut [Case]) -> &mut Expectation {
    let case = cases.last_mut().expect("a robotstxt first");
    case.expected.last_mut().expect("a testurl first")
}

fn utf8(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn tokens(bytes: &[u8]) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'#' => {
                let end = rest.iter().position(|byte| *byte == b'\n');
                rest = &rest[end.unwrap_or(rest.len())..];
            }
            b'"' => {
                let (text, after) = string(rest);
                rest = after;
                match tokens.last_mut() {
                    Some(Token::Text(before)) => before.extend(text),
                    _ => tokens.push(Token::Text(text)),
                }
            }
            b':' | b'{' | b'}' | b'[' | b']' | b',' => tokens.push(Token::Sign(first)),
            _ if first.is_ascii_whitespace() => {}
            _ if first.is_ascii_alphanumeric() => {
                let more = rest
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                    .count();
                let mut word = vec![first];
                word.extend(&rest[..more]);
                rest = &rest[more..];
                tokens.push(Token::Word(utf8(&word)));
            }
            other => panic!("unexpected byte {other:#x}"),
        }
    }
    tokens
}

/// The octets of a string after its opening quote, and what follows its closing one.
fn string(mut rest: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut out = Vec::new();
    loop {
        match rest {
            [b'"', after @ ..] => return (out, after),
            [b'\\', b'x', high, low, after @ ..] => {
                let digits = utf8(&[*high, *low]);
                out.push(u8::from_str_radix(&digits, 16).expect("two hexadecimal digits"));
                rest = after;
            }
            [b'\\', escape, after @ ..] => {
                out.push(match escape {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'\\' | b'"' | b'\'' => *escape,
                    other => panic!("unknown escape {other:#x}"),
                });
                rest = after;
            }
            [byte, after @ ..] => {
                out.push(*byte);
                rest = after;
            }
            [] => panic!("a string without end"),
        }
    }
}
