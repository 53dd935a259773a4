//! Do both frontiers keep the same rules? Every case runs on each of them.

mod leases;
mod pages;

use crate::world::{World, server};
use std::pin::Pin;

/// A case: a sentence, and what must hold in an empty world.
type Case = (&'static str, fn(World) -> Pin<Box<dyn Future<Output = ()>>>);

/// Makes an async function a case.
macro_rules! cases {
    ($($module:ident :: $name:ident),* $(,)?) => {
        &[$((stringify!($name), |world| Box::pin($module::$name(world)))),*]
    };
}

const CASES: &[Case] = cases![
    pages::a_url_is_new_once,
    pages::a_url_keeps_what_was_told_when_it_was_found,
    pages::pages_come_in_the_order_of_rank,
    pages::a_completion_writes_what_the_copy_tells,
    pages::a_failure_leaves_the_copy_as_it_was,
    pages::a_page_that_is_given_back_waits_on,
    pages::a_page_comes_again_when_its_time_has_come,
    pages::a_page_of_nobody_is_not_made_up,
    pages::an_object_is_written_with_its_pages_or_not_at_all,
    pages::work_that_is_stuck_is_found_once_and_parked_in_the_end,
    pages::bots_are_remembered,
    pages::all_is_counted,
    leases::a_domain_is_held_by_one_bot,
    leases::a_domain_rests_between_two_leases,
    leases::a_pause_lasts_at_least_as_long_as_the_delay,
    leases::a_zombie_writes_nothing,
    leases::a_lease_that_ran_out_writes_nothing_until_it_is_renewed,
    leases::a_renewed_lease_holds_on,
    leases::one_completion_takes_many_domains_and_refuses_each_for_itself,
    leases::those_who_waited_longest_come_first,
    leases::a_domain_sleeps_when_nothing_waits_and_wakes_when_something_does,
    leases::one_domain_of_an_address_is_asked_at_a_time,
    leases::an_address_is_free_when_its_holder_died,
    leases::leases_that_run_out_are_counted_against_their_bot,
];

#[tokio::test]
async fn a_folder_keeps_the_rules() {
    for (name, case) in CASES {
        eprintln!("case {name}");
        case(World::in_folder()).await;
    }
}

#[tokio::test]
async fn a_database_keeps_the_rules() {
    let Some(server) = server().await else { return };
    for (name, case) in CASES {
        eprintln!("case {name}");
        case(World::in_database(&server, name).await).await;
    }
}
