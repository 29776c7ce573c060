"""Drives the client of PyPI `fastmcp` 4.x."""

import asyncio
import warnings
from contextlib import AsyncExitStack

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp.client.subscriptions import listen
from mcp.types import PromptReference, ResourceUpdatedNotification

import line

warnings.simplefilter("ignore")


class Session:
    """One connection at a time; `open` and `close` may alternate."""

    async def open(self, mode, command=None, url=None):
        self.updates = asyncio.Queue()
        self.stack = AsyncExitStack()
        http = url and StreamableHttpTransport(url)
        transport = http or StdioTransport(command[0], command[1:], keep_alive=False)
        client = Client(transport, mode=mode, message_handler=self.receive, timeout=10)
        self.client = await self.stack.enter_async_context(client)
        self.protocol = self.client.session.protocol_version
        info = self.client.session.server_info
        return {"protocol": self.protocol, "server": info and line.plain(info)}

    async def receive(self, message):
        if isinstance(message, ResourceUpdatedNotification):
            await self.updates.put(str(message.params.uri))

    async def close(self):
        await self.stack.aclose()

    async def tools(self):
        return await line.pages(lambda at: self.client.list_tools_mcp(cursor=at), "tools")

    async def resources(self):
        return await line.pages(lambda at: self.client.list_resources_mcp(cursor=at), "resources")

    async def templates(self):
        return await line.pages(lambda at: self.client.list_resource_templates_mcp(cursor=at), "resourceTemplates")

    async def prompts(self):
        return await line.pages(lambda at: self.client.list_prompts_mcp(cursor=at), "prompts")

    async def call(self, name, arguments, progress=False):
        seen = []

        async def note(value, total, message):
            seen.append(value)

        result = await self.client.call_tool_mcp(name, arguments, progress_handler=note if progress else None)
        return dict(line.plain(result), progress=seen) if progress else line.plain(result)

    async def read(self, uri):
        return line.plain(await self.client.read_resource_mcp(uri))

    async def prompt(self, name, arguments):
        return line.plain(await self.client.get_prompt_mcp(name, arguments))

    async def cancel(self, name, arguments):
        return await line.cancelled(self.call(name, arguments))

    async def complete(self, prompt, argument, value):
        ref = PromptReference(type="ref/prompt", name=prompt)
        return line.plain(await self.client.complete_mcp(ref, {"name": argument, "value": value}))["completion"]["values"]

    async def ping(self):
        return await self.client.ping()

    async def watch(self, uri):
        if self.protocol < "2026":
            await self.client.session.subscribe_resource(uri)
        else:
            stream = listen(self.client.session, resource_subscriptions=[uri])
            self.stream = await self.stack.enter_async_context(stream)

    async def updated(self):
        if self.protocol < "2026":
            return await asyncio.wait_for(self.updates.get(), 5)
        return str((await asyncio.wait_for(anext(self.stream), 5)).uri)


line.run(Session())
