//! By which number is a state written? Numbers stay what they are, whatever the order of words in the program,
//! since programs of several ages share a database.
//!
//! 0 to 99: it waits, and where it came from. 100 to 65,535: the HTTP status. Below 0: it ended without one.

use crate::LedgerError;
use lycosa_model::{FetchError, Origin, Outcome, TlsFault, Trap, UrlState};

const ORIGINS: [Origin; 5] =
    [Origin::Seed, Origin::WantedLanguage, Origin::OtherPage, Origin::Redirect, Origin::Sitemap];

const DROPPED: i32 = -1;

/// What ends an attempt, by place; new ones are added at the end.
const OUTCOMES: [Outcome; 13] = [
    Outcome::Fetched,
    Outcome::NotModified,
    Outcome::Redirect,
    Outcome::ClientError,
    Outcome::ServerError,
    Outcome::OddStatus,
    Outcome::RobotsDisallowed,
    Outcome::RobotsUnreachable,
    Outcome::RedirectLimit,
    Outcome::SoftNotFound,
    Outcome::SameAs,
    Outcome::Excluded,
    Outcome::NoCrawllet,
];

const FAILURES: [FetchError; 11] = [
    FetchError::Dns,
    FetchError::Connect,
    FetchError::Timeout,
    FetchError::Protocol,
    FetchError::PrivateAddress,
    FetchError::TooSlow,
    FetchError::HeadTooLarge,
    FetchError::TooLarge,
    FetchError::Bomb,
    FetchError::Encoding,
    FetchError::Filter,
];

/// Where each list of ends begins, downwards.
const OF_OUTCOMES: i32 = -100;
const OF_FAILURES: i32 = -200;
const OF_TLS: i32 = -300;
const OF_TRAPS: i32 = -400;

/// Statuses below 100, which HTTP does not have, are kept apart from those that wait.
const ODD_STATUS: i32 = 70_000;

/// Numbers for one list.
const ROOM: i32 = 100;

/// The number of a state.
pub(crate) fn of_state(state: UrlState) -> i32 {
    match state {
        UrlState::Waiting(origin) => place(&ORIGINS, origin),
        UrlState::Answered(status) if status < 100 => ODD_STATUS + i32::from(status),
        UrlState::Answered(status) => i32::from(status),
        UrlState::Dropped => DROPPED,
        UrlState::Ended(Outcome::Failed(FetchError::Tls(fault))) => {
            OF_TLS - place(&TlsFault::ALL, fault)
        }
        UrlState::Ended(Outcome::Failed(failure)) => OF_FAILURES - place(&FAILURES, failure),
        UrlState::Ended(Outcome::Trap(trap)) => OF_TRAPS - place(&Trap::ALL, trap),
        UrlState::Ended(outcome) => OF_OUTCOMES - place(&OUTCOMES, outcome),
    }
}

/// The state with this number.
pub(crate) fn state_of(number: i32) -> Result<UrlState, LedgerError> {
    let known = match number {
        0..ROOM => at(&ORIGINS, number).map(UrlState::Waiting),
        ODD_STATUS.. => u16::try_from(number - ODD_STATUS).ok().map(UrlState::Answered),
        ROOM.. => u16::try_from(number).ok().map(UrlState::Answered),
        DROPPED => Some(UrlState::Dropped),
        _ => outcome_of(number).map(UrlState::Ended),
    };
    known.ok_or_else(|| LedgerError::corrupt("state", format!("{number} is no state")))
}

fn outcome_of(number: i32) -> Option<Outcome> {
    let within = |first: i32| (first - ROOM < number && number <= first).then(|| first - number);
    if let Some(at_place) = within(OF_OUTCOMES) {
        return at(&OUTCOMES, at_place);
    }
    if let Some(at_place) = within(OF_FAILURES) {
        return at(&FAILURES, at_place).map(Outcome::Failed);
    }
    if let Some(at_place) = within(OF_TLS) {
        return at(&TlsFault::ALL, at_place).map(|fault| Outcome::Failed(FetchError::Tls(fault)));
    }
    within(OF_TRAPS).and_then(|at_place| at(&Trap::ALL, at_place)).map(Outcome::Trap)
}

/// Where a word stands in its list. A word that is in none is a new one, for which the test below fails.
fn place<T: PartialEq>(list: &[T], word: T) -> i32 {
    list.iter().position(|listed| *listed == word).map_or(ROOM - 1, |place| place as i32)
}

fn at<T: Copy>(list: &[T], place: i32) -> Option<T> {
    list.get(usize::try_from(place).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every outcome; the match makes a new one a question to whoever adds it.
    fn all() -> Vec<Outcome> {
        let listed = |outcome: &Outcome| match outcome {
            Outcome::Fetched
            | Outcome::NotModified
            | Outcome::Redirect
            | Outcome::ClientError
            | Outcome::ServerError
            | Outcome::OddStatus
            | Outcome::RobotsDisallowed
            | Outcome::RobotsUnreachable
            | Outcome::RedirectLimit
            | Outcome::SoftNotFound
            | Outcome::SameAs
            | Outcome::Excluded
            | Outcome::NoCrawllet
            | Outcome::Trap(_) => true,
            Outcome::Failed(failure) => match failure {
                FetchError::Dns
                | FetchError::Connect
                | FetchError::Tls(_)
                | FetchError::Timeout
                | FetchError::Protocol
                | FetchError::PrivateAddress
                | FetchError::TooSlow
                | FetchError::HeadTooLarge
                | FetchError::TooLarge
                | FetchError::Bomb
                | FetchError::Encoding
                | FetchError::Filter => true,
            },
        };
        let mut all = OUTCOMES.to_vec();
        all.extend(FAILURES.map(Outcome::Failed));
        all.extend(TlsFault::ALL.map(|fault| Outcome::Failed(FetchError::Tls(fault))));
        all.extend(Trap::ALL.map(Outcome::Trap));
        assert!(all.iter().all(listed));
        all
    }

    #[test]
    fn every_state_is_read_as_it_was_written() {
        let mut states: Vec<UrlState> = all().into_iter().map(UrlState::Ended).collect();
        states.extend(ORIGINS.map(UrlState::Waiting));
        states.extend((0..=u16::MAX).map(UrlState::Answered));
        states.push(UrlState::Dropped);
        let mut numbers: Vec<i32> = states.iter().map(|state| of_state(*state)).collect();
        for (state, number) in states.iter().zip(&numbers) {
            assert_eq!(state_of(*number).expect("a state"), *state);
        }
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), states.len(), "no two share a number");
    }

    #[test]
    fn numbers_of_no_state_are_refused() {
        for number in [5, -2, -99, -113, -250, -499, -500, i32::MIN, i32::MAX] {
            assert!(state_of(number).is_err(), "{number}");
        }
    }

    #[test]
    fn numbers_stay_what_they_are() {
        let numbers = [
            (UrlState::Waiting(Origin::Sitemap), 4),
            (UrlState::Answered(404), 404),
            (UrlState::Ended(Outcome::NoCrawllet), -112),
            (UrlState::Ended(Outcome::Failed(FetchError::Filter)), -210),
            (UrlState::Ended(Outcome::Trap(Trap::SiteBudget)), -411),
        ];
        for (state, number) in numbers {
            assert_eq!(of_state(state), number);
        }
    }
}
