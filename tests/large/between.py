"""Stands between a client, which starts it, and a server on standard input and output: counts what passes.

    between.py REPORT COMMAND...

Every byte passes untouched. When the client closes its side, while both still live, REPORT gets one line of JSON: how many bytes passed
in and out, and the peak memory of both in KiB.
"""

import json
import os
import subprocess
import sys
import threading

CHUNK = 65536


def peak(pid):
    """The most memory that a process has had in use, in KiB, as the system counts it; None if it is gone."""
    try:
        with open("/proc/%d/status" % pid) as status:
            return next((int(line.split()[1]) for line in status if line.startswith("VmHWM")), None)
    except OSError:
        return None


def copy(source, sink, counts, name):
    while chunk := os.read(source, CHUNK):
        counts[name] += len(chunk)
        while chunk:
            chunk = chunk[os.write(sink, chunk) :]


def main():
    report, command = sys.argv[1], sys.argv[2:]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    counts = {"in": 0, "out": 0}
    outward = threading.Thread(target=copy, args=(server.stdout.fileno(), 1, counts, "out"), daemon=True)
    outward.start()
    copy(0, server.stdin.fileno(), counts, "in")
    peaks = {"client": peak(os.getppid()), "server": peak(server.pid)}
    with open(report, "w") as out:
        json.dump(dict(counts, **peaks), out)
    server.stdin.close()
    status = server.wait(10)
    outward.join(10)
    return status


if __name__ == "__main__":
    sys.exit(main())
