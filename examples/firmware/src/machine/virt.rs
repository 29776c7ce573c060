//! QEMU's `virt` machine as a RISC-V microcontroller (rv32imc): a 16550 UART, and the machine timer. It has no LED.
//!
//! Interrupts only end its sleep: none is ever taken, so there is no handler.

use core::arch::{asm, global_asm};

use umcp::time::Instant;

use crate::register::Register;
use crate::uart::Uart;

/// The timer counts 10 million a second.
const TICKS_PER_MILLISECOND: u64 = 10_000;

const UART: usize = 0x1000_0000;
const INTERRUPT_ENABLE: usize = 1;
const FIFO_CONTROL: usize = 2;
const LINE_CONTROL: usize = 3;
const LINE_STATUS: usize = 5;
const RECEIVED: u8 = 1;
const SEND_EMPTY: u8 = 1 << 5;

// SAFETY: the timer's registers (CLINT), and the interrupt controller's (PLIC) for source 10, the UART, and the first hart.
const COMPARE_LOW: Register = unsafe { Register::at(0x0200_4000) };
const COMPARE_HIGH: Register = unsafe { Register::at(0x0200_4004) };
const TIME_LOW: Register = unsafe { Register::at(0x0200_BFF8) };
const TIME_HIGH: Register = unsafe { Register::at(0x0200_BFFC) };
const UART_PRIORITY: Register = unsafe { Register::at(0x0C00_0028) };
const ENABLED: Register = unsafe { Register::at(0x0C00_2000) };
const CLAIM: Register = unsafe { Register::at(0x0C20_0004) };

/// Starts the UART; the clock runs by itself.
pub fn start() -> Uart {
    write(LINE_CONTROL, 0b11);
    write(FIFO_CONTROL, 1);
    write(INTERRUPT_ENABLE, 1);
    UART_PRIORITY.write(1);
    ENABLED.write(1 << 10);
    // SAFETY: the timer's and the controller's interrupts are let through to `wfi`; with `mstatus.MIE` clear none is taken.
    unsafe { asm!("csrw mie, {}", in(reg) 1 << 7 | 1 << 11) };
    Uart::new()
}

/// The time since the start.
pub fn now() -> Instant {
    Instant::from_millis(time() / TICKS_PER_MILLISECOND)
}

fn time() -> u64 {
    loop {
        let (high, low) = (TIME_HIGH.read(), TIME_LOW.read());
        if TIME_HIGH.read() == high {
            return u64::from(high) << 32 | u64::from(low);
        }
    }
}

/// Sleeps until a byte comes, for a millisecond at most.
pub fn idle() {
    let wake = time() + TICKS_PER_MILLISECOND;
    COMPARE_HIGH.write(u32::MAX);
    COMPARE_LOW.write(wake as u32);
    COMPARE_HIGH.write((wake >> 32) as u32);
    // SAFETY: it only waits.
    unsafe { asm!("wfi") };
    let source = CLAIM.read();
    if source != 0 {
        CLAIM.write(source);
    }
}

/// There is none.
pub fn led(_on: bool) {}

pub(crate) fn has_received() -> bool {
    read(LINE_STATUS) & RECEIVED != 0
}

pub(crate) fn receive() -> Option<u8> {
    has_received().then(|| read(0))
}

pub(crate) fn send(byte: u8) -> bool {
    let ready = read(LINE_STATUS) & SEND_EMPTY != 0;
    if ready {
        write(0, byte);
    }
    ready
}

fn read(register: usize) -> u8 {
    // SAFETY: a register of the UART, which is one byte wide.
    unsafe { ((UART + register) as *const u8).read_volatile() }
}

fn write(register: usize, value: u8) {
    // SAFETY: as above.
    unsafe { ((UART + register) as *mut u8).write_volatile(value) }
}

// The start: a stack, zeros where the program expects them, and `main`. A trap, which only a fault could be, halts.
global_asm!(
    ".section .init, \"ax\"",
    ".global _start",
    "_start:",
    "    .option push",
    "    .option norelax",
    "    la gp, __global_pointer$",
    "    .option pop",
    "    la t0, 5f",
    "    csrw mtvec, t0",
    "    la sp, _stack_start",
    "    la t0, __sbss",
    "    la t1, __ebss",
    "1:  bgeu t0, t1, 2f",
    "    sw zero, 0(t0)",
    "    addi t0, t0, 4",
    "    j 1b",
    "2:",
    ".if {painted}",
    "    li t1, 0xCCCCCCCC",
    "3:  bgeu t0, sp, 4f",
    "    sw t1, 0(t0)",
    "    addi t0, t0, 4",
    "    j 3b",
    ".endif",
    "4:  j main",
    ".balign 4",
    "5:  j 5b",
    painted = const cfg!(feature = "paint-stack") as usize,
);
