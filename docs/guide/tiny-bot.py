"""A bot for Lycosa's broker in one file: python3 tiny-bot.py http://127.0.0.1:7060 broker.secret

It needs nothing but Python. It fetches one page at a time, archives nothing and indexes nothing;
docs/guide/bots.md describes the protocol.
"""

import hashlib, hmac, html.parser, http.client, json, os, re, sys, time, urllib.error, urllib.parse, urllib.request

broker, secret_file = sys.argv[1], sys.argv[2]
secret = open(secret_file, "rb").read().strip()
sender, sequence = "tiny-bot", 0


def call(name, body):
    """One signed request; the reply as a dictionary."""
    global sequence
    path = f"/broker/v1/{name}"
    sequence = max(sequence + 1, time.time_ns() // 1000)
    data = json.dumps(body).encode()
    signed = f"{path}\n{sender}\n{sequence}\n".encode() + data
    headers = {
        "content-type": "application/json",
        "x-lycosa-bot": sender,
        "x-lycosa-sequence": str(sequence),
        "x-lycosa-signature": hmac.new(secret, signed, hashlib.sha256).hexdigest(),
    }
    request = urllib.request.Request(broker + path, data, headers)
    try:
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as refused:
        sys.exit(f"{name}: {refused.code} {refused.read().decode()}")


class Anchors(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a" and "nofollow" not in (attributes.get("rel") or ""):
            self.found.append(attributes.get("href") or "")


def fetch(url, user_agent):
    """Status, headers and body of one GET that follows no redirect."""
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    # .localhost names are this machine.
    host = "127.0.0.1" if parts.hostname.endswith(".localhost") else parts.hostname
    connection = kind(host, parts.port, timeout=30)
    resource = urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))
    connection.request("GET", resource, headers={"Host": parts.netloc, "User-Agent": user_agent})
    response = connection.getresponse()
    return response.status, response.headers, response.read(16 << 20)


OUTCOMES = {2: "fetched", 4: "client_error", 5: "server_error"}


def work(lease, user_agent):
    """Works off one lease. Whatever happens, it ends in a report."""
    report = {"url_id": lease["url_id"], "kind": lease["kind"]}
    began = time.monotonic()
    try:
        status, headers, body = fetch(lease["url"], user_agent)
    except OSError:
        return report | {"outcome": {"failed": "connect"}}
    report |= {"status": status, "bytes": len(body), "outcome": OUTCOMES.get(status // 100, "odd_status")}
    report["took_ms"] = int(1000 * (time.monotonic() - began))
    text = body.decode("utf-8", "replace")
    links = []
    if status in (301, 302, 303, 307, 308):
        report["outcome"], links = "redirect", [headers.get("location", "")]
    elif lease["kind"] == "robots" and status == 200:
        report["robots"] = text
    elif lease["kind"] == "sitemap" and report["outcome"] == "fetched":
        # Good enough for plain ones; those that name further sitemaps say so.
        found = [html.unescape(loc) for loc in re.findall(r"<loc>\s*(.*?)\s*</loc>", text, re.S)]
        if "<sitemapindex" in text:
            report["sitemaps"] = found
        else:
            links = found
    elif report["outcome"] == "fetched":
        anchors = Anchors()
        anchors.feed(text)
        links = anchors.found
    report["links"] = [{"url": urllib.parse.urljoin(lease["url"], link)} for link in links]
    return report


welcome = call("authenticate", {"name": sender, "pid": os.getpid()})["welcome"]
sender = welcome["bot_id"]
pages = 0
while True:
    answer = call("give_me_n", {"n": 8})["leases"]
    if answer["finished"]:
        break
    reports = [work(lease, welcome["user_agent"]) for lease in answer["leases"]]
    if reports:
        acks = call("report", {"reports": reports})["acks"]
        pages += sum(ack == {"Ok": None} for ack in acks)
    else:
        time.sleep(answer["ask_again_ms"] / 1000)
call("leave", {})
print(f"{pages} reports accepted")
