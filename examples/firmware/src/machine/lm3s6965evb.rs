//! Stellaris LM3S6965 evaluation board (Cortex-M3): PL011 UART 0, SysTick, the status LED on PF0.

use cortex_m_rt::exception;

use crate::cortex::{self, Irq, RECEIVED};
use crate::register::Register;
use crate::uart::Uart;

/// The internal oscillator, which runs after a reset.
const CYCLES_PER_MILLISECOND: u32 = 12_000;
const BAUD: u32 = 115_200;
const UART_0: Irq = Irq(5);

// SAFETY: the registers of UART 0, of the ports it and the LED are on, and of the clock gates of these.
const DATA: Register = unsafe { Register::at(0x4000_C000) };
const FLAGS: Register = unsafe { Register::at(0x4000_C018) };
const DIVISOR: Register = unsafe { Register::at(0x4000_C024) };
const DIVISOR_64THS: Register = unsafe { Register::at(0x4000_C028) };
const LINE: Register = unsafe { Register::at(0x4000_C02C) };
const CONTROL: Register = unsafe { Register::at(0x4000_C030) };
const INTERRUPT_MASK: Register = unsafe { Register::at(0x4000_C038) };
const UART_CLOCKS: Register = unsafe { Register::at(0x400F_E104) };
const PORT_CLOCKS: Register = unsafe { Register::at(0x400F_E108) };
const PORT_A_FUNCTION: Register = unsafe { Register::at(0x4000_4420) };
const PORT_A_DIGITAL: Register = unsafe { Register::at(0x4000_451C) };
const PORT_F_PIN_0: Register = unsafe { Register::at(0x4002_5004) };
const PORT_F_DIRECTION: Register = unsafe { Register::at(0x4002_5400) };
const PORT_F_DIGITAL: Register = unsafe { Register::at(0x4002_551C) };

const RECEIVE_EMPTY: u32 = 1 << 4;
const SEND_FULL: u32 = 1 << 5;
const FIFO_8N1: u32 = 0b111 << 4;
const ENABLE: u32 = 1 | 1 << 8 | 1 << 9;
/// Enough has come, or something and then nothing for a while.
const RECEIVE_INTERRUPTS: u32 = 1 << 4 | 1 << 6;

/// Starts the UART and the clock.
pub fn start() -> Uart {
    UART_CLOCKS.write(1);
    PORT_CLOCKS.write(1 | 1 << 5);
    PORT_A_FUNCTION.write(0b11);
    PORT_A_DIGITAL.write(0b11);
    PORT_F_DIRECTION.write(1);
    PORT_F_DIGITAL.write(1);
    let divisor_64ths = CYCLES_PER_MILLISECOND * 1_000 * 4 / BAUD;
    DIVISOR.write(divisor_64ths / 64);
    DIVISOR_64THS.write(divisor_64ths % 64);
    LINE.write(FIFO_8N1);
    CONTROL.write(ENABLE);
    INTERRUPT_MASK.write(RECEIVE_INTERRUPTS);
    cortex::unmask(UART_0);
    cortex::start_systick(CYCLES_PER_MILLISECOND);
    Uart::new()
}

pub use cortex::{idle, now};

/// Switches the LED.
pub fn led(on: bool) {
    PORT_F_PIN_0.write(u32::from(on));
}

pub(crate) fn has_received() -> bool {
    !RECEIVED.is_empty()
}

pub(crate) fn receive() -> Option<u8> {
    let byte = RECEIVED.pop();
    INTERRUPT_MASK.write(RECEIVE_INTERRUPTS);
    byte
}

pub(crate) fn send(byte: u8) -> bool {
    let ready = FLAGS.read() & SEND_FULL == 0;
    if ready {
        DATA.write(u32::from(byte));
    }
    ready
}

#[exception]
fn SysTick() {
    cortex::tick();
}

/// Bytes have come. While the ring is full, the rest stays where it is.
extern "C" fn uart_0() {
    while FLAGS.read() & RECEIVE_EMPTY == 0 {
        if RECEIVED.is_full() {
            INTERRUPT_MASK.write(0);
            return;
        }
        RECEIVED.push(DATA.read() as u8);
    }
}

#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
static __INTERRUPTS: [Option<extern "C" fn()>; 6] = [None, None, None, None, None, Some(uart_0)];
