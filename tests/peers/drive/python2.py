"""Drives the client of PyPI `mcp` 2.x."""

import asyncio
import warnings
from contextlib import AsyncExitStack

from mcp import Client, StdioServerParameters
from mcp.types import PromptReference, ResourceUpdatedNotification

import line

warnings.simplefilter("ignore")


class Session:
    """One connection at a time; `open` and `close` may alternate."""

    async def open(self, mode, command=None, url=None):
        self.updates = asyncio.Queue()
        self.stack = AsyncExitStack()
        server = url or StdioServerParameters(command=command[0], args=command[1:])
        client = Client(server, mode=mode, message_handler=self.receive, read_timeout_seconds=10)
        self.client = await self.stack.enter_async_context(client)
        info = self.client.server_info
        return {"protocol": self.client.protocol_version, "server": info and line.plain(info)}

    async def receive(self, message):
        if isinstance(message, ResourceUpdatedNotification):
            await self.updates.put(str(message.params.uri))

    async def close(self):
        await self.stack.aclose()

    async def tools(self):
        return await line.pages(lambda at: self.client.list_tools(cursor=at), "tools")

    async def resources(self):
        return await line.pages(lambda at: self.client.list_resources(cursor=at), "resources")

    async def templates(self):
        return await line.pages(lambda at: self.client.list_resource_templates(cursor=at), "resourceTemplates")

    async def prompts(self):
        return await line.pages(lambda at: self.client.list_prompts(cursor=at), "prompts")

    async def call(self, name, arguments, progress=False):
        seen = []

        async def note(value, total, message):
            seen.append(value)

        result = await self.client.call_tool(name, arguments, progress_callback=note if progress else None)
        return dict(line.plain(result), progress=seen) if progress else line.plain(result)

    async def read(self, uri):
        return line.plain(await self.client.read_resource(uri))

    async def prompt(self, name, arguments):
        return line.plain(await self.client.get_prompt(name, arguments))

    async def cancel(self, name, arguments):
        return await line.cancelled(self.call(name, arguments))

    async def complete(self, prompt, argument, value):
        ref = PromptReference(type="ref/prompt", name=prompt)
        return line.plain(await self.client.complete(ref, {"name": argument, "value": value}))["completion"]["values"]

    async def ping(self):
        return line.plain(await self.client.send_ping())

    async def watch(self, uri):
        if self.client.protocol_version < "2026":
            await self.client.session.subscribe_resource(uri)
        else:
            self.stream = await self.stack.enter_async_context(self.client.listen(resource_subscriptions=[uri]))

    async def updated(self):
        if self.client.protocol_version < "2026":
            return await asyncio.wait_for(self.updates.get(), 5)
        return str((await asyncio.wait_for(anext(self.stream), 5)).uri)


line.run(Session())
