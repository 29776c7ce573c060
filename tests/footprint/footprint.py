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
from concurrent.futures import ThreadPoolExecutor
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
# What is called by which name, which program it is, and with which features.
PROGRAMS = [
    ("server, three tools, 2026-07-28", "three_tools", ""),
    ("server, three tools, both eras", "three_tools", "legacy"),
    ("client, 2026-07-28", "client", ""),
    ("client, both eras", "client", "legacy"),
    ("HTTP server, three tools, 2026-07-28", "http_server", "http"),
    ("server, the whole board, 2026-07-28", "server", ""),
    ("server, the whole board, both eras", "server", "legacy"),
    ("everything", "everything", "http,legacy"),
]
COLUMNS = ["flash, library", "flash, image", "RAM, static", "state", "lent", "stack, computed", "stack, seen"]
GROWTH = 1.02
STACK_SLACK = 64  # where an interrupt happened to find the stack
GOALS = [
    ("server, three tools, 2026-07-28", "flash, library", 12 * 1024),
    ("server, three tools, both eras", "flash, library", 16 * 1024),
    ("client, both eras", "flash, library", 14 * 1024),
    ("HTTP server, three tools, 2026-07-28", "flash, library", 20 * 1024),
    ("server, three tools, both eras", "stack, computed", 1536),
    ("client, both eras", "stack, computed", 1536),
    ("HTTP server, three tools, 2026-07-28", "stack, computed", 1536),
    ("server, three tools, both eras", "state", 1024),
    ("client, both eras", "state", 1024),
    ("HTTP server, three tools, 2026-07-28", "state", 1024),
]
META = '"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}%s}'
LOGS = ',"io.modelcontextprotocol/logLevel":"debug"'


def requests():
    """What a server is asked while its stack is watched: (method, name, line)."""
    calls = [("echo", '{"text":"\\u00e9\\n"}'), ("led_set", '{"on":true}'), ("led_set", '{"on":"maybe"}'), ("nope", "{}")]
    calls += [("temperature_read", "{}"), ("blink", '{"times":2,"period_ms":20}')]
    asked = [("tools/call", '"name":"%s","arguments":%s,' % call) for call in calls]
    asked += [("server/discover", ""), ("tools/list", ""), ("resources/list", ""), ("resources/templates/list", "")]
    asked += [("prompts/list", ""), ("no/such", ""), ("resources/read", '"uri":"board://pin/3",'), ("resources/read", '"uri":"board://log",')]
    asked += [("prompts/get", '"name":"diagnose","arguments":{"symptom":"hot"},')]
    asked += [("completion/complete", '"ref":{"type":"ref/prompt","name":"diagnose"},"argument":{"name":"symptom","value":"h"},')]
    asked += [("subscriptions/listen", '"notifications":{"resourceSubscriptions":["board://led"]},'), asked[1]]
    line = '{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s%s}}\n'
    return [(method, params, line % (n, method, params, META % LOGS)) for n, (method, params) in enumerate(asked)]


def on_lines():
    lines = [line for _, _, line in requests()]
    lines += ["noise\n", '{"jsonrpc":"2.0","id":1,"method":"x","params":' + "[" * 200 + "\n", '{"a":"' + "x" * 900 + '","id":3}\n']
    lines += ['{"jsonrpc":"2.0","id":90,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}\n']
    lines += ['{"jsonrpc":"2.0","method":"notifications/initialized"}\n', '[{"jsonrpc":"2.0","id":91,"method":"ping"},{"jsonrpc":"2.0","id":92,"method":"tools/list"}]\n']
    lines += ['{"jsonrpc":"2.0","id":93,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}\n']
    return "".join(lines).encode()


def over_http():
    """The same as far as one socket can, without the subscription, behind which nothing would be heard."""
    asked = [(method, re.search('"(?:name|uri)":"([^"]*)"', params), line) for method, params, line in requests()]
    head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
    head += "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n%sContent-Length: %d\r\n\r\n%s"
    named = lambda method, name: "Mcp-Name: %s\r\n" % name[1] if method in ("tools/call", "resources/read", "prompts/get") else ""
    posts = [head % (method, named(method, name), len(line), line) for method, name, line in asked if method != "subscriptions/listen"]
    return "".join(posts + ["GET /else HTTP/1.1\r\nHost: localhost\r\n\r\n", posts[0].replace("Accept:", "Mcp-Method: other\r\nAccept:")]).encode()


def build(target, program, features):
    """Builds one program; gives its image and the sizes of its types. That it links proves that no panic can be reached."""
    folder = OUT / target / (features.replace(",", "-") or "modern")
    features = "prove-no-panic,paint-stack," + features
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
    """What one connection keeps beside its buffers and tables, and what is lent to it; of a program that is several things, by turns, those of the largest."""
    of = lambda pattern: max((int(size) for name, size in sizes.items() if re.fullmatch(pattern, name)), default=0)
    endpoint = of(r"umcp::server::Endpoint<.*>")
    sides = [
        (of(r"umcp::io::Client<.*>"), max(of(r"umcp::client::Memory<.*>"), of(r"umcp::http::client::Memory<.*>"))),
        (of(r"umcp::server::Connection<'_>") + endpoint, of(r"umcp::server::Memory<.*>")),
        (of(r"umcp::http::server::Connection<'_>") + of(r"umcp::http::server::Site<'_>") + endpoint, of(r"umcp::http::server::Memory<.*>")),
    ]
    return max((side for side in sides if side[1]), key=sum)


def seen(machine, image, side, umcp):
    """The deepest use of the painted stack while the program works as this side."""
    bottom, top = image.address("_stack_end"), image.address("_stack_start")
    board = emulate.Board(machine, image.elf, monitor=True)
    try:
        if side == "client":
            server = subprocess.Popen([umcp, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            done = emulate.relay(board, server.stdout.fileno(), server.stdin.fileno(), emulate.acted, None, 30)
            emulate.relay(board, server.stdout.fileno(), server.stdin.fileno(), seconds=1)
            server.kill()
            server.wait()
            if not done:
                sys.exit("the client did nothing")
        else:
            board.wait_until_up(side == "http")
            reader, writer = os.pipe()
            os.write(writer, over_http() if side == "http" else on_lines())
            os.close(writer)
            with open(os.devnull, "wb") as sink:
                emulate.relay(board, reader, sink.fileno(), seconds=60)
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


SIDES = {"client": ["client"], "http_server": ["http"], "everything": ["client", "http", "lines"]}


def measure(target, program, features, umcp):
    image, sizes = build(target, program, features)
    owners = image.owners()
    rodata = image.size([".rodata"]) - image.program_data()
    library = sum(size for owner, size in owners.items() if owner != "program") + rodata
    state, lent = state_and_lent(sizes)
    stack = Stack(image)
    deepest, chain = stack.deepest(stack.mangled["main"])
    own = state + lent
    used = max(seen(MACHINES[target], image, side, umcp) for side in SIDES.get(program, ["lines"]))
    row = [library, image.size(FLASH), image.size(RAM), state, lent, deepest - own, used - own]
    where = collections.Counter()
    for owner, size in owners.items():
        if owner not in ("program", "compiler"):
            owner = owner.split("/")[0] + ("/legacy" if "/legacy/" in owner else "")
        where[owner] += size
    where["constants"] = rodata
    names = [(stack.image.functions.get(f, "?"), stack.frame(f)) for f in chain]
    if stack.recursion:
        names_of = sorted(plain(image.functions.get(f, "?")) for f in stack.recursion)
        print("recursion in %s for %s, counted once: %s" % (program, target, ", ".join(names_of)))
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
    for name in ("server, three tools, both eras", "client, both eras", "HTTP server, three tools, 2026-07-28"):
        deep = sorted(results[main, name][2], key=lambda frame: -frame[1])[:8]
        out += ["- %s: %s" % (name, ", ".join("`%s` %d" % (plain(f), n) for f, n in deep if n))]
    out += ["", "### Goals on %s" % main, "", "| | goal | is | |", "|---|---|---|---|"]
    for name, column, goal in GOALS:
        value = results[main, name][0][COLUMNS.index(column)]
        out.append("| %s: %s | %s | %s | %s |" % (name, column, format(goal, ","), format(value, ","), "met" if value <= goal else "missed"))
    out += ["", "<!-- end of figures -->"]
    before, rest = text.split("<!-- figures", 1)
    return before + "\n".join(out) + rest.split("<!-- end of figures -->", 1)[1]


def measure_all(target, umcp):
    measured = {}
    for name, program, features in PROGRAMS:
        measured[target, name] = measure(target, program, features, umcp)
        row = " ".join("%7d" % n for n in measured[target, name][0])
        print("%-28s %-36s %s" % (target, name, row), flush=True)
    return measured


def comparison(target, measured, old):
    """What has grown too much, or is not in the table."""
    for name, _, _ in PROGRAMS:
        if (target, name, COLUMNS[0]) not in old:
            yield "%s, %s is not in the table" % (target, name)
            continue
        for column, value in zip(COLUMNS, measured[target, name][0]):
            before = old[target, name, column]
            slack = STACK_SLACK if column.startswith("stack") else 0
            if value > before * GROWTH + slack and column != "lent":
                yield "%s, %s: %s grew from %d to %d" % (target, name, column, before, value)


def main():
    umcp, write = os.path.abspath(sys.argv[1]), sys.argv[2:] == ["write"]
    text = TABLE.read_text()
    old, results, grown = tables(text), {}, []
    same_compiler = compiler() in text
    with ThreadPoolExecutor(2) as pool:
        for target, measured in zip(MACHINES, pool.map(lambda target: measure_all(target, umcp), MACHINES)):
            results.update(measured)
            grown += comparison(target, measured, old)
    if write:
        TABLE.write_text(render(results, text))
        return 0
    print("\n".join(grown) or "no figure has grown by more than 2 %")
    if grown and not same_compiler:
        print("(The table was made with another compiler than %s.)" % compiler())
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
