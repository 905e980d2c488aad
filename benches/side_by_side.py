#!/usr/bin/env python3
"""The same work in counsel, tmux and, where it is found, zellij, on the same machine in one run.

  cargo build --release && benches/side_by_side.py [--quick] [--svg FILE] [PART ...]

Prints one table for each part; without a name all parts run: echo flood start_up many streams. --svg also
draws the echo times, as docs/performance.md shows them. Every subject has a home, a socket and settings of its
own; nothing of the user's is touched. COUNSEL names another counsel than target/release/counsel. The subjects
take turns round by round, so that whatever else the machine does hits all of them alike.
"""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROWS, COLS = 50, 200
LINES = 10_000      # scrollback of each pane
PANES = 20
STREAMING = 8
HERE = os.path.dirname(os.path.abspath(__file__))
COUNSEL = os.environ.get("COUNSEL", os.path.join(HERE, "..", "target", "release", "counsel"))
QUICK = "--quick" in sys.argv
# What a terminal answers when it is asked what it is.
PROBES = [(rb"\x1b\[0?c", b"\x1b[?62;22c"), (rb"\x1b\[>0?c", b"\x1b[>1;10;0c"), (rb"\x1b\[6n", b"\x1b[1;1R"),
          (rb"\x1b\[>0?q", b"\x1bP>|bench\x1b\\"), (rb"\x1b\[\?u", b"\x1b[?0u"),
          (rb"\x1b\[\?2026\$p", b"\x1b[?2026;2$y"), (rb"\x1b\[14t", b"\x1b[4;1000;2000t")]
# No subject draws these itself, and no escape sequence holds one of their bytes.
KEYS = "абвгдежзиклмнопрстуфхцчшщэюя"
STREAM = 'i=0; while :; do i=$((i+1)); printf "\\033[32mstep %d\\033[0m of the work goes on and on\\r\\n" $i; sleep 0.05; done'
FILL = f'i=0; while [ $i -lt {LINES} ]; do i=$((i+1)); echo "line $i: {"x" * 60}"; done; exec cat'
COLOURED = b"".join(b"\x1b[%dm%s\x1b[0m " % (31 + i % 6, b"word%04d" % (i * 7919 % 10000)) for i in range(9)) + b"\n"


class Subject:
    """A multiplexer in a home of its own. `program` is what its processes run."""
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="sbs")
        self.env = {"PATH": os.environ["PATH"], "HOME": self.home, "TERM": "xterm-256color", "LANG": "C.UTF-8",
                    "SHELL": "/bin/sh", "TMUX_TMPDIR": self.home, "XDG_RUNTIME_DIR": self.home,
                    "COUNSEL_RUNTIME_DIR": self.home, "COUNSEL_STATE_DIR": self.home}

    def run(self, *argv):
        done = subprocess.run(argv, env=self.env, cwd=self.home, capture_output=True, text=True, timeout=120)
        if done.returncode:
            sys.exit(f"{argv}: {done.stderr}")
        return done.stdout

    def pids(self):
        """Every process of the multiplexer itself: its program, started in this home."""
        mark, found = f"HOME={self.home}\0".encode(), []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                exe = os.path.realpath(f"/proc/{pid}/exe")
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if mark in f.read() + b"\0" and exe == os.path.realpath(self.program):
                        found.append(int(pid))
            except OSError:
                pass
        return found

    def end(self):
        shutil.rmtree(self.home, ignore_errors=True)


class Bare(Subject):
    """No multiplexer: what the machine itself can do. Only the first script runs."""
    name, program = "bare PTY", "/bin/sh"

    def start(self, agent, script):
        self.script = getattr(self, "script", script)

    def show(self):
        return self.script


class Tmux(Subject):
    """Each script in a session of its own, one of them attached."""
    name, program = "tmux", shutil.which("tmux")

    def start(self, agent, script):
        conf = os.path.join(self.home, "conf")
        if not os.path.exists(conf):
            with open(conf, "w") as f:
                f.write(f"set -g history-limit {LINES}\nset -g escape-time 0\n")
        self.open(conf, agent, script)

    def open(self, conf, agent, script):
        self.run("tmux", "-f", conf, "new-session", "-d", "-s", agent, "-x", str(COLS), "-y", str(ROWS), "sh", "-c", script)

    def show(self):
        return "exec tmux attach -t a"

    def shows(self, agent, words):
        return words in self.run("tmux", "capture-pane", "-p", "-t", agent)

    def server(self):
        return int(self.run("tmux", "display", "-p", "#{pid}"))

    def end(self):
        self.run("tmux", "kill-server")
        super().end()


class TmuxPanes(Tmux):
    """Every script in a pane of one window, all of them on the screen."""
    name = "tmux, all panes"

    def open(self, conf, agent, script):
        if agent == "a":
            return super().open(conf, agent, script)
        self.run("tmux", "split-window", "-d", "-t", "a", "sh", "-c", script)
        self.run("tmux", "select-layout", "-t", "a", "tiled")


class Counsel(Subject):
    name, program = "counsel attach", COUNSEL

    def start(self, agent, script):
        self.run(COUNSEL, "start", agent, "--size", f"{COLS}x{ROWS}", "--", "sh", "-c", script)

    def show(self):
        return f"exec {COUNSEL} attach a"

    def shows(self, agent, words):
        return words in self.run(COUNSEL, "read", agent, "--screen")

    def server(self):
        return int(re.search(r"pid (\d+)", self.run(COUNSEL, "server")).group(1))

    def end(self):
        self.run(COUNSEL, "down", "--grace", "0")
        super().end()


class Dashboard(Counsel):
    """Every agent in a pane, all of them on the screen."""
    name = "counsel dashboard"

    def show(self):
        return f"exec {COUNSEL}"


class Zellij(Subject):
    """Every script in a pane of one tab. Its panes start with its screen."""
    name, program = "zellij", shutil.which("zellij")

    def start(self, agent, script):
        self.scripts = getattr(self, "scripts", [])
        path = os.path.join(self.home, f"{agent}.sh")
        with open(path, "w") as f:
            f.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o755)
        self.scripts.append(path)

    def show(self):
        panes = "\n".join(f'pane command="{path}"{" focus=true" if path == self.scripts[0] else ""}' for path in self.scripts)
        with open(os.path.join(self.home, "layout.kdl"), "w") as f:
            f.write(f"layout {{\n{panes}\n}}\n")
        with open(os.path.join(self.home, "config.kdl"), "w") as f:
            f.write('show_startup_tips false\nshow_release_notes false\ndefault_mode "locked"\n')
        return "exec zellij --config config.kdl --layout layout.kdl"

    def end(self):
        for pid in self.pids():
            os.kill(pid, signal.SIGKILL)
        super().end()


class Terminal:
    """An outer terminal that a client runs in."""
    def __init__(self, subject):
        command = subject.show()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLS, 0, 0))
            os.chdir(subject.home)
            os.execve("/bin/sh", ["sh", "-c", command], subject.env)

    def read(self, timeout):
        if not select.select([self.fd], [], [], timeout)[0]:
            return b""
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            sys.exit("a client has ended before its time")
        for pattern, answer in PROBES:
            if b"\x1b" in data and re.search(pattern, data):
                os.write(self.fd, answer)
        return data

    def settle(self, quiet=0.5, limit=10):
        end = time.time() + limit
        last = time.time()
        while time.time() < end and time.time() - last < quiet:
            if self.read(0.05):
                last = time.time()

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def at(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def processor(pids):
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rsplit(") ", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def switches(pids):
    total = 0
    for pid in pids:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/status") as f:
                total += int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", f.read(), re.M).group(1))
    return total


def memory(pid, key):
    with open(f"/proc/{pid}/smaps_rollup") as f:
        return int(re.search(rf"^{key}:\s*(\d+)", f.read(), re.M).group(1)) / 1024


def keys(terminal, count):
    """Milliseconds from a key to its echo, `inf` for one that never showed."""
    times = []
    for number in range(count):
        key = KEYS[number % len(KEYS)].encode()
        while terminal.read(0):
            pass
        shown, begin = b"", time.perf_counter()
        os.write(terminal.fd, key)
        while key not in shown and time.perf_counter() - begin < 2:
            shown = shown[-1:] + terminal.read(0.5)
        times.append((time.perf_counter() - begin) * 1e3 if key in shown else float("inf"))
        if number % 15 == 14:
            os.write(terminal.fd, b"\r")
        # Another moment of every beat each time.
        pause = time.perf_counter() + 0.005 + number % 7 * 0.003
        while (left := pause - time.perf_counter()) > 0:
            terminal.read(left)
    return times


def echo(subjects):
    """Beside nothing, beside agents that print, beside one that prints as fast as it can."""
    rounds, count = (1, 100) if QUICK else (5, 200)
    noise = {"alone": [], f"{STREAMING} streaming": [STREAM] * STREAMING, "one flooding": ["exec yes '{}'".format(
        COLOURED.decode().strip().replace("\x1b", ""))]}
    rows = {}
    for what, scripts in noise.items():
        times = {make.name: [] for make in subjects}
        for _ in range(rounds):
            for make in subjects:
                if make is Bare and scripts:
                    continue
                subject = make()
                subject.start("a", "exec cat")
                for number, script in enumerate(scripts):
                    subject.start(f"n{number}", script)
                terminal = Terminal(subject)
                terminal.settle(0.7, 2)
                times[make.name] += keys(terminal, count)
                terminal.close()
                subject.end()
        for share, words in [(.5, "p50"), (.99, "p99")]:
            rows[f"key to its echo, {what}, {words} (ms)"] = {name: at(found, share) for name, found in times.items()}
        lost = {name: sum(time == float("inf") for time in found) for name, found in times.items()}
        if any(lost.values()):
            rows[f"keys whose echo never showed, {what}"] = lost
    return rows


def flood(subjects):
    size, rounds = (10, 1) if QUICK else (50, 3)
    rows = {}
    for title, line in [("coloured", COLOURED), ("plain", b"y\n")]:
        best = {}
        for _ in range(rounds):
            for make in subjects:
                subject = make()
                big, done, go = (os.path.join(subject.home, name) for name in ("big", "done", "go"))
                with open(big, "wb") as f:
                    f.write((line * (1 + size * 1_000_000 // len(line)))[:size * 1_000_000])
                subject.start("a", f"while [ ! -e {go} ]; do sleep 0.02; done; cat {big}; touch {done}; exec cat")
                terminal = Terminal(subject)
                terminal.settle()
                begin = time.perf_counter()
                open(go, "w").close()
                while not os.path.exists(done) and time.perf_counter() - begin < 120:
                    terminal.read(0.01)
                best[make.name] = max(best.get(make.name, 0), size / (time.perf_counter() - begin))
                terminal.close()
                subject.end()
        rows[f"cat of a big file, {title}, watched (MB/s)"] = best
    return rows


def start_up(subjects):
    first, next_one = "first pane, from nothing running (ms)", "one more pane (ms)"
    times = {first: {}, next_one: {}}
    for _ in range(3 if QUICK else 7):
        for make in subjects:
            subject = make()
            for agent, what in [("a", first), ("b", next_one)]:
                begin = time.perf_counter()
                subject.start(agent, "exec cat")
                times[what].setdefault(make.name, []).append((time.perf_counter() - begin) * 1e3)
            subject.end()
    return {what: {name: at(found, .5) for name, found in by_name.items()} for what, by_name in times.items()}


def many(subjects):
    rows = {}
    for make in subjects:
        subject = make()
        def tell(what, value):
            rows.setdefault(what, {})[make.name] = value
        for number in range(PANES):
            subject.start(f"p{number}", FILL)
        for number in range(PANES):
            end = time.time() + 120
            while not subject.shows(f"p{number}", f"line {LINES}:") and time.time() < end:
                time.sleep(0.1)
        time.sleep(3)
        server, everyone = subject.server(), subject.pids()
        others = [pid for pid in everyone if pid != server]
        tell(f"server with {PANES} panes of {LINES} lines (MB)", memory(server, "Rss"))
        tell("all its other processes together (MB, shared pages once)", sum(memory(pid, "Pss") for pid in others))
        before, woken, begin = processor(everyone), switches(everyone), time.perf_counter()
        time.sleep(5 if QUICK else 15)
        took = time.perf_counter() - begin
        tell(f"processor with {PANES} idle panes (% of a core)", (processor(everyone) - before) / took * 100)
        tell(f"wake-ups a second with {PANES} idle panes", (switches(everyone) - woken) / took)
        subject.end()
    return rows


def streams(subjects):
    rows = {}
    for make in subjects:
        subject = make()
        for number in range(PANES):
            subject.start("a" if number == 0 else f"p{number}", STREAM)
        terminal = Terminal(subject)
        terminal.settle(0.5, 2)
        everyone = subject.pids()
        before, begin = processor(everyone), time.perf_counter()
        while time.perf_counter() - begin < (5 if QUICK else 15):
            terminal.read(0.1)
        took = time.perf_counter() - begin
        what = f"processor while {PANES} panes print 20 lines/s (% of a core)"
        rows.setdefault(what, {})[make.name] = (processor(everyone) - before) / took * 100
        terminal.close()
        subject.end()
    return rows


def plot(rows, path):
    """The echo times as bars: the median solid, up to the 99th percentile pale."""
    begins, ends = "key to its echo, ", ", p50 (ms)"
    cases = [what[len(begins):-len(ends)] for what in rows if what.startswith(begins) and what.endswith(ends)]
    groups = [(case, [(name, p50, rows[f"{begins}{case}, p99 (ms)"][name]) for name, p50 in
                      rows[f"{begins}{case}{ends}"].items() if p50 == p50 and p50 != float("inf")]) for case in cases]
    longest = max(p99 for _, bars in groups for _, _, p99 in bars if p99 != float("inf"))
    left, wide, y, out = 170, 420, 10, []
    for case, bars in groups:
        y += 22
        out.append(f'<text x="8" y="{y}" font-weight="bold">{case}</text>')
        for name, p50, p99 in bars:
            y += 20
            colour = "#2f6fb3" if name.startswith("counsel") else "#8a8a8a"
            length = lambda value: max(1, min(value, longest) / longest * wide)
            out.append(f'<text x="{left - 8}" y="{y}" text-anchor="end">{name}</text>'
                       f'<rect x="{left}" y="{y - 11}" width="{length(p99):.1f}" height="13" fill="{colour}" opacity="0.3"/>'
                       f'<rect x="{left}" y="{y - 11}" width="{length(p50):.1f}" height="13" fill="{colour}"/>'
                       f'<text x="{left + length(p99) + 6:.1f}" y="{y}">{p50:.2f} ms, 99 %: {p99:.2f}</text>')
        y += 8
    with open(path, "w") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + wide + 170}" height="{y + 10}" '
                'font-family="sans-serif" font-size="12">\n<title>From a key to its echo on the screen: median and '
                f'99th percentile, in milliseconds</title>\n<rect width="100%" height="100%" fill="#fff"/>\n')
        f.write("\n".join(out) + "\n</svg>\n")


def main():
    shown = [Counsel, Dashboard] + [make for make in (Tmux, TmuxPanes, Zellij) if make.program]
    hosts = [make for make in (Counsel, Tmux) if make.program]
    parts = {"echo": (echo, [Bare] + shown), "flood": (flood, [Bare] + [make for make in shown if make is not TmuxPanes]),
             "start_up": (start_up, hosts), "many": (many, hosts), "streams": (streams, hosts)}
    arguments = [word for word in sys.argv[1:] if word != "--quick"]
    svg = None
    if "--svg" in arguments:
        place = arguments.index("--svg")
        svg = arguments[place + 1]
        del arguments[place:place + 2]
    if unknown := [word for word in arguments if word not in parts]:
        sys.exit(f"there is no part {unknown[0]}; there are {' '.join(parts)}")
    if not os.access(COUNSEL, os.X_OK):
        sys.exit(f"there is no {COUNSEL}; build it with 'cargo build --release'")
    rows = {}
    print(f"{os.cpu_count()} cores, {os.uname().sysname} {os.uname().machine}, load {os.getloadavg()[0]:.1f}")
    for program in (Tmux.program, Zellij.program):
        if program:
            print(subprocess.run([program, "-V"], capture_output=True, text=True).stdout.strip())
    for name in arguments or parts:
        part, subjects = parts[name]
        print(f"\n{name}{'':56}" + "".join(f"{make.name:>19}" for make in subjects))
        found = part(subjects)
        for what, values in found.items():
            cells = [values.get(make.name, float("nan")) for make in subjects]
            print(f"{what:60}" + "".join(f"{cell:19.2f}" if cell == cell else f"{'–':>19}" for cell in cells), flush=True)
        rows |= found
    print(f"\nload {os.getloadavg()[0]:.1f}")
    if svg and "key to its echo, alone, p50 (ms)" in rows:
        plot(rows, svg)


if __name__ == "__main__":
    main()
