"""Our own programs with each other: the example `large` on both sides, and the program `umcp` as its client."""

import base64
import json
import re
import subprocess

from rig import BLOB, LIMIT, TEXT, URL, WIRES, crc, parts, require

MILLION = 1_000_000
# How much more a program may take for a message of twice the length, in KiB: what the system gives more of by chance.
CHANCE = 512


def patience(megabytes):
    """How long a row may take, in seconds, on a machine that has other things to do."""
    return 60 + 3 * megabytes


def summary(done):
    text = "%.1f MB in, %.1f MB out, " % (done.moved["in"] / 1e6, done.moved["out"] / 1e6) if done.moved else ""
    peaks = "peak %d KiB" % done.client + (" the client, %d KiB the server" % done.server if done.server else "")
    return "%s%s, %.1f s" % (text, peaks, done.seconds)


def small(done):
    for name, peak in (("client", done.client), ("server", done.server)):
        require(peak and peak < LIMIT, "the %s took %s KiB" % (name, peak))


def printed(done, expected):
    said = done.out.decode("utf-8", "replace").strip()
    require(said == expected, "it printed %r, not %r" % (said, expected))


def of_list(server, tools):
    """Count and checksum of the list as another reader of JSON sees it."""
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/list",
        "params": {
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        },
    }
    done = subprocess.run(server, input=json.dumps(request).encode() + b"\n", stdout=subprocess.PIPE, timeout=300)
    listed = json.loads(done.stdout)["result"]["tools"]
    names = [tool["name"] for tool in listed]
    require(names == ["count", "text"] + ["tool-%06d" % n for n in range(tools)], "the names are %s..." % names[:5])
    texts = [json.dumps(tool, separators=(",", ":"), ensure_ascii=False).encode() for tool in listed]
    return len(listed), sum(map(len, texts)), crc(texts)


class Plan:
    """The rows for one scale."""

    def __init__(self, umcp, large, megabytes):
        self.umcp, self.large, self.megabytes = umcp, large, megabytes
        self.tools, self.bytes = megabytes * 1000, megabytes * MILLION
        self.seconds = patience(megabytes)

    def server(self, share=1):
        return [
            str(word)
            for word in (self.large, "serve", "--tools", self.tools // share, "--bytes", self.bytes // share)
        ]

    def play(self, wire, words, scratch):
        done = WIRES[wire]([self.large, *words, URL], self.server(), self.seconds, scratch)
        small(done)
        return done

    def list(self, wire, scratch):
        count, length, checksum = of_list(self.server(), self.tools)
        done = self.play(wire, ["list"], scratch)
        printed(done, "%d tools, %d bytes, CRC-32 %08x" % (count, length, checksum))
        require(done.moved["out"] > length, "fewer bytes passed than the list has")
        return "%d tools, %s" % (count, summary(done))

    def read(self, wire, scratch):
        file = scratch / "blob"
        done = self.play(wire, ["read", file], scratch)
        printed(done, "%d bytes" % self.bytes)
        self.check_file(file)
        require(done.moved["out"] > self.bytes * 4 // 3, "fewer bytes passed than the resource has")
        return summary(done)

    def check_file(self, file, length=None):
        with open(file, "rb") as content:
            same = all(content.read(len(part)) == part for part in parts(BLOB, length or self.bytes))
            require(same and not content.read(1), "the file is not the resource")
        file.unlink()

    def call(self, wire, scratch):
        done = self.play(wire, ["call", "text"], scratch)
        printed(done, "%d bytes, CRC-32 %08x" % (self.bytes, crc(parts(TEXT, self.bytes))))
        require(done.moved["out"] > self.bytes, "fewer bytes passed than the text has")
        return summary(done)

    def send(self, wire, scratch):
        done = self.play(wire, ["send", str(self.bytes)], scratch)
        expected = {"bytes": self.bytes, "crc32": "%08x" % crc(parts(TEXT, self.bytes))}
        require(json.loads(done.out) == expected, "it was counted as %s, not %s" % (done.out, expected))
        require(done.moved["in"] > self.bytes, "fewer bytes passed than the argument has")
        return summary(done)

    def program(self, wire, verb, options, words, share, scratch):
        """The program `umcp`, as it comes, with a share of the message."""
        command = [self.umcp, verb, "--timeout-ms", str(1000 * self.seconds), *options, URL, *words]
        return WIRES[wire](command, self.server(share), self.seconds, scratch)

    def twice(self, play):
        """With half of the message and with all of it: the program's memory does not grow with it."""
        half, whole = play(2), play(1)
        told = "peak %d KiB at half the length, %d KiB at all of it, %.1f s" % (half.client, whole.client, whole.seconds)
        require(half.client and whole.client - half.client <= CHANCE, told)
        return told

    def umcp_tools(self, wire, scratch):
        def play(share):
            done = self.program(wire, "tools", [], [], share, scratch)
            names = re.findall(rb"^tool-\d{6}", done.out, re.MULTILINE)
            require(len(names) == self.tools // share, "%d tools" % len(names))
            return done

        return self.twice(play)

    def umcp_call(self, wire, scratch):
        def play(share):
            done = self.program(wire, "call", [], ["text"], share, scratch)
            require(done.out.rstrip(b"\n") == b"".join(parts(TEXT, self.bytes // share)), "it is another text")
            return done

        return self.twice(play)

    def umcp_read(self, wire, scratch):
        def play(share):
            file = scratch / "blob"
            done = self.program(wire, "read", ["--output", file], ["large://blob"], share, scratch)
            self.check_file(file, self.bytes // share)
            return done

        return self.twice(play)

    def umcp_text_file(self, wire, scratch):
        """A file as an argument, as a text."""

        def play(share):
            length = self.bytes // share
            return self.give(wire, "--text-file", write(scratch, TEXT, length), parts(TEXT, length), length, share, scratch)

        return self.twice(play)

    def umcp_file(self, wire, scratch):
        """A file as an argument, in Base64."""

        def play(share):
            length = self.bytes // share // 3 * 3
            file = write(scratch, BLOB, length)
            return self.give(wire, "--file", file, map(base64.b64encode, blocks(file)), length // 3 * 4, share, scratch)

        return self.twice(play)

    def give(self, wire, option, file, argument, length, share, scratch):
        expected = {"bytes": length, "crc32": "%08x" % crc(argument)}
        done = self.program(wire, "call", [option, "data=%s" % file], ["count"], share, scratch)
        require(json.loads(done.out) == expected, "it was counted as %s, not %s" % (done.out, expected))
        return done


def write(scratch, pattern, length):
    file = scratch / "argument"
    with open(file, "wb") as content:
        content.writelines(parts(pattern, length))
    return file


def blocks(file):
    """Of a length that is a multiple of three, so that the pieces of Base64 join."""
    with open(file, "rb") as content:
        while block := content.read(65535):
            yield block


def rows(umcp, large, megabytes):
    plan = Plan(umcp, large, megabytes)
    own = [("list", plan.list), ("read", plan.read), ("call", plan.call), ("send", plan.send)]
    program = [
        ("tools", plan.umcp_tools),
        ("call", plan.umcp_call),
        ("read --output", plan.umcp_read),
        ("call --text-file", plan.umcp_text_file),
        ("call --file", plan.umcp_file),
    ]
    named = [("large %s" % name, play) for name, play in own] + [("umcp %s" % name, play) for name, play in program]
    return [("%s, %s" % (name, wire), play, wire) for name, play in named for wire in WIRES]
