"""Replays memconf's vectors through pytest: VECTORS=vectors.json pytest. Needs a fixture `memory`, in conftest.py:
a function that takes a command's input and gives (text, is_error), over an empty store."""
import json
import os
import re

import pytest

VECTORS = json.load(open(os.environ.get("VECTORS", "vectors.json"), encoding="utf-8"))["vectors"]

def fits(allowed, text, is_error, taken):
    kind, want = allowed["matches"], allowed.get("text")
    rows = lambda s: sorted(re.sub(r"^\S+\t", "", line).rstrip("/") for line in s.split("\n"))
    same = {"any": lambda: True, "exact": lambda: text == want, "prefix": lambda: text.startswith(want),
            "listing": lambda: rows(text) == rows(want)}[kind]
    return allowed["is_error"] == is_error and allowed.get("when") in (None, *taken) and same()

@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_vector(vector, memory):
    if vector["needs"]:
        pytest.skip("needs " + ", ".join(vector["needs"]))
    taken = set()
    for step in (step for step in vector["steps"] if step.get("when") in (None, *taken)):
        call = {**step["call"], **{k: r["text"] * r["times"] for k, r in step.get("repeat", {}).items()}}
        text, is_error = memory(call)
        good = [one for one in step["allowed"] if fits(one, text, is_error, taken)]
        assert good or not step["allowed"], f"{call} is answered with {text!r}, allowed: {step['allowed']}"
        taken.update(one["choice"] for one in good[:1] if "choice" in one)
