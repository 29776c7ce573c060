"""A relay in front of a server over HTTP, which keeps a record of what passes.

Every byte passes untouched, and so does the end of either side. The record has a line for each line: `3> ` what the third
connection sent to the server, `3< ` what it got.
"""

import os
import re
import socket
import subprocess
import threading

import peers

START_SECONDS = 30
END_SECONDS = 8  # the server may take five to let open calls end


class Relay:
    """Listens at `url`; ends with the process, or by `close`."""

    def __init__(self, target, log):
        self.target = re.match(r"http://([^:/]+):(\d+)(/.*)?", target)
        self.log, self.lock = open(log, "ab", buffering=0), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d%s" % (self.listener.getsockname()[1], self.target[3] or "/")
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        number = 0
        while True:
            try:
                client, _ = self.listener.accept()
                server = socket.create_connection((self.target[1], int(self.target[2])))
            except OSError:
                return
            number += 1
            for source, sink, mark in ((client, server, b"%d> "), (server, client, b"%d< ")):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self.copy, args=(source, sink, mark % number), daemon=True).start()

    def copy(self, source, sink, mark):
        try:
            while chunk := source.recv(65536):
                self.write(mark, chunk)
                sink.sendall(chunk)
            self.write(mark, b"(end)")
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            self.write(mark, b"(broken)")
            for one in (source, sink):
                # Whoever is left shall notice.
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def write(self, mark, chunk):
        with self.lock:
            self.log.write(b"".join(mark + line.rstrip(b"\r") + b"\n" for line in chunk.split(b"\n") if line))

    def close(self):
        self.listener.close()


class Server:
    """A program that serves HTTP and names its address on stderr, behind a relay."""

    def __init__(self, command, scratch, path="/mcp"):
        self.complaints = open(scratch / "server.log", "wb")
        self.process = subprocess.Popen(
            command,
            env=dict(os.environ, PEERS_NODE=str(peers.SCRATCH / "node")),
            stdin=subprocess.DEVNULL,
            stdout=self.complaints,
            stderr=subprocess.PIPE,
        )
        self.address = None
        self.known = threading.Event()
        threading.Thread(target=self.listen, args=(path,), daemon=True).start()
        if not self.known.wait(START_SECONDS) or self.address is None:
            self.process.kill()
            raise OSError("the server named no address: %s" % command)
        self.relay = Relay(self.address, scratch / "wire.log")
        self.url = self.relay.url

    def listen(self, path):
        for line in self.process.stderr:
            self.complaints.write(line)
            self.complaints.flush()
            found = re.search(rb"http://[^\s/]+:[1-9]\d*[^\s]*", line)
            if found and not self.address:
                address = found[0].decode()
                self.address = address if address.count("/") > 2 else address + path
                self.known.set()
        self.known.set()

    def end(self):
        """How it ended when it was told to: `exit 0`, or a text that says otherwise."""
        self.process.terminate()
        try:
            status = self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "it did not end when it was told to"
        finally:
            self.relay.close()
        return "exit %d" % status if status >= 0 else "signal %d" % -status


def requests(log):
    """What was asked, in the order it came: pairs of a request line and the status of its answer (None: there was none)."""
    asked, open_ones = [], {}
    for line in log.read_bytes().splitlines():
        mark, _, text = line.partition(b" ")
        number = mark[:-1]
        if mark.endswith(b">") and re.match(rb"(POST|GET|DELETE) \S+ HTTP/1", text):
            asked.append([text.decode("utf-8", "replace"), None])
            open_ones.setdefault(number, []).append(asked[-1])
        if mark.endswith(b"<") and text.startswith(b"HTTP/1.1 ") and not text.startswith(b"HTTP/1.1 100"):
            if waiting := open_ones.get(number):
                waiting.pop(0)[1] = int(text.split()[1])
    return asked
