#!/usr/bin/env python3
"""The same work in counsel and in tmux, on the same machine, one after the other.

  cargo build --release && benches/side_by_side.py [--quick]

Prints one table. Both run with a home, a socket and settings of their own; nothing of the user's is touched.
COUNSEL names another counsel than target/release/counsel. Without tmux it says so and measures nothing.
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

ROWS, COLS = 40, 120
LINES = 10_000      # scrollback of each pane
PANES = 20
HERE = os.path.dirname(os.path.abspath(__file__))
COUNSEL = os.environ.get("COUNSEL", os.path.join(HERE, "..", "target", "release", "counsel"))
QUICK = "--quick" in sys.argv
# What a terminal answers when it is asked what it is.
PROBES = [(rb"\x1b\[0?c", b"\x1b[?62;22c"), (rb"\x1b\[>0?c", b"\x1b[>1;10;0c"), (rb"\x1b\[6n", b"\x1b[1;1R"),
          (rb"\x1b\[>0?q", b"\x1bP>|bench\x1b\\"), (rb"\x1b\[\?u", b"\x1b[?0u"),
          (rb"\x1b\[\?2026\$p", b"\x1b[?2026;2$y")]
STREAM = 'i=0; while :; do i=$((i+1)); printf "\\033[32mstep %d\\033[0m of the work goes on and on\\r\\n" $i; sleep 0.05; done'
FILL = f'i=0; while [ $i -lt {LINES} ]; do i=$((i+1)); echo "line $i: {"x" * 60}"; done; exec cat'


def environment(home):
    return {"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm-256color", "LANG": "C.UTF-8", "SHELL": "/bin/sh",
            "TMUX_TMPDIR": home, "COUNSEL_RUNTIME_DIR": home, "COUNSEL_STATE_DIR": home}


class Subject:
    """A multiplexer in a home of its own."""
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="sbs")
        self.env = environment(self.home)

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


class Tmux(Subject):
    name, program = "tmux", shutil.which("tmux")

    def start(self, agent, script):
        conf = os.path.join(self.home, "conf")
        if not os.path.exists(conf):
            with open(conf, "w") as f:
                f.write(f"set -g history-limit {LINES}\nset -g escape-time 0\n")
        self.run("tmux", "-f", conf, "new-session", "-d", "-s", agent, "-x", str(COLS), "-y", str(ROWS), "sh", "-c", script)

    def attach(self, agent):
        return f"exec tmux attach -t {agent}"

    def shows(self, agent, words):
        return words in self.run("tmux", "capture-pane", "-p", "-t", agent)

    def server(self):
        return int(self.run("tmux", "display", "-p", "#{pid}"))

    def end(self):
        self.run("tmux", "kill-server")


class Counsel(Subject):
    name, program = "counsel", COUNSEL

    def start(self, agent, script):
        self.run(COUNSEL, "start", agent, "--size", f"{COLS}x{ROWS}", "--", "sh", "-c", script)

    def attach(self, agent):
        return f"exec {COUNSEL} attach {agent}"

    def shows(self, agent, words):
        return words in self.run(COUNSEL, "read", agent, "--screen")

    def server(self):
        return int(re.search(r"pid (\d+)", self.run(COUNSEL, "server")).group(1))

    def end(self):
        self.run(COUNSEL, "down", "--grace", "0")


class Terminal:
    """An outer terminal that a client runs in."""
    def __init__(self, subject, command):
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
            return None
        for pattern, answer in PROBES:
            if re.search(pattern, data):
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
    return values[min(len(values) - 1, int(len(values) * share))]


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


def start_up(make, rows):
    first, next_one = [], []
    for _ in range(3 if QUICK else 7):
        subject = make()
        for agent, times in [("a", first), ("b", next_one)]:
            begin = time.perf_counter()
            subject.start(agent, "exec cat")
            times.append((time.perf_counter() - begin) * 1e3)
        subject.end()
    rows.append(("first pane, from nothing running (ms)", at(first, .5)))
    rows.append(("one more pane (ms)", at(next_one, .5)))


def echo(make, rows):
    subject = make()
    subject.start("a", "exec cat")
    terminal = Terminal(subject, subject.attach("a"))
    terminal.settle()
    times = []
    for number in range(100 if QUICK else 400):
        key = b"abcdefghijklmnopqrstuvwxyz"[number % 26:number % 26 + 1]
        while terminal.read(0):
            pass
        begin = time.perf_counter()
        os.write(terminal.fd, key)
        while time.perf_counter() - begin < 2:
            shown = re.sub(rb"\x1b\[[0-9;? ]*[A-Za-z]|\x1b[()].|\x1b\][^\x07\x1b]*(\x07|\x1b\\)", b"", terminal.read(0.5) or b"")
            if key in shown:
                times.append((time.perf_counter() - begin) * 1e3)
                break
        if number % 60 == 59:
            os.write(terminal.fd, b"\r")
            terminal.settle(0.05, 1)
        time.sleep(0.005 + number % 7 * 0.003)
    terminal.close()
    subject.end()
    rows.append(("key to its echo on the screen, p50 (ms)", at(times, .5)))
    rows.append(("key to its echo on the screen, p99 (ms)", at(times, .99)))


def flood(make, rows):
    size = 10 if QUICK else 50
    words = b"".join(b"\x1b[%dm%s\x1b[0m " % (31 + i % 6, b"word%04d" % (i * 7919 % 10000)) for i in range(9)) + b"\n"
    for title, line in [("coloured", words), ("plain", b"y\n")]:
        best = 0
        for _ in range(1 if QUICK else 3):
            subject = make()
            big, done = os.path.join(subject.home, "big"), os.path.join(subject.home, "done")
            go = os.path.join(subject.home, "go")
            with open(big, "wb") as f:
                f.write((line * (1 + size * 1_000_000 // len(line)))[:size * 1_000_000])
            subject.start("a", f"while [ ! -e {go} ]; do sleep 0.02; done; cat {big}; touch {done}; exec cat")
            terminal = Terminal(subject, subject.attach("a"))
            terminal.settle()
            begin = time.perf_counter()
            open(go, "w").close()
            while not os.path.exists(done) and time.perf_counter() - begin < 120:
                terminal.read(0.01)
            best = max(best, size / (time.perf_counter() - begin))
            terminal.close()
            subject.end()
            shutil.rmtree(subject.home, ignore_errors=True)
        rows.append((f"cat of a big file, {title}, watched (MB/s)", best))


def many(make, rows):
    subject = make()
    for number in range(PANES):
        subject.start(f"p{number}", FILL)
    for number in range(PANES):
        end = time.time() + 120
        while not subject.shows(f"p{number}", f"line {LINES}:") and time.time() < end:
            time.sleep(0.1)
    time.sleep(3)
    server, everyone = subject.server(), subject.pids()
    others = [pid for pid in everyone if pid != server]
    rows.append((f"server with {PANES} panes of {LINES} lines (MB)", memory(server, "Rss")))
    rows.append(("all its other processes together (MB, shared pages once)", sum(memory(pid, "Pss") for pid in others)))
    before, woken, begin = processor(everyone), switches(everyone), time.perf_counter()
    time.sleep(5 if QUICK else 15)
    took = time.perf_counter() - begin
    rows.append((f"processor with {PANES} idle panes (% of a core)", (processor(everyone) - before) / took * 100))
    rows.append((f"wake-ups a second with {PANES} idle panes", (switches(everyone) - woken) / took))
    subject.end()


def streams(make, rows):
    subject = make()
    for number in range(PANES):
        subject.start(f"p{number}", STREAM)
    terminal = Terminal(subject, subject.attach("p0"))
    terminal.settle(0.5, 2)
    everyone = subject.pids()
    before, begin = processor(everyone), time.perf_counter()
    while time.perf_counter() - begin < (5 if QUICK else 15):
        terminal.read(0.1)
    took = time.perf_counter() - begin
    rows.append((f"processor while {PANES} panes print 20 lines/s (% of a core)", (processor(everyone) - before) / took * 100))
    terminal.close()
    subject.end()


def main():
    if not shutil.which("tmux"):
        print("skipped: tmux is not installed")
        return
    if not os.access(COUNSEL, os.X_OK):
        sys.exit(f"there is no {COUNSEL}; build it with 'cargo build --release'")
    columns = []
    for make in (Counsel, Tmux):
        rows = []
        for part in (start_up, echo, flood, many, streams):
            print(f"{make.name}: {part.__name__}", file=sys.stderr)
            part(make, rows)
        columns.append(rows)
    version = subprocess.run(["tmux", "-V"], capture_output=True, text=True).stdout.strip()
    print(f"{os.cpu_count()} cores, {os.uname().sysname} {os.uname().machine}, load {os.getloadavg()[0]:.1f}")
    print(f"{'':60} {'counsel':>10} {version:>10}")
    for (what, ours), (_, theirs) in zip(*columns):
        print(f"{what:60} {ours:10.2f} {theirs:10.2f}")


if __name__ == "__main__":
    main()
