"""Kills a replayed crawl with -9 at random moments, resumes it until it is done, and counts.

usage: kills.py LYCOSA WARC SEED-URL PAGES KILLS DICE
Needs the Python package warcio. Works in the present folder, in `killed/` and `killed.trace`.
"""
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import time

from warcio.archiveiterator import ArchiveIterator

lycosa, warc, seed, pages, kills, dice = sys.argv[1:7]
random.seed(int(dice))
shutil.rmtree("killed", ignore_errors=True)
command = [lycosa, "crawl", "--replay", warc, seed, "--strategy", "breadth-first", "--pages", pages,
           "--data", "killed", "--trace", "killed.trace", "--json", "-q"]



def lines():
    return open("killed.trace", "rb").read().count(b"\n") if os.path.exists("killed.trace") else 0


done = 0
if os.path.exists("killed.trace"):
    os.remove("killed.trace")
while True:
    resume = ["--resume"] if os.path.exists("killed/broker") else []
    crawl = subprocess.Popen(command + resume, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done == int(kills):
        out, err = crawl.communicate()
        print(out.decode().strip(), err.decode().strip())
        break
    # Until so many further attempts are on record, or until some moment of the start, and a bit more.
    goal = lines() + random.randint(1, int(pages) // int(kills))
    patience = time.monotonic() + (random.uniform(0, 0.5) if random.random() < 0.3 else 60)
    while lines() < goal and time.monotonic() < patience and crawl.poll() is None:
        time.sleep(0.001)
    time.sleep(random.uniform(0, 0.01))
    assert crawl.poll() is None, "the crawl ended before it was killed"
    crawl.kill()
    crawl.wait()
    done += 1

archived = {}
for path in sorted(glob.glob("killed/archive/*.warc.gz")):
    with open(path, "rb") as file:
        for record in ArchiveIterator(file):
            url = record.rec_headers.get_header("WARC-Target-URI")
            if record.rec_type == "response" and not url.endswith("/robots.txt"):
                archived[url] = archived.get(url, 0) + 1
rows = subprocess.run([lycosa, "export", "jsonl", "--data", "killed"], capture_output=True, text=True)
indexed = [json.loads(row)["url"] for row in rows.stdout.splitlines()]
traced = [json.loads(row)["url"] for row in open("killed.trace")]
print(f"{done} kills")
print(f"archive: {len(archived)} pages, {sum(1 for n in archived.values() if n > 1)} twice")
print(f"index: {len(indexed)} pages, {len(indexed) - len(set(indexed))} twice,",
      "the same as the archive" if set(indexed) == set(archived) else "NOT the same as the archive")
print(f"trace: {len(traced)} attempts, {len(traced) - len(set(traced))} twice")
