"""A person walks through the pages of a running server, in a real browser.

Takes one JSON object: {"origin", "chromium", "out", "front", "changing", "walks"}; asserts as it goes, writes
screenshots into the folder "out", and prints one JSON object with what it measured.
"""

import gzip
import json
import re
import sys

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

HOW = json.loads(sys.argv[1])
ORIGIN = HOW["origin"]
MEASURED = {"axe": [], "sizes": {}}
WORDS = {
    "en": {"hunts": "Hunts", "start": "Start", "finished": "finished", "agents": "Agents", "stop": "Stop",
           "raised": "raised", "words found": "Words found", "look": "Look now", "baseline": "baseline"},
    "es": {"hunts": "Cacerías", "start": "Empezar", "finished": "terminada", "agents": "Agentes", "stop": "Parar",
           "raised": "subido", "words found": "Palabras halladas", "look": "Mirar ahora", "baseline": "punto de partida"},
}


def check(page, name):
    """Nothing serious for those who cannot see, and nothing to the right of the window at 320 pixels."""
    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    told = [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in serious]
    assert not told, f"{name}: {told}"
    MEASURED["axe"].append(name)
    size = page.viewport_size
    page.set_viewport_size({"width": 320, "height": 640})
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size(size)
    assert wide <= 320, f"{name} is {wide} pixels wide at 320"


def focused(page):
    return page.evaluate("document.activeElement.textContent.trim()")


def tab_to(page, what, most=80):
    """Presses Tab until the element that `what` names has the focus."""
    target = page.locator(what).first
    for _ in range(most):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{what} is not reached by the keyboard")


def sites(page, name, t):
    """Raises, lowers and blocks a site from its result, sees what comes of it, and takes it back."""
    def hosts():
        return page.locator(".result .host").all_inner_texts()

    def choose(site, act):
        result = f".result:has(.host:text-is('{site}'))"
        tab_to(page, f"{result} .site summary", 200)
        page.keyboard.press("Enter")
        tab_to(page, f"{result} .site button[name='{act}']")
        page.keyboard.press("Enter")
        expect(page.locator("#sites")).to_contain_text(site)

    def undo(button, most=200):
        tab_to(page, f"#sites button[name='{button}']", most)
        page.keyboard.press("Enter")
        expect(page.locator("#sites")).to_have_count(0)
        assert hosts() == usual, hosts()

    page.goto(f"{ORIGIN}/search?q=quokka")
    usual = hosts()
    assert usual == ["alpha.test", "beta.test", "gamma.test"], usual
    bars = page.locator(".result .bar")
    assert bars.count() == 3
    assert [bar.locator("rect").count() for bar in bars.all()] == [3, 2, 1]
    expect(bars.first).to_have_accessible_name(re.compile(t["words found"]))
    choose("gamma.test", "raise")
    assert hosts()[0] == "gamma.test", hosts()
    expect(page.locator(".result").first.locator(".stance")).to_have_text(t["raised"])
    page.locator(".result .why summary").first.press("Enter")
    expect(page.locator(".result .why ul").first).to_contain_text("the site is raised")
    undo("forget")
    choose("alpha.test", "raise")
    # What was chosen is where the keyboard goes on.
    undo("forget", 4)
    choose("alpha.test", "lower")
    assert hosts()[-1] == "alpha.test", hosts()
    page.goto(f"{ORIGIN}/search?q=quokka smiles")
    assert hosts()[-1] == "alpha.test", "it holds for later searches"
    page.goto(f"{ORIGIN}/search?q=quokka")
    choose("beta.test", "block")
    assert hosts() == ["gamma.test", "alpha.test"], hosts()
    expect(page.locator("#sites .left-out")).to_contain_text("1")
    check(page, f"sites {name}")
    page.screenshot(path=f"{HOW['out']}/sites-{name}.png")
    undo("forget_all")


def suggestions(page, name):
    """Completes a word with the keyboard; the focus stays in the box, and Escape takes it back."""
    page.goto(f"{ORIGIN}/")
    page.locator("body").evaluate("body => document.activeElement.blur()")
    expect(page.locator("#suggestions")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("smiles quok")
    box, options = page.locator("#q"), page.locator("#suggestions")
    expect(options).to_be_visible()
    expect(box).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    assert box.input_value() == "smiles quokka", box.input_value()
    expect(box).to_be_focused()
    chosen = box.get_attribute("aria-activedescendant")
    expect(page.locator(f"#{chosen}")).to_have_attribute("aria-selected", "true")
    check(page, f"suggestions {name}")
    page.screenshot(path=f"{HOW['out']}/suggestions-{name}.png")
    page.keyboard.press("Escape")
    expect(options).to_be_hidden()
    assert box.input_value() == "smiles quok"
    page.keyboard.type("k")
    expect(options).to_be_visible()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=smiles+quokka*")
    expect(options).to_be_hidden()


def walk(browser, ui, scheme):
    """Search, filter, explain; hunt, watch, open a spider, stop, find it again: with the keyboard alone."""
    t = WORDS[ui]
    context = browser.new_context(
        locale=ui, color_scheme=scheme, viewport={"width": 1100, "height": 800}, reduced_motion="reduce"
    )
    page = context.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.on("dialog", lambda dialog: (faults.append("a dialog"), dialog.dismiss()))
    name = f"{ui}-{scheme}"

    page.goto(f"{ORIGIN}/about")
    check(page, f"about {name}")
    page.goto(f"{ORIGIN}/")
    check(page, f"home {name}")
    page.keyboard.press("Escape")
    page.locator("body").evaluate("body => document.activeElement.blur()")
    page.keyboard.press("/")
    page.keyboard.type("catamarans")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=catamarans*")
    check(page, f"search {name}")
    page.locator("body").evaluate("body => document.activeElement.blur()")
    first = page.locator(".result h2 a").first.inner_text()
    page.keyboard.press("j")
    assert focused(page) == first, focused(page)
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert focused(page) == first
    tab_to(page, ".result .why summary")
    page.keyboard.press("Enter")
    expect(page.locator(".result .why ul").first).to_be_visible()
    page.screenshot(path=f"{HOW['out']}/search-{name}.png")
    tab_to(page, ".by-language li:nth-child(2) a", 200)
    page.keyboard.press("Enter")
    page.wait_for_url("**lang=*")

    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    check(page, f"keys {name}")
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.locator(".facts a[href^='/cached']").first.click()
    assert len(page.locator(".kept").inner_text()) > 100
    check(page, f"cached {name}")
    other = "light" if scheme == "dark" else "dark"
    page.locator(".themes a").nth(0 if other == "light" else 1).click()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == other
    page.locator(".themes a").nth(2).click()
    assert page.evaluate("document.documentElement.dataset.theme") is None

    sites(page, name, t)
    suggestions(page, name)

    page.goto(f"{ORIGIN}/hunts")
    check(page, f"hunts {name}")
    tab_to(page, "#query")
    page.keyboard.type("catamarans dinghies")
    page.keyboard.press("Tab")
    page.keyboard.type(HOW["front"])
    tab_to(page, "#pages")
    page.keyboard.type("400")
    tab_to(page, ".order summary")
    page.keyboard.press("Enter")
    tab_to(page, "#strategy")
    page.keyboard.type("infospiders")
    tab_to(page, ".order button")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/hunts/\d+"))
    address = page.url
    # Rows come without a reload.
    expect(page.locator(".prey tbody tr").nth(2)).to_be_visible(timeout=60_000)
    expect(page.locator("#wire")).not_to_be_empty()
    check(page, f"hunt {name}")
    # What somebody points at does not move.
    page.locator(".prey tbody tr").first.hover()
    before = page.locator(".prey tbody").inner_text()
    expect(page.locator("#news")).to_be_visible(timeout=30_000)
    assert page.locator(".prey tbody").inner_text() == before
    page.mouse.move(2, 2)
    for view in ["agents", "ways", "talk", "log", "map"]:
        page.goto(f"{address}?view={view}")
        check(page, f"{view} {name}")
        page.screenshot(path=f"{HOW['out']}/{view}-{name}.png")
    canvas = page.locator("#map")
    expect(canvas).to_have_attribute("data-nodes", re.compile(r"[1-9]"))
    page.locator("#moment").focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    assert "t=" in page.url
    frames = int(canvas.get_attribute("data-frames"))
    page.wait_for_timeout(1_000)
    MEASURED.setdefault("frames", []).append(int(canvas.get_attribute("data-frames")) - frames)
    page.goto(f"{address}?view=agents")
    tab_to(page, ".family a")
    spider = focused(page)
    page.keyboard.press("Enter")
    page.wait_for_url("**/agents/**")
    assert page.locator("h1").inner_text() == spider
    check(page, f"agent {name}")
    steer(page, address, name)
    page.goto(address)
    page.screenshot(path=f"{HOW['out']}/hunt-{name}.png")
    tab_to(page, f".acts form[action$='/stop'] button")
    page.keyboard.press("Enter")
    expect(page.locator(".head .state-name")).to_contain_text(t["finished"], timeout=30_000)
    found = page.locator(".prey .page a").first
    title, href = found.inner_text(), found.get_attribute("href")
    page.goto(f"{ORIGIN}/search?q={' '.join(re.findall(r'[A-Za-z]+', title)[:4])}")
    expect(page.locator(f'.result h2 a[href="{href}"]')).to_have_count(1)
    keep_watch(page, name, t)
    assert not faults, faults
    context.close()


def energy(page):
    return float(page.locator("dl.life dt:has-text('Energ') + dd").inner_text().replace(",", "."))


def steer(page, address, name):
    """Feeds a spider and stops it, and leaves a site alone: with the keyboard, and with visible effect."""
    page.goto(f"{address}?view=agents")
    row = page.locator(".family li:not(.dead):has(form[action$='/feed'])").first
    spider = row.locator("a").first.inner_text()
    page.goto(f"{address.split('?')[0]}/agents/{spider}")
    before = energy(page)
    tab_to(page, "form[action$='/feed'] button")
    page.keyboard.press("Enter")
    expect(page.locator(".touches li").first).to_contain_text("→")
    told = page.locator(".touches li").first.inner_text()
    fed = [float(number) for number in re.findall(r"\d+\.\d+", told.split("·")[1])]
    assert fed[1] > fed[0] + 0.9, (before, told)
    check(page, f"fed {name}")
    page.screenshot(path=f"{HOW['out']}/agent-{name}.png")
    tab_to(page, "form[action$='/stop-agent'] button")
    page.keyboard.press("Enter")
    expect(page.locator("form[action$='/stop-agent']")).to_have_count(0)
    assert page.locator(".touches li").count() == 2
    page.goto(f"{address.split('?')[0]}?view=agents")
    dead = page.locator(".family li.dead", has=page.get_by_role("link", name=spider, exact=True))
    expect(dead.first).to_be_visible()

    page.goto(address)
    tab_to(page, ".exclusions summary")
    page.keyboard.press("Enter")
    tab_to(page, "#pattern")
    page.keyboard.type("*/*")
    page.keyboard.press("Enter")
    expect(page.locator(".fault")).to_contain_text("*/*")
    tab_to(page, ".exclusions summary")
    page.keyboard.press("Enter")
    tab_to(page, "#pattern")
    page.keyboard.type("kitchen.example.test")
    page.keyboard.press("Enter")
    expect(page.locator(".exclusions code")).to_have_text("kitchen.example.test")
    check(page, f"excluded {name}")
    page.screenshot(path=f"{HOW['out']}/excluded-{name}.png")
    tab_to(page, ".exclusions li button")
    page.keyboard.press("Enter")
    expect(page.locator(".exclusions code")).to_have_count(0)
    number = re.search(r"/hunts/(\d+)", address).group(1)
    log = page.request.get(f"{ORIGIN}/api/v1/hunts/{number}/log?bytes=1000000").text()
    for event in ['"excluded"', '"included"', '"tended"', '"died"']:
        assert event in log, event


def keep_watch(page, name, t):
    """From a search to a watch, and a page that changes: add, look, read the difference, edit, remove."""
    page.goto(f"{ORIGIN}/search?q=catamarans")
    tab_to(page, ".count a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/watches?q=catamarans*")
    assert page.input_value("#what") == "catamarans"
    tab_to(page, "input[name=kind]:checked")
    page.keyboard.press("ArrowDown")
    assert page.locator("input[name=kind]:checked").get_attribute("value") == "page"
    tab_to(page, "#what")
    page.keyboard.press("Control+a")
    page.keyboard.type(HOW["changing"])
    tab_to(page, ".order summary")
    page.keyboard.press("Enter")
    expect(page.locator("#part")).to_be_visible()
    check(page, f"watches {name}")
    page.screenshot(path=f"{HOW['out']}/watches-{name}.png", full_page=True)
    tab_to(page, ".order button")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/watches/\d+$"))
    address = page.url
    # The page follows without a reload.
    expect(page.locator(".head")).to_contain_text(t["baseline"], timeout=60_000)
    tab_to(page, f"button:has-text('{t['look']}')")
    page.keyboard.press("Enter")
    expect(page.locator(".diff ins").first).to_be_visible(timeout=60_000)
    expect(page.locator('[data-live="true"]')).to_have_count(0, timeout=60_000)
    assert "window.pwned" in page.locator(".change-list h2").first.inner_text()
    assert page.evaluate("window.pwned") is None
    check(page, f"watch {name}")
    page.screenshot(path=f"{HOW['out']}/watch-{name}.png", full_page=True)
    for view in ["looks", "deliveries", "settings"]:
        page.goto(f"{address}?view={view}")
        for summary in page.locator("main summary").all():
            summary.press("Enter")
        check(page, f"watch {view} {name}")
        page.screenshot(path=f"{HOW['out']}/watch-{view}-{name}.png", full_page=True)
    page.goto(f"{address}?view=settings")
    tab_to(page, "#schedule")
    page.keyboard.press("Control+a")
    page.keyboard.type("daily 08:00")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.wait_for_url("**view=settings")
    assert page.input_value("#schedule") == "daily 08:00"
    tab_to(page, ".remove summary")
    page.keyboard.press("Enter")
    tab_to(page, ".remove button")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/watches$"))


def without_scripts(browser):
    """The same without any script, as far as that goes."""
    context = browser.new_context(java_script_enabled=False, locale="en")
    page = context.new_page()
    page.goto(f"{ORIGIN}/")
    page.fill("#q", "catamarans")
    page.press("#q", "Enter")
    assert page.locator(".result").count() > 3
    page.goto(f"{ORIGIN}/search?q=quokka")
    page.locator(".result .site summary").first.click()
    page.locator(".result .site button[name='block']").first.click()
    page.wait_for_url("**#sites")
    assert page.locator(".result").count() == 2
    page.locator("#sites button[name='forget']").click()
    expect(page.locator(".result")).to_have_count(3)
    page.goto(f"{ORIGIN}/hunts")
    page.fill("#query", "catamarans")
    page.fill("#urls", HOW["front"])
    page.fill("#pages", "40")
    page.click(".order button")
    page.wait_for_url(re.compile(r"/hunts/\d+"))
    address = page.url
    for _ in range(60):
        page.goto(address)
        if page.locator(".prey tbody tr").count() > 2:
            break
        page.wait_for_timeout(500)
    assert page.locator(".prey tbody tr").count() > 2
    page.locator(".prey form button").first.click()
    page.wait_for_url("**view=results**")
    assert page.locator(".verdict").count() == 1
    for view in ["agents", "ways", "talk", "map", "log"]:
        assert page.goto(f"{address}?view={view}").status == 200
    page.goto(address)
    if page.locator("button:has-text('Stop')").count():
        page.click("button:has-text('Stop')")
    page.goto(f"{ORIGIN}/watches")
    page.check("input[value=page]")
    page.fill("#what", HOW["changing"])
    page.click(".order button")
    page.wait_for_url(re.compile(r"/watches/\d+$"))
    # The browser loads the page again by itself while somebody looks.
    expect(page.locator(".head")).to_contain_text("baseline", timeout=60_000)
    page.click("button:has-text('Look now')")
    expect(page.locator(".diff ins").first).to_be_visible(timeout=60_000)
    page.click(".tabs a:has-text('Settings')")
    page.click(".remove summary")
    page.click(".remove button")
    page.wait_for_url(re.compile(r"/watches$"))
    context.close()


def hostile(browser):
    """Pages that want to run here stay text."""
    context = browser.new_context(locale="en")
    page = context.new_page()
    faults = []
    page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
    for path in ["/search?q=zyzzyva", "/search?q=%3Cscript%3Ealert(1)%3C/script%3E", "/hunts?q=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E", "/watches?q=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E"]:
        page.goto(f"{ORIGIN}{path}")
        page.wait_for_timeout(200)
        assert page.evaluate("window.pwned") is None
    page.goto(f"{ORIGIN}/search?q=zyzzyva")
    assert page.locator(".result").count() > 0
    assert page.locator(".result script, .result img, .result iframe").count() == 0
    assert not faults, faults
    context.close()


def sizes(browser):
    """What a first visit costs, and what all views together do, compressed as a proxy in front would."""
    for name, paths in {
        "first": ["/"],
        "all": ["/", "/search?q=catamarans", "/hunts", "/hunts/1", "/hunts/1?view=map", "/watches"],
    }.items():
        context = browser.new_context(locale="en")
        page = context.new_page()
        seen = {}
        def note(response):
            if response.request.resource_type in ("document", "stylesheet", "script", "image"):
                seen[response.url] = response.body()
        page.on("requestfinished", lambda request: note(request.response()))
        for path in paths:
            page.goto(f"{ORIGIN}{path}", wait_until="load")
        page.wait_for_timeout(300)
        MEASURED["sizes"][name] = sum(len(gzip.compress(body)) for body in seen.values())
        context.close()


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=HOW["chromium"], args=["--no-sandbox"])
    for ui, scheme in HOW["walks"]:
        walk(browser, ui, scheme)
    without_scripts(browser)
    hostile(browser)
    sizes(browser)
    browser.close()
print(json.dumps(MEASURED))
