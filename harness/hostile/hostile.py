"""Handlers that misbehave, to prove that memconf outlives every one of them.

    python3 -S -E hostile.py MODE        speaks memconf's protocol, version 1, on stdin and stdout
    python3 -S -E hostile.py --list      prints the modes, one a line

Each is a correct store in memory until it is asked to view a path that ends in `trigger.txt`. What it does then is
the function of that name below. `none` does nothing wrong at all.

"For ever" is 1,000 s, so that a handler that memconf failed to end ends by itself.
"""

import json
import os
import sys

FOR_EVER = 1000
GIGABYTE = 1 << 30


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(MODES))
        return
    if len(sys.argv) != 2 or sys.argv[1] not in MODES:
        sys.exit(f"usage: hostile.py MODE, one of: {' '.join(MODES)}")
    mode = sys.argv[1]
    trick = MODES[mode]
    store = Store()
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "reset":
            store = Store()
            say({"type": "ready", "name": f"hostile ({mode})", "version": "1"})
        elif message["type"] == "tool_use":
            reply = answer(store, message)
            if not trick or not is_trigger(message["input"]):
                say(reply)
            elif (rest := trick(reply)) is not None:  # the way it handles every message from now on
                for line in sys.stdin.buffer:
                    rest(answer(store, json.loads(line)))
                return
        else:
            say({"type": "error", "message": f"unknown message type {message['type']!r}"})
    if mode == "ignore-eof":
        sleep()


def is_trigger(command):
    path = command.get("path")
    return command.get("command") == "view" and isinstance(path, str) and path.endswith("trigger.txt")


def answer(store, message):
    if message["type"] == "reset":  # only in the aftermath of a trick
        return {"type": "ready"}
    reply = {"type": "tool_result", "tool_use_id": message["id"]}
    try:
        return {**reply, "content": store.run(message["input"])}
    except Refused as refused:
        return {**reply, "content": str(refused), "is_error": True}


# Output goes straight to the descriptor: what is written is out, and nothing is left for the exit to flush.


def put(data, fd=1):
    while data:
        try:
            data = data[os.write(fd, data) :]
        except BrokenPipeError:
            os._exit(1)


def line_of(reply):
    return json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace")


def say(reply):
    put(line_of(reply) + b"\n")


def sleep():
    import time

    time.sleep(FOR_EVER)
    os._exit(1)


def ignore(_reply):
    pass


# The tricks. Each gets the reply that a good handler would give; returns what handles the messages after, or None to
# go on as if nothing had happened.


def crash(_reply):
    os._exit(3)


def crash_signal(_reply):
    import resource
    import signal

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSEGV)


def hang(_reply):
    import signal

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sleep()


def never_answer(_reply):
    return ignore


def late_reply(reply):
    held = [reply]

    def one_behind(next_reply):
        held.append(next_reply)
        say(held.pop(0))

    return one_behind


def garbage(_reply):
    put(b"hello\n")


def two_on_a_line(reply):
    line = line_of(reply)
    put(line + line + b"\n")


def split_over_two_lines(reply):
    line = line_of(reply)
    middle = line.index(b", ") + 1
    put(line[:middle] + b"\n" + line[middle:] + b"\n")


def output_before_reply(reply):
    put(b"INFO opening the memory\n")
    say(reply)


def wrong_id(reply):
    say({**reply, "tool_use_id": "toolu_of_somebody_else"})


def flood(block, fd=1, size=GIGABYTE):
    for _ in range(size // len(block)):
        put(block, fd)


def flood_line(_reply):
    flood(b"x" * 65536)
    return ignore


def flood_lines(_reply):
    flood(b"garbage\n" * 8192)
    return ignore


def flood_stderr(reply):
    flood(b"a log line of 32 bytes in total\n" * 2048, fd=2, size=200 << 20)
    say(reply)


def slow_drip(_reply):
    import time

    put(b'{"type":"tool_result","content":"')
    for _ in range(FOR_EVER * 20):
        put(b"x")
        time.sleep(0.05)


def close_stdin(reply):
    os.close(0)
    say(reply)
    sleep()


def close_stdout(_reply):
    os.close(1)
    return ignore


def fork_child(reply):
    if os.fork() == 0:
        sleep()
    say(reply)


def fork_daemon(reply):
    child = os.fork()
    if child == 0:
        os.setsid()
        daemon = os.fork()
        if daemon == 0:
            sleep()
        if pidfile := os.environ.get("HOSTILE_PIDFILE"):
            with open(pidfile, "w") as file:
                file.write(f"{daemon}\n")
        os._exit(0)
    os.waitpid(child, 0)
    say(reply)


def with_content(text):
    """Says the reply with this text in the place of its content."""

    def trick(reply):
        line = line_of({**reply, "content": "CONTENT"})
        put(line.replace(b'"CONTENT"', text) + b"\n")

    return trick


def null_content(reply):
    say({**reply, "content": None})


def no_content(reply):
    del reply["content"]
    say(reply)


def is_error_string(reply):
    say({**reply, "is_error": "true"})


def is_error_number(reply):
    say({**reply, "is_error": 5})


def content_blocks(reply):
    text = reply["content"]
    middle = len(text) // 2
    say({**reply, "content": [{"type": "text", "text": part} for part in (text[:middle], text[middle:])]})


def content_image(reply):
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    source = {"type": "base64", "media_type": "image/png", "data": pixel}
    say({**reply, "content": [{"type": "text", "text": reply["content"]}, {"type": "image", "source": source}]})


MODES = {
    "none": None,
    # it ends, or answers no more
    "crash": crash,
    "crash-signal": crash_signal,
    "hang": hang,
    "never-answer": never_answer,
    "slow-drip": slow_drip,
    "close-stdin": close_stdin,
    "close-stdout": close_stdout,
    "ignore-eof": None,
    # it answers, but leaves something behind
    "fork-child": fork_child,
    "fork-daemon": fork_daemon,
    "flood-stderr": flood_stderr,
    # its line is not one JSON object
    "garbage": garbage,
    "two-on-a-line": two_on_a_line,
    "split-over-two-lines": split_over_two_lines,
    "output-before-reply": output_before_reply,
    "flood-line": flood_line,
    "flood-lines": flood_lines,
    "not-utf8": with_content(b'"\xff\xfe"'),
    "deep-json": with_content(b"[" * 100_000 + b"]" * 100_000),
    "huge-number": with_content(b"1e999"),
    # its object is not the result that was asked for
    "wrong-id": wrong_id,
    "late-reply": late_reply,
    "null-content": null_content,
    "no-content": no_content,
    "is-error-string": is_error_string,
    "is-error-number": is_error_number,
    # odd, but allowed
    "content-blocks": content_blocks,
    "content-image": content_image,
}


class Refused(Exception):
    """An error whose text goes back to Claude."""


class Store:
    """The memory, correct: a tree of texts. A directory is a dict, a file a str."""

    def __init__(self):
        self.root = {}

    def run(self, command):
        name = command.get("command")
        if name not in ("view", "create", "str_replace", "insert", "delete", "rename"):
            raise Refused(f"Error: Unknown command: {name}")
        return getattr(self, name)(command)

    def view(self, command):
        path, parts = path_in(command, "path")
        node = self.find(parts)
        view_range = command.get("view_range")
        if node is None:
            raise Refused(f"The path {path} does not exist. Please provide a valid path.")
        if isinstance(node, dict):
            header = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
            return "\n".join([header, *rows(node, "/".join(["/memories", *parts]), 2)])
        lines, _ = lines_of(node)
        if len(lines) > 999_999:
            raise Refused(f"File {path} exceeds maximum line limit of 999,999 lines.")
        first, last = 1, len(lines)
        if view_range is not None:
            if not isinstance(view_range, list) or [type(n) for n in view_range] != [int, int]:
                raise Refused("Error: `view_range` must be two integers")
            first, last = view_range
            last = len(lines) if last == -1 else min(last, len(lines))
            if lines and not 1 <= first <= last:
                raise Refused(f"Error: Invalid `view_range` parameter: {view_range}")
        numbered = (f"{first + i:6}\t{line}" for i, line in enumerate(lines[first - 1 : last]))
        return "\n".join([f"Here's the content of {path} with line numbers:", *numbered])

    def create(self, command):
        path, parts = path_in(command, "path")
        text = string_in(command, "file_text")
        if self.find(parts) is not None:
            raise Refused(f"Error: File {path} already exists")
        self.place(path, parts)[parts[-1]] = text
        return f"File created successfully at: {path}"

    def str_replace(self, command):
        path, parts = path_in(command, "path")
        old = string_in(command, "old_str")
        new = "" if command.get("new_str") is None else string_in(command, "new_str")
        text = self.find(parts)
        if not isinstance(text, str):
            raise Refused(f"Error: The path {path} does not exist. Please provide a valid path.")
        if not old:
            raise Refused("Error: `old_str` must not be empty")
        found = text.split(old)
        if len(found) == 1:
            raise Refused(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
        if len(found) > 2:
            at, line = [], 1
            for before in found[:-1]:
                line += before.count("\n")
                at.append(str(line))
                line += old.count("\n")
            raise Refused(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {', '.join(at)}. Please ensure it is unique"
            )
        edited = new.join(found)
        self.place(path, parts)[parts[-1]] = edited
        at = found[0].count("\n")
        lines, _ = lines_of(edited)
        first = max(0, at - 2)
        snippet = (f"{first + i + 1:6}\t{line}" for i, line in enumerate(lines[first : at + new.count("\n") + 3]))
        return "\n".join(["The memory file has been edited.", *snippet])

    def insert(self, command):
        path, parts = path_in(command, "path")
        at = command.get("insert_line")
        inserted = string_in(command, "insert_text")
        if type(at) is not int:
            raise Refused("Error: `insert_line` must be an integer")
        text = self.find(parts)
        if not isinstance(text, str):
            raise Refused(f"Error: The path {path} does not exist")
        lines, end = lines_of(text)
        if not 0 <= at <= len(lines):
            raise Refused(
                f"Error: Invalid `insert_line` parameter: {at}. It should be within the range of lines of the file: [0, {len(lines)}]"
            )
        lines.insert(at, inserted.removesuffix("\n"))
        self.place(path, parts)[parts[-1]] = "\n".join(lines) + end
        return f"The file {path} has been edited."

    def delete(self, command):
        path, parts = path_in(command, "path")
        if not parts:
            raise Refused("Error: Cannot delete the /memories directory itself")
        if self.find(parts) is None:
            raise Refused(f"Error: The path {path} does not exist")
        del self.find(parts[:-1])[parts[-1]]
        return f"Successfully deleted {path}"

    def rename(self, command):
        old_path, old = path_in(command, "old_path")
        new_path, new = path_in(command, "new_path")
        if not old:
            raise Refused("Error: Cannot rename the /memories directory itself")
        node = self.find(old)
        if node is None:
            raise Refused(f"Error: The path {old_path} does not exist")
        if self.find(new) is not None:
            raise Refused(f"Error: The destination {new_path} already exists")
        if new[: len(old)] == old:
            raise Refused(f"Error: Cannot move {old_path} into itself")
        self.place(new_path, new)[new[-1]] = node
        del self.find(old[:-1])[old[-1]]
        return f"Successfully renamed {old_path} to {new_path}"

    def find(self, parts):
        """What stands at this path, or None."""
        node = self.root
        for part in parts:
            node = node.get(part) if isinstance(node, dict) else None
        return node

    def place(self, path, parts):
        """The directory that holds this path, made if missing."""
        for i in range(1, len(parts)):
            if isinstance(self.find(parts[:i]), str):
                raise Refused(f"Error: The path {path} is below a file")
        node = self.root
        for part in parts[:-1]:
            node = node.setdefault(part, {})
        return node


def string_in(command, field):
    text = command.get(field)
    if not isinstance(text, str):
        raise Refused(f"Error: `{field}` must be a string")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Refused(f"Error: `{field}` is not valid Unicode") from None
    return text


def path_in(command, field):
    """A path as sent, and its components below /memories."""
    path = string_in(command, field)
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not path.startswith("/") or parts[:1] != ["memories"]:
        raise Refused(f"Error: Path must be below /memories: {path}")
    if ".." in parts or any(ord(c) < 32 for c in path):
        raise Refused("Error: Path is not allowed")
    return path, parts[1:]


def lines_of(text):
    """The lines of a text, and what ends the last one."""
    if not text:
        return [], "\n"
    return text.removesuffix("\n").split("\n"), "\n" if text.endswith("\n") else ""


def rows(node, path, depth):
    if isinstance(node, str):
        return [f"{size(len(node.encode()))}\t{path}"]
    found = [f"4.0K\t{path}"]
    for name in sorted(node) if depth else ():
        if not name.startswith(".") and name != "node_modules":
            found += rows(node[name], f"{path}/{name}", depth - 1)
    return found


def size(length):
    value, unit = float(length), "B"
    for bigger in "KMG":
        if value >= 1024:
            value, unit = value / 1024, bigger
    return f"{length}B" if unit == "B" else f"{value:.1f}{unit}"


if __name__ == "__main__":
    main()
