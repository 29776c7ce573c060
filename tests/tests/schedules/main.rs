//! Both halves against each other, on a link that delays as it likes and loses nothing: whatever the order of events, every
//! request ends exactly once.
//!
//! Each schedule is drawn from a seed. One that fails says which; `UMCP_SEED=... cargo test -p umcp-tests --test schedules` plays it
//! alone. `UMCP_SCHEDULES=...` plays that many.

mod board;
mod book;
mod client_side;
mod plan;
mod server_side;
mod wire;
mod world;

use std::collections::BTreeMap;
use std::thread;

use umcp::{client, server};
use umcp_tests::rng::Rng;

use plan::{Places, Plan};
use world::World;

const SCHEDULES: u64 = 10_000;
const THREADS: u64 = 2;

/// Tells the seed of a schedule that panics.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("it was the schedule UMCP_SEED={}", self.0);
        }
    }
}

/// Plays one schedule; how often each event has happened.
fn play(seed: u64, tells: bool) -> BTreeMap<&'static str, u64> {
    let seed = Seed(seed);
    let mut rng = Rng::new(seed.0);
    let plan = Plan::draw(&mut rng);
    let (mut to_client, mut from_client) = (vec![0; plan.client.receive], vec![0; plan.client.transmit]);
    let (mut to_server, mut from_server) = (vec![0; plan.server.receive], vec![0; plan.server.transmit]);
    let (mut pending, mut listens, mut deferred, mut subscriptions) =
        (Places::new(), Places::new(), Places::new(), Places::new());
    let client = client::Lent {
        receive: &mut to_client,
        transmit: &mut from_client,
        pending: pending.lend(plan.client.tables[0]),
        listens: listens.lend(plan.client.tables[1]),
    };
    let server = server::Lent {
        receive: &mut to_server,
        transmit: &mut from_server,
        deferred: deferred.lend(plan.server.tables[0]),
        subscriptions: subscriptions.lend(plan.server.tables[1]),
    };
    let client = client::Connection::line(client, plan.config);
    let mut world = World::new(plan, rng, client, server::Connection::line(server));
    world.tells = tells;
    world.tell(format_args!("{plan:?}"));
    world.play();
    world.book.seen
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|value| value.parse().expect(variable))
}

#[test]
fn every_request_ends_exactly_once() {
    if let Some(seed) = number("UMCP_SEED") {
        play(seed, true);
        return;
    }
    let count = number("UMCP_SCHEDULES").unwrap_or(SCHEDULES);
    let some = |first| (first..count).step_by(THREADS as usize).map(|seed| play(seed, false));
    let counts: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|first| scope.spawn(move || some(first).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a schedule failed")).collect()
    });
    let mut seen = BTreeMap::new();
    for (name, times) in counts.into_iter().flatten() {
        *seen.entry(name).or_insert(0) += times;
    }
    if count >= SCHEDULES {
        let missing: Vec<_> = book::EVENTS.iter().filter(|name| !seen.contains_key(*name)).collect();
        assert!(missing.is_empty(), "no schedule had {missing:?}: {seen:?}");
    }
    println!("{seen:?}");
}
