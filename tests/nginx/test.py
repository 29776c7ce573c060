"""Two replicas behind nginx, round-robin: calls, progress, a subscription; then one replica is killed under load.

Every client talks to the proxy only. Needs nothing but Python 3.9, nginx, and the program.
"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE = 20
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


class Gone(Exception):
    """The connection ended before the reply did."""


class Unavailable(Exception):
    """The proxy says that the replica it asked is not there, or went away."""


class Reply:
    """One reply, read as it comes."""

    def __init__(self, port, method, params, name="", token=None, patience=PATIENCE):
        meta = dict(META, progressToken=token) if token else META
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params, _meta=meta)}).encode()
        head = [
            "POST /mcp HTTP/1.1",
            "Host: mcp.example",
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            "MCP-Protocol-Version: 2026-07-28",
            f"Mcp-Method: {method}",
            f"Content-Length: {len(body)}",
            "Connection: close",
        ]
        head += [f"Mcp-Name: {name}"] if name else []
        self.socket = socket.create_connection(("127.0.0.1", port), patience)
        self.socket.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)
        self.file = self.socket.makefile("rb")
        self.status = int((self.line().split(" ") + ["0"])[1])
        self.headers = {}
        while line := self.line():
            key, _, value = line.partition(":")
            self.headers[key.lower()] = value.strip()
        self.chunked = self.headers.get("transfer-encoding") == "chunked"

    def line(self):
        line = self.file.readline()
        if not line.endswith(b"\n"):
            raise Gone(line)
        return line.decode().rstrip("\r\n")

    def chunks(self):
        """The payload as it comes; raises if it is broken off."""
        if not self.chunked:
            length = int(self.headers["content-length"])
            body = self.file.read(length)
            if len(body) < length:
                raise Gone(body)
            yield body
            return
        while size := int(self.line(), 16):
            chunk = self.file.read(size + 2)
            if len(chunk) < size + 2:
                raise Gone(chunk)
            yield chunk[:-2]
        self.line()

    def messages(self):
        if self.status in (502, 504):
            raise Unavailable(self.status)
        if self.headers.get("content-type") != "text/event-stream":
            yield json.loads(b"".join(self.chunks()))
            return
        buffer = b""
        for chunk in self.chunks():
            buffer += chunk
            while b"\n\n" in buffer:
                event, _, buffer = buffer.partition(b"\n\n")
                data = [line[5:] for line in event.split(b"\n") if line.startswith(b"data:")]
                if data:
                    yield json.loads(b"\n".join(data))

    def close(self):
        self.file.close()
        self.socket.close()


def text(message):
    return message["result"]["content"][0]["text"]


def echo(port, said):
    reply = Reply(port, "tools/call", {"name": "echo", "arguments": {"text": said}}, "echo")
    (message,) = reply.messages()
    assert (reply.status, text(message)) == (200, said), (reply.status, message)


def blink(port, times, period, token=None):
    arguments = {"times": times, "period_ms": period}
    return Reply(port, "tools/call", {"name": "blink", "arguments": arguments}, "blink", token)


class Replica:
    def __init__(self, umcp):
        command = [umcp, "serve", "--http", "127.0.0.1:0", "--host", "mcp.example"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)/mcp", self.process.stderr.readline()).group(1))

    def led(self):
        """Whether its LED shines; asked past the proxy."""
        reply = Reply(self.port, "resources/read", {"uri": "board://led"}, "board://led")
        (message,) = reply.messages()
        return message["result"]["contents"][0]["text"]

    def sockets(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


def calls(port, a, b):
    """Calls reach both replicas, in turn: each has an LED of its own."""
    for index in range(20):
        echo(port, f"call {index} äöü")
    before = (a.led(), b.led())
    assert before == ("off", "off"), before
    for _ in range(2):
        (message,) = Reply(port, "tools/call", {"name": "led_set", "arguments": {"on": True}}, "led_set").messages()
        assert text(message) == "on", message
    assert (a.led(), b.led()) == ("on", "on"), "round-robin"


def refusals(port, *_):
    """What a replica refuses arrives with its status and its body."""
    reply = Reply(port, "no/such", {})
    (message,) = reply.messages()
    assert (reply.status, message["error"]["code"]) == (404, -32601), message
    reply = Reply(port, "tools/call", {"name": "echo", "arguments": {"text": ""}}, "another")
    (message,) = reply.messages()
    assert (reply.status, message["error"]["code"]) == (400, -32020), message


def progress(port, *_):
    """Reports come while the call goes on: nginx holds none of them back."""
    start = time.monotonic()
    times = []
    for message in blink(port, 5, 200, token="p").messages():
        times.append(time.monotonic() - start)
    assert len(times) == 6 and text(message) == "blinked 5 times", message
    assert times[0] < 0.6 < times[4], times


def subscription(port, a, b):
    """A listener hears what happens on its own replica, as it happens; its close reaches the replica."""
    filter_ = {"notifications": {"resourceSubscriptions": ["board://led"]}}
    listeners = [Reply(port, "subscriptions/listen", filter_) for _ in range(2)]
    streams = [listener.messages() for listener in listeners]
    for stream in streams:
        assert next(stream)["method"] == "notifications/subscriptions/acknowledged"
    # Two listeners in turn: one on each. Whichever replica is told, one of them hears.
    for replica in (a, b):
        (message,) = Reply(replica.port, "tools/call", {"name": "led_set", "arguments": {"on": False}}, "led_set").messages()
        assert text(message) == "off", message
    for stream in streams:
        assert next(stream)["method"] == "notifications/resources/updated"
    for listener in listeners:
        listener.close()


def cancellation(port, a, b):
    """A client that closes its stream is gone for the replica too, which cancels the call."""
    before = a.sockets() + b.sockets()
    replies = [blink(port, 1000, 60, token="p") for _ in range(40)]
    for reply in replies:
        next(reply.messages())
    assert a.sockets() + b.sockets() > before + 20, "each has a connection of its own"
    for reply in replies:
        reply.close()
    start = time.monotonic()
    while a.sockets() + b.sockets() > before:
        assert time.monotonic() - start < 5, "calls that nobody waits for go on"
        time.sleep(0.05)
    echo(port, "well")


def killed(port, a, b):
    """One replica is killed under load. Calls in flight on it fail, and cleanly; all the others succeed."""
    results = []
    lock = threading.Lock()

    def call(kind, work):
        try:
            work()
            outcome = "ok"
        except Gone:
            outcome = "broken off"
        except Unavailable:
            outcome = "unavailable"
        except Exception as error:
            outcome = f"wrong: {error!r}"
        with lock:
            results.append((kind, outcome))

    def long_call():
        reply = blink(port, 30, 60, token="p")
        messages = list(reply.messages())
        assert reply.status == 200, (reply.status, messages)
        assert text(messages[-1]) == "blinked 30 times", messages[-1]

    stop = threading.Event()

    def short_calls():
        index = 0
        while not stop.is_set():
            call("short", lambda: echo(port, f"short {index}"))
            index += 1

    threads = [threading.Thread(target=call, args=("long", long_call)) for _ in range(10)]
    threads += [threading.Thread(target=short_calls) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.7)
    a.process.kill()
    a.process.wait()
    time.sleep(2.5)
    stop.set()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "a call hangs"
    long = [outcome for kind, outcome in results if kind == "long"]
    short = [outcome for kind, outcome in results if kind == "short"]
    print(f"    long calls: {long.count('ok')} done, {long.count('broken off')} broken off; "
          f"short calls: {short.count('ok')} done, {len(short) - short.count('ok')} failed of {len(short)}")
    # Those on the replica that lives are done, those on the other are broken off: nobody is told a half as a whole.
    assert sorted(set(long)) == ["broken off", "ok"] and len(long) == 10, long
    # At most the short calls that were under way on it at that moment fail.
    failed = [outcome for outcome in short if outcome != "ok"]
    assert len(failed) <= 4 and set(failed) <= {"unavailable", "broken off"}, failed
    for index in range(10):
        echo(port, f"after {index}")


def main(nginx, umcp):
    replicas = [Replica(umcp), Replica(umcp)]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path("nginx.conf").read_text()
        for name, value in (("PORT", port), ("A", replicas[0].port), ("B", replicas[1].port)):
            config = config.replace(f"@{name}@", str(value))
        file = pathlib.Path(folder, "nginx.conf")
        file.write_text(config)
        proxy = subprocess.Popen([nginx, "-p", folder, "-c", file, "-e", "error.log"])
        try:
            wait_for(port)
            for test in (calls, refusals, progress, subscription, cancellation, killed):
                test(port, *replicas)
                print(f"ok  {test.__doc__.splitlines()[0]}")
        finally:
            proxy.terminate()
            proxy.wait(PATIENCE)
            for replica in replicas:
                replica.end()


def wait_for(port):
    start = time.monotonic()
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() - start < PATIENCE, "nginx does not start"
            time.sleep(0.05)


main(*sys.argv[1:])
