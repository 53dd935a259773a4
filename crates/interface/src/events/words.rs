//! How is a message of a team read aloud?

use lycosa_model::{AbilitySum, ScoredUrl, TeamContent};

/// What a message says, in the words of the protocol.
pub fn words(content: &TeamContent) -> String {
    let links = |links: &[ScoredUrl]| {
        let best = links.iter().map(|link| link.score).fold(0.0_f32, f32::max);
        format!("links {} (best {best:.2})", links.len())
    };
    match content {
        TeamContent::Registration => "registration".into(),
        TeamContent::Registered => "registered".into(),
        TeamContent::InitialUrls(urls) => format!("initial-urls {}", links(urls)),
        TeamContent::Ability { ability, waiting } => {
            format!("ability {ability:.3}, waiting {waiting}")
        }
        TeamContent::Call { ability, waiting, links: some } => {
            format!("call: ability {ability:.3}, waiting {waiting}, {}", links(some))
        }
        TeamContent::Bid { ability, sum: None } => format!("bid: ability {ability:.3}"),
        TeamContent::Bid { ability, sum: Some(sum) } => {
            let AbilitySum { alpha, links, beta, likeness } = sum;
            format!("bid: ability {ability:.3} = {alpha} × S {links:.3} + {beta} × M {likeness:.3}")
        }
        TeamContent::NoBid => "no-bid".into(),
        TeamContent::Contract { manager, contractor } => {
            format!("contract: crawler-{manager} gives, crawler-{contractor} takes")
        }
        TeamContent::NoContract => "no-contract".into(),
        TeamContent::Links(some) => links(some),
        TeamContent::Received => "received".into(),
        TeamContent::Terminated => "terminated".into(),
        TeamContent::NextUrl => "next-url".into(),
        TeamContent::Go(url) => format!("go {url}"),
        TeamContent::Check(urls) => format!("check {}", urls.len()),
        TeamContent::NotFetched(urls) => format!("not-fetched {}", urls.len()),
        TeamContent::TooLate => "too-late".into(),
        TeamContent::Stop => "stop".into(),
    }
}
