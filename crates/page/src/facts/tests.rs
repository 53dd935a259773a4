use super::{obey_header, refresh_target};
use lycosa_model::{RobotsMeta, Tick};

#[test]
fn every_form_of_refresh_is_read() {
    for (value, target) in [
        ("0; url=/a", Some("/a")),
        ("5;URL='b.html'", Some("b.html")),
        ("5;url=\"c d.html\" trailing", Some("c d.html")),
        ("3, http://x.test/", Some("http://x.test/")),
        ("  1.5 ; Url = /d ", Some("/d")),
        ("0 /e", Some("/e")),
        (".5; url=/f", Some("/f")),
        ("7", None),
        ("7;", None),
        ("0; url=", None),
        ("url=/g", None),
        ("0url=/h", None),
        ("", None),
        ("0; url='/i", Some("/i")),
        ("0; urgent", Some("urgent")),
    ] {
        assert_eq!(refresh_target(value), target, "{value}");
    }
}

fn robots(values: &[&str]) -> RobotsMeta {
    let mut robots = RobotsMeta::default();
    for value in values {
        obey_header(&mut robots, value);
    }
    robots
}

#[test]
fn a_header_speaks_to_all_robots_or_to_one() {
    assert!(robots(&["NOINDEX"]).noindex);
    let none = robots(&["none"]);
    assert!(none.noindex && none.nofollow && !none.noarchive);
    assert_eq!(robots(&["otherbot: noindex, nofollow"]), RobotsMeta::default());
    let ours = robots(&["otherbot: noindex", "Lycosa: noarchive, nofollow"]);
    assert!(!ours.noindex && ours.noarchive && ours.nofollow);
    assert!(robots(&["unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"]).noindex);
    assert!(robots(&["max-snippet: 5, noarchive"]).noarchive);
}

#[test]
fn a_date_after_which_a_page_hides_is_read_in_the_forms_that_pages_write() {
    // 2010-06-25 15:00:00 UTC
    let end = Some(Tick(1_277_478_000_000));
    for date in [
        "25 Jun 2010 15:00:00 GMT",
        "Fri, 25 Jun 2010 15:00:00 GMT",
        "25 Jun 2010 07:00:00 PST",
        "2010-06-25T15:00:00Z",
        "2010-06-25T15:00:00",
        "Friday, 25-Jun-10 15:00:00 GMT",
    ] {
        let found = robots(&[&format!("unavailable_after: {date}")]);
        assert_eq!(found.unavailable_after, end, "{date}");
        let found = robots(&[&format!("noarchive, Unavailable_After: {date}, nofollow")]);
        assert_eq!(found.unavailable_after, end, "{date} among others");
        assert!(found.noarchive && found.nofollow && !found.noindex, "{date}");
        let found = robots(&[&format!("lycosa: unavailable_after: {date}")]);
        assert_eq!(found.unavailable_after, end, "{date} for us");
        let found = robots(&[&format!("otherbot: unavailable_after: {date}")]);
        assert_eq!(found.unavailable_after, None, "{date} for others");
    }
    assert_eq!(robots(&["unavailable_after: soon"]), RobotsMeta::default());
    let found = robots(&["unavailable_after: 2010-06-25T15:00:00Z"]);
    assert!(found.may_be_indexed(Tick(1_277_477_999_999)));
    assert!(!found.may_be_indexed(Tick(1_277_478_000_000)));
}
