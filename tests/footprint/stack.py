"""The deepest that a program's stack can be, from the compiler's table of frames and from the calls in the code.

A call through a register that was loaded with a function's address goes there. Any other call through a pointer may go to any function
whose address stands in the constants (handlers, and what is called through `dyn`); two such calls deep, since what a handler
calls runs no handler. Handlers are called by `CALL_HANDLERS` only. Recursion is reported.
"""

import re
import struct

from image import run

CALLS = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
STORED = ("R_ARM_ABS32", "R_RISCV_32")
MAX_INDIRECT = 2
# Handlers, and the only functions that call them; what runs the handlers of one kind of entries, and what alone calls that.
HANDLERS = re.compile(r"(?!<?umcp::)")
CALL_HANDLERS = re.compile(r"umcp::server::(serve::Core>::(call|admit|serve|run)|kind::(read|get|complete)|.*::tell_answer)\b")
KINDS = re.compile(r"<?umcp::server::kind::(read|get|complete)\b")
CALL_KINDS = re.compile(r"umcp::server::serve::Core>::(handle_message|serve|run)\b")


class Stack:
    def __init__(self, image):
        self.image = image
        self.mangled = {}
        for line in run("llvm-nm", image.elf).splitlines():
            words = line.split()
            if len(words) == 3 and words[1] in "tTwW" and not words[2].startswith("$"):
                self.mangled.setdefault(words[2], int(words[0], 16) & ~1)
        self.frames = {}
        for line in run("llvm-readelf", "--stack-sizes", image.elf).splitlines():
            entry = re.match(r"\s+(\d+)\s+(.+)$", line)
            for name in entry[2].split(", ") if entry else ():
                if name in self.mangled:
                    self.frames[self.mangled[name]] = int(entry[1])
        self.calls, self.indirect, self.pushed = {}, set(), {}
        self.read_code()
        self.stored = self.read_stored()
        self.recursion, self.known = set(), {}

    def read_code(self):
        starts, current, held = set(self.mangled.values()), None, {}
        for line in run("llvm-objdump", "-d", "--no-show-raw-insn", self.image.elf).splitlines():
            found = CALLS.match(line)
            if not found:
                continue
            at, op, words = int(found[1], 16), found[2], found[3]
            if at in starts:
                current, held = at, {}
                self.calls.setdefault(at, set())
            if current is None:
                continue
            self.pushed[current] = self.pushed.get(current, 0) + pushes(op, words)
            self.follow(held, at, op, words)
            target = re.search(r"0x([0-9a-f]+) <", words)
            through = re.fullmatch(r"(?:(?:ra|zero), )?(?:(-?\d+)\()?(\w+)\)?", words.strip())
            if target and not op.startswith(("ldr", "adr")):
                to = int(target[1], 16) & ~1
                if to in starts and (to != current or op in ("bl", "jal")):
                    self.calls[current].add(to)
            elif op in ("blx", "jalr", "bx", "jr") and through and (through[1] or through[2] not in ("lr", "ra")):
                base = held.get(through[2])
                to = base + int(through[1] or 0) & 0xFFFFFFFE if base is not None else None
                if to in starts:
                    self.calls[current].add(to)
                else:
                    self.indirect.add(current)

    def follow(self, held, at, op, words):
        """Which registers hold the address of a function."""
        names = re.findall(r"\b(?:[rast]\d+|ra|lr)\b", words)
        literal = re.search(r"@ 0x([0-9a-f]+)", words)
        number = re.search(r", #?(-?\d+|0x[0-9a-f]+)$", words.split(" @")[0])
        if not names or op.startswith(("str", "cmp", "b", "j", "sw", "sb", "push", "c.sw")):
            return
        if op.startswith("ldr") and "[pc" in words and literal:
            held[names[0]] = self.image.word(int(literal[1], 16)) & ~1
        elif op.startswith("movw") and number:
            held[names[0]] = int(number[1], 0)
        elif op.startswith("movt") and number:
            held[names[0]] = ((held.get(names[0]) or 0) & 0xFFFF | int(number[1], 0) << 16) & ~1
        elif op in ("lui", "auipc") and number:
            held[names[0]] = (int(number[1], 0) << 12) + (at if op == "auipc" else 0) & 0xFFFFFFFF
        elif op == "addi" and len(names) == 2 and held.get(names[1]) is not None and number:
            held[names[0]] = held[names[1]] + int(number[1], 0) & 0xFFFFFFFF
        elif op in ("mov", "mv") and len(names) == 2:
            held[names[0]] = held.get(names[1])
        elif not op.startswith("pop"):
            held.pop(names[0], None)

    def read_stored(self):
        stored, inside = set(), False
        for line in run("llvm-readelf", "-r", "-W", self.image.elf).splitlines():
            if line.startswith("Relocation section"):
                inside = re.search(r"'\.rela?\.(rodata|data)'", line) is not None
            words = line.split()
            if inside and len(words) >= 5 and words[2] in STORED and words[4] in self.mangled:
                stored.add(self.mangled[words[4]])
        return stored

    def callable(self, function):
        """What a call through a pointer in this function may go to."""
        name = lambda function: self.image.functions.get(function, "")
        if CALL_HANDLERS.search(name(function)):
            return [callee for callee in self.stored if HANDLERS.match(name(callee))]
        kinds = CALL_KINDS.search(name(function)) is not None
        others = [callee for callee in self.stored if not HANDLERS.match(name(callee))]
        return [callee for callee in others if kinds or not KINDS.match(name(callee))]

    def frame(self, function):
        return self.frames.get(function, self.pushed.get(function, 0))

    def deepest(self, function, indirect=MAX_INDIRECT, path=()):
        """(bytes, chain of functions)"""
        if function in path:
            self.recursion.add(function)
            return 0, ()
        key = (function, indirect)
        if key in self.known:
            return self.known[key]
        inner = path + (function,)
        below = [self.deepest(callee, indirect, inner) for callee in self.calls.get(function, ())]
        if function in self.indirect and indirect:
            below += [self.deepest(callee, indirect - 1, inner) for callee in self.callable(function) if callee not in inner]
        size, chain = max(below, default=(0, ()))
        self.known[key] = (size + self.frame(function), (function,) + chain)
        return self.known[key]


def pushes(op, words):
    """The bytes by which an instruction lowers the stack pointer, for functions that the compiler's table lacks."""
    if op.startswith("push"):
        registers = 0
        for part in words.strip("{} \t").split(","):
            ends = re.findall(r"r(\d+)", part)
            registers += int(ends[1]) - int(ends[0]) + 1 if len(ends) == 2 else 1
        return 4 * registers
    lowered = re.match(r"sp,\s*(?:sp,\s*)?#?(-?\d+|0x[0-9a-f]+)", words)
    if op.startswith("sub") and lowered:
        return int(lowered[1], 0)
    if op.endswith(("addi", "addi16sp")) and lowered and lowered[1].startswith("-"):
        return -int(lowered[1], 0)
    return 0
