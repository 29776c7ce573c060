"""A stand-in for `umcp serve`, on PyPI `mcp` 2.x: it proves the rows, not the product."""

import asyncio
from typing import Annotated

from mcp import types
from mcp.server.mcpserver import Context, MCPServer
from pydantic import Field

board = MCPServer("board", version="1.0.0")
led = {"on": False}
watchers = []


@board.tool(structured_output=False, description="Says the same text again.")
def echo(text: str) -> str:
    return text


@board.tool(structured_output=False, description="Turns the LED on or off.")
async def led_set(on: Annotated[bool, Field(strict=True)], ctx: Context) -> str:
    led["on"] = on
    await ctx.notify_resource_updated("board://led")
    for session in watchers:
        await session.send_resource_updated("board://led")
    return "on" if on else "off"


@board.tool(structured_output=False, description="Reads the temperature.")
def temperature_read() -> str:
    return "21.5"


@board.tool(structured_output=False, description="Blinks the LED.")
async def blink(times: int, period_ms: int, ctx: Context) -> str:
    for turn in range(times):
        await asyncio.sleep(period_ms / 1000)
        await ctx.report_progress(turn + 1, times)
    return "done"


@board.resource("board://led")
def led_state() -> str:
    return "on" if led["on"] else "off"


@board.resource("board://log")
def log() -> str:
    return "booted"


@board.resource("board://pin/{n}")
def pin(n: int) -> str:
    return "pin %d is low" % n


@board.prompt(description="Starts the search for a fault.")
def diagnose(symptom: str) -> str:
    return "The board shows: %s. Find out why." % symptom


async def subscribe(ctx, params):
    watchers.append(ctx.session)
    return types.EmptyResult()


board._lowlevel_server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
board.run()
