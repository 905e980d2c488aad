#!/usr/bin/env python3
"""Writes the seed corpora into fuzz/corpus/ from the repository's recordings and profiles: fuzz/seeds.py"""
import json
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
LONGEST = 12 * 1024     # small inputs are mutated faster


def seed(target, name, data):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def recording(path):
    lines = path.read_text().splitlines()
    head, events = json.loads(lines[0]), [json.loads(line) for line in lines[1:] if line.strip()]
    short = ""
    for line in lines:
        if len(short) + len(line) > LONGEST:
            break
        short += line + "\n"
    seed("replay", path.stem, short.encode())
    printed = b""
    for _, code, data in events:
        if code == "o":
            printed += data.encode()
        elif code == "r":
            printed += bytes([0xFF] + [min(int(side), 250) for side in data.split("x")])
    # The newest output holds the dialog; a sequence cut in two at its head does no harm.
    printed = printed[-LONGEST:]
    size = bytes([min(head["width"], 250), min(head["height"], 250)])
    seed("detector", path.stem, size + printed)
    seed("terminal", path.stem, size + bytes([16]) + printed)
    # Printed, judged after a second while somebody reads keys, answered with the second row, and time for that.
    acts = [b"\x00\x00" + printed.replace(b"\xff", b""), b"\x04\x03", b"\x02\x19", b"\x03\x03", b"\x02\x19"]
    seed("session", path.stem, bytes([len(path.stem) % 16]) + b"\xff".join(acts))


def framed(message):
    payload = b"\0" + json.dumps(message).encode()
    return struct.pack(">I", len(payload)) + payload


for path in sorted((ROOT / "profiles").glob("*.toml")):
    seed("profile", path.name, path.read_bytes())
for path in sorted((ROOT / "tests/recordings").glob("*.cast")):
    recording(path)
press = {"key": {"char": "x"}, "mods": 4, "action": "press"}
for name, value in {"key": {"key": press}, "text": {"text": "hello"}, "paste": {"paste": "a\nb"}, "focus": {"focus": True}}.items():
    seed("wire", name, json.dumps(value).encode())
for name, value in {"stop": {"stop": {"grace_ms": 5000}}, "exited": {"exited": {"code": 1, "signal": None}},
                    "hello": {"id": 1, "request": {"hello": {"version": 1, "token": None}}},
                    "list": {"id": 2, "request": "list"}}.items():
    seed("wire", name, framed(value))
for number, name in enumerate(["ctrl+alt+x", "enter", "F12", "shift+tab", "C-c"]):
    seed("wire", f"name{number}", name.encode())
