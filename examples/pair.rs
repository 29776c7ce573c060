//! A client and a server in one process: no pipe, no thread, and a clock that moves only when it is told to. For unit tests of tools.

use umcp::client::{self, Config, Event, Options};
use umcp::json::Value;
use umcp::server::{self, Call, Catalog, Endpoint, Outcome};
use umcp::time::{Duration, Instant};
use umcp::tool;

#[derive(Default)]
struct Counter {
    count: i64,
}

fn count(counter: &mut Counter, call: Call<'_>) -> Outcome {
    counter.count += 1;
    call.text(&counter.count.to_string())
}

static CATALOG: Catalog<Counter> = Catalog::new("counter", "1.0.0").tools(&[tool!("count", "Count this call.", count)]);

/// The two ends, and the bytes that go from one to the other.
struct Pair<'b> {
    client: client::Connection<'b>,
    server: server::Connection<'b>,
    endpoint: Endpoint<Counter>,
    counter: Counter,
    now: Instant,
}

impl Pair<'_> {
    /// Lets bytes cross in both directions until nothing moves; `each` sees what happens at the client.
    fn settle(&mut self, mut each: impl FnMut(Event<'_>)) {
        loop {
            loop {
                let event = self.client.next_event(self.now);
                if matches!(event, Event::NeedData) {
                    break;
                }
                each(event);
            }
            self.server.serve(&mut self.endpoint, &mut self.counter, self.now);
            let there = cross(self.client.transmit(), self.server.receive_buffer());
            self.client.transmitted(there);
            self.server.commit(there);
            let back = cross(self.server.transmit(), self.client.receive_buffer());
            self.server.transmitted(back);
            self.client.commit(back);
            if there + back == 0 {
                return;
            }
        }
    }
}

fn cross(from: &[u8], to: &mut [u8]) -> usize {
    let count = from.len().min(to.len());
    to[..count].copy_from_slice(&from[..count]);
    count
}

fn main() {
    let mut client_memory = client::Memory::<1024, 1024>::new();
    let mut server_memory = server::Memory::<1024, 1024>::new();
    let mut pair = Pair {
        client: client::Connection::line(client_memory.lend(), Config::new("test", "0")),
        server: server::Connection::line(server_memory.lend()),
        endpoint: Endpoint::new(&CATALOG),
        counter: Counter::default(),
        now: Instant::ZERO,
    };
    pair.settle(|event| println!("{event:?}"));

    for expected in ["1", "2", "3"] {
        pair.now = pair.now + Duration::from_secs(1);
        let sent = pair.client.call("count", &(), Options::DEFAULT, pair.now);
        assert!(sent.is_ok(), "{sent:?}");
        let mut answer = String::new();
        pair.settle(|event| {
            if let Event::Response { result, .. } = event {
                let text = result.get("content").and_then(|content| content.items().next()?.get("text"));
                answer = text.and_then(Value::as_str).unwrap_or_default().to_owned();
            }
        });
        assert_eq!(answer, expected);
        println!("the tool says {answer}");
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_counts() {
        super::main();
    }
}
