//! BBC micro:bit (nRF51822, a Cortex-M0 without atomics, 16 KB of RAM): its UART, timer 0 (it has no SysTick), and an LED of the matrix.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::cortex::{self, Irq, RECEIVED};
use crate::register::Register;
use crate::uart::Uart;

const UART: Irq = Irq(2);
const TIMER: Irq = Irq(8);

// SAFETY: the registers of the UART, of timer 0, and of the port.
const START_RECEIVING: Register = unsafe { Register::at(0x4000_2000) };
const START_SENDING: Register = unsafe { Register::at(0x4000_2008) };
const RECEIVED_BYTE: Register = unsafe { Register::at(0x4000_2108) };
const SENT_BYTE: Register = unsafe { Register::at(0x4000_211C) };
const UART_INTERRUPTS_ON: Register = unsafe { Register::at(0x4000_2304) };
const UART_INTERRUPTS_OFF: Register = unsafe { Register::at(0x4000_2308) };
const UART_ENABLE: Register = unsafe { Register::at(0x4000_2500) };
const SEND_PIN: Register = unsafe { Register::at(0x4000_250C) };
const RECEIVE_PIN: Register = unsafe { Register::at(0x4000_2514) };
const RECEIVE_DATA: Register = unsafe { Register::at(0x4000_2518) };
const SEND_DATA: Register = unsafe { Register::at(0x4000_251C) };
const BAUD: Register = unsafe { Register::at(0x4000_2524) };
const TIMER_START: Register = unsafe { Register::at(0x4000_8000) };
const TIMER_REACHED: Register = unsafe { Register::at(0x4000_8140) };
const TIMER_SHORTS: Register = unsafe { Register::at(0x4000_8200) };
const TIMER_INTERRUPTS_ON: Register = unsafe { Register::at(0x4000_8304) };
const TIMER_PRESCALER: Register = unsafe { Register::at(0x4000_8510) };
const TIMER_COMPARE: Register = unsafe { Register::at(0x4000_8540) };
const PINS_HIGH: Register = unsafe { Register::at(0x5000_0508) };
const PINS_LOW: Register = unsafe { Register::at(0x5000_050C) };
const PINS_OUT: Register = unsafe { Register::at(0x5000_0518) };

const TX: u32 = 24;
const RX: u32 = 25;
const COLUMN_1: u32 = 4;
const ROW_1: u32 = 13;
const BAUD_115_200: u32 = 0x01D7_E000;
const RECEIVED_INTERRUPT: u32 = 1 << 2;
const COMPARE_INTERRUPT: u32 = 1 << 16;

/// A byte is on its way out.
static SENDING: AtomicBool = AtomicBool::new(false);

/// Starts the UART and the clock.
pub fn start() -> Uart {
    PINS_HIGH.write(1 << TX);
    PINS_OUT.write(1 << TX | 1 << COLUMN_1 | 1 << ROW_1);
    SEND_PIN.write(TX);
    RECEIVE_PIN.write(RX);
    BAUD.write(BAUD_115_200);
    UART_ENABLE.write(4);
    START_SENDING.write(1);
    START_RECEIVING.write(1);
    UART_INTERRUPTS_ON.write(RECEIVED_INTERRUPT);
    cortex::unmask(UART);
    // 16 MHz by 2^4, and from 0 again after 1,000.
    TIMER_PRESCALER.write(4);
    TIMER_COMPARE.write(1_000);
    TIMER_SHORTS.write(1);
    TIMER_INTERRUPTS_ON.write(COMPARE_INTERRUPT);
    TIMER_START.write(1);
    cortex::unmask(TIMER);
    Uart::new()
}

pub use cortex::{idle, now};

/// Switches the LED.
pub fn led(on: bool) {
    PINS_LOW.write(1 << COLUMN_1);
    if on { PINS_HIGH } else { PINS_LOW }.write(1 << ROW_1);
}

pub(crate) fn has_received() -> bool {
    !RECEIVED.is_empty()
}

pub(crate) fn receive() -> Option<u8> {
    let byte = RECEIVED.pop();
    UART_INTERRUPTS_ON.write(RECEIVED_INTERRUPT);
    byte
}

pub(crate) fn send(byte: u8) -> bool {
    if SENDING.load(Relaxed) && SENT_BYTE.read() == 0 {
        return false;
    }
    SENT_BYTE.write(0);
    SEND_DATA.write(u32::from(byte));
    SENDING.store(true, Relaxed);
    true
}

/// Bytes have come. While the ring is full, the rest stays where it is.
extern "C" fn uart() {
    while RECEIVED_BYTE.read() != 0 {
        if RECEIVED.is_full() {
            UART_INTERRUPTS_OFF.write(RECEIVED_INTERRUPT);
            return;
        }
        RECEIVED_BYTE.write(0);
        RECEIVED.push(RECEIVE_DATA.read() as u8);
    }
}

extern "C" fn timer() {
    TIMER_REACHED.write(0);
    cortex::tick();
}

#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
static __INTERRUPTS: [Option<extern "C" fn()>; 9] = [None, None, Some(uart), None, None, None, None, None, Some(timer)];
