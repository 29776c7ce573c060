//! What all the programs stand on: a machine with one UART and a clock. There is one for each target, chosen by `build.rs`, without a HAL;
//! on a board of your own this is what your HAL gives you.
#![no_std]

#[cfg(target_arch = "arm")]
mod cortex;
pub mod crc;
pub mod flash;
#[cfg_attr(machine = "lm3s6965evb", path = "machine/lm3s6965evb.rs")]
#[cfg_attr(machine = "microbit", path = "machine/microbit.rs")]
#[cfg_attr(machine = "mps2_an386", path = "machine/mps2_an386.rs")]
#[cfg_attr(machine = "virt", path = "machine/virt.rs")]
pub mod machine;
mod memory;
mod panic;
mod register;
pub mod uart;

/// Where a program begins: `entry!(run)`, with `fn run() -> !`.
#[macro_export]
macro_rules! entry {
    ($run:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ! {
            $run()
        }
    };
}

/// Logs through `defmt`, if that is built in: a message, and the values in it.
#[macro_export]
macro_rules! log {
    ($message:literal $(, $value:expr)*) => {{
        #[cfg(feature = "defmt")]
        $crate::defmt::info!($message $(, $value)*);
        #[cfg(not(feature = "defmt"))]
        let _ = ($(&$value,)*);
    }};
}

#[cfg(target_arch = "arm")]
use cortex_m_rt as _;
#[cfg(feature = "defmt")]
pub use defmt;
#[cfg(feature = "defmt")]
use defmt_semihosting as _;
