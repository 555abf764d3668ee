"""The lines between memconf and your handler of Claude's memory tool.

As it stands, this drives the memory tool of the official Python SDK (`pip install anthropic`). Make it drive yours
in the two lines marked CHANGE, then:

    memconf run -- python3 memconf_adapter.py

memconf writes one JSON object a line to stdin and reads one a line from stdout. stderr is yours, for logs.
"""

import json
import os
import sys

# stdout belongs to the protocol: from here on whatever is printed goes to stderr.
replies = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)

from anthropic.lib.tools import ToolError  # noqa: E402
from anthropic.tools import BetaLocalFilesystemMemoryTool  # noqa: E402


def open_store(root):
    """Your handler, with its store in the folder `root`, which is empty before each script, or, after a restart, as
    your handler left it.
    """
    handler = BetaLocalFilesystemMemoryTool(root)  # CHANGE: make your handler, ...
    folder = os.path.join(root, "memories")  # ... and name the folder that /memories maps to (None: it is not a folder)
    return handler, folder


def handle(handler, command):
    """Carries out one command, such as {"command": "view", "path": "/memories"}, and returns what Claude gets to read:
    a string, or a list of content blocks. Raises where your application would send Claude an error.

    A handler with `async def`: keep `loop = asyncio.new_event_loop()` and return `loop.run_until_complete(...)`.
    """
    return handler.call(command)  # CHANGE: call your handler


def error_text(error):
    """What your application sends Claude when the handler raises. This is what the SDK's tool runner sends."""
    return error.content if isinstance(error, ToolError) else repr(error)


# Below here nothing needs to change: memconf's protocol, version 1.

handler = None
if os.environ.get("MEMCONF_ROOT"):  # set where memconf starts a process for one store, as it does for a restart
    handler, _ = open_store(os.environ["MEMCONF_ROOT"])


def answer(message):
    global handler
    if message["type"] == "reset":  # the next script: begin anew, with the empty folder `root`
        handler, folder = open_store(message["root"])
        return {"type": "ready", "name": type(handler).__name__, "store": folder}
    if message["type"] != "tool_use":
        return {"type": "error", "message": "not known: " + str(message["type"])}
    result = {"type": "tool_result", "tool_use_id": message["id"]}
    try:
        content = handle(handler, message["input"])
        if not isinstance(content, (str, list)):
            raise TypeError(f"the handler returned {type(content).__name__}, not a string or a list of content blocks")
        return {**result, "content": content}
    except Exception as error:
        return {**result, "content": error_text(error), "is_error": True}


for line in sys.stdin.buffer:
    reply = json.dumps(answer(json.loads(line)), ensure_ascii=False)
    replies.write(reply.encode("utf-8", "replace") + b"\n")
    replies.flush()
