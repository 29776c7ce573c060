"""`umcp VERB ... -- SERVER` and `umcp VERB URL ...` against real servers.

What is expected is not written here: the peer's own client does the same operation on
the same server, and whatever it saw has to be in what `umcp` prints.
"""

import json
import re
import subprocess

import drivers
import peers
import relay
from server_rows import TEXT, call

ANSWER_SECONDS = 15
RUN_SECONDS = 2 * ANSWER_SECONDS + 5  # a probe, a request, and the end of the server

# What belongs to a revision or to the transfer, not to the answer.
ENVELOPE = ("_meta", "resultType", "ttlMs", "cacheScope", "nextCursor", "progress")


def missing(seen, printed, path="result"):
    """Where `printed` lacks something of `seen`, or has it otherwise; None if nowhere."""
    if isinstance(seen, dict) and isinstance(printed, dict):
        keys = [key for key, value in seen.items() if value is not None and not (key == "isError" and not value)]
        inner = (missing(seen[key], printed.get(key), "%s.%s" % (path, key)) for key in keys)
    elif isinstance(seen, list) and isinstance(printed, list) and len(seen) == len(printed):
        pairs = enumerate(zip(seen, printed))
        inner = (missing(early, late, "%s[%d]" % (path, index)) for index, (early, late) in pairs)
    elif seen == printed and isinstance(seen, bool) == isinstance(printed, bool):
        return None
    else:
        return "%s is %.200r, the peer's own client saw %.200r" % (path, printed, seen)
    return next((why for why in inner if why), None)


def read(uri):
    return {"op": "read", "uri": uri}


def prompt(name, /, **arguments):
    return {"op": "prompt", "name": name, "arguments": arguments}


LISTS = [("tools", {"op": "tools"}), ("resources", {"op": "resources"}), ("prompts", {"op": "prompts"})]

# Operations on the gallery of `servers/`, in its three languages.
GALLERY = LISTS + [
    ("text", call("echo", text=TEXT)),
    ("image", call("picture")),
    ("audio", call("sound")),
    ("embedded", call("attachment")),
    ("link", call("link")),
    ("structured", call("measure")),
    ("progress", call("steps", n=5)),
    ("tool error", call("broken")),
    ("read text", read("gallery://note")),
    ("read binary", read("gallery://pixel")),
    ("read template", read("gallery://page/7")),
    ("read nothing", read("gallery://nowhere")),
    ("prompt", prompt("greet", name="Ada Lovelace, née Byron")),
    ("no prompt", prompt("no_such_prompt")),
    ("elicitation", call("ask")),
]
# Few, since each waits for the probe's deadline: this server falls silent at any method it does not
# know, and ends at the next line it is sent.
GALLERY_1 = [step for step in GALLERY if step[0] in ("tools", "text", "tool error", "read nothing", "prompt")]

EVERYTHING = LISTS + [
    ("text", call("echo", message=TEXT)),
    ("image", call("get-tiny-image")),
    ("annotated", call("get-annotated-message", messageType="error", includeImage=True)),
    ("links", call("get-resource-links", count=4)),
    ("structured", call("get-structured-content", location="Chicago")),
    ("progress", call("trigger-long-running-operation", duration=0.2, steps=4)),
    ("tool error", call("get-sum", a="x")),
    ("unknown tool", call("no_such_tool")),
    ("read text", read("demo://resource/static/document/features.md")),
    ("read nothing", read("demo://nowhere")),
    ("prompt", prompt("args-prompt", city="Zürich")),
    ("bad prompt", prompt("args-prompt")),
]
FILESYSTEM = [
    ("tools", {"op": "tools"}),
    ("text", call("read_text_file", path="FOLDER/note.txt")),
    ("image", call("read_media_file", path="FOLDER/pixel.png")),
    ("list", call("list_directory", path="FOLDER")),
    ("tool error", call("read_text_file", path="FOLDER/missing.txt")),
    ("outside", call("read_text_file", path="/etc/hostname")),
]
MEMORY = [
    ("tools", {"op": "tools"}),
    ("resources", {"op": "resources"}),
    ("write", call("create_entities", entities=[{"name": "led", "entityType": "part", "observations": [TEXT]}])),
    ("graph", call("read_graph")),
    ("search", call("search_nodes", query="led")),
    ("tool error", call("add_observations", observations=[{"entityName": "nobody", "contents": ["x"]}])),
    ("read", read("memory://knowledge-graph")),
]


def gallery(install, flavour):
    return [peers.python(install), str(peers.HERE / "servers/gallery.py"), flavour]


def node_gallery():
    return ["node", str(peers.HERE / "servers/gallery.mjs")]


def reference(name, *words):
    return ["node", peers.node_package("@modelcontextprotocol/%s/dist/index.js" % name), *words]


# Server, what to install for it, its own client and mode, its command, the operations. FOLDER is a fresh folder.
ROWS = [
    ("mcp-2.3.0", ["mcp-2.3.0"], "mcp-2.3.0", "auto", gallery("mcp-2.3.0", "mcp2"), GALLERY),
    ("mcp-1.30.0", ["mcp-1.30.0"], "mcp-1.30.0", "legacy", gallery("mcp-1.30.0", "mcp1"), GALLERY[:-1]),
    ("mcp-1.6.0", ["mcp-1.6.0"], "mcp-1.6.0", "legacy", gallery("mcp-1.6.0", "mcp1"), GALLERY_1),
    ("fastmcp-4.2.3", ["fastmcp-4.2.3"], "fastmcp-4.2.3", "auto", gallery("fastmcp-4.2.3", "fastmcp"), GALLERY),
    ("typescript-2.4.0", ["node"], "typescript-2.4.0", "auto", node_gallery(), GALLERY),
    ("rmcp-3.11.0", ["rmcp"], "rmcp-3.11.0", "auto", [peers.rmcp("rmcp-gallery")], GALLERY),
    ("everything", ["node"], "typescript-2.4.0", "legacy", reference("server-everything", "stdio"), EVERYTHING),
    ("filesystem", ["node"], "typescript-2.4.0", "legacy", reference("server-filesystem", "FOLDER"), FILESYSTEM),
    ("memory", ["node"], "typescript-2.4.0", "legacy", reference("server-memory"), MEMORY),
]


def python_http(install, flavour, *forms):
    """Rows of a Python gallery over HTTP, one for each form of replies."""
    mode = "legacy" if flavour == "mcp1" else "auto"
    steps = GALLERY[:-1] if flavour == "mcp1" else GALLERY
    return [(install, form, [install], install, mode, [*gallery(install, flavour), form], steps) for form in forms]


def node_http(name, version, mode, steps):
    return [(name, form, ["node"], name, mode, [*node_gallery(), version, form], steps) for form in ("events", "json")]


def rmcp_http(form):
    command = [peers.rmcp("rmcp-gallery"), "--http", form]
    return ("rmcp-3.11.0", form, ["rmcp"], "rmcp-3.11.0", "auto", command, GALLERY)


# As above, over HTTP: server, the form of its replies, what to install, its own client and mode, its command, the operations.
HTTP_ROWS = [
    *python_http("mcp-2.3.0", "mcp2", "events", "json"),
    *python_http("mcp-1.30.0", "mcp1", "events", "json"),
    *python_http("mcp-1.12.4", "mcp1", "events", "json"),
    *python_http("fastmcp-4.2.3", "fastmcp", "events", "json"),
    *node_http("typescript-2.4.0", "2", "auto", GALLERY),
    *node_http("typescript-1.32.2", "1", "legacy", GALLERY[:-1]),
    rmcp_http("events"),
    rmcp_http("json"),
]


def furnish(folder):
    """Something for the reference servers to find."""
    folder.mkdir()
    (folder / "note.txt").write_text(TEXT, encoding="utf-8")
    (folder / "pixel.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))


def placed(value, folder):
    """The same, with FOLDER made real, however deep it is."""
    return json.loads(json.dumps(value).replace("FOLDER", str(folder)))


class Hangs(Exception):
    """The program under test had to be killed."""


class Umcp:
    """The program under test, one process an operation; `server` is a command, or the URL of one that runs."""

    def __init__(self, program, server, scratch):
        self.program, self.log = program, scratch / "wire.log"
        self.url = [server] if isinstance(server, str) else []
        self.command = [] if self.url else ["--", *drivers.tapped(server, self.log)]
        self.complaints = scratch / "umcp.log"

    def run(self, *words):
        """Exit status, the value on stdout (None when it is not exactly one JSON value), stderr."""
        verb, *rest = words
        options = ["--json", "--timeout-ms", str(ANSWER_SECONDS * 1000)]
        command = [*self.program, verb, *options, *self.url, *rest, *self.command]
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=RUN_SECONDS
            )
        except subprocess.TimeoutExpired:
            raise Hangs("it did not end within %d s" % RUN_SECONDS)
        with open(self.complaints, "ab") as complaints:
            complaints.write(("$ %s\n" % " ".join(words)).encode() + done.stderr)
        try:
            value = json.loads(done.stdout)
        except ValueError:
            value = None
        return done.returncode, value, done.stderr.decode("utf-8", "replace")

    def do(self, request):
        op = request["op"]
        if op == "read":
            return self.run("read", request["uri"])
        if op in ("call", "prompt"):
            return self.run(op, request["name"], json.dumps(request["arguments"], ensure_ascii=False))
        return self.run(op)


def compare(request, own, outcome):
    """What is wrong with what `umcp` made of an operation, given what the peer's own client saw."""
    status, printed, complaint = outcome
    told = "exit %d: %s" % (status, complaint.strip()[-300:])
    if "fault" in own:
        return "the peer's own client failed: " + own["fault"]
    if "error" in own:
        code = str(own["error"]["code"])
        return None if status == 1 and code in complaint else "expected error %s and exit 1, got %s" % (code, told)
    seen = own["ok"] if isinstance(own["ok"], dict) else {request["op"]: own["ok"]}
    expected = 1 if seen.get("isError") else 0
    if status != expected:
        return "expected exit %d, got %s" % (expected, told)
    if not isinstance(printed, dict):
        return "stdout is not one JSON object"
    return missing({key: value for key, value in seen.items() if key not in ENVELOPE}, printed)


def declined(outcome):
    """Nobody is there to ask: an error, or the request to ask shown as it is, but no hanging and no invention."""
    status, printed, complaint = outcome
    shown = status == 0 and isinstance(printed, dict) and printed.get("resultType") == "input_required"
    refused = status in (1, 5) and (printed or complaint)
    return None if shown or refused else "exit %d: %s" % (status, complaint.strip()[-300:])


def introduced(hello, outcome):
    status, printed, complaint = outcome
    if status != 0 or not isinstance(printed, dict):
        return "exit %d: %s" % (status, complaint.strip()[-300:])
    name = ((hello.get("ok") or {}).get("server") or {}).get("name")
    shown = name is None or name in json.dumps(printed, ensure_ascii=False)
    return None if shown else "%.200r does not name %r" % (printed, name)


def play(row, program, scratch, result):
    """One server: every operation by its own client, then by `umcp`, then compared."""
    _, _, client, mode, server, steps = row
    folder = scratch / "folder"
    furnish(folder)
    server, steps = placed(server, folder), placed(steps, folder)
    umcp = Umcp(program, environment(server, folder / "memory.json"), scratch)
    with open(scratch / "complaints.log", "wb") as complaints:
        driver = drivers.start(client, complaints)
        try:
            hello = driver.ask("open", mode=mode, command=environment(server, folder / "own.json"))
            take_steps(driver, hello, umcp, steps, result)
            driver.ask("close")
        finally:
            driver.end()
    ends = drivers.endings(umcp.log)
    stuck = [end for end in ends if end == "signal 9"]
    enough = len(ends) > len(steps)
    result("servers ended", None if enough and not stuck else "%d runs, endings: %s" % (len(steps) + 1, ends))


def take_steps(driver, hello, umcp, steps, result):
    result("discover", introduced(hello, umcp.run("discover")))
    for step, request in steps:
        own = driver.ask(**request)
        outcome = umcp.do(request)
        result(step, declined(outcome) if step == "elicitation" else compare(request, own, outcome))


def play_http(row, program, scratch, result):
    """The same over HTTP: one server for all operations; its own client reaches it without the relay."""
    _, _, _, client, mode, command, steps = row
    server = relay.Server(command, scratch)
    umcp = Umcp(program, server.url, scratch)
    with open(scratch / "complaints.log", "wb") as complaints:
        driver = drivers.start(client, complaints)
        try:
            hello = driver.ask("open", mode=mode, url=server.address)
            take_steps(driver, hello, umcp, steps, result)
            driver.ask("close")
        finally:
            driver.end()
            server.end()
    result("sessions ended", sessions_ended(umcp.log))


def sessions_ended(log):
    """Whoever was given a session by its handshake gives it back. (Some servers hand one out with a refusal, too.)"""
    wire = log.read_bytes()
    has_sessions = re.search(rb"^\d+> mcp-session-id:", wire, re.MULTILINE | re.IGNORECASE)
    opened = wire.count(b'"method":"initialize"') if has_sessions else 0
    deleted = sum(request.startswith("DELETE ") for request, _ in relay.requests(log))
    return None if deleted == opened else "%d sessions, %d deleted" % (opened, deleted)


def environment(server, memory):
    """SDKs pass on a few variables only, so what a server needs is set on its way."""
    node = str(peers.SCRATCH / "node")
    return ["env", "PEERS_NODE=" + node, "MEMORY_FILE_PATH=%s" % memory, *server]
