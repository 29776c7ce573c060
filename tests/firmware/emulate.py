"""An emulated board: QEMU with the board's UART on a socket.

    emulate.py board MACHINE ELF                     this program's stdin and stdout are the UART of a server
    emulate.py with MACHINE ELF -- COMMAND...        runs COMMAND, in whose words `UART` is the address of the UART, unix:PATH
    emulate.py http MACHINE ELF -- COMMAND...        the same for a server over HTTP: `UART` is http://127.0.0.1:PORT
    emulate.py client MACHINE ELF LOG -- COMMAND...  the UART of a client is the stdin and stdout of COMMAND

The first, for bytes that nobody else has touched, ends when its stdin has ended and the board has been quiet for a while; the last
when the client has called the tool that it looks for, or after a minute (status 1). LOG is what was said.

With UMCP_BOARD_LOG, what the board logs through semihosting goes to that file, as defmt encodes it.
"""

import array
import ctypes
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time

QEMU = {
    "mps2-an386": ["qemu-system-arm", "-M", "mps2-an386"],
    "lm3s6965evb": ["qemu-system-arm", "-M", "lm3s6965evb"],
    "microbit": ["qemu-system-arm", "-M", "microbit"],
    "virt": ["qemu-system-riscv32", "-M", "virt", "-bios", "none"],
}
# UARTs that take a byte before they have been set up, and then drop it; the others let it wait.
HASTY = ("lm3s6965evb", "virt")
PR_SET_PDEATHSIG = 1
# What a server is asked until it answers: it is stateless, and changes nothing.
HELLO = {"jsonrpc": "2.0", "id": "up", "method": "server/discover", "params": {"_meta": {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}
HELLO_HTTP = b"GET /up HTTP/1.1\r\nHost: localhost\r\n\r\n"
QUIET = 0.4  # seconds without a byte, after which nothing more is expected of a board


def end_with_parent():
    """The emulator must not outlive this program, however that ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Board:
    """A board that has just been switched on; `uart` is a connected socket."""

    def __init__(self, machine, elf, monitor=False, path=None, port=None):
        folder = None if path or port else tempfile.mkdtemp(prefix="umcp-")
        # Without a place for it, the board is switched on when its UART is connected.
        wait, path = ("on", os.path.join(folder, "uart")) if folder else ("off", path)
        place = "host=127.0.0.1,port=%d" % port if port else "path=" + path
        command = QEMU[machine] + ["-display", "none", "-kernel", elf, "-serial", "chardev:uart"]
        command += ["-chardev", "socket,id=uart,server=on,wait=%s,%s" % (wait, place)]
        command += ["-monitor", "stdio" if monitor else "none"]
        pipe = said = subprocess.PIPE if monitor else subprocess.DEVNULL
        if "UMCP_BOARD_LOG" in os.environ:
            command += ["-semihosting-config", "enable=on,target=native"]
            said = open(os.environ["UMCP_BOARD_LOG"], "wb")
        self.qemu = subprocess.Popen(command, stdin=pipe, stdout=said, stderr=subprocess.PIPE, preexec_fn=end_with_parent)
        self.uart = socket.socket(socket.AF_INET if port else socket.AF_UNIX)
        try:
            self.connect(("127.0.0.1", port) if port else path)
        finally:
            if folder:
                shutil.rmtree(folder, ignore_errors=True)

    def connect(self, place):
        deadline = time.monotonic() + 10
        while True:
            try:
                return self.uart.connect(place)
            except OSError:
                if time.monotonic() > deadline or self.qemu.poll() is not None:
                    self.off()
                    sys.exit("QEMU does not start: %s" % self.qemu.stderr.read().decode(errors="replace"))
                time.sleep(0.01)

    def wait_until_up(self, http=False):
        """What arrives before the UART has been set up is lost, as with any board: asks a server until it answers."""
        hello, sign, end = (HELLO_HTTP, b"HTTP/1.1 404", b"\r\n\r\n") if http else (b"\n%s\n" % json.dumps(HELLO).encode(), b'"id":"up"', b"\n")
        heard, deadline = b"", time.monotonic() + 10
        while sign not in heard:
            if time.monotonic() > deadline:
                self.off()
                sys.exit("the board does not answer: %r" % heard)
            self.uart.sendall(hello)
            while sign not in heard and select.select([self.uart], [], [], 0.3)[0]:
                heard += self.uart.recv(65536)
        # The rest of the answer, and the answers to what was asked in vain.
        while not heard.endswith(end) or select.select([self.uart], [], [], 0.02)[0]:
            heard += self.uart.recv(65536)

    def has_taken_all(self):
        """QEMU has read everything that was sent to it."""
        waiting = array.array("i", [0])
        fcntl.ioctl(self.uart, termios.TIOCOUTQ, waiting)
        return waiting[0] == 0

    def ask(self, command):
        """One command of QEMU's monitor."""
        self.qemu.stdin.write((command + "\n").encode())
        self.qemu.stdin.flush()

    def off(self):
        self.uart.close()
        if self.qemu.poll() is None:
            self.qemu.kill()
        self.qemu.wait()


class Log:
    """What both have said, line by line: bytes come as they please."""

    def __init__(self, file):
        self.file, self.rest = file, {b"< ": b"", b"> ": b""}

    def heard(self, way, data):
        *lines, self.rest[way] = (self.rest[way] + data).split(b"\n")
        for line in lines:
            self.file.write(way + line + b"\n")


def relay(board, source, sink, until=lambda line: False, log=None, seconds=None):
    """Carries bytes both ways until the source ends and the board is quiet, or a line of the board's satisfies `until`."""
    reading, line, deadline = [source, board.uart], b"", seconds and time.monotonic() + seconds
    while True:
        wait = QUIET if source not in reading else deadline and max(0, deadline - time.monotonic())
        ready, _, _ = select.select(reading, [], [], wait)
        is_late = deadline is not None and time.monotonic() >= deadline
        if not ready and (source in reading or board.has_taken_all() or is_late):
            return False
        if source in ready:
            data = os.read(source, 65536)
            if data:
                board.uart.sendall(data)
                log and log.heard(b"< ", data)
            else:
                reading.remove(source)
        if board.uart in ready:
            data = board.uart.recv(65536)
            if not data:
                return False
            os.write(sink, data)
            log and log.heard(b"> ", data)
            *lines, line = (line + data).split(b"\n")
            if any(until(whole) for whole in lines):
                return True


def serve(machine, elf):
    board = Board(machine, elf)
    if machine in HASTY:
        board.wait_until_up()

    def ended(number, _):
        board.off()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, ended)
    try:
        relay(board, 0, 1)
    except BrokenPipeError:
        pass
    finally:
        board.off()
    return 0


def beside(machine, elf, command, http=False):
    """Runs a command that reaches the board by itself."""
    with tempfile.TemporaryDirectory(prefix="umcp-") as folder:
        path, port = (None, free_port()) if http else (os.path.join(folder, "uart"), None)
        board = Board(machine, elf, path=path, port=port)
        board.wait_until_up(http)
        board.uart.close()
        address = "http://127.0.0.1:%d" % port if http else "unix:" + path
        program = subprocess.Popen([word.replace("UART", address) for word in command], preexec_fn=end_with_parent)
        signal.signal(signal.SIGTERM, lambda number, _: program.send_signal(number))
        try:
            return program.wait()
        finally:
            board.off()


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def acted(line):
    """The client has used what a call brought: it sets the LED of the board, or has greeted."""
    try:
        message = json.loads(line)
        return message.get("method") == "tools/call" and message["params"]["name"] in ("led_set", "echo")
    except (ValueError, KeyError, AttributeError):
        return False


def visit(machine, elf, log, command):
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    board = Board(machine, elf)
    try:
        with open(log, "wb") as file:
            log = Log(file)
            done = relay(board, server.stdout.fileno(), server.stdin.fileno(), acted, log, 60)
            # Its answer, and that nothing is said against it.
            relay(board, server.stdout.fileno(), server.stdin.fileno(), log=log, seconds=1)
    finally:
        board.off()
        server.stdin.close()
        server.wait(5)
    return 0 if done else 1


if __name__ == "__main__":
    if sys.argv[1] == "board":
        sys.exit(serve(*sys.argv[2:4]))
    if sys.argv[1] in ("with", "http"):
        status = beside(sys.argv[2], sys.argv[3], sys.argv[5:], sys.argv[1] == "http")
        if status < 0:
            signal.signal(-status, signal.SIG_DFL)
            os.kill(os.getpid(), -status)
        sys.exit(status)
    sys.exit(visit(*sys.argv[2:5], sys.argv[6:]))
