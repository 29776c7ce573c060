"""What the rows are made of: processes whose memory is watched, a relay that counts, and the content that is expected."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

from between import CHUNK, peak

HERE = Path(__file__).resolve().parent
LIMIT = 3_000_000 // 1024  # KiB: what neither program may exceed
START_SECONDS = 20
LOOK_SECONDS = 0.01


class Failed(Exception):
    """A row did not come out as it must."""


def require(condition, why):
    if not condition:
        raise Failed(why)


# The blob repeats itself after so many bytes, the text after so many.
BLOB = bytes((at * 7 + at // 256) % 256 for at in range(65536))
TEXT = b"abcdefghijklmnopqrstuvwxyz" * 2048


def parts(pattern, length):
    """So many bytes of a pattern that goes on and on."""
    while length > 0:
        part = pattern[:length]
        yield part
        length -= len(part)


def crc(chunks):
    total = 0
    for chunk in chunks:
        total = zlib.crc32(chunk, total)
    return total


class Watch:
    """The peak memory of a program, which only ever grows, as it was when it was last looked at; in KiB."""

    def __init__(self):
        self.pid, self.highest = None, 0

    def look(self):
        self.highest = max(self.highest, self.pid and peak(self.pid) or 0)


class Done:
    """How a program ended: what it printed, how long it took, its peak memory, what passed."""

    def __init__(self, out, seconds, client, server=None, moved=None):
        self.out, self.seconds, self.client, self.server, self.moved = out, seconds, client, server, moved


def run(command, seconds, watch=None):
    """A program to its end, watched until it is gone."""
    started, watch = time.monotonic(), watch or Watch()
    with subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        watch.pid = process.pid
        out, err = [], []
        readers = [
            threading.Thread(target=lambda: out.append(process.stdout.read()), daemon=True),
            threading.Thread(target=lambda: err.append(process.stderr.read()), daemon=True),
        ]
        for reader in readers:
            reader.start()
        while process.poll() is None:
            watch.look()
            if time.monotonic() - started > seconds:
                process.kill()
                raise Failed("%s did not end within %d s" % (command[0], seconds))
            time.sleep(LOOK_SECONDS)
        for reader in readers:
            reader.join(10)
    if process.returncode != 0:
        raise Failed("exit %d: %s" % (process.returncode, b"".join(err)[-400:].decode("utf-8", "replace").strip()))
    return Done(b"".join(out), time.monotonic() - started, watch.highest)


class Relay:
    """In front of a server over HTTP: every byte passes untouched, and is counted. Its client is looked at with each."""

    def __init__(self, url):
        self.watch = Watch()
        address = re.match(r"http://([^:/]+):(\d+)(.*)", url)
        self.target = (address[1], int(address[2]))
        self.moved = {"in": 0, "out": 0}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d%s" % (self.listener.getsockname()[1], address[3])
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                server = socket.create_connection(self.target)
            except OSError:
                return
            for source, sink, way in ((client, server, "in"), (server, client, "out")):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self.copy, args=(source, sink, way), daemon=True).start()

    def copy(self, source, sink, way):
        try:
            while chunk := source.recv(CHUNK):
                self.moved[way] += len(chunk)
                sink.sendall(chunk)
                self.watch.look()
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            for one in (source, sink):
                # Whoever is left shall notice.
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def close(self):
        self.listener.close()


class HttpServer:
    """A program that serves HTTP and names its address on standard error, with a relay in front of it."""

    def __init__(self, command, environment=None):
        self.process = subprocess.Popen(
            [str(word) for word in command],
            env=dict(os.environ, **(environment or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.address, self.known = None, threading.Event()
        threading.Thread(target=self.listen, daemon=True).start()
        if not self.known.wait(START_SECONDS) or self.address is None:
            self.process.kill()
            self.process.wait()
            raise Failed("the server named no address: %s" % (command,))
        self.relay = Relay(self.address)
        self.url = self.relay.url

    def listen(self):
        for line in self.process.stderr:
            found = re.search(rb"http://[^\s/]+:[1-9]\d*[^\s]*", line)
            if found and self.address is None:
                address = found[0].decode()
                self.address = address if address.count("/") > 2 else address + "/mcp"
                self.known.set()
        self.known.set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.relay.close()


URL = "URL"  # stands for the server's, in the words of its client


def over_stdio(client, server, seconds, scratch, _running=None):
    """A client that starts its server, through a relay that counts."""
    report = scratch / "moved.json"
    report.unlink(missing_ok=True)
    client = [word for word in client if word != URL]
    done = run([*client, "--", sys.executable, "-B", HERE / "between.py", report, *server], seconds)
    told = json.loads(report.read_text())
    return Done(done.out, done.seconds, told["client"], told["server"], told)


def over_http(client, server, seconds, scratch, running=None):
    """A client of a server at an address, through a relay that counts; of one that is running, or of one of its own."""
    if running is None:
        with HttpServer([*server, "--http", "127.0.0.1:0"]) as running:
            return over_http(client, server, seconds, scratch, running)
    running.relay.watch = Watch()
    done = run([word if word != URL else running.url for word in client], seconds, running.relay.watch)
    return Done(done.out, done.seconds, done.client, peak(running.process.pid), running.relay.moved)


WIRES = {"stdio": over_stdio, "http": over_http}
