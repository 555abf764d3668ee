"""What docs/loaders/test_memory_vectors.py asks for: `memory`, here any handler that speaks memconf's protocol."""
import json
import os
import subprocess

import pytest

handler = subprocess.Popen(json.loads(os.environ["COMMAND"]), stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def send(message):
    handler.stdin.write(json.dumps(message).encode() + b"\n")
    handler.stdin.flush()
    return json.loads(handler.stdout.readline())


@pytest.fixture
def memory(tmp_path):
    send({"type": "reset", "root": str(tmp_path)})

    def call(command):
        result = send({"type": "tool_use", "id": "t", "name": "memory", "input": command})
        content = result.get("content") or ""
        if isinstance(content, list):
            content = "".join(block.get("text", "") for block in content)
        return content, result.get("is_error", False)

    return call
