"""Which linked run belongs to which script."""

from __future__ import annotations

from bot.evidence.find_links import find_links
from bot.evidence.links import RunLink
from bot.evidence.which_run import Choice, by_configuration, choose
from tests.evidence.samples import config, facts, plan

A, B = "examples/tuning/7b/a.sh", "examples/tuning/32b/b.sh"
ONE, TWO, THREE = (RunLink("wandb.ai", "t", "p", name) for name in ("one", "two", "three"))


def choice_of(text: str, *scripts: str, headers: dict[str, list[RunLink]] | None = None) -> Choice:
    return choose(scripts, headers=headers or {}, found=find_links(text).links)


def runs(choice: Choice) -> dict[str, tuple[str, str]]:
    return {path: (each.link.run_id, each.by) for path, each in choice.chosen.items()}


def test_nothing_is_linked() -> None:
    assert choice_of("A script.", A, B) == Choice()


def test_the_only_link_belongs_to_the_only_script() -> None:
    assert runs(choice_of(f"Run: {ONE.url}", A)) == {A: ("one", "only link")}


def test_the_header_comes_before_the_text_and_the_command_line_before_both() -> None:
    headers = {A: [ONE]}
    assert runs(choice_of(f"a.sh: {TWO.url}", A, headers=headers)) == {A: ("one", "header")}
    given = choose([A], given={A: THREE}, headers=headers, found=find_links(TWO.url).links)
    assert runs(given) == {A: ("three", "command line")}


def test_a_link_on_the_line_of_its_script() -> None:
    expected = {A: ("one", "text"), B: ("two", "text")}
    for text in (
        f"- `a.sh`: {ONE.url}\n- `b.sh`: {TWO.url}\n",
        f"| script | run |\n| - | - |\n| {A} | {ONE.url} |\n| [b.sh](x) | [run]({TWO.url}) |\n",
        f"## a.sh\n\n{ONE.url}\n\n## b.sh\n\nsome words\n\n{TWO.url}\n",
        f"**b.sh** ran as {TWO.url}\n\n**./{A}** ran as {ONE.url}\n",
    ):
        assert runs(choice_of(text, A, B)) == expected, text


def test_what_is_left_over_belongs_together() -> None:
    assert runs(choice_of(f"a.sh: {ONE.url}\n\n# And\n\nb.sh: {TWO.url}", A, B))[B] == (
        "two",
        "text",
    )
    one_left = choice_of(f"{TWO.url}", A, B, headers={A: [ONE]})
    assert runs(one_left) == {A: ("one", "header"), B: ("two", "only link")}


def test_a_name_that_two_scripts_share_decides_nothing() -> None:
    other = "examples/tuning/32b/a.sh"
    choice = choice_of(f"a.sh: {ONE.url}\n\na.sh: {TWO.url}", A, other)
    assert runs(choice) == {}
    assert set(choice.asked) == {A, other}
    assert runs(choice_of(f"32b/a.sh: {ONE.url}\n\n7b/a.sh: {TWO.url}", A, other)) == {
        A: ("two", "text"),
        other: ("one", "text"),
    }


def test_where_nothing_decides_the_author_is_asked() -> None:
    choice = choice_of(f"{ONE.url} {TWO.url}", A, B)
    assert runs(choice) == {}
    assert choice.asked[A] == (
        "2 runs are linked and 2 scripts are changed, and nothing says which run belongs to a.sh: "
        "write a comment `# wandb: LINK` into the script, or the link on the line of its name."
    )
    one = choice_of(ONE.url, A, B)
    assert one.asked[A].startswith("One run is linked and 2 scripts are changed, and nothing says")
    two = choice_of(f"a.sh: {ONE.url} or {TWO.url}", A)
    assert two.asked[A].startswith("2 runs are linked for a.sh, of which one can back its row")
    assert two.candidates[A] == (ONE, TWO)
    headers = choice_of("", A, headers={A: [ONE, TWO]})
    assert set(headers.asked) == {A}
    assert runs(choice_of("", A, headers={A: [ONE, ONE]})) == {A: ("one", "header")}


def test_the_configuration_decides_where_the_text_does_not() -> None:
    asked = choice_of(f"{ONE.url} {TWO.url}", A, B)
    plans = {A: plan(), B: plan(data__train_batch_size=64, trainer__total_epochs=3)}
    other = facts(config=config(data__train_batch_size=64, trainer__total_epochs=3))
    choice = by_configuration(plans, {ONE: other, TWO: facts()}, asked)
    assert runs(choice) == {A: ("two", "configuration"), B: ("one", "configuration")}
    assert choice.asked == {}


def test_runs_that_fit_equally_or_badly_are_asked_about() -> None:
    asked = choice_of(f"{ONE.url} {TWO.url}", A, B)
    same = by_configuration({A: plan(), B: plan()}, {ONE: facts(), TWO: facts()}, asked)
    assert same == asked
    bad = facts(config={"trainer": {"nnodes": 1}})
    assert by_configuration({A: plan(), B: plan()}, {ONE: bad, TWO: bad}, asked) == asked
    # The better of two scripts gets the run; the other one is asked about.
    near = plan(data__train_batch_size=64)
    one = by_configuration({A: plan(), B: near}, {ONE: facts()}, asked)
    assert runs(one) == {A: ("one", "configuration")}
    assert set(one.asked) == {B}
