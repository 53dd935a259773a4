//! What was answered a moment ago? The same question to the same commit has the same answer.

use lycosa_model::{SearchRequest, SearchResponse};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Answers that are kept: at most twice as many, those that nobody asked for again go first.
const MOST_ANSWERS: usize = 1_000;
/// The longest query whose answer is kept.
const MOST_QUERY: usize = 400;

/// What tells one commit from another: a value that is made anew with each.
pub(crate) type Commit = Arc<()>;

/// Answers to questions about one commit.
#[derive(Default)]
pub(crate) struct Answers(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// The commit that all of them are about.
    of: Option<Commit>,
    /// Those that were asked for since the others were put aside.
    young: HashMap<SearchRequest, Arc<SearchResponse>>,
    /// Those that go next.
    old: HashMap<SearchRequest, Arc<SearchResponse>>,
}

impl Answers {
    /// The answer to a question, if it was given a moment ago.
    pub(crate) fn get(&self, request: &SearchRequest, commit: &Commit) -> Option<SearchResponse> {
        let found = {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if !kept.is_about(commit) {
                return None;
            }
            match kept.young.get(request) {
                Some(answer) => Arc::clone(answer),
                None => {
                    let answer = kept.old.remove(request)?;
                    kept.put(request.clone(), Arc::clone(&answer));
                    answer
                }
            }
        };
        Some((*found).clone())
    }

    /// Keeps an answer for whoever asks the same.
    pub(crate) fn keep(&self, request: &SearchRequest, commit: &Commit, answer: &SearchResponse) {
        if request.query.len() > MOST_QUERY {
            return;
        }
        let answer = Arc::new(answer.clone());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.is_about(commit) {
            *kept = Kept { of: Some(Arc::clone(commit)), ..Kept::default() };
        }
        kept.put(request.clone(), answer);
    }
}

impl Kept {
    fn is_about(&self, commit: &Commit) -> bool {
        self.of.as_ref().is_some_and(|known| Arc::ptr_eq(known, commit))
    }

    fn put(&mut self, request: SearchRequest, answer: Arc<SearchResponse>) {
        if self.young.len() >= MOST_ANSWERS {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(request, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(query: &str) -> SearchRequest {
        SearchRequest { query: query.into(), ..SearchRequest::default() }
    }

    fn answer(total: usize) -> SearchResponse {
        SearchResponse { total, ..SearchResponse::default() }
    }

    #[test]
    fn an_answer_is_given_again_to_the_same_question_about_the_same_commit_alone() {
        let (first, second) = (Commit::default(), Commit::default());
        let answers = Answers::default();
        answers.keep(&request("gulls"), &first, &answer(7));
        assert_eq!(answers.get(&request("gulls"), &first), Some(answer(7)));
        assert_eq!(answers.get(&request("gull"), &first), None);
        let other = SearchRequest { limit: 3, ..request("gulls") };
        assert_eq!(answers.get(&other, &first), None);
        assert_eq!(answers.get(&request("gulls"), &second), None, "another commit");
        answers.keep(&request("tides"), &second, &answer(1));
        assert_eq!(answers.get(&request("gulls"), &first), None, "it was forgotten");
    }

    #[test]
    fn answers_have_an_end_and_those_that_are_asked_for_stay() {
        let commit = Commit::default();
        let answers = Answers::default();
        answers.keep(&request("often"), &commit, &answer(1));
        for n in 0..3 * MOST_ANSWERS {
            answers.keep(&request(&n.to_string()), &commit, &answer(2));
            assert!(answers.get(&request("often"), &commit).is_some());
        }
        assert_eq!(answers.get(&request("0"), &commit), None);
        let kept = answers.0.lock().unwrap();
        assert!(kept.young.len() + kept.old.len() <= 2 * MOST_ANSWERS);
    }
}
