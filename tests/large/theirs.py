"""With the implementations of others, both ways: sizes that they can stand."""

import base64
import json
import zlib

import client_rows
import drivers
import peers
from peers import NotInstalled
from rig import BLOB, LIMIT, TEXT, URL, WIRES, HttpServer, crc, parts, peak, require

__all__ = ["NotInstalled", "rows"]

SECONDS = 120
drivers.STEP_SECONDS = SECONDS

# What our server has for their clients.
TOOLS = 20_000
PAGE = 1_000
ARGUMENT = "".join(part.decode() for part in parts(TEXT, 1_000_000))
# What their servers have for our clients.
MORE = 2_000
POSTER = base64.b64encode(b"".join(parts(BLOB, 750_000)))

# The client and its mode, the wire, how many bytes of a resource and of a text it can stand, and what becomes of an argument of a megabyte. (The
# TypeScript clients hold at most 10 MiB of a message on standard input and output. All put the id, and modern ones `_meta`, behind the arguments, so that
# the server cannot know in time what they belong to; over HTTP a legacy one is known by its headers and its connection.)
COUNTED, ORDER = True, False
CLIENTS = [
    ("mcp-2.3.0", "auto", "stdio", 10_000_000, ORDER),
    ("mcp-2.3.0", "auto", "http", 10_000_000, ORDER),
    ("mcp-1.30.0", "legacy", "stdio", 10_000_000, ORDER),
    ("mcp-1.30.0", "legacy", "http", 10_000_000, COUNTED),
    ("typescript-2.4.0", "auto", "stdio", 7_000_000, ORDER),
    ("typescript-2.4.0", "auto", "http", 10_000_000, ORDER),
    ("typescript-1.32.2", "legacy", "stdio", 7_000_000, ORDER),
    ("typescript-1.32.2", "legacy", "http", 10_000_000, COUNTED),
]
SERVERS = [
    ("mcp-2.3.0", "auto", client_rows.gallery("mcp-2.3.0", "mcp2")),
    ("typescript-2.4.0", "auto", client_rows.node_gallery()),
]
INSTALLER = peers.Installer()


def fine(answer, step):
    require("ok" in answer, "%s: %.300s" % (step, answer))
    return answer["ok"]


def read_ours(client, mode, wire, size, counts, large, scratch):
    """Their client lists our tools in pages, reads our resource, calls our tools."""
    INSTALLER.need(drivers.CLIENTS[client][0])
    command = [str(large), "serve", "--tools", str(TOOLS), "--page", str(PAGE), "--bytes", str(size)]
    with open(scratch / "complaints.log", "wb") as complaints:
        driver = drivers.start(client, complaints)
        try:
            if wire == "stdio":
                fine(driver.ask("open", mode=mode, command=command), "open")
                return take(driver, size, counts)
            with HttpServer([*command, "--http", "127.0.0.1:0"]) as server:
                fine(driver.ask("open", mode=mode, url=server.url), "open")
                told = take(driver, size, counts)
                highest = peak(server.process.pid)
                require(highest and highest < LIMIT, "the server took %s KiB" % highest)
                return "%s; peak %d KiB the server" % (told, highest)
        finally:
            driver.end()


def take(driver, size, counts):
    names = [tool["name"] for tool in fine(driver.ask("tools"), "tools")]
    require(names == ["count", "text"] + ["tool-%06d" % n for n in range(TOOLS)], "tools: %s..." % names[:5])
    blob = fine(driver.ask("read", uri="large://blob"), "read")["contents"][0]["blob"]
    require(base64.b64decode(blob, validate=True) == b"".join(parts(BLOB, size)), "the resource is another")
    text = fine(driver.ask("call", name="text", arguments={}), "call text")["content"][0]["text"]
    require(text.encode() == b"".join(parts(TEXT, size)), "the text is another")
    sent = driver.ask("call", name="count", arguments={"data": ARGUMENT})
    check_sent(sent, counts)
    # What was refused has harmed nothing.
    again = fine(driver.ask("call", name="count", arguments={"data": "short"}), "call count")
    require(again["structuredContent"]["bytes"] == 5, "count: %s" % again)
    driver.ask("close")
    become = "counted" if counts else "refused for its order"
    return "%d tools, %.0f MB of blob and of text; 1 MB of argument %s" % (len(names), size / 1e6, become)


def check_sent(answer, counts):
    if counts:
        expected = {"bytes": len(ARGUMENT), "crc32": "%08x" % zlib.crc32(ARGUMENT.encode())}
        require(fine(answer, "call count").get("structuredContent") == expected, "count: %.300s" % answer)
    else:
        require("id, method, name and _meta" in json.dumps(answer), "it was not refused for its order: %.300s" % answer)


def read_theirs(server, mode, command, form, umcp, large, scratch):
    """Our clients list their tools and call for their picture; what their own client sees is what must be seen."""
    install = drivers.CLIENTS[server][0]
    INSTALLER.need(install)
    environment = {"GALLERY_TOOLS": str(MORE), "PEERS_NODE": str(peers.SCRATCH / "node")}
    with open(scratch / "complaints.log", "wb") as complaints:
        driver = drivers.start(server, complaints)
        try:
            if form == "stdio":
                command = ["env", *("%s=%s" % pair for pair in environment.items()), *command]
                fine(driver.ask("open", mode=mode, command=command), "open")
                return compare(driver, "stdio", command, None, umcp, large, scratch)
            words = [*command, "2", form] if install == "node" else [*command, form]
            with HttpServer(words, environment) as running:
                fine(driver.ask("open", mode=mode, url=running.address), "open")
                return compare(driver, "http", None, running, umcp, large, scratch)
        finally:
            driver.end()


def compare(driver, wire, command, running, umcp, large, scratch):
    seen = fine(driver.ask("tools"), "tools")
    require(len(seen) > MORE, "they list %d tools" % len(seen))
    driver.ask("close")

    def play(*words):
        return WIRES[wire]([*words], command, SECONDS, scratch, running)

    listed = json.loads(play(umcp, "tools", "--json", URL).out)["tools"]
    why = client_rows.missing(seen, listed)
    require(why is None, "umcp tools: %s" % why)
    texts = [json.dumps(tool, separators=(",", ":"), ensure_ascii=False).encode() for tool in listed]
    done = play(large, "list", URL)
    expected = b"%d tools, %d bytes, CRC-32 %08x" % (len(texts), sum(map(len, texts)), crc(texts))
    require(done.out.strip() == expected, "list: %r, not %r" % (done.out, expected))
    require(done.client and done.client < LIMIT, "it took %s KiB" % done.client)

    shown = json.loads(play(umcp, "call", "--json", URL, "poster").out)["content"][0]["data"]
    require(shown.encode() == POSTER, "umcp call: another picture")
    done = play(large, "call", "poster", URL)
    expected = b"%d bytes, CRC-32 %08x" % (len(POSTER), zlib.crc32(POSTER))
    require(done.out.strip() == expected, "call: %r, not %r" % (done.out, expected))
    require(done.client and done.client < LIMIT, "it took %s KiB" % done.client)
    return "%d tools, %.1f MB of picture, peak %d KiB" % (len(listed), len(POSTER) / 1e6, done.client)


def rows(umcp, large):
    made = [("%s reads ours, %s" % (row[0], row[2]), read_ours, *row, large) for row in CLIENTS]
    for server, mode, command in SERVERS:
        for form in ("stdio", "events", "json"):
            made.append(("we read %s, %s" % (server, form), read_theirs, server, mode, command, form, umcp, large))
    return made
