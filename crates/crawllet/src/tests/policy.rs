//! Is the right number audited, are liars caught and honest sites spared, and does what is asked for fit?

use super::*;
use crate::subtree::{self, Page};
use crate::trust::{
    Audit, Look, MIN_AUDITS, Outcome, Standing, Verdict, audits, detection, draw, samples_for,
    verdict, verdict_again,
};
use proptest::prelude::*;

#[test]
fn a_stranger_is_audited_more_than_a_site_with_a_clean_record() {
    let stranger = Standing::default();
    let jobs = |clean_jobs| Standing { clean_jobs, ..stranger };
    assert_eq!(audits(10_000, &stranger), 500);
    assert_eq!(audits(10_000, &jobs(1)), 250);
    assert_eq!(audits(10_000, &jobs(2)), 125);
    assert_eq!(audits(10_000, &jobs(10)), 50);
    assert_eq!(audits(10_000, &jobs(u32::MAX)), 50);
    assert_eq!(audits(200, &stranger), MIN_AUDITS);
    assert_eq!(audits(12, &stranger), 12);
    assert_eq!(audits(0, &stranger), 0);
}

#[test]
fn detection_is_as_the_formula_says() {
    assert!((detection(0.10, 30) - 0.9576).abs() < 1e-4);
    assert!((detection(0.05, 60) - 0.9539).abs() < 1e-4);
    assert_eq!(detection(0.0, 100), 0.0);
    assert_eq!(detection(1.0, 1), 1.0);
    assert_eq!(samples_for(0.10, 0.95), 29);
    assert_eq!(samples_for(0.05, 0.95), 59);
    assert_eq!(samples_for(1.0, 0.99), 1);
}

#[test]
fn one_who_falsifies_a_tenth_is_caught_as_often_as_predicted() {
    let (pages, false_ones) = (1000, 100);
    let caught = (0..2000_u32).filter(|job| {
        let mut fresh = [0; 32];
        fresh[..4].copy_from_slice(&job.to_le_bytes());
        draw(pages, 30, fresh).iter().any(|page| *page < false_ones)
    });
    let share = caught.count() as f64 / 2000.0;
    // Drawn without putting back, a little more often than 1-(1-f)^k.
    assert!((share - detection(0.1, 30)).abs() < 0.02, "{share}");
}

fn look(status: u16, simhash: u64) -> Look {
    let mut sha256 = [0; 32];
    sha256[..8].copy_from_slice(&simhash.to_le_bytes());
    Look { status, sha256, simhash }
}

#[test]
fn two_looks_agree_when_status_and_words_do() {
    let page = look(200, 0xffff);
    assert_eq!(verdict(&page, &page), Some(Verdict::Agrees));
    assert_eq!(verdict(&page, &look(200, 0xfffe)), Some(Verdict::Agrees), "a date in the footer");
    assert_eq!(verdict(&page, &look(200, 0xffff_0000)), None, "another text");
    assert_eq!(verdict(&page, &look(404, 0xffff)), None, "another status");
    assert_eq!(verdict(&look(404, 0), &look(410, 0)), Some(Verdict::Agrees));
    assert_eq!(verdict(&look(404, 1), &look(410, u64::MAX)), Some(Verdict::Agrees));
    assert_eq!(verdict(&look(301, 5), &look(302, 5)), Some(Verdict::Agrees), "the same target");
    let picture = |byte| Look { status: 200, sha256: [byte; 32], simhash: 0 };
    assert_eq!(verdict(&picture(1), &picture(1)), Some(Verdict::Agrees));
    assert_eq!(verdict(&picture(1), &picture(2)), None, "no text says nothing");
    let same_bytes = Look { simhash: u64::MAX, ..page };
    assert_eq!(verdict(&page, &same_bytes), Some(Verdict::Agrees));
}

#[test]
fn a_second_look_tells_change_and_liveliness_from_lies() {
    let (old, new, lie) = (look(200, 0xffff), look(200, 0xffff_0000), look(200, u64::MAX));
    let changed = verdict_again([&old, &new], [&new, &new]);
    assert_eq!(changed, Verdict::Agrees, "it changed between the harvest and the audit");
    assert_eq!(verdict_again([&lie, &lie], [&old, &old]), Verdict::False);
    let gone = look(404, 0);
    assert_eq!(verdict_again([&old, &old], [&gone, &gone]), Verdict::False);
    let lively = [look(200, 0x00ff), look(200, 0xff00), look(200, 0x0f_0f0f), look(200, 0xf0_f0f0)];
    let each_time_another = verdict_again([&lively[0], &lively[1]], [&lively[2], &lively[3]]);
    assert_eq!(each_time_another, Verdict::Lively);
}

#[test]
fn one_false_page_is_enough_and_too_little_proves_nothing() {
    let mut audit = Audit { agreed: 29, ..Audit::default() };
    assert_eq!(audit.outcome(), Outcome::Clean);
    audit.add(Verdict::False);
    assert_eq!(audit.outcome(), Outcome::Failed);
    assert_eq!(Audit::default().outcome(), Outcome::Unsure);
    assert_eq!(Audit { agreed: 20, lively: 10, ..Audit::default() }.outcome(), Outcome::Unsure);
    assert_eq!(Audit { agreed: 25, unreachable: 5, ..Audit::default() }.outcome(), Outcome::Clean);
}

#[test]
fn trust_grows_slowly_and_is_lost_at_once() {
    let mut standing = Standing::default();
    assert_eq!(standing.score(), 0.0);
    let clean = Audit { agreed: 30, ..Audit::default() };
    standing = standing.after(&clean).after(&clean);
    assert_eq!(standing.score(), 0.5);
    assert_eq!(standing.clean_jobs, 2);
    assert_eq!(standing.after(&Audit::default()), standing, "an audit that says nothing");
    let caught = standing.after(&Audit { falsified: 1, ..clean });
    assert!(caught.distrusted);
    assert_eq!(caught.score(), 0.0);
    assert_eq!(caught.after(&clean).score(), 0.0, "only a person forgives");
}

fn site() -> Vec<(String, u64)> {
    let mut pages = Vec::new();
    for (folder, count) in [("/", 10), ("/docs/", 100), ("/docs/api/", 400), ("/blog/", 200)] {
        pages.extend((0..count).map(|n| (format!("{folder}{n}.html?x=/y/"), 10_000)));
    }
    pages
}

fn chosen(limits: Limits) -> Vec<String> {
    let pages = site();
    subtree::choose(pages.iter().map(|(path, bytes)| Page { path, bytes: *bytes }), &limits)
}

#[test]
fn the_largest_folders_that_fit_are_chosen() {
    let pages = |pages| Limits { pages, ..Limits::default() };
    assert_eq!(chosen(Limits::default()), ["/"], "no limit");
    assert_eq!(chosen(pages(923)), ["/"], "710 and a margin");
    assert_eq!(chosen(pages(922)), ["/docs/", "/blog/"]);
    assert_eq!(chosen(pages(600)), ["/docs/api/"]);
    assert_eq!(chosen(pages(519)), ["/blog/"]);
    assert_eq!(chosen(pages(259)), Vec::<String>::new());
    let out = Limits { out_mib: 3, ..Limits::default() };
    assert_eq!(chosen(out), ["/blog/"], "bytes count as well");
    assert_eq!(subtree::choose([], &pages(10)), Vec::<String>::new());
}

proptest! {
    #[test]
    fn what_is_drawn_is_different_and_in_range(pages in 0..500_usize, count in 0..600_usize, fresh: [u8; 32]) {
        let drawn = draw(pages, count, fresh);
        prop_assert_eq!(drawn.len(), count.min(pages));
        prop_assert!(drawn.windows(2).all(|two| two[0] < two[1]));
        prop_assert!(drawn.iter().all(|page| *page < pages));
    }

    #[test]
    fn what_is_chosen_fits_and_does_not_overlap(
        paths in prop::collection::vec("(/[a-c]{0,2}){1,4}", 0..200),
        pages in 1..300_u32,
    ) {
        let limits = Limits { pages, ..Limits::default() };
        let list = paths.iter().map(|path| Page { path, bytes: 1 });
        let prefixes = subtree::choose(list, &limits);
        prop_assert!(prefixes.len() <= crate::terms::MAX_PREFIXES);
        let inside = |prefix: &String| paths.iter().filter(|path| path.starts_with(prefix)).count();
        let count: usize = prefixes.iter().map(inside).sum();
        prop_assert!(count as f64 * subtree::MARGIN <= f64::from(pages));
        for (at, one) in prefixes.iter().enumerate() {
            prop_assert!(!prefixes[..at].iter().any(|two| one.starts_with(two) || two.starts_with(one)));
        }
    }

    #[test]
    fn a_verdict_never_calls_equal_looks_false(status in 100..600_u16, simhash: u64) {
        let look = look(status, simhash);
        prop_assert_eq!(verdict(&look, &look), Some(Verdict::Agrees));
        prop_assert_eq!(verdict_again([&look, &look], [&look, &look]), Verdict::Agrees);
    }
}

#[test]
fn every_reason_has_a_number_and_a_name_of_its_own() {
    use crate::engine::Reason;
    let all: Vec<Reason> = (0..).map_while(Reason::from_code).collect();
    assert_eq!(all.len(), 10);
    for (code, reason) in (0..).zip(&all) {
        assert_eq!(reason.code(), code);
        assert_eq!(all.iter().filter(|other| other.name() == reason.name()).count(), 1);
    }
    assert_eq!((all[0].name(), all[9].name()), ("done", "host_shutdown"));
}
