"""What every Python driver shares: operations come in on stdin, answers leave on stdout.

One JSON object a line. In: `{"op": "call", "name": "echo", "arguments": {...}}`.
Out, one for each: `{"ok": VALUE}`, or `{"error": {"code": C, "message": M}}` when the
peer answered with an error, or `{"fault": TEXT}` when the client library itself gave up.
Values are what the wire carried: the result object, or one array for a list of many pages.
"""

import asyncio
import json
import sys


CALL_SECONDS = 0.2  # how long a call runs before it is cancelled


def plain(model):
    """A pydantic model of the SDK, as the JSON it stands for."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def pages(fetch, key):
    """Every item of a paged list; `fetch(cursor)` is one page."""
    items, cursor = [], None
    while True:
        page = plain(await fetch(cursor))
        items += page[key]
        cursor = page.get("nextCursor")
        if cursor is None:
            return items


async def cancelled(call, tell=None):
    """Begins a call and gives it up before it has its answer; `tell` is what it takes besides."""
    task = asyncio.create_task(call)
    await asyncio.sleep(CALL_SECONDS)
    if task.done():
        return {"answered": await task}
    if tell:
        await tell()
        # Whoever answers a cancelled call nevertheless shall be found out.
        await asyncio.sleep(CALL_SECONDS)
        if task.done():
            return {"answered": await task}
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return {"cancelled": True}


def reason(failure):
    """Exceptions of a task group say nothing themselves: name the first they hold."""
    while getattr(failure, "exceptions", None):
        failure = failure.exceptions[0]
    return "%s: %s" % (type(failure).__name__, failure)


async def answer(session, request):
    """Do one operation: the method of `session` that bears its name."""
    op = request.pop("op")
    try:
        return {"ok": await getattr(session, op)(**request)}
    except Exception as failure:
        error = getattr(failure, "error", None)
        if getattr(error, "code", None) is not None:
            return {"error": {"code": error.code, "message": error.message}}
        return {"fault": reason(failure)}


def run(session):
    """Serve operations until stdin ends, all in one task: the SDKs' scopes insist on it."""

    async def loop():
        lines = asyncio.get_running_loop()
        while line := await lines.run_in_executor(None, sys.stdin.readline):
            print(json.dumps(await answer(session, json.loads(line))), flush=True)

    asyncio.run(loop())
