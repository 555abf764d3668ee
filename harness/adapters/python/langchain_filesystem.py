"""memconf's protocol for the filesystem memory of PyPI langchain-anthropic, through LangGraph's real ToolNode.

What the node returns is sent as it is; an exception that it does not catch would end the agent's run, and is sent as an
error with its repr.
"""

import json
import os
import sys

protocol = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)  # whatever prints goes to the log

from importlib.metadata import version  # noqa: E402

from langchain_anthropic.middleware import FilesystemClaudeMemoryMiddleware  # noqa: E402
from langchain_core.messages import AIMessage  # noqa: E402
from langgraph.graph import END, START, MessagesState, StateGraph  # noqa: E402
from langgraph.prebuilt import ToolNode  # noqa: E402


def graph_at(root):
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode(FilesystemClaudeMemoryMiddleware(root_path=root).tools))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    return graph.compile()


def call(graph, id, input):
    message = AIMessage(content="", tool_calls=[{"name": "memory", "args": input, "id": id, "type": "tool_call"}])
    answer = graph.invoke({"messages": [message]})["messages"][-1]
    result = {"content": answer.content if isinstance(answer.content, (str, list)) else repr(answer.content)}
    return {**result, "is_error": True} if answer.status == "error" else result


def say(message):
    protocol.write(json.dumps(message) + "\n")
    protocol.flush()


graph = graph_at(os.environ["MEMCONF_ROOT"]) if "MEMCONF_ROOT" in os.environ else None
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "reset":
        graph = graph_at(message["root"])
        store = os.path.join(message["root"], "memories")
        say({"type": "ready", "store": store, "name": "langchain-anthropic", "version": version("langchain-anthropic")})
    elif message["type"] == "tool_use":
        try:
            result = call(graph, message["id"], message["input"])
        except Exception as error:
            result = {"content": repr(error), "is_error": True}
        say({"type": "tool_result", "tool_use_id": message["id"], **result})
    else:
        say({"type": "error", "message": f"unknown message type {message['type']!r}"})
