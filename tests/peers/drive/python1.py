"""Drives the client of PyPI `mcp` 1.x, from 1.6 on; it knows the legacy revisions only."""

import asyncio
from contextlib import AsyncExitStack

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp import types

import line


class Session:
    """One connection at a time; `open` and `close` may alternate."""

    async def open(self, mode, command=None, url=None):
        self.updates, self.progress = asyncio.Queue(), []
        self.stack = AsyncExitStack()
        if url:
            from mcp.client.streamable_http import streamablehttp_client  # 1.8 and later

            transport = streamablehttp_client(url)
        else:
            transport = stdio_client(StdioServerParameters(command=command[0], args=command[1:]))
        pipes = (await self.stack.enter_async_context(transport))[:2]
        self.client = await self.stack.enter_async_context(ClientSession(*pipes, message_handler=self.receive))
        hello = await self.client.initialize()
        return {"protocol": hello.protocolVersion, "server": line.plain(hello.serverInfo)}

    async def receive(self, message):
        message = getattr(message, "root", message)
        if isinstance(message, types.ResourceUpdatedNotification):
            await self.updates.put(str(message.params.uri))
        if isinstance(message, types.ProgressNotification):
            self.progress.append(message.params.progress)

    async def close(self):
        await self.stack.aclose()

    async def tools(self):
        return await self.pages(types.ListToolsRequest, types.ListToolsResult, "tools")

    async def resources(self):
        return await self.pages(types.ListResourcesRequest, types.ListResourcesResult, "resources")

    async def templates(self):
        return await self.pages(
            types.ListResourceTemplatesRequest, types.ListResourceTemplatesResult, "resourceTemplates"
        )

    async def prompts(self):
        return await self.pages(types.ListPromptsRequest, types.ListPromptsResult, "prompts")

    async def pages(self, request, result, key):
        """The older clients' own list methods cannot ask for a second page."""

        def fetch(cursor):
            method = request.model_fields["method"].annotation.__args__[0]
            if cursor is None:
                return self.send(request(method=method), result)
            return self.send(request(method=method, params={"cursor": cursor}), result)

        return await line.pages(fetch, key)

    async def send(self, request, result):
        return await self.client.send_request(types.ClientRequest(request), result)

    async def call(self, name, arguments, progress=False):
        self.progress.clear()
        params = {"name": name, "arguments": arguments}
        if progress:
            params["_meta"] = {"progressToken": "p-1"}
        request = types.CallToolRequest(method="tools/call", params=params)
        result = line.plain(await self.send(request, types.CallToolResult))
        if progress:
            result["progress"] = list(self.progress)
        return result

    async def read(self, uri):
        return line.plain(await self.client.read_resource(uri))

    async def prompt(self, name, arguments):
        return line.plain(await self.client.get_prompt(name, arguments))

    async def cancel(self, name, arguments):
        """The client has no such thing, but can send what it takes."""

        async def tell():
            params = {"requestId": self.client._request_id - 1, "reason": "enough"}
            notice = types.CancelledNotification(method="notifications/cancelled", params=params)
            await self.client.send_notification(types.ClientNotification(notice))

        return await line.cancelled(self.call(name, arguments), tell)

    async def complete(self, prompt, argument, value):
        ref = types.PromptReference(type="ref/prompt", name=prompt)
        return line.plain(await self.client.complete(ref, {"name": argument, "value": value}))["completion"]["values"]

    async def ping(self):
        return line.plain(await self.client.send_ping())

    async def watch(self, uri):
        await self.client.subscribe_resource(uri)

    async def updated(self):
        return await asyncio.wait_for(self.updates.get(), 5)


line.run(Session())
