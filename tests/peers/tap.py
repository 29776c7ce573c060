"""A tap in the pipe between a client and the server it starts.

    tap.py LOG COMMAND [ARGS...]

Every byte passes untouched. LOG receives what passed, line by line (`> ` to the
server, `< ` from it), and at last how the server ended: `= exit 0` when it went
by itself, `= signal 15` when it had to be ended. One that stays when its stdin has
ended is killed after a while, so that nothing outlives a broken run.
"""

import os
import signal
import subprocess
import sys
import threading

# Longer than any client waits before it takes steps itself.
PATIENCE_SECONDS = 10


def copy(source, target, log, mark):
    """Pass everything from one file descriptor to another until the source ends."""
    unfinished = b""
    while chunk := os.read(source, 65536):
        lines = (unfinished + chunk).split(b"\n")
        unfinished = lines.pop()
        for line in lines:
            log.write(mark + line + b"\n")
        try:
            view = memoryview(chunk)
            while view:
                view = view[os.write(target, view):]
        except OSError:
            break
    if unfinished:
        log.write(mark + unfinished + b" (no line end)\n")
    os.close(target)


def forward(into, log, server):
    copy(0, into, log, b"> ")
    try:
        server.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()


def main():
    path, command = sys.argv[1], sys.argv[2:]
    with open(path, "ab", buffering=0) as log:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda received, _: server.send_signal(received))
        into, out = os.dup(server.stdin.fileno()), server.stdout.fileno()
        server.stdin.close()
        threading.Thread(target=forward, args=(into, log, server), daemon=True).start()
        back = threading.Thread(target=copy, args=(out, os.dup(1), log, b"< "), daemon=True)
        back.start()
        status = server.wait()
        back.join(2)
        end = "exit %d" % status if status >= 0 else "signal %d" % -status
        log.write(b"= " + end.encode() + b"\n")
    # Past the interpreter's own shutdown, which would wait for the thread that reads stdin.
    os._exit(status if status >= 0 else 128 - status)


main()
