"""Crawls a made-up web, kills it with -9 in the middle, resumes it, and watches its memory.

usage: million.py LYCOSA PAGES SITES [FLAG…]
Works in the present folder: `million/` (data), `memory.csv` (seconds, pages, resident and anonymous MiB).
"""
import collections
import glob
import json
import os
import shutil
import subprocess
import sys
import time

lycosa, pages, sites, *flags = sys.argv[1:]
shutil.rmtree("million", ignore_errors=True)
start = time.monotonic()
rows = []
cpu = 0.0


def memory(pid):
    """Resident and anonymous memory in MiB."""
    status = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status"))
    return [int(status[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon")]


def fetched():
    """Pages so far, by the running crawl's own word."""
    told = subprocess.run([lycosa, "status", "--json", "--data", "million"], capture_output=True, text=True)
    return json.loads(told.stdout)["pages"] if told.returncode == 0 else None


def crawl(more, kill_at):
    """Runs until the end or until so many pages; gives what it printed."""
    global cpu
    command = [lycosa, "crawl", "--data", "million", "--json", "-q", *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    while process.poll() is None:
        time.sleep(2)
        try:
            now = [time.monotonic() - start, fetched(), *memory(process.pid)]
        except (FileNotFoundError, KeyError, json.JSONDecodeError):
            continue
        if now[1] is None:
            continue
        rows.append(now)
        ticks = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
        spent = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
        if kill_at and now[1] >= kill_at:
            process.kill()
            process.wait()
            cpu += spent
            return None
        last = spent
    cpu += last
    return process.stdout.read().strip()


crawl(["--synthetic", f"{pages},{sites},1", *flags], int(pages) // 2)
killed = len(rows)
print(f"killed at {rows[-1][1]} pages")
print(crawl(["--resume"], None))

with open("memory.csv", "w") as file:
    file.write("seconds,pages,resident_mib,anonymous_mib\n")
    for row in rows:
        file.write(f"{row[0]:.0f},{row[1]},{row[2]:.0f},{row[3]:.0f}\n")
tenth = [row for row in rows[:killed] if row[1] >= int(pages) // 10]
after = [row for row in rows[killed:]]
print(f"{cpu:.0f} CPU-s, {1e6 * cpu / int(pages):.0f} CPU-µs a page, {time.monotonic() - start:.0f} s")
print(f"resident MiB: at a tenth {tenth[0][2]:.0f}, most before the kill {max(r[2] for r in rows[:killed]):.0f},"
      f" most after {max(r[2] for r in after):.0f}, last {rows[-1][2]:.0f}")
seen = collections.Counter()
for path in glob.glob("million/archive/*.cdxj"):
    for line in open(path):
        row = json.loads(line.split(" ", 2)[2])
        if not row["url"].endswith("/robots.txt"):
            seen[row["url"]] += 1
print(f"archive: {len(seen)} pages, {sum(1 for n in seen.values() if n > 1)} twice")
