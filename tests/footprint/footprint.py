"""Builds, measures, and compares with FOOTPRINT.md: see tests/footprint.sh."""

import collections
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/firmware"), str(ROOT / "tests/footprint")]

import emulate
from image import FLASH, RAM, Image
from stack import Stack

FIRMWARE = ROOT / "examples/firmware"
TABLE = ROOT / "FOOTPRINT.md"
OUT = Path(os.environ.get("UMCP_FIRMWARE_TARGET") or ROOT / "target/firmware") / "footprint"
MACHINES = {
    "thumbv7em-none-eabihf": "mps2-an386",
    "thumbv7m-none-eabi": "lm3s6965evb",
    "thumbv6m-none-eabi": "microbit",
    "riscv32imc-unknown-none-elf": "virt",
}
# What is called by which name, which program it is, and whether it has the handshake revisions.
PROGRAMS = [
    ("server, three tools, 2026-07-28", "three_tools", False),
    ("server, three tools, both eras", "three_tools", True),
    ("client, 2026-07-28", "client", False),
    ("client, both eras", "client", True),
    ("server, the whole board, 2026-07-28", "server", False),
    ("server, the whole board, both eras", "server", True),
]
COLUMNS = ["flash, library", "flash, image", "RAM, static", "state", "lent", "stack, computed", "stack, seen"]
GROWTH = 1.02
STACK_SLACK = 64  # where an interrupt happened to find the stack
GOALS = [
    ("server, three tools, 2026-07-28", "flash, library", 12 * 1024),
    ("server, three tools, both eras", "flash, library", 16 * 1024),
    ("client, both eras", "flash, library", 14 * 1024),
    ("server, three tools, both eras", "stack, computed", 1536),
    ("client, both eras", "stack, computed", 1536),
    ("server, three tools, both eras", "state", 1024),
    ("client, both eras", "state", 1024),
]
META = '"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}%s}'
LOGS = ',"io.modelcontextprotocol/logLevel":"debug"'


def requests():
    """What a server is asked while its stack is watched."""
    calls = [("echo", '{"text":"\\u00e9\\n"}'), ("led_set", '{"on":true}'), ("led_set", '{"on":"maybe"}'), ("nope", "{}")]
    calls += [("temperature_read", "{}"), ("blink", '{"times":2,"period_ms":20}')]
    asked = [("tools/call", '"name":"%s","arguments":%s,' % call) for call in calls]
    asked += [("server/discover", ""), ("tools/list", ""), ("resources/list", ""), ("resources/templates/list", "")]
    asked += [("prompts/list", ""), ("no/such", ""), ("resources/read", '"uri":"board://pin/3",'), ("resources/read", '"uri":"board://log",')]
    asked += [("prompts/get", '"name":"diagnose","arguments":{"symptom":"hot"},')]
    asked += [("completion/complete", '"ref":{"type":"ref/prompt","name":"diagnose"},"argument":{"name":"symptom","value":"h"},')]
    asked += [("subscriptions/listen", '"notifications":{"resourceSubscriptions":["board://led"]},'), asked[1]]
    line = '{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s%s}}\n'
    lines = [line % (n, method, params, META % LOGS) for n, (method, params) in enumerate(asked)]
    lines += ["noise\n", '{"jsonrpc":"2.0","id":1,"method":"x","params":' + "[" * 200 + "\n", '{"a":"' + "x" * 900 + '","id":3}\n']
    lines += ['{"jsonrpc":"2.0","id":90,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}\n']
    lines += ['{"jsonrpc":"2.0","method":"notifications/initialized"}\n', '[{"jsonrpc":"2.0","id":91,"method":"ping"},{"jsonrpc":"2.0","id":92,"method":"tools/list"}]\n']
    lines += ['{"jsonrpc":"2.0","id":93,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}\n']
    return "".join(lines).encode()


def build(target, program, legacy):
    """Builds one program; gives its image and the sizes of its types. That it links proves that no panic can be reached."""
    features = "prove-no-panic,paint-stack" + (",legacy" if legacy else "")
    folder = OUT / ("both" if legacy else "modern")
    map = folder / (target + "-" + program + ".map")
    folder.mkdir(parents=True, exist_ok=True)
    flags = ["-Zemit-stack-sizes", "-Zprint-type-sizes", "-Clink-arg=--emit-relocs", "-Clink-arg=-Map=%s" % map]
    flags += ["-Clink-arg=-zdead-reloc-in-nonalloc=.debug_*=0xfffffffe"]
    command = ["cargo", "rustc", "--quiet", "--release", "--target", target, "--no-default-features", "--features", features]
    environment = dict(os.environ, RUSTC_BOOTSTRAP="1", CARGO_TARGET_DIR=str(folder))
    # Sizes are printed by the compiler, so it has to run.
    source = FIRMWARE / "src/bin" / program / "main.rs"
    os.utime(source)
    done = subprocess.run(command + ["--bin", program, "--", *flags], cwd=FIRMWARE, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("%s for %s does not build, or a panic can be reached" % (program, target))
    sizes = dict(re.findall(r"print-type-size type: `([^`]+)`: (\d+) bytes", done.stdout))
    return Image(folder / target / "release" / program, map, str(ROOT / "core/src"), str(FIRMWARE)), sizes


def state_and_lent(sizes):
    """What one connection keeps beside its buffers and tables, and what is lent to it."""
    of = lambda pattern: max((int(size) for name, size in sizes.items() if re.fullmatch(pattern, name)), default=0)
    side = r"umcp::(?:server|client)::"
    state = of(r"umcp::io::Client<.*>") or of(side + r"Connection<'_>") + of(side + r"Endpoint<.*>")
    return state, of(side + r"Memory<.*>")


def seen(machine, program, image, umcp):
    """The deepest use of the painted stack while the program works."""
    bottom, top = image.address("_stack_end"), image.address("_stack_start")
    board = emulate.Board(machine, image.elf, monitor=True)
    try:
        if program == "client":
            server = subprocess.Popen([umcp, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            done = emulate.relay(board, server.stdout.fileno(), server.stdin.fileno(), emulate.acted, None, 30)
            emulate.relay(board, server.stdout.fileno(), server.stdin.fileno(), seconds=1)
            server.kill()
            server.wait()
            if not done:
                sys.exit("the client did nothing")
        else:
            board.wait_until_up()
            reader, writer = os.pipe()
            os.write(writer, requests())
            os.close(writer)
            with open(os.devnull, "wb") as sink:
                emulate.relay(board, reader, sink.fileno())
        with tempfile.TemporaryDirectory() as folder:
            dump = os.path.join(folder, "ram")
            board.ask('memsave 0x%x %d "%s"' % (bottom, top - bottom, dump))
            deadline = time.monotonic() + 5
            while not (os.path.exists(dump) and os.path.getsize(dump) == top - bottom) and time.monotonic() < deadline:
                time.sleep(0.02)
            with open(dump, "rb") as file:
                content = file.read()
    finally:
        board.off()
    return len(content) - next((i for i, byte in enumerate(content) if byte != 0xCC), len(content))


def measure(target, program, legacy, umcp):
    image, sizes = build(target, program, legacy)
    owners = image.owners()
    rodata = image.size([".rodata"]) - image.program_data()
    library = sum(size for owner, size in owners.items() if owner != "program") + rodata
    state, lent = state_and_lent(sizes)
    stack = Stack(image)
    deepest, chain = stack.deepest(stack.mangled["main"])
    own = state + lent
    used = seen(MACHINES[target], program, image, umcp)
    row = [library, image.size(FLASH), image.size(RAM), state, lent, deepest - own, used - own]
    where = collections.Counter()
    for owner, size in owners.items():
        if owner not in ("program", "compiler"):
            owner = owner.split("/")[0] + ("/legacy" if "/legacy/" in owner else "")
        where[owner] += size
    where["constants"] = rodata
    names = [(stack.image.functions.get(f, "?"), stack.frame(f)) for f in chain]
    if stack.recursion:
        print("recursion: %s" % ", ".join(image.functions.get(f, "?") for f in stack.recursion))
    return row, where, names


def tables(text):
    """The figures of a FOOTPRINT.md: (target, name, column) -> bytes."""
    figures, target = {}, None
    for line in text.splitlines():
        if line.startswith("### "):
            target = line[4:].split(" ")[0].strip("`")
        words = [word.strip() for word in line.strip("|").split("|")]
        if target and len(words) == len(COLUMNS) + 1 and words[1].replace(",", "").isdigit():
            for column, word in zip(COLUMNS, words[1:]):
                figures[target, words[0], column] = int(word.replace(",", ""))
    return figures


def compiler():
    return subprocess.run(["rustc", "--version"], stdout=subprocess.PIPE, text=True, cwd=FIRMWARE).stdout.split(" (")[0].strip()


def plain(function):
    """The name of a function, without what it is generic in."""
    function = re.sub(r"::<.*>$", "", re.sub(r"::h[0-9a-f]{16}$", "", function))
    head, generic, tail = function.partition("<&mut")
    return head.lstrip("<") + "::" + tail.rsplit(">::", 1)[-1] if generic else function


def render(results, text):
    """FOOTPRINT.md with its figures replaced; what stands before and behind them is written by hand."""
    out = ["<!-- figures: written by tests/footprint.sh write -->", ""]
    cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.machine())
    out += ["Measured %s with %s on %s (the figures do not depend on that machine)." % (time.strftime("%Y-%m-%d"), compiler(), cpu), ""]
    for target, machine in MACHINES.items():
        out += ["### `%s` (QEMU's %s)" % (target, machine), "", "| bytes | %s |" % " | ".join(COLUMNS), "|---" * (len(COLUMNS) + 1) + "|"]
        for name, _, _ in PROGRAMS:
            out.append("| %s | %s |" % (name, " | ".join(format(n, ",") for n in results[target, name][0])))
        out.append("")
    main = next(iter(MACHINES))
    out += ["### Where the flash goes on %s" % main, ""]
    names = [name for name, _, _ in PROGRAMS]
    parts = sorted({part for name in names for part in results[main, name][1]} - {"program"})
    out += ["| bytes of | %s |" % " | ".join(names), "|---" * (len(names) + 1) + "|"]
    for part in parts:
        out.append("| %s | %s |" % (part, " | ".join(format(results[main, name][1][part], ",") for name in names)))
    out += ["", "### Where the stack goes on %s" % main, ""]
    for name in ("server, three tools, both eras", "client, both eras"):
        deep = sorted(results[main, name][2], key=lambda frame: -frame[1])[:8]
        out += ["- %s: %s" % (name, ", ".join("`%s` %d" % (plain(f), n) for f, n in deep if n))]
    out += ["", "### Goals on %s" % main, "", "| | goal | is | |", "|---|---|---|---|"]
    for name, column, goal in GOALS:
        value = results[main, name][0][COLUMNS.index(column)]
        out.append("| %s: %s | %s | %s | %s |" % (name, column, format(goal, ","), format(value, ","), "met" if value <= goal else "missed"))
    out += ["", "<!-- end of figures -->"]
    before, rest = text.split("<!-- figures", 1)
    return before + "\n".join(out) + rest.split("<!-- end of figures -->", 1)[1]


def main():
    umcp, write = os.path.abspath(sys.argv[1]), sys.argv[2:] == ["write"]
    text = TABLE.read_text()
    old, results, grown = tables(text), {}, []
    same_compiler = compiler() in text
    for target in MACHINES:
        for name, program, legacy in PROGRAMS:
            results[target, name] = measure(target, program, legacy, umcp)
            row = results[target, name][0]
            print("%-28s %-36s %s" % (target, name, " ".join("%7d" % n for n in row)), flush=True)
            for column, value in zip(COLUMNS, row):
                before = old.get((target, name, column))
                slack = STACK_SLACK if column.startswith("stack") else 0
                if before is not None and value > before * GROWTH + slack and column != "lent":
                    grown.append("%s, %s: %s grew from %d to %d" % (target, name, column, before, value))
                if before is None:
                    grown.append("%s, %s: %s is not in the table" % (target, name, column))
    if write:
        TABLE.write_text(render(results, text))
        return 0
    print("\n".join(grown) or "no figure has grown by more than 2 %")
    if grown and not same_compiler:
        print("(The table was made with another compiler than %s.)" % compiler())
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
