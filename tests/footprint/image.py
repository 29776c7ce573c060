"""What is in an ELF file: sections, symbols, and whose the bytes of its flash are."""

import collections
import re
import struct
import subprocess

Symbol = collections.namedtuple("Symbol", "address size kind name")
FLASH = (".vector_table", ".text", ".rodata", ".data")
RAM = (".data", ".bss", ".uninit")
# What starts the machine, in assembly or from the start-up crate.
START = re.compile(r"Reset|HardFault|DefaultHandler|DefaultPreInit|__pre_init|_start|main$|Symbol\d|.*(cortex_m|umcp_firmware)::")


def run(*command, text=None):
    return subprocess.run(command, input=text, check=True, stdout=subprocess.PIPE, text=True).stdout


class Image:
    """`core` is the library's folder of sources, `program` that of the firmware; `map` is the linker's map."""

    def __init__(self, elf, map, core, program):
        self.elf, self.core, self.program = str(elf), core, program
        self.sections = {}
        for line in run("llvm-size", "-A", "-d", self.elf).splitlines():
            words = line.split()
            if len(words) == 3 and words[1].isdigit():
                self.sections[words[0]] = (int(words[2]), int(words[1]))
        self.symbols = []
        for line in run("llvm-nm", "-S", "-C", self.elf).splitlines():
            words = line.split(" ", 3)
            if len(words) == 4 and re.fullmatch("[0-9a-f]{8}", words[1]):
                self.symbols.append(Symbol(int(words[0], 16), int(words[1], 16), words[2], words[3]))
            elif re.fullmatch(r"[0-9a-f]{8} \S \S+", line):
                address, kind, name = line.split()
                self.symbols.append(Symbol(int(address, 16), 0, kind, name))
        self.functions = {}
        for symbol in self.symbols:
            if symbol.kind in "tTwW" and not symbol.name.startswith(("$", ".L")):
                self.functions.setdefault(symbol.address & ~1, symbol.name)
        self.chunks = self.read_map(map)
        self.loads = list(self.read_loads())

    def size(self, names):
        return sum(self.sections.get(name, (0, 0))[1] for name in names)

    def address(self, name):
        return next(symbol.address for symbol in self.symbols if symbol.name == name)

    def read_map(self, path):
        """The pieces of .rodata: address -> (size, name)."""
        start, size = self.sections[".rodata"]
        pieces = {}
        with open(path) as lines:
            for line in lines:
                words = re.match(r"\s*([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+\s+\S+:\((\.s?rodata[^)]*)\)", line)
                if words and start <= int(words[1], 16) < start + size:
                    pieces[int(words[1], 16)] = (int(words[2], 16), words[3])
        return pieces

    def program_data(self):
        """Bytes of .rodata that the program's own statics are, or lead to: its catalog, with all texts."""
        start, size = self.sections[".rodata"]
        ordered = sorted(self.chunks)
        todo = [a for a, (_, name) in self.chunks.items() if re.search(r"CATALOG|11three_tools|6server5board|6client|11http_server|10everything", name)]
        mine = {}
        while todo:
            at = todo.pop()
            if at in mine:
                continue
            length, name = self.chunks[at]
            if ".cst" in name or ".str" in name:
                continue  # merged constants are anybody's
            mine[at] = length
            for place in range(at, at + length - 3, 4):
                word = self.word(place)
                if start <= word < start + size:
                    todo.append(max((a for a in ordered if a <= word), default=word))
        return sum(mine.values())

    def word(self, address):
        """The word that is loaded at this address."""
        start, content = next((a, c) for a, c in self.loads if a <= address < a + len(c))
        return struct.unpack_from("<I", content + bytes(3), address - start)[0]

    def read_loads(self):
        with open(self.elf, "rb") as file:
            data = file.read()
        at, entry, count = struct.unpack_from("<I", data, 28)[0], *struct.unpack_from("<HH", data, 42)
        for i in range(count):
            kind, offset, address, _, size = struct.unpack_from("<IIIII", data, at + i * entry)
            if kind == 1:
                yield address, data[offset : offset + size]

    def frames(self, addresses):
        """For each address of code the functions it is in, the innermost first, as (function, file)."""
        ask = "".join("0x%x\n" % address for address in addresses)
        out = run("llvm-symbolizer", "--inlines", "--demangle", "--obj=" + self.elf, "--output-style=LLVM", text=ask)
        for address, answer in zip(addresses, out.rstrip("\n").split("\n\n")):
            lines = answer.strip("\n").split("\n")
            yield address, [(lines[i], re.sub(r":\d+:\d+$", "", lines[i + 1])) for i in range(0, len(lines) - 1, 2)]

    def owners(self):
        """Bytes of code by owner: a source file of the library, "program", or "compiler" (memory, division, strings)."""
        start, size = self.sections[".text"]
        functions, at, previous = sorted(self.functions.items()), -1, ("program", "")
        bytes_of = collections.Counter()
        for address, frames in self.frames(range(start, start + size, 2)):
            while at + 1 < len(functions) and functions[at + 1][0] <= address:
                at += 1
            name = functions[at][1] if at >= 0 else "Reset"
            owner = self.owner(name, frames)
            if owner is None or (frames and frames[0][1].startswith("??")):
                owner = previous if previous[1] == name else ("compiler", name)  # a pool of constants, behind its code
                if START.match(name):
                    owner = ("program", name)
            previous = (owner[0], name)
            bytes_of[owner[0]] += 2
        return bytes_of

    def owner(self, name, frames):
        for _, path in frames:
            if path.startswith(self.core):
                return (path[len(self.core) :].lstrip("/"), name)
            if path.startswith(self.program):
                return ("program", name)
        if START.match(name) or any("cortex-m" in path for _, path in frames):
            return ("program", name)
        return ("compiler", name) if frames and not frames[0][1].startswith("??") else None
