"""A memory service with several tenants over SQLite, and broken twins of it. Only the standard library is needed.

The tenant is the value of the header X-Tenant. Answers are plain texts with a status, as a service has them that knows
nothing of memconf: 200, or 400 with the error.

usage: tenants.py [--twin rename-unchecked|like-key|shared-cache|folded-key] [--tls CERT KEY] [--token TOKEN]
"""

import argparse
import json
import sqlite3
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

parser = argparse.ArgumentParser()
parser.add_argument("--twin", choices=["rename-unchecked", "like-key", "shared-cache", "folded-key"])
parser.add_argument("--tls", nargs=2)
parser.add_argument("--token")
options = parser.parse_args()

TWIN = options.twin
ROOT = "/memories"
# COLLATE is SQLite's own way to compare without regard to case; LIKE takes `_` and `%` for more than they are.
MINE = {"like-key": "tenant LIKE :t", "folded-key": "tenant = :t COLLATE NOCASE"}.get(TWIN, "tenant = :t")

lock = threading.Lock()
db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
db.execute("CREATE TABLE files (tenant TEXT, path TEXT, text TEXT)")
db.execute("CREATE INDEX keys ON files (tenant, path)")
cache = {}


class Wrong(Exception):
    pass


def checked(path):
    if not isinstance(path, str) or not (path == ROOT or path.startswith(ROOT + "/")):
        raise Wrong("Error: the path has to begin with /memories")
    path = path.rstrip("/") or ROOT
    if any(part in ("", ".", "..") for part in path.split("/")[1:]) or "\0" in path or "\\" in path:
        raise Wrong("Error: the path is refused")
    return path


class Store:
    def __init__(self, tenant):
        self.tenant = tenant

    def rows(self, sql, **values):
        return db.execute(sql, {"t": self.tenant, **values}).fetchall()

    def text(self, path):
        key = path if TWIN == "shared-cache" else (self.tenant, path)
        if key not in cache:
            found = self.rows(f"SELECT text FROM files WHERE {MINE} AND path = :p", p=path)
            if not found:
                raise Wrong(f"Error: The path {path} does not exist")
            cache[key] = found[0][0]
        return cache[key]

    def write(self, path, text):
        self.rows(f"UPDATE files SET text = :x WHERE {MINE} AND path = :p", p=path, x=text)
        cache.clear()

    def below(self, path):
        found = self.rows(f"SELECT path FROM files WHERE {MINE} ORDER BY path")
        return [row[0] for row in found if row[0] == path or row[0].startswith(path + "/")]

    def view(self, path, view_range=None, **_):
        path = checked(path)
        below = self.below(path)
        if path not in below:
            if path != ROOT and not below:
                raise Wrong(f"The path {path} does not exist. Please provide a valid path.")
            head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
            shown = sorted({"/".join(one.split("/")[: path.count("/") + depth + 1]) for one in below for depth in (1, 2)})
            shown = [one for one in shown if not any(p.startswith(".") or p == "node_modules" for p in one.split("/"))]
            return "\n".join([head, f"4.0K\t{path}", *(f"4.0K\t{one}" for one in shown)])
        lines = self.text(path).split("\n")
        first, last = view_range or (1, len(lines))
        numbered = [f"{number:6}\t{line}" for number, line in enumerate(lines, 1) if first <= number <= (last if last > 0 else len(lines))]
        return "\n".join([f"Here's the content of {path} with line numbers:", *numbered])

    def create(self, path, file_text, **_):
        path = checked(path)
        if path == ROOT or self.below(path):
            raise Wrong(f"Error: File {path} already exists")
        self.rows("INSERT INTO files VALUES (:t, :p, :x)", p=path, x=file_text)
        cache.clear()
        return f"File created successfully at: {path}"

    def str_replace(self, path, old_str, new_str="", **_):
        path = checked(path)
        text = self.text(path)
        if text.count(old_str) != 1:
            raise Wrong(f"No replacement was performed, old_str `{old_str}` did not appear verbatim once in {path}.")
        self.write(path, text.replace(old_str, new_str))
        return "The memory file has been edited."

    def insert(self, path, insert_line, insert_text, **_):
        path = checked(path)
        lines = self.text(path).split("\n")
        if not 0 <= insert_line <= len(lines):
            raise Wrong(f"Error: Invalid `insert_line` parameter: {insert_line}")
        lines[insert_line:insert_line] = insert_text.removesuffix("\n").split("\n")
        self.write(path, "\n".join(lines))
        return f"The file {path} has been edited."

    def delete(self, path, **_):
        path = checked(path)
        below = self.below(path)
        if path == ROOT or not below:
            raise Wrong(f"Error: The path {path} does not exist")
        for one in below:
            self.rows(f"DELETE FROM files WHERE {MINE} AND path = :p", p=one)
        cache.clear()
        return f"Successfully deleted {path}"

    def rename(self, old_path, new_path, **_):
        old, new = checked(old_path), checked(new_path)
        below = self.below(old)
        if TWIN == "rename-unchecked":
            below = [row[0] for row in db.execute("SELECT DISTINCT path FROM files") if row[0] == old or row[0].startswith(old + "/")]
        if old == ROOT or not below:
            raise Wrong(f"Error: The path {old} does not exist")
        if self.below(new) or new.startswith(old + "/"):
            raise Wrong(f"Error: The destination {new} already exists")
        mine = "TRUE" if TWIN == "rename-unchecked" else MINE
        for one in below:
            self.rows(f"UPDATE files SET path = :n WHERE {mine} AND path = :p", p=one, n=new + one[len(old) :])
        cache.clear()
        return f"Successfully renamed {old} to {new}"


COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename")


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def answer(self, message):
        if options.token and self.headers["Authorization"] != f"Bearer {options.token}":
            return 401, f"wrong credentials: {self.headers['Authorization']}"
        tenant = self.headers["X-Tenant"]
        if not tenant:
            return 400, "the header X-Tenant is missing"
        values = message.get("input")
        command = values.get("command") if isinstance(values, dict) else None
        if message.get("type") != "tool_use" or command not in COMMANDS:
            return 400, "Error: no such command"
        try:
            with lock:
                return 200, getattr(Store(tenant), command)(**{key: value for key, value in values.items() if key != "command"})
        except Wrong as error:
            return 400, str(error)
        except (TypeError, ValueError, AttributeError, sqlite3.Error) as error:
            return 400, f"Error: {error}"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, text = self.answer(json.loads(body))
        reply = text.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
scheme = "http"
if options.tls:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*options.tls)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    scheme = "https"
print(f"{scheme}://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
