"""PyPI anthropic's memory handler behind HTTP: memconf's protocol, a POST a message, with the standard library."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer

from anthropic.lib.tools._tool_dispatch import tool_error_content, tool_result_content
from anthropic.tools import BetaLocalFilesystemMemoryTool


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections alive
    tool = None

    def answer(self, message):
        if message["type"] == "reset":
            Server.tool = BetaLocalFilesystemMemoryTool(message["root"])
            return {"type": "ready", "store": str(self.tool.memory_root)}
        result = {"type": "tool_result", "tool_use_id": message["id"]}
        try:
            return {**result, "content": tool_result_content(self.tool.call(message["input"]))}
        except Exception as error:
            return {**result, "content": tool_error_content(error), "is_error": True}

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        reply = json.dumps(self.answer(json.loads(body))).encode("utf-8")
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Server)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
