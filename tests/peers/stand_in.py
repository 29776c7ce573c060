"""A stand-in for the program `umcp`, made of PyPI `mcp` 2.x.

`run --stand-in` plays every row against it. What fails there is the fault of the rows or
of a peer; what fails only with `umcp` is the fault of `umcp`.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

CONNECTION_CLOSED = -32000


async def converse(verb, words, server, mode):
    from mcp import Client, StdioServerParameters

    def plain(model):
        return model.model_dump(mode="json", by_alias=True, exclude_none=True)

    target = StdioServerParameters(command=server[0], args=server[1:])
    async with Client(target, mode=mode) as client:
        if verb == "discover":
            return {"server": plain(client.server_info), "protocol": client.protocol_version}
        if verb == "call":
            return plain(await client.call_tool(words[0], json.loads(words[1])))
        if verb == "read":
            return plain(await client.read_resource(words[0]))
        if verb == "prompt":
            return plain(await client.get_prompt(words[0], json.loads(words[1])))
        return plain(await getattr(client, "list_" + verb)())


def attempt(*conversation):
    """The result and no error, or no result and the peer's error."""
    try:
        return asyncio.run(converse(*conversation)), None
    except Exception as failure:
        while getattr(failure, "exceptions", None):
            failure = failure.exceptions[0]
        error = getattr(failure, "error", None)
        if error is None:
            raise
        return None, error


def main():
    if sys.argv[1:] == ["serve"]:
        board = Path(__file__).with_name("servers") / "board.py"
        os.execv(sys.executable, [sys.executable, str(board)])
    split = sys.argv.index("--")
    verb, _json, _timeout, _milliseconds, *words = sys.argv[1:split]
    result, error = attempt(verb, words, sys.argv[split + 1:], "auto")
    if error and error.code == CONNECTION_CLOSED:  # the oldest servers do not survive the probe
        result, error = attempt(verb, words, sys.argv[split + 1:], "legacy")
    if error:
        print("%d: %s" % (error.code, error.message), file=sys.stderr)
        return 1
    print(json.dumps(result))
    return 1 if result.get("isError") else 0


sys.exit(main())
