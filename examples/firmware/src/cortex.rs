//! What the Cortex-M machines have in common: a millisecond clock, a ring between the UART's interrupt and the program, and sleep.

use core::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

use cortex_m::interrupt::InterruptNumber;
use cortex_m::peripheral::{NVIC, syst::SystClkSource};
use umcp::time::Instant;

/// Milliseconds since the start, in two words, since these processors read one at a time.
static MILLIS: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

/// One more millisecond; only the timer's interrupt calls it.
pub(crate) fn tick() {
    let [low, high] = &MILLIS;
    let next = low.load(Relaxed).wrapping_add(1);
    if next == 0 {
        high.store(high.load(Relaxed).wrapping_add(1), Relaxed);
    }
    low.store(next, Relaxed);
}

/// The time since the start.
pub fn now() -> Instant {
    let [low, high] = &MILLIS;
    loop {
        let (h, l) = (high.load(Relaxed), low.load(Relaxed));
        if high.load(Relaxed) == h {
            return Instant::from_millis(u64::from(h) << 32 | u64::from(l));
        }
    }
}

/// Lets SysTick interrupt once a millisecond.
#[allow(dead_code, reason = "not every machine has it")]
pub(crate) fn start_systick(cycles_per_millisecond: u32) {
    // SAFETY: only the start of the machine is here, once.
    let mut core = unsafe { cortex_m::Peripherals::steal() };
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(cycles_per_millisecond - 1);
    core.SYST.clear_current();
    core.SYST.enable_counter();
    core.SYST.enable_interrupt();
}

/// The number of an interrupt of this machine.
#[derive(Clone, Copy)]
pub(crate) struct Irq(pub(crate) u16);

// SAFETY: the numbers are those of the machine's manual.
unsafe impl InterruptNumber for Irq {
    fn number(self) -> u16 {
        self.0
    }
}

/// Lets this interrupt through.
pub(crate) fn unmask(irq: Irq) {
    // SAFETY: no critical section of this program relies on its being masked.
    unsafe { NVIC::unmask(irq) }
}

/// Has this interrupt happen.
#[allow(dead_code, reason = "not every machine has to")]
pub(crate) fn pend(irq: Irq) {
    NVIC::pend(irq);
}

/// Sleeps until an interrupt, unless a byte is there already: with interrupts held back, none gets in between.
pub fn idle() {
    cortex_m::interrupt::free(|_| {
        if RECEIVED.is_empty() {
            cortex_m::asm::wfi();
        }
    });
}

/// Bytes between the UART's interrupt, which puts them in, and the program, which takes them out.
pub(crate) static RECEIVED: Ring = Ring::new();

/// A queue with one producer and one consumer; one place stays empty. It needs no read-modify-write, which a Cortex-M0 has not.
pub(crate) struct Ring {
    bytes: [AtomicU8; Ring::SIZE],
    head: AtomicU8,
    tail: AtomicU8,
}

impl Ring {
    /// As many as a `u8` counts, so that an index cannot be out of range.
    const SIZE: usize = 256;

    const fn new() -> Ring {
        Ring { bytes: [const { AtomicU8::new(0) }; Ring::SIZE], head: AtomicU8::new(0), tail: AtomicU8::new(0) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head.load(Relaxed) == self.tail.load(Relaxed)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.tail.load(Relaxed).wrapping_add(1) == self.head.load(Relaxed)
    }

    /// Puts a byte in. A full ring must not be given one.
    pub(crate) fn push(&self, byte: u8) {
        let tail = self.tail.load(Relaxed);
        self.bytes[usize::from(tail)].store(byte, Relaxed);
        self.tail.store(tail.wrapping_add(1), Relaxed);
    }

    pub(crate) fn pop(&self) -> Option<u8> {
        if self.is_empty() {
            return None;
        }
        let head = self.head.load(Relaxed);
        let byte = self.bytes[usize::from(head)].load(Relaxed);
        self.head.store(head.wrapping_add(1), Relaxed);
        Some(byte)
    }
}
