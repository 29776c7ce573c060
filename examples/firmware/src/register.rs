//! A register of a peripheral.

/// The address of a 32-bit register of this machine.
#[derive(Clone, Copy)]
pub(crate) struct Register(usize);

impl Register {
    /// # Safety
    /// At this address is a register of a peripheral, and reading and writing it harms no memory.
    pub(crate) const unsafe fn at(address: usize) -> Register {
        Register(address)
    }

    pub(crate) fn read(self) -> u32 {
        // SAFETY: `at` was promised that this is a register.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    pub(crate) fn write(self, value: u32) {
        // SAFETY: as above.
        unsafe { (self.0 as *mut u32).write_volatile(value) }
    }
}
