//! Servers that take turns, and what their calls cost.

use std::io::Result;
use std::time::Instant;

/// How many calls a turn has, behind those that warm the server up.
pub(crate) const CALLS: usize = 4_000;
pub(crate) const WARM_UP: usize = 200;
const TURNS: usize = 5;

/// What one turn has shown: microseconds a call, and the most memory that was resident.
pub(crate) struct Figures {
    cpu: f64,
    wall: f64,
    peak: f64,
}

/// Prints a table: for each of `counts` (of `what`), the medians of each server, named and with its command, and those of the second divided by those
/// of the first. They take turns, so that a busy machine disturbs all alike.
pub(crate) fn compare<const SERVERS: usize>(
    wire: &str,
    what: &str,
    servers: &[(&str, Vec<&str>); SERVERS],
    counts: &[usize],
    turn: impl Fn(&[&str], usize) -> Result<Figures>,
) -> Result<()> {
    println!("tools/call echo {wire}, {CALLS} calls a turn, the median of {TURNS} turns\n");
    println!("{:<10} {what:>11} {:>16} {:>16} {:>12}", "", "CPU us/call", "wall us/call", "peak KiB");
    for &count in counts {
        let mut figures = [const { Vec::new() }; SERVERS];
        for _ in 0..TURNS {
            for ((_, command), figures) in servers.iter().zip(&mut figures) {
                figures.push(turn(command, count)?);
            }
        }
        let medians = figures.map(|figures| Figures {
            cpu: median(figures.iter().map(|figures| figures.cpu)),
            wall: median(figures.iter().map(|figures| figures.wall)),
            peak: median(figures.iter().map(|figures| figures.peak)),
        });
        for ((name, _), Figures { cpu, wall, peak }) in servers.iter().zip(&medians) {
            println!("{name:<10} {count:>11} {cpu:>16.2} {wall:>16.2} {peak:>12.0}");
        }
        let [ours, theirs, ..] = medians.as_slice() else { continue };
        println!(
            "{:<10} {count:>11} {:>15.1}x {:>15.1}x {:>11.1}x\n",
            "ratio",
            theirs.cpu / ours.cpu,
            theirs.wall / ours.wall,
            theirs.peak / ours.peak
        );
    }
    Ok(())
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What a process takes from now on, for [`CALLS`] calls.
pub(crate) struct Meter {
    process: u32,
    cpu: f64,
    started: Instant,
}

impl Meter {
    pub(crate) fn start(process: u32) -> Result<Meter> {
        Ok(Meter { process, cpu: cpu(process)?, started: Instant::now() })
    }

    pub(crate) fn stop(self) -> Result<Figures> {
        let wall = self.started.elapsed().as_secs_f64() * 1e6 / CALLS as f64;
        let cpu = (cpu(self.process)? - self.cpu) * 1e6 / CALLS as f64;
        Ok(Figures { cpu, wall, peak: peak_kib(self.process)? })
    }
}

/// Seconds of CPU so far, user and system, from the scheduler's own account in nanoseconds of all its threads.
fn cpu(process: u32) -> Result<f64> {
    let mut nanoseconds = 0.0;
    for task in std::fs::read_dir(format!("/proc/{process}/task"))? {
        let text = std::fs::read_to_string(task?.path().join("schedstat"))?;
        nanoseconds += text.split_whitespace().next().and_then(|first| first.parse::<f64>().ok()).unwrap_or(0.0);
    }
    Ok(nanoseconds / 1e9)
}

fn peak_kib(process: u32) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(f64::NAN))
}
