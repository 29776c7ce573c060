//! Arm MPS2 with a Cortex-M4 (AN386): CMSDK UART 0, SysTick, an LED of the FPGA.

use cortex_m_rt::exception;

use crate::cortex::{self, Irq, RECEIVED};
use crate::register::Register;
use crate::uart::Uart;

const CYCLES_PER_MILLISECOND: u32 = 25_000;
const BAUD: u32 = 115_200;
const UART_RECEIVES: Irq = Irq(0);

// SAFETY: the registers of CMSDK UART 0 and of the FPGA's LEDs.
const DATA: Register = unsafe { Register::at(0x4000_4000) };
const STATE: Register = unsafe { Register::at(0x4000_4004) };
const CONTROL: Register = unsafe { Register::at(0x4000_4008) };
const INTERRUPT: Register = unsafe { Register::at(0x4000_400C) };
const DIVISOR: Register = unsafe { Register::at(0x4000_4010) };
const LEDS: Register = unsafe { Register::at(0x4002_8000) };

const SEND_FULL: u32 = 1;
const RECEIVE_FULL: u32 = 1 << 1;
const ENABLE: u32 = 0b11;
const RECEIVE_INTERRUPT: u32 = 1 << 3;

/// Starts the UART and the clock.
pub fn start() -> Uart {
    DIVISOR.write(CYCLES_PER_MILLISECOND * 1_000 / BAUD);
    CONTROL.write(ENABLE | RECEIVE_INTERRUPT);
    cortex::unmask(UART_RECEIVES);
    cortex::start_systick(CYCLES_PER_MILLISECOND);
    Uart::new()
}

pub use cortex::{idle, now};

/// Switches the LED.
pub fn led(on: bool) {
    LEDS.write(u32::from(on));
}

pub(crate) fn has_received() -> bool {
    !RECEIVED.is_empty()
}

pub(crate) fn receive() -> Option<u8> {
    let byte = RECEIVED.pop();
    if CONTROL.read() & RECEIVE_INTERRUPT == 0 {
        CONTROL.write(ENABLE | RECEIVE_INTERRUPT);
        // The byte that has been waiting since does not interrupt a second time.
        cortex::pend(UART_RECEIVES);
    }
    byte
}

pub(crate) fn send(byte: u8) -> bool {
    let ready = STATE.read() & SEND_FULL == 0;
    if ready {
        DATA.write(u32::from(byte));
    }
    ready
}

#[exception]
fn SysTick() {
    cortex::tick();
}

/// A byte has come. While the ring is full, it stays where it is.
extern "C" fn uart_receives() {
    INTERRUPT.write(RECEIVE_FULL);
    while STATE.read() & RECEIVE_FULL != 0 {
        if RECEIVED.is_full() {
            CONTROL.write(ENABLE);
            return;
        }
        RECEIVED.push(DATA.read() as u8);
    }
}

#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
static __INTERRUPTS: [Option<extern "C" fn()>; 1] = [Some(uart_receives)];
