use super::{obey_header, refresh_target};
use lycosa_model::RobotsMeta;

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
