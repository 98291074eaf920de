"""The pages in a real browser: readable without scripts, private things absent, texts harmless."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import httpx
import pytest
from playwright.sync_api import Browser

from bot.github.pull import PullId
from bot.render.markdown import comment
from bot.report import Change, Evidence, Report, Row, Run, ScriptReport, Tool, Verdict
from bot.service.app import create_app
from bot.service.database import Database
from bot.service.metrics import Metrics
from bot.service.pages import age, pages
from bot.service.verifications import PAGE, HiddenSubject, Publication, Verifications
from tests.service.browser import browser, needs_browser, page_of
from tests.service.server import served
from tests.service.test_webhook import SETTINGS, MemoryStore

HOSTILE = "</td><script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7*7 }}"


def report(
    number: int, verdict: Verdict = "pass", model: str = "Qwen2.5-7B", peak: float | None = 71.2
) -> Report:
    row = Row(
        tag="MIN",
        model=model,
        task="GRPO-LoRA",
        resource="2*H800",
        max_batch="1024",
        train="fsdp",
        infer="vllm0.8.3",
        link="https://example.org/script",
        contributor="ann",
    )
    evidence = Evidence(
        source="run",
        verdict="consistent",
        run=Run(url=f"https://wandb.ai/e/p/runs/r{number}"),
        peak_gib=peak,
        device_gib=79.6,
    )
    script = ScriptReport(
        path=f"examples/tuning/7b/script{number}.sh",
        sha256="0" * 64,
        verdict=verdict,
        row=row,
        evidence=evidence,
    )
    return Report(
        schema="report-v1",
        tool=Tool(name="rlbot", version="1"),
        verdict=verdict,
        scripts=(script,),
        change=Change(base="b" * 40, head=f"{number:040x}"),
    )


@pytest.fixture
def verifications(sqlite: Database) -> Iterator[Verifications]:
    yield from opened(sqlite)


@pytest.fixture
def stored(database: Database) -> Iterator[Verifications]:
    """On both kinds of database."""
    yield from opened(database)


def opened(database: Database) -> Iterator[Verifications]:
    found = Verifications(database)
    found.migrate()
    found.migrate()  # A second start changes nothing.
    yield found
    found.close()


@pytest.fixture
def client(verifications: Verifications) -> Iterator[httpx.Client]:
    app = create_app(SETTINGS, MemoryStore(), Metrics())
    app.include_router(pages(verifications, server="https://github.com"))
    with served(app) as client:
        yield client


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as launched:
        yield launched


def put(verifications: Verifications, one: Report, number: int = 1, *, public: bool = True) -> int:
    return verifications.record(
        Publication(
            pull=PullId("owner/repo", number), markdown=comment(one), public=public, repository_id=1
        ),
        one,
    )


def test_nothing_private_is_shown(verifications: Verifications, client: httpx.Client) -> None:
    hidden = put(verifications, report(1, model="Secret-7B"), public=False)
    shown = put(verifications, report(2), 2)
    for address in ("/", "/?q=secret", f"/reports/{hidden}", f"/reports/{hidden}.json"):
        assert "Secret" not in client.get(address).text
    assert client.get(f"/reports/{hidden}").status_code == 404
    assert client.get(f"/reports/{hidden}.json").status_code == 404
    assert client.get(f"/reports/{shown}").status_code == 200
    # A repository that becomes private takes its reports with it.
    verifications.hide([HiddenSubject("repository", 1)])
    assert client.get(f"/reports/{shown}").status_code == 404
    assert "Qwen" not in client.get("/").text


def test_a_script_without_a_row_is_listed_by_its_path(
    verifications: Verifications, client: httpx.Client
) -> None:
    one = report(1, "fail")
    (script,) = one.scripts
    assert script.row is not None
    put(verifications, replace(one, scripts=(replace(script, row=None),)), 1)
    opened = replace(script.row, tag="\\", max_batch="\\", infer="\\")
    put(verifications, replace(one, scripts=(replace(script, row=opened),)), 2)
    shown = client.get("/")
    assert shown.status_code == 200
    assert f"<code>{script.path}</code>" in shown.text
    assert "\\" not in shown.text
    assert '<td data-label="Train, infer">fsdp</td>' in shown.text


@needs_browser
def test_no_word_of_a_row_is_broken_on_a_phone(
    verifications: Verifications, client: httpx.Client, chromium: Browser
) -> None:
    one = report(1)
    (script,) = one.scripts
    assert script.row is not None
    row = replace(script.row, tag="RECOMMENDED", task="PPO")
    put(verifications, replace(one, scripts=(replace(script, row=row),)))
    with page_of(chromium) as (page, _):
        page.set_viewport_size({"width": 390, "height": 900})
        page.goto(str(client.base_url))
        box = page.locator("td .muted", has_text="RECOMMENDED").bounding_box()
        assert box is not None
        assert box["height"] < 30


def test_an_address_that_is_not_understood_is_a_page_for_people(client: httpx.Client) -> None:
    asked = client.get("/?before=x", headers={"Accept": "text/html"})
    assert asked.status_code == 404
    assert "There is nothing at this address." in asked.text
    assert client.get("/?before=x").status_code == 422


def test_a_database_that_is_down_is_said_to_be(sqlite: Database) -> None:
    without_tables = Verifications(sqlite)
    app = create_app(SETTINGS, MemoryStore(), Metrics())
    app.include_router(pages(without_tables, server="https://github.com"))
    with served(app) as client:
        page = client.get("/", headers={"Accept": "text/html"})
        data = client.get("/reports/1.json")
        figures = client.get("/metrics").text
    without_tables.close()
    assert (page.status_code, data.status_code) == (503, 503)
    assert "<h1>Not available</h1>" in page.text
    assert "The database does not answer at the moment; try again in a minute." in page.text
    assert page.headers["Cache-Control"] == "no-store"
    assert data.json()["status"] == "refused"
    assert 'rlbot_errors_total{where="database"} 2.0' in figures


def test_the_same_head_again_stands_in_the_place_of_the_earlier_report(
    stored: Verifications,
) -> None:
    first = put(stored, report(1, "inconclusive"))
    assert put(stored, report(1, "pass")) == first
    assert [line.verdict for line in stored.search()] == ["pass"]


def test_the_newest_report_stands_for_a_pull_request(stored: Verifications) -> None:
    verdicts: tuple[Verdict, ...] = ("inconclusive", "pass", "fail")
    for number, verdict in enumerate(verdicts, start=1):
        put(stored, report(number, verdict))
    other = put(stored, report(4, "pass"), 2)
    assert [line.verdict for line in stored.search()] == ["pass", "fail"]
    assert [line.report_id for line in stored.search(verdict="pass")] == [other]
    assert stored.search(verdict="inconclusive") == []
    # A branch that is set back brings its earlier commit to the front again.
    put(stored, report(2, "pass"))
    assert [line.verdict for line in stored.search()] == ["pass", "pass"]


def test_every_word_must_occur_and_patterns_mean_themselves(stored: Verifications) -> None:
    put(stored, report(1, model="Qwen2.5-7B"), 1)
    put(stored, report(2, model="Llama_3%"), 2)

    def models(words: str, verdict: str = "") -> list[str]:
        return [line.row["model"] for line in stored.search(words, verdict=verdict)]

    assert models("qwen h800") == ["Qwen2.5-7B"]
    assert models("qwen h100") == []
    assert models("_") == ["Llama_3%"]
    assert models("%") == ["Llama_3%"]
    assert models("", "fail") == []
    assert models("'; drop table rlbot_reports; --") == []


def test_pages_go_on_below(verifications: Verifications, client: httpx.Client) -> None:
    for number in range(1, PAGE + 6):
        put(verifications, report(number), number)
    first = client.get("/?q=qwen").text
    assert first.count("<tr>") == PAGE + 1
    older = re.search(r'<a href="(/\?[^"]+)" rel="next">', first)
    assert older
    second = client.get(older[1].replace("&amp;", "&")).text
    assert second.count("<tr>") == 6
    assert 'rel="next"' not in second


@pytest.mark.parametrize(
    "address",
    [
        "/?before=0",
        "/?before=x",
        f"/?before={2**63}",
        "/?verdict=maybe",
        "/?q=" + "x" * 300,
        "/reports/0",
        "/reports/x",
        f"/reports/{2**40}",
    ],
)
def test_wrong_addresses_are_not_faults(client: httpx.Client, address: str) -> None:
    assert client.get(address).status_code in (404, 422)


def test_a_search_for_a_zero_byte_finds_nothing(client: httpx.Client) -> None:
    assert client.get("/?q=%00").status_code == 200


def test_headers_forbid_what_pages_do_not_need(
    verifications: Verifications, client: httpx.Client
) -> None:
    number = put(verifications, report(1))
    for address in ("/", f"/reports/{number}", "/reports/999"):
        headers = client.get(address).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"
    assert "default-src 'none'" in client.get("/").headers["content-security-policy"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (7200, "2 hours ago"),
        (86_400, "1 day ago"),
        (86_400 * 800, "2 years ago"),
        (-5, "just now"),
    ],
)
def test_age(seconds: int, words: str) -> None:
    assert age(1_000_000_000 - seconds, 1_000_000_000) == words


@needs_browser
def test_a_person_searches_and_reads_a_report(
    verifications: Verifications, client: httpx.Client, chromium: Browser
) -> None:
    put(verifications, report(1, "pass", "Qwen2.5-7B"), 1)
    put(verifications, report(2, "fail", "Llama-3.1-8B", peak=None), 2)
    with page_of(chromium) as (page, said):
        page.goto(str(client.base_url))
        assert page.locator("tbody tr").count() == 2
        page.get_by_label("Model, device, engine, repository").fill("llama")
        page.get_by_role("button", name="Search").click()
        assert page.locator("tbody tr").count() == 1
        assert "not known" in page.locator("tbody tr").inner_text()
        page.get_by_label("Verdict").select_option("pass")
        page.get_by_role("button", name="Search").click()
        assert "Nothing matches" in page.locator("main").inner_text()
        page.goto(str(client.base_url))
        page.get_by_role("link", name="ready", exact=False).last.click()
        assert "Qwen2.5-7B" in page.locator("main").inner_text()
        assert said == []


@needs_browser
def test_no_width_scrolls_sideways(
    verifications: Verifications, client: httpx.Client, chromium: Browser
) -> None:
    long = report(1, model="a-model-with-a-name-that-is-much-longer-than-a-phone-is-wide" * 2)
    number = put(verifications, long)
    with page_of(chromium, scripts=True) as (page, _):
        for address in ("", f"reports/{number}"):
            page.goto(f"{client.base_url}/{address}")
            for width in (320, 390, 800, 1280):
                page.set_viewport_size({"width": width, "height": 900})
                wide = page.evaluate("document.documentElement.scrollWidth")
                assert wide <= width, (address, width)


def test_t11_texts_of_a_script_or_a_run_are_no_markup(
    verifications: Verifications, client: httpx.Client
) -> None:
    """Without a browser: the elements of the pages are our own."""
    number = put(verifications, report(1, model=HOSTILE))
    for address in ("/", f"/reports/{number}"):
        seen = _Elements()
        seen.feed(client.get(address).text)
        assert not seen.names & {"script", "img", "iframe", "object", "svg"}
        assert "table" in seen.names
    seen = _Elements()
    seen.feed(client.get("/", params={"q": HOSTILE}).text)
    assert not seen.names & {"script", "img", "iframe", "object", "svg"}


class _Elements(HTMLParser):
    """The names of a page's elements."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, *_: object) -> None:
        self.names.add(tag)


@needs_browser
def test_t11_texts_of_a_script_or_a_run_are_texts(
    verifications: Verifications, client: httpx.Client, chromium: Browser
) -> None:
    number = put(verifications, report(1, model=HOSTILE))
    with page_of(chromium, scripts=True) as (page, said):
        page.on("dialog", lambda dialog: said.append(dialog.message))
        for address in ("", f"?q={HOSTILE}", f"reports/{number}"):
            page.goto(f"{client.base_url}/{address}")
            assert page.locator("script, img, iframe, object").count() == 0
            assert "49" not in page.locator("main").inner_text()
        page.goto(str(client.base_url))
        assert HOSTILE in page.locator("tbody strong").inner_text()
        assert said == []
