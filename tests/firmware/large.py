"""What is larger than any board.

    large.py files FOLDER BYTES    what the emulated server gives out, as files `lines` and `bytes`; and what it says, `said`, when it has been sent
                                   the latter in Base64
    large.py serve BYTES           a server with one resource, for the emulated client, which sends the same to `flash`, and calls `echo` with
                                   what it has read: the answers are `right`, or `wrong` and what it should have been
"""

import base64
import json
import os
import sys
import zlib

SIZE = int(sys.argv[-1])
BYTES = bytes((n * 7 ^ n >> 8) & 255 for n in range(SIZE))


def report(received):
    return "%08x bytes, checksum %08x" % (len(received), zlib.crc32(received))


def files(folder):
    lines = "".join("%07x\n" % number for number in range(SIZE // 8))
    contents = {"lines": lines + "\n", "said": report(base64.b64encode(BYTES))}
    for name, text in contents.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    with open(os.path.join(folder, "bytes"), "wb") as file:
        file.write(BYTES)


def answer(method, params):
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"resources": {}, "tools": {}}}
    if method == "resources/read":
        contents = {"uri": params["uri"], "mimeType": "application/octet-stream", "blob": base64.b64encode(BYTES).decode()}
        return {"contents": [contents], "ttlMs": 0, "cacheScope": "private"}
    if method == "tools/call":
        image, said = params["arguments"].get("image"), params["arguments"].get("message")
        said, expected = report(base64.b64decode(image)) if image else said, report(BYTES)
        return {"content": [{"type": "text", "text": "right" if said == expected else "wrong: " + expected}]}


def serve():
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            result = dict(answer(request["method"], request["params"]), resultType="complete")
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)


if sys.argv[1] == "files":
    files(sys.argv[2])
else:
    serve()
