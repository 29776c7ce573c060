//! State from call to call, without a session: a tool hands out a handle, and later calls bring it back.
//!
//! The handle is explicit (an argument like any other), opaque, expires, and belongs to whom it was given: another caller
//! who learns it gains nothing.

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde::Serialize;
use umcp::mcp::Fault;
use umcp::server::{Access, Call, Catalog, Outcome, Principal};
use umcp::tool;

/// How long a measurement is kept after it was last used. The tool's description says it, so that a model can know.
const KEPT_FOR: Duration = Duration::from_secs(15 * 60);
/// How many are kept at once, of all callers.
const AT_MOST: usize = 100;

#[derive(Default)]
struct Lab {
    measurements: HashMap<String, Measurement>,
}

struct Measurement {
    owner: Principal,
    used: Instant,
    samples: Vec<i64>,
}

#[derive(Serialize)]
struct Begun<'a> {
    handle: &'a str,
}

fn begin(lab: &mut Lab, call: Call<'_>) -> Outcome {
    lab.forget_old();
    if lab.measurements.len() >= AT_MOST {
        return call.fail("too many measurements are open; end one, or wait a quarter of an hour");
    }
    let handle = random_handle()?;
    let measurement = Measurement { owner: call.principal(), used: Instant::now(), samples: Vec::new() };
    lab.measurements.insert(handle.clone(), measurement);
    call.structured(&Begun { handle: &handle })
}

umcp::arguments! {
    struct Add<'a> {
        /// What `begin` has given.
        handle: &'a str,
        sample: i64,
    }

    struct Mean<'a> {
        /// What `begin` has given.
        handle: &'a str,
    }
}

fn add(lab: &mut Lab, Add { handle, sample }: Add<'_>, call: Call<'_>) -> Outcome {
    match lab.find(handle, call.principal()) {
        Some(measurement) => {
            measurement.samples.push(sample);
            call.text("added")
        }
        None => call.fail("there is no such measurement, or it has expired: begin a new one"),
    }
}

fn mean(lab: &mut Lab, Mean { handle }: Mean<'_>, call: Call<'_>) -> Outcome {
    match lab.find(handle, call.principal()) {
        Some(Measurement { samples, .. }) if !samples.is_empty() => {
            let mean = samples.iter().sum::<i64>() / i64::try_from(samples.len()).unwrap_or(i64::MAX);
            call.text(&mean.to_string())
        }
        Some(_) => call.fail("the measurement has no samples: add some first"),
        None => call.fail("there is no such measurement, or it has expired: begin a new one"),
    }
}

impl Lab {
    /// The measurement behind a handle, if it is this caller's and has not expired.
    fn find(&mut self, handle: &str, caller: Principal) -> Option<&mut Measurement> {
        self.forget_old();
        let measurement = self.measurements.get_mut(handle).filter(|measurement| measurement.owner == caller)?;
        measurement.used = Instant::now();
        Some(measurement)
    }

    fn forget_old(&mut self) {
        self.measurements.retain(|_, measurement| measurement.used.elapsed() < KEPT_FOR);
    }
}

/// 128 bits that nobody can guess.
fn random_handle() -> Result<String, Fault> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| Fault::Internal)?;
    Ok(format!("m-{:032x}", u128::from_le_bytes(bytes)))
}

/// Who calls: on a pipe, whoever started this process; its parent says so in the environment.
fn who(_: &mut Lab, _: &Access<'_>) -> Result<Principal, Fault> {
    match std::env::var("LAB_USER").ok().and_then(|user| user.parse().ok()) {
        Some(user) => Ok(Principal(user)),
        None => Ok(Principal::ANONYMOUS),
    }
}

static CATALOG: Catalog<Lab> = Catalog::new("lab", "1.0.0").authorize(who).tools(&[
    tool!("add", "Add a sample to a measurement.", add(&mut Lab, Add)),
    tool!("begin", "Begin a measurement. Its handle expires when it has not been used for 15 minutes.", begin,),
    tool!("mean", "The mean of a measurement's samples.", mean(&mut Lab, Mean)),
]);

fn main() -> ExitCode {
    umcp_std::serve_stdio(&CATALOG, Lab::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_its_owners_and_expires() {
        let mut lab = Lab::default();
        let (anna, ben) = (Principal(1), Principal(2));
        let measurement = |used| Measurement { owner: anna, used, samples: vec![] };
        lab.measurements.insert("fresh".into(), measurement(Instant::now()));
        if let Some(long_ago) = Instant::now().checked_sub(KEPT_FOR) {
            lab.measurements.insert("old".into(), measurement(long_ago));
        }
        assert!(lab.find("fresh", anna).is_some());
        assert!(lab.find("fresh", ben).is_none());
        assert!(lab.find("old", anna).is_none());
        assert_ne!(random_handle(), random_handle());
    }
}
