#!/usr/bin/env python3
"""How many Spanish pages does a language focus find, and is every stored page Spanish?

language.py LYCOSA WEB [PAGES]: LYCOSA is the program, WEB the folder with dev-*.warc.gz, manifest.tsv and
pages.tsv.gz. Crawls from the front pages of the 20 sites with most pages, with and without the focus. Spanish
is what pages.tsv.gz says, which was made without Lycosa; beside it what Lycosa itself says.
"""
import collections
import csv
import glob
import gzip
import json
import subprocess
import sys
import tempfile

program, web = sys.argv[1:3]
pages = sys.argv[3] if len(sys.argv) > 3 else "2000"
archives = sorted(glob.glob(f"{web}/dev-*.warc.gz"))
with open(f"{web}/manifest.tsv", encoding="utf-8") as file:
    sites = sorted(csv.DictReader(file, delimiter="\t"), key=lambda row: -int(row["pages"]))
seeds = [f"http://{row['host']}/" for row in sites[:20]]
with gzip.open(f"{web}/pages.tsv.gz", "rt", encoding="utf-8") as file:
    rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    labels = {row["url"].split("://")[1]: row["lang"] for row in rows}


def label(url):
    """Links say http and https alike, and mean the same page."""
    return labels.get(url.split("://")[1])


def crawl(name, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        trace = f"{folder}/trace.jsonl"
        command = [program, "crawl", "--json", "-q", "--data", f"{folder}/data", "--trace", trace]
        for archive in archives:
            command += ["--replay", archive]
        command += ["--pages", pages, *arguments, *seeds]
        ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        summary = json.loads(ran.stdout)
        with open(trace, encoding="utf-8") as file:
            fetched = [row for row in map(json.loads, file) if row["outcome"] == "fetched"]
        export = [program, "export", "jsonl", "--data", f"{folder}/data"]
        rows = subprocess.run(export, stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines()
        stored = [json.loads(row)["url"] for row in rows]
        xml = [program, "export", "xml", "--data", f"{folder}/data"]
        text = subprocess.run(xml, stdout=subprocess.PIPE, text=True, check=False).stdout
        documents = text.split("<document>")[1:]
    some = sum('code="es"' in document for document in documents)
    spanish = [row for row in fetched if label(row["url"]) == "es"]
    print(f"{name}: {len(fetched)} fetched, {len(spanish)} Spanish by label, "
          f"{sum(row['lang'] == 'es' for row in fetched)} mainly Spanish by Lycosa; "
          f"stored {summary['stored']}, indexed {len(stored)}, of these "
          f"{sum(label(url) == 'es' for url in stored)} Spanish by label, "
          f"{some} with some Spanish by Lycosa; "
          f"outcomes {summary['outcomes']}")
    others = [url for url in stored if label(url) not in ("es", None)]
    counts = collections.Counter(label(url) for url in others)
    print(f"    stored with another label: {dict(counts)}")
    return len(spanish)


for scope in ("site", "any"):
    print(f"--scope {scope}")
    plain = crawl("breadth-first", "--strategy", "breadth-first", "--scope", scope)
    focus = crawl("--lang es --store-only-lang", "--lang", "es", "--store-only-lang", "--scope", scope)
    print(f"    {focus / max(plain, 1):.2f} times the Spanish pages")
