"""Runs a program in a pseudo terminal.

    terminal.py ROWS COLUMNS OUT PROGRAM [ARGUMENT ...]

What the program draws goes to standard output as it is. Each line on standard input is a JSON object that types
("keys"), changes the size ("size": [rows, columns]) or sends a signal ("signal": "TERM"). OUT is a file for the
program's own standard output, or "-" for the terminal. At the end one JSON line on standard error tells the exit
code and whether the terminal is set as it was.
"""

import fcntl
import json
import os
import select
import signal
import struct
import sys
import termios


def set_size(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def start(slave, out, command):
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for stream in range(3):
        os.dup2(slave, stream)
    if out != "-":
        os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT, 0o600), 1)
    os.closerange(3, 64)
    os.execvp(command[0], command)


def obey(order, master, pid):
    if "keys" in order:
        os.write(master, order["keys"].encode())
    if "size" in order:
        set_size(master, *order["size"])
    if "signal" in order:
        os.kill(pid, signal.Signals["SIG" + order["signal"]])


def copy(master):
    """Passes on what is there to be read."""
    while select.select([master], [], [], 0)[0]:
        data = os.read(master, 65536)
        if not data:
            return
        os.write(1, data)


def main():
    rows, columns, out, *command = sys.argv[1:]
    master, slave = os.openpty()
    set_size(slave, int(rows), int(columns))
    before = termios.tcgetattr(slave)
    pid = start(slave, out, command)
    orders, waiting = [0], b""
    while True:
        ready = select.select([master, *orders], [], [], 0.02)[0]
        if master in ready:
            copy(master)
        if 0 in ready:
            data = os.read(0, 65536)
            waiting += data
            *lines, waiting = waiting.split(b"\n")
            for line in lines:
                obey(json.loads(line), master, pid)
            if not data:
                # Whoever watched has gone.
                orders = []
                os.kill(pid, signal.SIGKILL)
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            break
    copy(master)
    restored = termios.tcgetattr(slave) == before
    print(json.dumps({"code": os.waitstatus_to_exitcode(status), "restored": restored}), file=sys.stderr)


main()
