//! What happens in a panic: nothing, for ever. There is none in these programs, and a build with `prove-no-panic` shows it.

use core::panic::PanicInfo;

#[cfg(not(feature = "prove-no-panic"))]
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

#[cfg(feature = "prove-no-panic")]
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        /// It is nowhere: the linker says so, and by whom it is called, if a panic can be reached.
        fn a_panic_can_be_reached() -> !;
    }
    // SAFETY: it never runs: a program that could call it does not link.
    unsafe { a_panic_can_be_reached() }
}
