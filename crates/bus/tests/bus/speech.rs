//! Are questions, news, proposals and presence the same on all back ends?

use crate::support::{Place, ms, on_all, s};
use bytes::Bytes;
use lycosa_bus::{Bid, Card, Error, Pace, Refusal, State};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::time::Instant;

#[tokio::test]
async fn a_question_is_answered_by_one_of_a_group() {
    on_all(|place: Place| async move {
        let counts = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        let mut services = Vec::new();
        for count in &counts {
            let (bus, count) = (place.join().await, Arc::clone(count));
            let service = bus.serve("sum", "adders", move |bytes| {
                count.fetch_add(1, Ordering::Relaxed);
                async move { Ok(Bytes::from(format!("{} bytes", bytes.len()))) }
            });
            services.push((service.await.unwrap(), bus));
        }
        let asker = place.join().await;
        for length in 0..100 {
            let answer = asker.request("sum", vec![0; length], s(5)).await.unwrap();
            assert_eq!(answer, format!("{length} bytes"));
        }
        let [a, b] = counts.map(|count| count.load(Ordering::Relaxed));
        assert_eq!(a + b, 100);
        assert!(a > 10 && b > 10, "{a} and {b}");
    })
    .await;
}

#[tokio::test]
async fn many_questions_at_once_get_their_own_answers() {
    on_all(|place: Place| async move {
        let server = place.join().await;
        let echo = server.serve("echo", "g", |bytes| async move {
            tokio::time::sleep(ms(u64::from(bytes[0]) % 7)).await;
            Ok(bytes)
        });
        let _echo = echo.await.unwrap();
        let asker = place.join().await;
        let mut tasks = Vec::new();
        for number in 0..200_u8 {
            let asker = asker.clone();
            tasks.push(tokio::spawn(async move {
                (number, asker.request("echo", vec![number; 3], s(10)).await.unwrap())
            }));
        }
        for task in tasks {
            let (number, answer) = task.await.unwrap();
            assert_eq!(answer, vec![number; 3]);
        }
    })
    .await;
}

#[tokio::test]
async fn a_no_a_failure_a_silence_and_an_absence_are_told_apart() {
    on_all(|place: Place| async move {
        let (server, asker) = (place.join().await, place.join().await);
        let no = server.serve("no", "g", |_| async { Err(Refusal::from("not\r\ntoday")) });
        let panics = server.serve("panics", "g", |bytes| async move {
            assert_eq!(bytes, "good");
            Ok(bytes)
        });
        let silent = server.serve("silent", "g", |_| std::future::pending());
        let services = (no.await.unwrap(), panics.await.unwrap(), silent.await.unwrap());
        let said = asker.request("no", "", s(5)).await;
        assert!(matches!(&said, Err(Error::Refused(why)) if why.contains("today")), "{said:?}");
        let failed = asker.request("panics", "bad", s(5)).await;
        assert!(matches!(failed, Err(Error::Refused(_))), "{failed:?}");
        assert_eq!(asker.request("panics", "good", s(5)).await.unwrap(), "good");
        let silence = asker.request("silent", "", ms(100)).await.unwrap_err();
        assert!(matches!(silence, Error::NoAnswer { .. }) && silence.passes(), "{silence:?}");
        let begin = Instant::now();
        let absent = asker.request("absent", "", s(30)).await.unwrap_err();
        assert!(matches!(absent, Error::Nobody(_)) && absent.passes(), "{absent:?}");
        assert!(begin.elapsed() < s(10));
        // A service that is dropped is absent, too.
        drop(services);
        server.flush().await.unwrap();
        for _ in 0..100 {
            if let Err(Error::Nobody(_)) = asker.request("no", "", ms(100)).await {
                return;
            }
            tokio::time::sleep(ms(10)).await;
        }
        panic!("a service that was dropped still answers");
    })
    .await;
}

#[tokio::test]
async fn news_reach_whoever_named_them_in_their_own_crawl() {
    on_all(|place: Place| async move {
        let (one, other) = (place.join().await, place.join().await);
        let stranger = place.join_crawl("another").await;
        let mut all = one.subscribe(">").await.unwrap();
        let mut stars = other.subscribe("wake.*").await.unwrap();
        let mut strange = stranger.subscribe(">").await.unwrap();
        one.publish("wake.1", "a").await.unwrap();
        one.publish("wake.1.2", "b").await.unwrap();
        other.flush().await.unwrap();
        one.flush().await.unwrap();
        one.publish("wake.2", "c").await.unwrap();
        stranger.publish("wake.3", "d").await.unwrap();
        for (subject, bytes) in [("wake.1", "a"), ("wake.1.2", "b"), ("wake.2", "c")] {
            let news = all.next().await.unwrap();
            assert_eq!((news.subject.as_str(), &news.bytes[..]), (subject, bytes.as_bytes()));
        }
        for (subject, bytes) in [("wake.1", "a"), ("wake.2", "c")] {
            let news = stars.next().await.unwrap();
            assert_eq!((news.subject.as_str(), &news.bytes[..]), (subject, bytes.as_bytes()));
        }
        assert_eq!(strange.next().await.unwrap().bytes, "d");
        let bad = one.publish("wake.*", "").await;
        assert!(matches!(bad, Err(Error::Subject(_))), "{bad:?}");
    })
    .await;
}

#[tokio::test]
async fn a_slow_reader_loses_news_and_is_told_and_holds_up_nobody() {
    on_all(|place: Place| async move {
        let (speaker, listener) = (place.join().await, place.join().await);
        let mut slow = listener.subscribe_with("news", 10).await.unwrap();
        let mut quick = listener.subscribe_with("news", 2000).await.unwrap();
        for number in 0..1000 {
            speaker.publish("news", number.to_string()).await.unwrap();
        }
        for number in 0..1000 {
            assert_eq!(quick.next().await.unwrap().bytes, number.to_string());
        }
        assert_eq!(quick.lost(), 0);
        // The last one was handed to both at about the same time.
        let wait = async {
            while slow.lost() < 990 {
                tokio::time::sleep(ms(5)).await;
            }
        };
        tokio::time::timeout(s(5), wait).await.unwrap();
        for number in 0..10 {
            assert_eq!(slow.next().await.unwrap().bytes, number.to_string());
        }
        assert_eq!(slow.lost(), 990);
        speaker.publish("news", "later").await.unwrap();
        assert_eq!(slow.next().await.unwrap().bytes, "later");
    })
    .await;
}

#[tokio::test]
async fn what_is_too_large_is_refused() {
    on_all(|place: Place| async move {
        let bus = place.join().await;
        let said = bus.publish("news", vec![0; 2 << 20]).await;
        assert!(matches!(said, Err(Error::TooLarge { .. })), "{said:?}");
        let work = bus.work("large", lycosa_bus::WorkSettings::default()).await.unwrap();
        let pushed = work.push("a", vec![0; 2 << 20]).await;
        assert!(matches!(pushed, Err(Error::TooLarge { .. })), "{pushed:?}");
    })
    .await;
}

#[tokio::test]
async fn proposals_are_gathered_until_the_deadline_or_until_there_are_enough() {
    on_all(|place: Place| async move {
        let asker = place.join().await;
        let none = asker.call_for_proposals("cfp.fetch", "x", s(30), 5).await.unwrap();
        assert_eq!(none, []);
        let mut bidders = Vec::new();
        for number in 0..6_u64 {
            let bus = place.join().await;
            let propose = move |call: Bytes| async move {
                // One has no proposal, and one is late.
                let pause = if number == 5 { s(20) } else { ms(10 * number) };
                tokio::time::sleep(pause).await;
                (number != 4).then(|| Bytes::from(format!("{number} for {call:?}")))
            };
            let take = |bytes| async move { Ok(bytes) };
            let services = bus.bid("cfp.*", &format!("bot-{number}"), propose, take).await;
            bidders.push((services.unwrap(), bus));
        }
        let begin = Instant::now();
        let bids = asker.call_for_proposals("cfp.fetch", "x", ms(1500), 99).await.unwrap();
        assert!(begin.elapsed() >= ms(1500));
        let mut names: Vec<&str> = bids.iter().map(|bid| bid.bidder.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["bot-0", "bot-1", "bot-2", "bot-3"]);
        let first = bids.iter().find(|bid| bid.bidder == "bot-0").unwrap();
        assert_eq!(first.bytes, "0 for b\"x\"");
        let begin = Instant::now();
        let bids = asker.call_for_proposals("cfp.fetch", "x", s(15), 2).await.unwrap();
        assert_eq!(bids.len(), 2);
        assert!(begin.elapsed() < s(10));
    })
    .await;
}

#[tokio::test]
async fn an_award_goes_to_the_next_bidder_when_one_refuses_or_has_left() {
    on_all(|place: Place| async move {
        let asker = place.join().await;
        let bidder = place.join().await;
        let mut services = Vec::new();
        for name in ["refuses", "sleeps", "takes"] {
            let take = move |award: Bytes| async move {
                match name {
                    "refuses" => Err(Refusal::from("no lease")),
                    "sleeps" => std::future::pending().await,
                    _ => Ok(Bytes::from([&award[..], b" taken"].concat())),
                }
            };
            let propose = |_| async { Some(Bytes::new()) };
            services.push(bidder.bid("cfp.x", name, propose, take).await.unwrap());
        }
        let bid = |name: &str| Bid { bidder: name.to_owned(), bytes: Bytes::new() };
        let bids = ["refuses", "left", "sleeps", "takes"].map(bid);
        let award = asker.award(&bids, "site", ms(300)).await.unwrap();
        assert_eq!((award.bidder.as_str(), &award.bytes[..]), ("takes", &b"site taken"[..]));
        let nobody = asker.award(&bids[..3], "site", ms(300)).await.unwrap_err();
        let whys: Vec<&Error> = nobody.0.iter().map(|(_, error)| error).collect();
        let [Error::Refused(why), Error::Nobody(_), Error::NoAnswer { .. }] = whys[..] else {
            panic!("{whys:?}");
        };
        assert_eq!(why, "no lease");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn in_one_process_time_may_be_virtual() {
    let real = std::time::Instant::now();
    let bus = lycosa_bus::Bus::open("local", "test").await.unwrap();
    let presence = bus.announce(card("bot-1", "bot"), Pace::default()).await.unwrap();
    let roster = bus.roster().await.unwrap();
    roster.wait_for(s(60), |list| list.len() == 1).await.unwrap();
    tokio::time::sleep(s(600)).await;
    assert_eq!(roster.of_role("bot")[0].state, State::Here);
    drop(presence);
    let gone = roster.wait_for(s(60), |list| list[0].state == State::Gone).await.unwrap();
    assert!(gone[0].silent > s(10) && gone[0].silent < s(11), "{gone:?}");
    let work = bus.work("w", lycosa_bus::WorkSettings::default()).await.unwrap();
    work.push("1", "").await.unwrap();
    assert_eq!(work.pull(1, s(5)).await.unwrap()[0].attempt(), 1);
    assert_eq!(work.pull(1, s(100)).await.unwrap()[0].attempt(), 2);
    assert!(real.elapsed() < s(30));
}

fn card(id: &str, role: &str) -> Card {
    let capabilities = BTreeMap::from([("render".to_owned(), "chromium".to_owned())]);
    Card { id: id.to_owned(), role: role.to_owned(), version: "0.1.0".to_owned(), capabilities }
}

#[tokio::test]
async fn members_are_seen_suspected_missed_and_seen_leaving() {
    on_all(|place: Place| async move {
        let pace = Pace { every: ms(200), suspect: 3, gone: 5 };
        let (a, b, watcher) = (place.join().await, place.join().await, place.join().await);
        let stays = a.announce(card("stays", "bot"), pace).await.unwrap();
        let dies = b.announce(card("dies", "bot"), pace).await.unwrap();
        let slow = Pace { every: s(60), ..pace };
        let leaves = b.announce(card("leaves", "indexer"), slow).await.unwrap();
        // Who announces seldom is known to a newcomer at once.
        let roster = watcher.roster().await.unwrap();
        let all = roster.wait_for(s(10), |list| list.len() == 3).await.unwrap();
        assert!(all.iter().all(|one| one.state == State::Here), "{all:?}");
        assert_eq!(all[1].card, card("leaves", "indexer"));
        leaves.leave().await.unwrap();
        drop(dies);
        let state_of = |id: &'static str, state| {
            move |list: &[lycosa_bus::Member]| {
                list.iter().any(|one| one.card.id == id && one.state == state)
            }
        };
        roster.wait_for(s(10), state_of("leaves", State::Left)).await.unwrap();
        let list = roster.wait_for(s(10), state_of("dies", State::Suspect)).await.unwrap();
        let dies = list.iter().find(|one| one.card.id == "dies").unwrap();
        assert!(dies.silent > ms(600), "{dies:?}");
        assert_eq!(roster.of_role("bot").len(), 2);
        roster.wait_for(s(10), state_of("dies", State::Gone)).await.unwrap();
        let bots = roster.of_role("bot");
        assert_eq!(bots.len(), 1);
        assert_eq!((bots[0].card.id.as_str(), bots[0].state), ("stays", State::Here));
        drop(stays);
        let bad = a.announce(card("a.b", "bot"), pace).await;
        assert!(matches!(bad, Err(Error::Subject(_))));
    })
    .await;
}
