"""The report in a real browser: what it logs, what it asks for, whether it fits a telephone."""

from __future__ import annotations

import http.server
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from studyapp.chart.page import to_html
from tests.chart.suites import every_outcome, hostile_suite

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")]
PROBE = """<!doctype html><meta charset="utf-8"><body style="margin:0"><iframe id="f" src="/page.html"
style="border:0;width:WIDTHpx;height:3000px"></iframe><pre id="found"></pre><script>
document.getElementById("f").onload = () => {
  const inside = document.getElementById("f").contentDocument, root = inside.documentElement;
  const shown = [...inside.querySelectorAll("svg.chart > svg")].filter(e => e.getBoundingClientRect().width > 0);
  const broken = [...inside.querySelectorAll("svg text")].filter(e => {
    const box = e.getBoundingClientRect(), whole = e.ownerSVGElement.ownerSVGElement.getBoundingClientRect();
    return box.width > 0 && (box.right > whole.right + 2 || box.left < whole.left - 2
      || box.bottom > whole.bottom + 2);
  });
  document.getElementById("found").textContent = JSON.stringify({
    scroll: root.scrollWidth, client: root.clientWidth, charts: shown.length,
    kinds: [...new Set(shown.map(e => e.getAttribute("class")))], scripts: inside.scripts.length,
    least: Math.min(...shown.map(e => e.getBoundingClientRect().height)), broken: broken.map(e => e.textContent),
    letters: Math.min(...shown.map(e => parseFloat(getComputedStyle(e.querySelector("text")).fontSize)
      * e.getBoundingClientRect().width / e.viewBox.baseVal.width))});
};
</script>"""


class Site:
    """Serves pages from memory and remembers what was asked for."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.asked: list[str] = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                text = site.pages.get(self.path, "").encode()
                self.send_response(200 if text else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_request(self, code: object = "-", size: object = "-") -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    found = Site()
    yield found
    found.close()


def browse(address: str, profile: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Open an address without a window; every name but the site's own leads nowhere."""
    command = [
        str(CHROMIUM),
        *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
        *("--disable-dev-shm-usage", "--disable-features=NetworkTimeServiceQuerying", "--enable-logging=stderr"),
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        *(f"--user-data-dir={profile}", "--virtual-time-budget=4000", *words, address),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=True)


def probed(site: Site, page: str, width: int, profile: Path) -> dict[str, object]:
    site.pages = {"/page.html": page, "/probe.html": PROBE.replace("WIDTH", str(width))}
    seen = browse(f"http://127.0.0.1:{site.port}/probe.html", profile, "--window-size=1400,3000", "--dump-dom")
    assert console(seen.stderr) == []
    found: dict[str, object] = json.loads(seen.stdout.split('<pre id="found">')[1].split("</pre>")[0])
    return found


def console(log: str) -> list[str]:
    return [line for line in log.splitlines() if "CONSOLE" in line]


@pytest.mark.parametrize(("width", "kind"), [(390, "narrow"), (360, "narrow"), (1200, "wide")])
@pytest.mark.parametrize("hostile", [False, True])
def test_the_report_fits_with_all_its_charts_and_asks_for_nothing(
    site: Site, tmp_path: Path, width: int, kind: str, hostile: bool
) -> None:
    page = to_html(hostile_suite() if hostile else every_outcome())

    found = probed(site, page, width, tmp_path)

    assert found["scroll"] == found["client"] == width
    assert found["charts"] == (3 if hostile else 5)
    assert found["kinds"] == [kind]
    assert found["scripts"] == 0
    assert found["broken"] == []
    assert float(str(found["least"])) > 100
    assert float(str(found["letters"])) >= 10.5
    assert set(site.asked) <= {"/page.html", "/probe.html", "/favicon.ico"}


def through_the_site(site: Site, page: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Open a page from disk; whatever it asks for goes through the site as a proxy, which remembers it."""
    place = folder / "index.html"
    place.write_text(page, encoding="utf-8")
    proxy = (f"--proxy-server=127.0.0.1:{site.port}", "--proxy-bypass-list=<-loopback>")
    return browse(place.as_uri(), folder / "profile", *proxy, "--dump-dom")


def test_the_report_opens_from_disk_asks_for_nothing_and_logs_nothing(tmp_path: Path, site: Site) -> None:
    seen = through_the_site(site, to_html(every_outcome()), tmp_path)

    assert console(seen.stderr) == []
    assert site.asked == []
    assert seen.stdout.count("<article") == 7


def test_the_proxy_would_have_seen_a_request(tmp_path: Path, site: Site) -> None:
    seen = through_the_site(site, "<img src='http://example.invalid/seen.png'><p>there</p>", tmp_path)

    assert site.asked == ["http://example.invalid/seen.png"]
    assert "there" in seen.stdout


def test_the_policy_stops_what_a_page_should_never_hold(tmp_path: Path, site: Site) -> None:
    harm = "<img src='http://example.invalid/seen.png'><script>document.title='run'</script>"

    seen = through_the_site(site, to_html(every_outcome()).replace("</main>", f"{harm}</main>"), tmp_path)

    assert site.asked == []
    assert "<title>run</title>" not in seen.stdout
    assert "Content Security Policy" in " ".join(console(seen.stderr))
