"""Adapter for PyPI anthropic: BetaLocalFilesystemMemoryTool, or its asyncio twin with --async.

Speaks memconf's protocol, version 1, with reset. An error goes out as the SDK's own tool runner would send it.
Runs from anthropic 0.86.0 on: what a release lacks is found out by asking for it, never by its version.
"""

import codecs
import json
import os
import sys

if sys.argv[1:] not in ([], ["--async"]):
    sys.exit("usage: anthropic_sdk.py [--async]")

# From here on file descriptor 1 is stderr, so that nothing a handler prints can end up between two replies.
replies = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)

from anthropic import __version__  # noqa: E402
from anthropic.lib.tools import ToolError  # noqa: E402

try:
    from anthropic.lib.tools._tool_dispatch import tool_error_content
except ImportError:  # before it was a function, these lines stood in the runner

    def tool_error_content(error):
        return error.content if isinstance(error, ToolError) else repr(error)


try:
    from anthropic.lib.tools._tool_dispatch import tool_result_content
except ImportError:  # results went out as they were

    def tool_result_content(content):
        return content


if "--async" in sys.argv:
    import asyncio

    from anthropic.tools import BetaAsyncLocalFilesystemMemoryTool as MemoryTool

    NAME = "anthropic (Python, async)"
    finish = asyncio.new_event_loop().run_until_complete
else:
    from anthropic.tools import BetaLocalFilesystemMemoryTool as MemoryTool

    NAME = "anthropic (Python)"

    def finish(content):
        return content


# A lone surrogate cannot be sent; releases that do not replace it themselves would fail the whole request.
codecs.register_error("replacement", lambda error: ("\ufffd".encode() * (error.end - error.start), error.end))
encode = json.JSONEncoder(ensure_ascii=False).encode
tool = MemoryTool(os.path.abspath(os.environ["MEMCONF_ROOT"])) if os.environ.get("MEMCONF_ROOT") else None


def answer(message):
    global tool
    if message["type"] == "reset":
        tool = MemoryTool(message["root"])
        return {"type": "ready", "store": str(tool.memory_root), "name": NAME, "version": __version__}
    if message["type"] != "tool_use":
        raise ValueError(f"unknown message type {message['type']!r}")
    if tool is None:
        raise RuntimeError("no store: send a reset first, or set MEMCONF_ROOT")
    result = {"type": "tool_result", "tool_use_id": message["id"]}
    command = message["input"]
    try:
        content = tool_result_content(finish(tool.call(command)))
        if isinstance(content, str):
            return {**result, "content": content}
        if not isinstance(content, list):
            raise TypeError(f"the tool returned {type(content).__name__}, not a string or a list of content blocks")
        encode(content)  # raises here, where it becomes a result, rather than below
        return {**result, "content": content}
    except Exception as error:
        return {**result, "content": tool_error_content(error), "is_error": True}


for line in sys.stdin.buffer:
    try:
        reply = encode(answer(json.loads(str(line, "utf-8"))))
    except Exception as error:
        reply = encode({"type": "error", "message": repr(error)})
    replies.write(reply.encode("utf-8", "replacement") + b"\n")
    replies.flush()
