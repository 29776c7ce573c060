//! What a schedule is drawn to be: sizes, eras, patience.

use heapless::{Vec as Table, VecView};
use umcp::client::{Config, Verdict};
use umcp::mcp::{ClientCapabilities, Level, Revision};
use umcp::time::Duration;
use umcp_tests::rng::Rng;

/// What is decided before the first step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Everything fits: no message is too long for either side.
    pub(crate) roomy: bool,
    /// Nothing times out.
    pub(crate) patient: bool,
    /// While all comes to rest, what the client sends is taken no longer.
    pub(crate) stalls: bool,
    pub(crate) client: Sizes,
    pub(crate) server: Sizes,
    /// How many bytes wait in the link, each way.
    pub(crate) pipe: usize,
    pub(crate) config: Config<'static>,
    pub(crate) steps: usize,
    /// At this step one side closes.
    pub(crate) end_at: Option<usize>,
}

/// The memory of one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) receive: usize,
    pub(crate) transmit: usize,
    pub(crate) tables: [usize; 2],
}

pub(crate) fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len())]
}

impl Plan {
    pub(crate) fn draw(rng: &mut Rng) -> Plan {
        let roomy = !rng.one_in(3);
        let patient = rng.one_in(3);
        let steps = 50 + rng.below(500);
        let mut sizes = |receive: &[usize], transmit: &[usize]| {
            let spare = rng.below(64);
            let (receive, transmit) = if roomy { (1400, 1400) } else { (pick(rng, receive), pick(rng, transmit)) };
            let tables = [pick(rng, &[1, 2, 4]), pick(rng, &[1, 2, 4])];
            Sizes { receive: receive + spare, transmit: transmit + spare, tables }
        };
        let client = sizes(&[64, 200, 500, 700], &[300, 400, 600]);
        let server = sizes(&[64, 330, 450], &[128, 200, 400]);
        let capable = !rng.one_in(4);
        let handshake = |rng: &mut Rng| match (patient, rng.one_in(8)) {
            (true, _) => Duration::MAX,
            (false, true) => Duration::from_millis(1 + rng.below(200) as u32),
            (false, false) => Duration::from_secs(60),
        };
        let config = Config {
            capabilities: ClientCapabilities { elicitation_form: capable, ..ClientCapabilities::NONE },
            log_level: rng.one_in(2).then_some(Level::Debug),
            probe_timeout: handshake(rng),
            timeout: handshake(rng),
            verdict: pick(rng, &[None, None, Some(Verdict::Modern), Some(Verdict::Legacy), Some(Verdict::Legacy)]),
            legacy_revision: pick(
                rng,
                &[Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25],
            ),
            ..Config::new("c", "1")
        };
        Plan {
            roomy,
            patient,
            stalls: !patient && rng.one_in(4),
            client,
            server,
            pipe: pick(rng, &[1, 50, 300, usize::MAX]),
            config,
            steps,
            end_at: rng.one_in(2).then(|| rng.below(steps)),
        }
    }
}

/// A table of one of three sizes.
pub(crate) struct Places<T> {
    one: Table<T, 1>,
    two: Table<T, 2>,
    four: Table<T, 4>,
}

impl<T> Places<T> {
    pub(crate) fn new() -> Places<T> {
        Places { one: Table::new(), two: Table::new(), four: Table::new() }
    }

    pub(crate) fn lend(&mut self, size: usize) -> &mut VecView<T> {
        match size {
            1 => &mut self.one,
            2 => &mut self.two,
            _ => &mut self.four,
        }
    }
}
