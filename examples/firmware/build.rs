//! Chooses the machine by the target, one for each, and hands its memory map to the linker.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let target = env::var("TARGET").unwrap_or_default();
    let (machine, memory) = match target.as_str() {
        "thumbv6m-none-eabi" => ("microbit", include_str!("memory/microbit.x")),
        "thumbv7m-none-eabi" => ("lm3s6965evb", include_str!("memory/lm3s6965evb.x")),
        "thumbv7em-none-eabihf" => ("mps2_an386", include_str!("memory/mps2_an386.x")),
        "riscv32imc-unknown-none-elf" => ("virt", include_str!("memory/virt.x")),
        other => panic!("no machine for {other}: see build.rs for those there are"),
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let put = |name: &str, text: &str| fs::write(out.join(name), text).unwrap_or_else(|e| panic!("{name}: {e}"));
    put("memory.x", memory);
    put("device.x", ""); // the interrupts are named in the machine's own vector table
    println!("cargo::rustc-link-search={}", out.display());
    println!("cargo::rustc-link-arg-bins=--nmagic");
    println!("cargo::rustc-link-arg-bins=-T{}", if machine == "virt" { "memory.x" } else { "link.x" });
    if env::var_os("CARGO_FEATURE_DEFMT").is_some() {
        println!("cargo::rustc-link-arg-bins=-Tdefmt.x");
    }
    println!("cargo::rustc-cfg=machine=\"{machine}\"");
    println!("cargo::rustc-check-cfg=cfg(machine, values(\"microbit\", \"lm3s6965evb\", \"mps2_an386\", \"virt\"))");
    println!("cargo::rerun-if-changed=memory");
}
