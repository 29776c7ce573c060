"""One of everything a server can show, on each of the Python implementations.

    gallery.py mcp2 | mcp1 | fastmcp [events | json | sse]

Over stdio, or at a free port of this machine: replies as streams of events, as JSON, or in the form of 2024-11-05.
With GALLERY_TOOLS in the environment there are so many tools more, each of about 1 KB, and a picture of a megabyte.
"""

import base64
import os
import sys
from typing import Annotated

from mcp import types

FLAVOUR, FORM = [*sys.argv[1:], None][:2]
if FLAVOUR == "fastmcp":
    from fastmcp import Context, FastMCP as Server
elif FLAVOUR == "mcp1":
    from mcp.server.fastmcp import Context, FastMCP as Server
else:
    from mcp.server.mcpserver import Context, MCPServer as Server

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

# The 1.x server is told at its making how it will be run.
PLACE = {"host": "127.0.0.1", "port": 0}
SETTINGS = dict(PLACE, json_response=FORM == "json") if FORM in ("events", "json") else PLACE
gallery = Server("gallery", **(SETTINGS if FORM and FLAVOUR == "mcp1" else {}))


@gallery.tool(description="Says the same text again.")
def echo(text: str):
    return [types.TextContent(type="text", text=text)]


@gallery.tool(description="One red pixel.")
def picture():
    return [types.ImageContent.model_validate({"type": "image", "data": PIXEL, "mimeType": "image/png"})]


@gallery.tool(description="A note that comes along with the answer.")
def attachment():
    note = {"uri": "gallery://note", "mimeType": "text/plain", "text": "attached"}
    return [types.EmbeddedResource.model_validate({"type": "resource", "resource": note})]


@gallery.tool(description="Always fails.")
def broken():
    raise ValueError("out of order")


@gallery.tool(description="Counts to n and says so on the way.")
async def steps(n: int, ctx: Context):
    for step in range(n):
        await ctx.report_progress(step + 1, n)
    return [types.TextContent(type="text", text="%d steps" % n)]


@gallery.resource("gallery://note", mime_type="text/plain")
def note() -> str:
    return "a note: héllo 世界"


@gallery.resource("gallery://pixel", mime_type="application/octet-stream")
def pixel() -> bytes:
    return bytes(range(256))


@gallery.resource("gallery://page/{n}")
def page(n: str) -> str:
    return "page " + n


@gallery.prompt(description="A friendly word.")
def greet(name: str) -> str:
    return "Say hello to %s." % name


if hasattr(types, "AudioContent"):

    @gallery.tool(description="No sound at all.")
    def sound():
        return [types.AudioContent.model_validate({"type": "audio", "data": SILENCE, "mimeType": "audio/wav"})]


if hasattr(types, "ResourceLink"):

    @gallery.tool(description="Where the note is.")
    def link():
        return [types.ResourceLink(type="resource_link", name="note", uri="gallery://note")]

    @gallery.tool(description="A typed result.")
    def measure() -> dict[str, float]:
        return {"celsius": 21.5, "humidity": 40}


if FLAVOUR == "fastmcp":

    @gallery.tool(description="Asks the user first.")
    async def ask(ctx: Context) -> str:
        answer = await ctx.elicit("What is your name?", str)
        return "The user did: %s" % answer.action


if FLAVOUR == "mcp2":
    from mcp.server.mcpserver import Elicit, Resolve
    from pydantic import BaseModel

    class Name(BaseModel):
        name: str

    def who() -> Elicit[Name]:
        return Elicit("What is your name?", Name)

    @gallery.tool(description="Asks the user first.")
    def ask(who: Annotated[Name, Resolve(who)]) -> str:
        return "The user is called " + who.name


MORE = int(os.environ.get("GALLERY_TOOLS", "0"))
if MORE:

    @gallery.tool(description="A picture of a megabyte.")
    def poster():
        data = base64.b64encode(bytes((at * 7 + at // 256) % 256 for at in range(750_000))).decode()
        return [types.ImageContent.model_validate({"type": "image", "data": data, "mimeType": "image/png"})]

    def nothing(level: int) -> str:
        return str(level)

    for number in range(MORE):
        gallery.tool(name="tool-%06d" % number, description="One of very many. " * 40)(nothing)


if FLAVOUR == "fastmcp":
    gallery.run(show_banner=False, **(dict(SETTINGS, transport="http") if FORM else {}))
elif not FORM:
    gallery.run()
else:
    how = "sse" if FORM == "sse" else "streamable-http"
    gallery.run(how, **(SETTINGS if FLAVOUR == "mcp2" else {}))
