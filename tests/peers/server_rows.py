"""Real clients against `umcp serve`, the simulated board."""

import json
import shlex
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import drivers
import peers
import relay

TEXT = 'héllo 世界 😀 "q" \\ \n\t'
TOOLS = ["blink", "echo", "led_set", "temperature_read"]
MODERN = "2026-07-28"


def said(answer):
    """An answer for a person to read, in one short line."""
    return "got " + json.dumps(answer, ensure_ascii=False)[:300]


def holds(condition, answer):
    return None if condition else said(answer)


def names(*expected):
    """A list of exactly these, by name or address."""

    def check(answer):
        found = [item.get("uri") or item.get("uriTemplate") or item["name"] for item in answer.get("ok") or []]
        return holds(sorted(found) == sorted(expected), answer)

    return check


def text(expected):
    """A tool's result of one text block, this one (or any, if none is given)."""

    def check(answer):
        content = (answer.get("ok") or {}).get("content") or [{}]
        one_text = len(content) == 1 and content[0].get("type") == "text"
        fine = one_text and not answer["ok"].get("isError")
        return holds(fine and expected in (None, content[0]["text"]), answer)

    return check


def progress(answer):
    """At least one number, rising, none beyond the three there are."""
    seen = (answer.get("ok") or {}).get("progress") or []
    rising = all(early < late for early, late in zip(seen, seen[1:]))
    return text(None)(answer) or holds(seen and rising and set(seen) <= {1, 2, 3}, answer)


def contents(uri):
    def check(answer):
        read = (answer.get("ok") or {}).get("contents") or [{}]
        return holds(read[0].get("uri") == uri and ("text" in read[0] or "blob" in read[0]), answer)

    return check


def messages(answer):
    asked = (answer.get("ok") or {}).get("messages") or []
    return holds(asked and all(one["content"] and one["role"] in ("user", "assistant") for one in asked), answer)


def refused(answer):
    """An error of the protocol, or a result that says it is one; not a client that gave up."""
    told = "error" in answer and not drivers.lost(answer)
    return holds(told or (answer.get("ok") or {}).get("isError") is True, answer)


def done(answer):
    return holds("ok" in answer, answer)


def cancelled(answer):
    return holds((answer.get("ok") or {}).get("cancelled") is True, answer)


def suggestions(answer):
    return holds(answer.get("ok") == ["no light", "no power"], answer)


def update(answer):
    return holds(answer.get("ok") == "board://led", answer)


def call(name, /, **arguments):
    return {"op": "call", "name": name, "arguments": arguments}


STEPS = [
    ("tools", {"op": "tools"}, names(*TOOLS)),
    ("resources", {"op": "resources"}, names("board://led", "board://log")),
    ("templates", {"op": "templates"}, names("board://pin/{n}")),
    ("prompts", {"op": "prompts"}, names("diagnose")),
    ("echo", call("echo", text=TEXT), text(TEXT)),
    ("progress", dict(call("blink", times=3, period_ms=20), progress=True), progress),
    ("read", {"op": "read", "uri": "board://led"}, contents("board://led")),
    ("read template", {"op": "read", "uri": "board://pin/3"}, contents("board://pin/3")),
    ("prompt", {"op": "prompt", "name": "diagnose", "arguments": {"symptom": "smoke"}}, messages),
    ("completion", {"op": "complete", "prompt": "diagnose", "argument": "symptom", "value": "no"}, suggestions),
    ("unknown tool", call("no_such_tool"), refused),
    ("unknown resource", {"op": "read", "uri": "board://nowhere"}, refused),
    ("bad argument", call("led_set", on="maybe"), refused),
    ("cancel", dict(call("blink", times=1000, period_ms=50), op="cancel"), cancelled),
    ("ping", {"op": "ping"}, done),
    ("watch", {"op": "watch", "uri": "board://led"}, done),
    ("led_set", call("led_set", on=True), text(None)),
    ("updated", {"op": "updated"}, update),
]

# Client, its mode, the revision that has to come out of it.
ROWS = [
    ("mcp-2.3.0", "auto", MODERN),
    ("mcp-2.3.0", "legacy", "2025-11-25"),
    ("mcp-2.3.0", MODERN, MODERN),
    ("mcp-1.30.0", "legacy", "2025-11-25"),
    ("mcp-1.12.4", "legacy", "2025-06-18"),
    ("mcp-1.9.4", "legacy", "2025-03-26"),
    ("mcp-1.6.0", "legacy", "2024-11-05"),
    ("typescript-2.4.0", "legacy", "2025-11-25"),
    ("typescript-2.4.0", "auto", MODERN),
    ("typescript-2.4.0", MODERN, MODERN),
    ("typescript-1.32.2", "legacy", "2025-11-25"),
    ("rmcp-3.11.0", "initialize", "2025-11-25"),
    ("rmcp-3.11.0", "auto", MODERN),
    ("rmcp-3.11.0", "discover", MODERN),
    ("inspector-2.12.0", "legacy", "2025-11-25"),
    ("inspector-2.12.0", "auto", MODERN),
    ("inspector-2.12.0", "modern", MODERN),
    ("fastmcp-4.2.3", "auto", MODERN),
    ("fastmcp-4.2.3", "legacy", "2025-11-25"),
]

# Over HTTP; the oldest has no client for it.
HTTP_ROWS = [row for row in ROWS if row[0] != "mcp-1.6.0"]

# These leave their session to expire.
DELETES_NOTHING = ("inspector-2.12.0",)

# These send SIGTERM first, instead of closing the pipe and waiting.
TERMINATES = ("mcp-1.9.4", "mcp-1.6.0")


def introduction(answer, mode, revision):
    """The right revision, and a server with a name, unless the client was told not to ask for one."""
    hello = answer.get("ok") or {}
    if hello.get("protocol") != revision:
        return said(answer)
    asked = mode != MODERN or hello.get("server")
    info = hello.get("server") or {}
    return holds(not asked or (info.get("name") and info.get("version")), answer)


def take_steps(driver, revision, result):
    """Every step, each reported by `result(step, why)`; False if the connection was lost in one."""
    for step, request, check in STEPS:
        if step in driver.cannot or (step == "ping" and revision == MODERN):
            continue
        answer = driver.ask(**request)
        result(step, check(answer))
        if drivers.lost(answer):
            return False
    return True


def ended(log, client):
    """The server went by itself when its client closed the connection."""
    fine = ("exit 0", "signal 15") if client in TERMINATES else ("exit 0",)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        ends = drivers.endings(log)
        if ends and ends[-1] in fine:
            return None
        time.sleep(0.05)
    return "the server did not end by itself: %s" % (", ".join(drivers.endings(log)) or "it still runs")


def play(client, mode, revision, board, scratch, result):
    """One client in one mode: every step, each reported by `result(step, why)`."""
    log = scratch / "wire.log"
    with open(scratch / "complaints.log", "wb") as complaints:
        driver = drivers.start(client, complaints)
        try:
            opened = driver.ask("open", mode=mode, command=drivers.tapped(board, log))
            result("open", introduction(opened, mode, revision))
            if "ok" not in opened:
                return
            if take_steps(driver, revision, result):
                result("close", done(driver.ask("close")) or ended(log, client))
        finally:
            driver.end()


def session_ended(log, client, revision):
    """A legacy client deletes its session, and may; a modern one has none."""
    deleted = [status for request, status in relay.requests(log) if request.startswith("DELETE ")]
    if revision == MODERN:
        return None if not deleted else "a modern client deleted something"
    expected = client not in DELETES_NOTHING
    return None if deleted and set(deleted) <= {200, 204} or not expected and not deleted else "DELETE: %s" % deleted


def play_http(client, mode, revision, board, scratch, result):
    """The same over HTTP."""
    log = scratch / "wire.log"
    server = relay.Server([*board, "--http", "127.0.0.1:0"], scratch)
    with open(scratch / "complaints.log", "wb") as complaints:
        driver = drivers.start(client, complaints)
        try:
            opened = driver.ask("open", mode=mode, url=server.url)
            result("open", introduction(opened, mode, revision))
            if "ok" in opened and take_steps(driver, revision, result):
                result("close", done(driver.ask("close")) or session_ended(log, client, revision))
        finally:
            driver.end()
            end = server.end()
    failures = [status for _, status in relay.requests(log) if status and status >= 500]
    result("server", None if end == "exit 0" and not failures else "%s; statuses %s" % (end, failures))


# Clients that share one server, with what else each is at while the others are busy.
TOGETHER = [row for row in HTTP_ROWS if row[0] != "inspector-2.12.0"]
ROUNDS = 5


def be_busy(driver):
    """Calls of one client among those of others; the first that goes wrong."""
    for turn in range(ROUNDS):
        words = "%s %d" % (TEXT, turn)
        why = text(words)(driver.ask(**call("echo", text=words)))
        why = why or progress(driver.ask(**dict(call("blink", times=3, period_ms=20), progress=True)))
        why = why or contents("board://led")(driver.ask("read", uri="board://led"))
        if why:
            return why
    return None


def play_together(board, scratch, result):
    """All clients at once on one server: each is busy and watches the LED, which the first switches."""
    server = relay.Server([*board, "--http", "127.0.0.1:0"], scratch)
    with open(scratch / "complaints.log", "wb") as complaints, ThreadPoolExecutor(len(TOGETHER)) as pool:
        started = [(client, mode, revision, drivers.start(client, complaints)) for client, mode, revision in TOGETHER]
        names = ["%s/%s" % (client, mode) for client, mode, *_ in started]
        all_drivers = [driver for *_, driver in started]
        try:
            for (_, mode, revision, driver), name in zip(started, names):
                result("open " + name, introduction(driver.ask("open", mode=mode, url=server.url), mode, revision))

            def each(step, work):
                for name, why in zip(names, pool.map(work, all_drivers)):
                    result("%s %s" % (step, name), why)

            each("busy", be_busy)
            each("watch", lambda driver: done(driver.ask("watch", uri="board://led")))
            result("led_set", text(None)(all_drivers[0].ask(**call("led_set", on=True))))
            each("updated", lambda driver: update(driver.ask("updated")))
            each("close", lambda driver: done(driver.ask("close")))
        finally:
            for driver in all_drivers:
                driver.end()
            end = server.end()
    result("server", None if end == "exit 0" else end)


def play_halflist(board, scratch, result):
    """A conformance tester with checks of its own: each is a step, and its warnings count."""
    command = drivers.tapped(board, scratch / "wire.log")
    program = str(peers.SCRATCH / "halflist-1.0.0/bin/halflist")
    report = subprocess.run(
        [program, "check", "--format", "json", "--stdio", shlex.join(command)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=60,
    )
    try:
        checks = [check for suite in json.loads(report.stdout)["suites"] for check in suite["checks"]]
    except (ValueError, LookupError):
        return result("report", "exit %d: %.300r" % (report.returncode, report.stdout))
    for check in checks:
        if check["status"] != "SKIP":
            result(check["name"], None if check["status"] == "PASS" else "%s: %s" % (check["status"], check["message"]))
    result("all suites", None if len(checks) > 30 else "only %d checks" % len(checks))
