"""The defences: for each the code that makes it, what weakens it, and the tests that must fail.

The threats are those of docs/security.md. A defence is named by the definition that makes it and by
what weakens that (`tests/defences/weaken.py`); what is not there once is an error.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.defences.weaken import (
    Change,
    Text,
    becomes,
    begins,
    is_assigned,
    never,
    passes,
    returns,
    says,
)

THREATS = tuple(f"T{number}" for number in range(1, 27))


@dataclass(frozen=True, slots=True)
class Defence:
    """One line of defence."""

    threat: str
    what: str
    """What the weakened program does, in a few words."""
    place: str
    """The definition: FILE::NAME, or a file that is no Python."""
    change: Change
    tests: tuple[str, ...]

    @property
    def file(self) -> str:
        """The file of the definition, from the root of the repository."""
        return self.place.partition("::")[0]


_THREATS = "tests/github/test_threats.py::"
_OBEY = "tests/review/test_commands.py::"
_APPLY = "tests/review/test_apply.py::"
_ONE_REQUEST = "tests/review/test_one_request.py::"
_ACTION = "tests/github/test_action.py::"
_FLOWS = "tests/github/test_workflows.py::"
_WEBHOOK = "tests/service/test_webhook.py::"
_APP = "tests/service/test_whole_app.py::"
_EVIDENCE = "tests/evidence/test_threats.py::"
_JOBS = "tests/service/test_jobs.py::"
_HOSTILE = "tests/hostile/test_hostile.py::"
_BOUNDS = "tests/shell/test_bounds.py::test_bound_is_named"
_OVERRIDES = "tests/frameworks/test_overrides.py::"
_ISOLATED = "tests/base/test_isolated.py::"
_FILES = "tests/base/test_files.py::"
_SEEN = "tests/service/test_visibility.py::"
_FAILURES = "tests/github/test_failures.py::"
_PUBLISH = "tests/github/test_publish.py::"
_OPEN = "tests/service/test_connections.py::"
_ONLINE = "tests/evidence/online/test_command.py::"
_TREES = "tests/frameworks/test_config_tree.py::"
_CONFIGURATION = "tests/github/test_configuration_change.py::"
_HERE = "tests/service/test_threats.py::"

DEFENCES = (
    Defence(
        "T1",
        "loads the configuration with Python's own tags",
        "bot/base/config.py::_loaded",
        becomes("yaml.SafeLoader(data)", "yaml.UnsafeLoader(data)"),
        (_THREATS + "test_t1_nothing_of_a_pull_request_is_started_imported_or_written",),
    ),
    Defence(
        "T1",
        "starts a program while it checks",
        "bot/review/check.py::check_change",
        begins('__import__("subprocess").run(["true"], check=True)'),
        (_THREATS + "test_t1_nothing_of_a_pull_request_is_started_imported_or_written",),
    ),
    Defence(
        "T1",
        "checks the pull request out in a privileged workflow",
        "docs/workflows/pull-request-target.yml",
        Text("steps:", "steps:\n      - uses: actions/checkout@" + "0" * 40),
        (_FLOWS + "test_t1_no_privileged_workflow_checks_anything_out",),
    ),
    Defence(
        "T2",
        "writes an expression into a script of the Action",
        "action.yml",
        Text(
            'run: PYTHONPATH="$GITHUB_ACTION_PATH"', 'run: PYTHONPATH="${{ github.action_path }}"'
        ),
        (_FLOWS + "test_t2_no_script_holds_an_expression",),
    ),
    Defence(
        "T3",
        "publishes a result whose head has moved",
        "bot/github/publish.py::publish",
        never("posted.head != answer.head"),
        (_THREATS + "test_t3_a_push_after_the_check_keeps_the_old_result_back",),
    ),
    Defence(
        "T3",
        "checks another commit than the one that was named",
        "bot/github/remote.py::GitHubChange.require_head",
        returns("None"),
        (_THREATS + "test_t3_the_verdict_is_bound_to_the_commit_that_was_read",),
    ),
    Defence(
        "T3",
        "commits although the branch was set back",
        "bot/github/commit.py::commit_files",
        becomes(
            "_commit_on_branch(client, branch, files, text)",
            "_commit_on_branch(client, Branch(repository=branch.repository, name=branch.name, "
            "head=_tip(client, branch).commits[0]['oid']), files, text)",
        ),
        (_APPLY + "test_t3_apply_undoes_nothing_whenever_the_branch_moves",),
    ),
    Defence(
        "T3",
        "moves a branch from wherever it is",
        "bot/github/commit.py::_commit_tree",
        becomes(
            '{"name": f"refs/heads/{branch.name}", "beforeOid": branch.head, "afterOid": commit}',
            '{"name": f"refs/heads/{branch.name}", "afterOid": commit, "force": True}',
        ),
        (_APPLY + "test_t3_apply_is_never_forced",),
    ),
    Defence(
        "T3",
        "commits what the person who asked could not see",
        "bot/review/commit.py::_Checked.commit",
        never("self.unseen and not result.commits"),
        (_APPLY + "test_apply_is_bound_to_the_commit_whose_comment_was_seen",),
    ),
    Defence(
        "T3",
        "applies a button's row to a later commit",
        "bot/review/commands.py::_Handler.carry_out",
        never("button is not None and button != change.head"),
        ("tests/service/test_buttons.py::test_t3_what_was_pushed_after_the_check_is_not_applied",),
    ),
    Defence(
        "T4",
        "asks for the date of a commit",
        "bot/github/queries.py::entries",
        says("...Content ...Names", "...Content ...Names ... on Commit { committedDate }"),
        (_THREATS + "test_t4_dates_change_nothing",),
    ),
    Defence(
        "T5",
        "takes every signature",
        "bot/service/webhook.py::is_signed",
        returns("True"),
        (_WEBHOOK + "test_t5_forged_signatures_are_refused",),
    ),
    Defence(
        "T5",
        "takes webhooks without a secret",
        "bot/service/settings.py::require_secret",
        returns("None"),
        (_WEBHOOK + "test_without_a_secret_there_is_no_app",),
    ),
    Defence(
        "T5",
        "tries the first of several secrets alone",
        "bot/service/webhook.py::is_signed",
        becomes("secrets", "tuple(secrets)[:1]"),
        (_WEBHOOK + "test_t5_every_configured_secret_is_valid_while_one_is_rotated",),
    ),
    Defence(
        "T5",
        "makes a job of each delivery of one act",
        "bot/service/job.py::Job.id",
        returns('f"{self.lane}:{self.kind}:{self.meaning}:{id(self)}"'),
        (_WEBHOOK + "test_t5_a_replayed_delivery_is_one_job",),
    ),
    Defence(
        "T5",
        "takes a replayed press under another delivery id for another act",
        "bot/service/events.py::_check_run",
        becomes('f"{run.id}:again:{identity}"', 'f"{run.id}:again:{delivery}"'),
        ("tests/service/test_events.py::test_t5_an_act_is_known_by_what_is_signed",),
    ),
    Defence(
        "T6",
        "holds different values for the same",
        "bot/evidence/values.py::same",
        returns("True"),
        (_EVIDENCE + "test_t6_a_run_of_something_else_does_not_back_a_script",),
    ),
    Defence(
        "T6",
        "compares a run that is not the linked one",
        "bot/evidence/claims/compare.py::compare",
        becomes('ours.verdict != "consistent"', "False"),
        (_EVIDENCE + "test_t6_another_run_than_the_linked_one_is_compared_no_further",),
    ),
    Defence(
        "T6",
        "decides without the model, the steps and the memory",
        "bot/evidence/claims/compare.py::DECISIVE",
        is_assigned("frozenset((ClaimName.RUN,))"),
        (_EVIDENCE + "test_t6_a_run_that_tells_nothing_decisive_proves_nothing",),
    ),
    Defence(
        "T7",
        "lets one run back two rows",
        "bot/evidence/claims/owner.py::_used_once",
        never("places"),
        (_EVIDENCE + "test_t7_a_run_that_backs_another_script_backs_no_second_one",),
    ),
    Defence(
        "T7",
        "does not look at the rows of the page",
        "bot/evidence/which_run.py::in_use",
        never("own not in row"),
        ("tests/review/test_runs.py",),
    ),
    Defence(
        "T8",
        "obeys the configuration of the pull request",
        "bot/review/reading.py::_Reading._validate_config",
        becomes(
            'parse_config(self.files.config, f"{FILE_NAME} of this change")',
            "self.options = self.request.options(parse_config(self.files.config, FILE_NAME))",
        ),
        (_THREATS + "test_t8_a_pull_request_does_not_relax_its_own_rules",),
    ),
    Defence(
        "T8",
        "takes permissions from the pull request's head",
        "bot/review/commands.py::_Handler._config",
        becomes(
            "base_config(change)",
            "base_config(replace(change, pull=replace(change.pull, base=change.head, "
            "config=None, base_known=False)))",
        ),
        (_OBEY + "test_t14_the_base_says_who_may_and_the_pull_request_does_not",),
    ),
    Defence(
        "T9",
        "reads links to any host",
        "bot/evidence/links.py::RunHosts.place",
        becomes("(name for name in self.names if _HOST.match(name))", "(host,)"),
        (_HERE + "test_t9_an_address_that_is_no_run_of_an_allowed_host_is_never_asked",),
    ),
    Defence(
        "T9",
        "sends the key to any host",
        "bot/evidence/online/access.py::Access.key_for",
        becomes("self._configured(link)", "True"),
        (_HERE + "test_t9_the_operators_key_goes_to_its_own_host_alone",),
    ),
    Defence(
        "T9",
        "follows a redirect with the key",
        "bot/evidence/online/requests.py::_Redirects.redirect_request",
        never("follow is None or not follow(url)"),
        ("tests/evidence/online/test_failures.py::test_failures_of_the_first_question",),
    ),
    Defence(
        "T9",
        "fetches a table from wherever SwanLab's server says",
        "bot/evidence/online/swanlab_cloud.py::is_public",
        returns("True"),
        ("tests/trackers/test_swanlab_server.py::test_where_a_table_may_lie",),
    ),
    Defence(
        "T9",
        "follows the Hub to wherever it says",
        "bot/evidence/online/trackio_space.py::is_store",
        returns("True"),
        ("tests/trackers/test_hub_server.py::test_where_a_file_may_lie",),
    ),
    Defence(
        "T9",
        "sends SwanLab's key to any server",
        "bot/evidence/online/tracker_access.py::SwanlabAccess.key_for",
        returns("self.key"),
        ("tests/trackers/test_swanlab_server.py::test_a_key_belongs_to_one_server",),
    ),
    Defence(
        "T9",
        "sends the Hub's key to any server",
        "bot/evidence/online/tracker_access.py::TrackioAccess.key_for",
        returns("self.authorization"),
        ("tests/trackers/test_hub_server.py::test_a_key_belongs_to_one_server",),
    ),
    Defence(
        "T9",
        "takes a link that lets everybody write into a Space",
        "bot/evidence/links.py::_trackio_run",
        never('"write_token" in query'),
        ("tests/trackers/test_hub_server.py::test_a_token_in_a_link_is_found",),
    ),
    Defence(
        "T10",
        "reads a private run of SwanLab's with the operator's key",
        "bot/evidence/online/swanlab_cloud.py::read_swanlab_cloud",
        never("private and not asked.allow_private"),
        (
            "tests/trackers/test_swanlab_server.py::test_a_private_run_is_read_where_that_is_allowed",
        ),
    ),
    Defence(
        "T10",
        "reads a private Space with the operator's key",
        "bot/evidence/online/trackio_space.py::_Hub.database",
        never("not self._asked.allow_private"),
        (
            "tests/trackers/test_hub_server.py::test_a_key_reads_what_only_it_may_and_goes_to_no_store",
        ),
    ),
    Defence(
        "T9",
        "reads MLflow links to any server",
        "bot/evidence/links.py::RunHosts.mlflow_run",
        becomes("server in self.mlflow", "True"),
        ("tests/trackers/test_mlflow_server.py::test_only_servers_that_are_named_are_asked",),
    ),
    Defence(
        "T9",
        "sends MLflow's key to any server",
        "bot/evidence/online/tracker_access.py::MlflowAccess.key_for",
        becomes("self.api_of(link) != self.server", "False"),
        ("tests/trackers/test_mlflow_server.py::test_a_key_goes_to_its_own_server_alone",),
    ),
    Defence(
        "T10",
        "reads a run that an MLflow server shows with a key alone",
        "bot/evidence/online/mlflow_server.py::_permitted",
        becomes("asked.allow_private", "True"),
        ("tests/trackers/test_mlflow_server.py::test_a_key_reads_what_only_it_may",),
    ),
    Defence(
        "T10",
        "lets a repository alone open private runs",
        "bot/service/work.py::access_of",
        passes("allow_private_runs", "config.allow_private_runs"),
        (_HERE + "test_t10_a_repository_alone_cannot_open_what_the_operators_key_sees",),
    ),
    Defence(
        "T10",
        "reads a private run with its key",
        "bot/evidence/online/probe.py::read_permission",
        never("private and not probe.run.allow_private"),
        ("tests/evidence/online/test_failures.py::test_a_private_run",),
    ),
    Defence(
        "T10",
        "shows private runs in the logs of CI",
        "bot/commands/runs.py::reading",
        becomes('not os.environ.get("CI")', "True"),
        (_ONLINE + "test_t10_what_is_for_others_holds_no_private_run",),
    ),
    Defence(
        "T10",
        "reads private runs for a row",
        "bot/commands/inputs.py::script_with_options",
        becomes('"others"', '"caller"'),
        (_ONLINE + "test_t10_what_is_for_others_holds_no_private_run",),
    ),
    Defence(
        "T10",
        "does not mark the report of a private run",
        "bot/evidence/claims/compare.py::_source",
        becomes("facts.private", "False"),
        (_ONLINE + "test_t10_a_private_run_on_ones_own_terminal",),
    ),
    Defence(
        "T11",
        "leaves mentions and addresses alive",
        "bot/render/escape.py::_defused",
        returns("shown"),
        (_THREATS + "test_t11_names_and_texts_are_no_markup_and_call_nobody",),
    ),
    Defence(
        "T11",
        "leaves markup in running text",
        "bot/render/escape.py::_MARKUP",
        is_assigned(r're.compile(r"[\\`*_~|&$]")'),
        ("tests/render/test_escape.py::test_running_text_is_nothing_but_text",),
    ),
    Defence(
        "T11",
        "writes texts into the App's pages as they are",
        "bot/service/pages.py::_environment",
        passes("autoescape", "False"),
        ("tests/service/test_pages.py::test_t11_texts_of_a_script_or_a_run_are_no_markup",),
    ),
    Defence(
        "T12",
        "writes a cell of the page as it is",
        "bot/table/rst.py::cell",
        returns("normalise(text) or UNKNOWN_CELL"),
        ("tests/table/test_rst.py::test_any_text_is_one_cell_that_shows_this_text",),
    ),
    Defence(
        "T12",
        "offers an edit that docutils reads as another page",
        "bot/table/edit.py::add_row",
        never("wrong"),
        ("tests/table/test_edit.py::test_a_table_that_docutils_cannot_read_is_refused",),
    ),
    Defence(
        "T12",
        "includes the files that a page names",
        "bot/table/judge.py::_parsed",
        becomes(
            "settings.file_insertion_enabled = False", "settings.file_insertion_enabled = True"
        ),
        ("tests/table/test_proof.py::test_nothing_of_a_page_is_executed",),
    ),
    Defence(
        "T12",
        "suggests what a reader cannot see",
        "bot/github/suggestions.py::_safe_to_show",
        returns("True"),
        (_THREATS + "test_t12_suggestions_hide_nothing_and_end_where_they_should",),
    ),
    Defence(
        "T13",
        "takes a copied marker for its own comment",
        "bot/github/posted.py::posted_of",
        becomes("c.ours and is_marked(c.body)", "is_marked(c.body)"),
        (_THREATS + "test_t13_a_copied_marker_makes_nobody_us",),
    ),
    Defence(
        "T13",
        "takes a copied mark for its own reply",
        "bot/github/command_comment.py::_is_one_ours",
        becomes('node and node.get("viewerDidAuthor")', "node"),
        (_OBEY + "test_t13_a_copied_mark_keeps_no_reply_back",),
    ),
    Defence(
        "T13",
        "takes a copied mark among the comments that were read for a reply of its own",
        "bot/github/command_comment.py::has_reply",
        becomes("comment.ours and mark in comment.body", "mark in comment.body"),
        (_OBEY + "test_t13_a_copied_mark_keeps_no_reply_back",),
    ),
    Defence(
        "T14",
        "obeys everybody",
        "bot/review/commands.py::_Handler._carry_out_one",
        never("not (verify and author) and not self._asker(change).may(least)"),
        (_OBEY + "test_t14_who_may_verify",),
    ),
    Defence(
        "T14",
        "lets a person ask as often as they like",
        "bot/review/commands.py::_Handler.carry_out",
        never("self.recent.wait"),
        (_OBEY + "test_t14_a_person_waits_between_two_commands",),
    ),
    Defence(
        "T14",
        "answers each of a flood of refused commands",
        "bot/review/commands.py::_Handler._refuse",
        never("self.recent.refused"),
        (_OBEY + "test_t14_a_flood_of_refused_commands_is_answered_once",),
    ),
    Defence(
        "T15",
        "reads commands in quotes and lists",
        "bot/github/commands.py::lines",
        becomes("top", "True"),
        ("tests/github/test_commands.py::test_t15_what_is_no_command",),
    ),
    Defence(
        "T15",
        "runs again what an edit left as it was",
        "bot/github/commands.py::commands",
        never("old[line]"),
        (_OBEY + "test_t15_an_edit_that_adds_nothing_is_nothing",),
    ),
    Defence(
        "T15",
        "obeys its own words",
        "bot/review/commands.py::handle_command",
        becomes("ours", "False"),
        (_OBEY + "test_t15_our_own_words_are_no_commands",),
    ),
    Defence(
        "T15",
        "obeys bots",
        "bot/github/actions.py::comment_request",
        never('author["type"] != "User" or payload["sender"]["type"] != "User"'),
        ("tests/service/test_events.py",),
    ),
    Defence(
        "T15",
        "obeys who edited somebody else's comment",
        "bot/github/actions.py::comment_request",
        never('payload["sender"]["login"] != author["login"]'),
        ("tests/service/test_events.py",),
    ),
    Defence(
        "T16",
        "answers a pull request whose head moved on",
        "bot/github/actions.py::pulls_with",
        becomes('item["head"]["sha"] == subject.head', "True"),
        (_ACTION + "test_t16_a_head_that_moved_on_gets_nothing",),
    ),
    Defence(
        "T17",
        "reads a body of any size",
        "bot/service/webhook.py::_read_body",
        never("len(body) + len(part) > MAX_BODY"),
        (_WEBHOOK + "test_t17_a_body_is_capped_before_it_is_hashed",),
    ),
    Defence(
        "T17",
        "reads a script of any size",
        "bot/shell/reader.py::_decode",
        never("len(data) > limits.bytes"),
        ("tests/shell/test_bounds.py",),
    ),
    Defence(
        "T17",
        "reads every script of any repository with a change of the configuration",
        "bot/review/configuration_change.py::_read_changed",
        never("len(scripts) > MOST_SCRIPTS"),
        (_CONFIGURATION + "test_a_repository_with_too_many_scripts_is_not_checked",),
    ),
    Defence(
        "T17",
        "reads every script that uses what a change alters",
        "bot/review/dependents.py::_candidates",
        never("len(uses) > MOST_SCRIPTS"),
        ("tests/github/test_dependents.py::test_more_scripts_than_are_read_are_named",),
    ),
    Defence(
        "T17",
        "goes on with the scripts of a repository after several took too much",
        "bot/base/isolated.py::within_limits",
        never("len(left) >= MOST_TRIES"),
        (_CONFIGURATION + "test_scripts_that_take_too_much_are_named_and_soon_given_up",),
    ),
    Defence(
        "T17",
        "edits a page of any size",
        "bot/table/page.py::read_page",
        never("len(text) > MAX_CHARACTERS"),
        ("tests/github/test_page_change.py::test_an_enormous_page",),
    ),
    Defence(
        "T17",
        "evaluates names of names without end",
        "bot/shell/expand/numbers.py::_Numbers.number_text",
        becomes("self.session.work(_EVALUATION + _EVALUATED * len(text))", "self.session.work(0)"),
        (_BOUNDS,),
    ),
    Defence(
        "T17",
        "looks for the end of a bracket without end",
        "bot/shell/expand/patterns.py::Pattern._bracket_end",
        never("position % 64 == 0"),
        (_BOUNDS,),
    ),
    Defence(
        "T17",
        "expands braces without counting them",
        "bot/shell/expand/braces.py::_Expander._choices",
        becomes("self.session.spend(0, 1 + (close - opening) // 8)", "None"),
        (_BOUNDS,),
    ),
    Defence(
        "T17",
        "keeps every way through a script",
        "bot/shell/run/decisions.py::split",
        becomes("session.spend(0, world.weight())", "None"),
        (_BOUNDS,),
    ),
    Defence(
        "T17",
        "runs a command again for every outcome",
        "bot/shell/run/runner.py::Runner.run",
        becomes("range(session.limits.worlds - 1)", "range(1 << 20)"),
        (_BOUNDS,),
    ),
    Defence(
        "T17",
        "lists commands of any length",
        "bot/shell/world/session.py::Session.record",
        never("len(command.argv) > self.limits.arguments"),
        (_BOUNDS,),
    ),
    Defence(
        "T17",
        "lists any number of words",
        "bot/shell/world/session.py::Session.record",
        never("self._listed > self.limits.listed"),
        (_BOUNDS,),
    ),
    Defence(
        "T17",
        "forgets the time of a reading",
        "bot/shell/world/session.py::Session._tick",
        returns("None"),
        (_BOUNDS,),
    ),
    Defence(
        "T17",
        "hands every override to the grammar of Hydra",
        "bot/frameworks/hydra/grammar.py::parse_with_hydra",
        never("not GRAMMAR.takes(_WORD + len(text))"),
        (_OVERRIDES + "test_what_a_script_hands_to_hydras_grammar_is_bounded",),
    ),
    Defence(
        "T17",
        "reads keys of any depth",
        "bot/frameworks/hydra/overrides.py::read_override",
        never('shown.count(".", 0, at) > _MOST_LEVELS'),
        (_OVERRIDES + "test_what_python_cannot_hold_is_a_bad_argument",),
    ),
    Defence(
        "T17",
        "counts up to the batch that divides",
        "bot/rules/_support/multiples.py::step",
        begins("for b in range(1, divisor + 1):\n    if b * factor % divisor == 0: return b"),
        (_HOSTILE + "test_large_numbers",),
    ),
    Defence(
        "T17",
        "takes for digits what `int` refuses",
        "bot/base/digits.py::is_digits",
        returns("text.isdigit()"),
        (_HOSTILE + "test_large_numbers", "tests/base/test_digits.py"),
    ),
    Defence(
        "T17",
        "reads numbers of any length",
        "bot/base/digits.py::whole_number",
        returns("int(text)"),
        (_HOSTILE + "test_large_numbers", "tests/base/test_digits.py"),
    ),
    Defence(
        "T17",
        "looks for whatever a script of a pull request names",
        "bot/frameworks/files/named_files.py::NamedFiles.words",
        returns("iter(dict.fromkeys(words))"),
        (_HOSTILE + "test_repositories",),
    ),
    Defence(
        "T17",
        "follows a search path of any number of folders",
        "bot/frameworks/repository/own_config.py::_MOST_PLACES",
        is_assigned("1 << 30"),
        (_HOSTILE + "test_repositories",),
    ),
    Defence(
        "T17",
        "reads the keys of a project at any cost",
        "bot/frameworks/repository/requirements.py::_MOST_STEPS",
        is_assigned("1 << 60"),
        (_HOSTILE + "test_repositories",),
    ),
    Defence(
        "T17",
        "lets docutils take any time",
        "bot/table/judge.py::_judged",
        becomes("deadline(_SECONDS)", "deadline(1e6)"),
        (_HOSTILE + "test_pages",),
    ),
    Defence(
        "T17",
        "makes lists for any number of layers",
        "bot/memory/shapes/hub_numbers.py::layer_count",
        passes("most", "_MOST"),
        ("tests/memory/test_models.py::test_no_list_is_made_for_any_number_of_layers",),
    ),
    Defence(
        "T17",
        "follows aliases in the configuration of a run",
        "bot/evidence/side_files.py::_loader",
        becomes("self.check_event(yaml.AliasEvent)", "False"),
        ("tests/evidence/test_folder.py::test_a_configuration_that_multiplies_itself_is_a_gap",),
    ),
    Defence(
        "T17",
        "lets a reading take any processor time",
        "bot/base/isolated.py::_limit_processor",
        returns("None"),
        (_ISOLATED + "test_a_limit_ends_it_and_names_what_was_read",),
    ),
    Defence(
        "T17",
        "lets a reading take any memory",
        "bot/base/isolated.py::limit_memory",
        returns("None"),
        (_ISOLATED + "test_a_limit_ends_it_and_names_what_was_read",),
    ),
    Defence(
        "T17",
        "waits for a silent reading for ever",
        "bot/base/isolated.py::_Conversation.converse",
        becomes("self.limits.silence", "None"),
        (_ISOLATED + "test_a_limit_ends_it_and_names_what_was_read",),
    ),
    Defence(
        "T17",
        "lets one repository have every slot",
        "bot/service/retries.py::Slots.taken",
        becomes("self._taken[repository] >= self._most", "False"),
        ("tests/service/test_slots.py::test_one_repository_leaves_slots_to_the_others",),
    ),
    Defence(
        "T17",
        "waits for headers for ever",
        "bot/service/connections.py::_BoundedProtocol._follow",
        becomes("self._deadline = self.loop.call_later(seconds, self._close)", "pass"),
        (_OPEN + "test_t17_headers_that_do_not_end_are_not_waited_for",),
    ),
    Defence(
        "T17",
        "begins to wait anew with each byte",
        "bot/service/connections.py::_BoundedProtocol._follow",
        becomes("phase is self._phase", "False"),
        (_OPEN + "test_t17_each_byte_does_not_earn_more_time",),
    ),
    Defence(
        "T17",
        "keeps idle connections however many there are",
        "bot/service/connections.py::_BoundedProtocol.connection_made",
        never("len(self.connections) > self._limits.most and self._idle"),
        (_OPEN + "test_t17_idle_connections_give_way",),
    ),
    Defence(
        "T17",
        "holds any number of large unsigned bodies",
        "bot/service/webhook.py::BodyBudget.holding",
        never("more > self._left"),
        (_OPEN + "test_t17_large_bodies_share_a_budget_and_small_ones_always_pass",),
    ),
    Defence(
        "T17",
        "reads a body that cannot be signed",
        "bot/service/webhook.py::Webhooks._signed_body",
        never("not may_be_signed(signed)"),
        (_OPEN + "test_t5_without_the_form_of_a_signature_no_body_is_read",),
    ),
    Defence(
        "T17",
        "reads a body whose length is too large",
        "bot/service/webhook.py::_require_form",
        never("is_digits(length) and int(length[:20]) > MAX_BODY"),
        (_OPEN + "test_t17_a_length_that_is_too_large_is_refused_before_the_body",),
    ),
    Defence(
        "T18",
        "leaves a late result on the pull request",
        "bot/github/publish.py::_Posting.comment",
        becomes("self.posted.head != self.answer.head", "self.done.superseded"),
        (_THREATS + "test_t18_a_result_that_comes_late_is_followed_by_the_right_one",),
    ),
    Defence(
        "T18",
        "runs two jobs of a pull request at once",
        "bot/service/worker.py::Worker.start",
        passes("partition_concurrency", "4"),
        (_JOBS + "test_a_lane_runs_one_job_at_a_time_and_drops_what_a_later_one_does",),
    ),
    Defence(
        "T19",
        "asks for no lost delivery again",
        "bot/service/sweep.py::failed",
        becomes("guid not in done and tried[guid] < MOST_ATTEMPTS", "guid in done"),
        (_APP + "test_t19_lost_deliveries_are_asked_for_again",),
    ),
    Defence(
        "T19",
        "acknowledges what it could not store",
        "bot/service/webhook.py::Webhooks._store",
        becomes("_Refusal(503, reason)", "_Refusal(202, reason)"),
        (_WEBHOOK + "test_what_cannot_be_stored_is_delivered_again",),
    ),
    Defence(
        "T20",
        "writes as fast as it can",
        "bot/github/client.py::Pace.turn",
        returns("0.0"),
        (_THREATS + "test_t20_a_second_passes_between_writes",),
    ),
    Defence(
        "T20",
        "waits as it likes, whatever GitHub asks",
        "bot/github/failures.py::_after",
        returns("None"),
        (_THREATS + "test_t20_what_a_limit_asks_is_waited",),
    ),
    Defence(
        "T21",
        "takes an action by its tag",
        "action.yml",
        Text("actions/cache@27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5", "actions/cache@v5"),
        (_FLOWS + "test_t21_the_action_uses_pinned_actions_and_no_container",),
    ),
    Defence(
        "T21",
        "installs what has no hash",
        "action.yml",
        Text("--require-hashes --no-deps --no-cache", "--no-deps --no-cache"),
        (_FLOWS + "test_t21_the_installation_takes_only_what_the_locks_name",),
    ),
    Defence(
        "T22",
        "prints secrets",
        "bot/base/secrets.py::Secret.__repr__",
        returns("self._text"),
        ("tests/base/test_secrets.py",),
    ),
    Defence(
        "T22",
        "repeats a token that GitHub quotes",
        "bot/github/client.py::Client._scrubbed",
        becomes('text.replace(secret.reveal(), "***")', "text"),
        (_THREATS + "test_t22_the_token_stands_in_no_text",),
    ),
    Defence(
        "T22",
        "logs a secret that somebody wrote there",
        "bot/service/logs.py::JsonLines.format",
        becomes('text.replace(hidden, "***")', "text"),
        ("tests/service/test_secrets.py::test_t22_a_secret_that_somebody_logs_is_taken_out",),
    ),
    Defence(
        "T22",
        "lets printed text command the runner",
        "bot/commands/action.py::_stopped_commands",
        becomes(r'out.write(f"::stop-commands::{word}\n")', r'out.write("\n")'),
        (_ACTION + "test_t22_nothing_that_is_printed_is_a_command_but_our_own",),
    ),
    Defence(
        "T23",
        "shows characters that deceive as they are",
        "bot/render/escape.py::visible",
        returns("text"),
        (_THREATS + "test_t23_characters_that_deceive_are_shown_and_found",),
    ),
    Defence(
        "T23",
        "takes letters of every alphabet in names",
        "bot/script/name.py::_by_underscores",
        never("not _TOKEN.match(token)"),
        (_THREATS + "test_t23_characters_that_deceive_are_shown_and_found",),
    ),
    Defence(
        "T23",
        "overlooks characters that turn the text around",
        "bot/rules/invisible_characters.py::_UNSEEN",
        becomes("_BIDI", "_SPACES"),
        ("tests/rules/test_invisible_characters.py",),
    ),
    Defence(
        "T24",
        "follows a link that stands where the draft is written",
        "bot/base/files.py::_Target.draft",
        becomes("os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFELY", "os.O_WRONLY | os.O_CREAT"),
        (_FILES + "test_a_planted_draft_is_not_followed",),
    ),
    Defence(
        "T17",
        "looks for any number of files of a configuration",
        "bot/frameworks/hydra/memory_source.py::MemoryRepository._count",
        never("self.loads > self.limits.loads or self.nodes > self.limits.nodes"),
        (_TREES + "test_compositions_that_take_too_much",),
    ),
    Defence(
        "T17",
        "writes out the aliases of .rlbot.yml",
        "bot/base/config.py::_loaded",
        never("root is not None and size_of(root, MAX_DEPTH) > MAX_VALUES"),
        ("tests/base/test_config.py::test_aliases_that_grow_without_end_are_refused",),
    ),
    Defence(
        "T17",
        "takes a run's configuration of any size",
        "bot/evidence/run_config.py::plain",
        never("_values(config, most) > most"),
        ("tests/evidence/test_run_config.py::test_a_configuration_of_any_size_is_left_out",),
    ),
    Defence(
        "T17",
        "takes any number of settings from a transaction log",
        "bot/evidence/run_config.py::LoggedConfig._is_over",
        returns("False"),
        ("tests/evidence/test_folder.py::test_each_bound_that_is_hit_is_said",),
    ),
    Defence(
        "T17",
        "goes back and forth in a comment of a script",
        "bot/script/header.py::_LINE",
        is_assigned(r're.compile(r"#+\s*(wandb)\s*:\s*(\S.*?)\s*\Z")'),
        ("tests/hostile/test_regexes.py::test_no_expression_goes_back_and_forth",),
    ),
    Defence(
        "T17",
        "reads tables of any width in comments",
        "bot/base/markdown.py::with_tables",
        returns('parser.enable("table")'),
        ("tests/github/test_commands.py::test_a_table_that_is_too_wide_for_anybody_is_text",),
    ),
    Defence(
        "T17",
        "lists a run's files as long as the server does",
        "bot/evidence/online/streams.py::fetch_files",
        becomes("list(islice(listing, len(names)))", "list(islice(listing, 100))"),
        ("tests/evidence/online/test_lying.py::test_files_without_end",),
    ),
    Defence(
        "T25",
        "shows what went private without a word",
        "bot/service/sweep.py::_hide",
        returns("0"),
        (_SEEN + "test_t25_private_although_the_webhook_was_lost",),
    ),
    Defence(
        "T24",
        "follows a link that has the name of the file",
        "bot/base/files.py::_Target.lstat",
        passes("follow_symlinks", "True"),
        (_FILES + "test_no_link_is_written_through_or_replaced",),
    ),
    Defence(
        "T24",
        "writes over what somebody changed meanwhile",
        "bot/base/files.py::replace_file",
        becomes("target.content(len(old) + 1) != old", "False"),
        (_FILES + "test_a_file_that_changed_meanwhile_is_left_alone",),
    ),
    Defence(
        "T24",
        "does not wait for another process that writes",
        "bot/base/files.py::_locked",
        becomes("_lock(folder, path)", "None"),
        (_FILES + "test_the_comparison_waits_for_whoever_writes",),
    ),
    Defence(
        "T24",
        "writes a file in its place",
        "bot/base/files.py::_Target.rename",
        becomes(
            "os.replace(draft, self.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)",
            'with self.path.open("wb") as file:\n'
            "    file.write((self.path.parent / draft).read_bytes())",
        ),
        (_FILES + "test_killed_at_any_line_the_old_file_is_there_or_the_new_one",),
    ),
    Defence(
        "T25",
        "believes at the end what was read at the beginning",
        "bot/service/work.py::GitHubWork._record",
        becomes("not state.private", "True"),
        (_SEEN + "test_t25_private_between_check_and_publish",),
    ),
    Defence(
        "T25",
        "shows what a late job stores although it is hidden",
        "bot/service/verifications.py::_VISIBLE",
        is_assigned("_reports.c.public"),
        (_SEEN + "test_t25_hidden_between_check_and_publish",),
    ),
    Defence(
        "T25",
        "hides nothing by number",
        "bot/service/visibility.py::VisibilityWork.hide",
        becomes("self._verifications.hide(change.subjects)", "None"),
        (_SEEN + "test_t25_private_after_a_rename_that_nobody_told_of",),
    ),
    Defence(
        "T25",
        "hears of no suspension",
        "bot/service/events.py::_installed",
        becomes('("deleted", "suspend", "removed")', '("deleted", "removed")'),
        (_SEEN + "test_t25_suspended_and_not_any_more",),
    ),
    Defence(
        "T25",
        "hears of no removal from an installation",
        "bot/service/events.py::_installed",
        becomes('("deleted", "suspend", "removed")', '("deleted", "suspend")'),
        (_SEEN + "test_t25_removed_from_the_installation_and_added_again",),
    ),
    Defence(
        "T25",
        "believes an event that says public",
        "bot/service/visibility.py::VisibilityWork._public_name",
        becomes("state.id == number and not state.private", "True"),
        (_SEEN + "test_t25_a_late_word_that_it_is_public_is_not_believed",),
    ),
    Defence(
        "T25",
        "ends a hiding that came while GitHub was asked",
        "bot/service/verifications.py::Verifications.show",
        becomes("_is(subject) & (_hidden.c.version == version)", "_is(subject)"),
        (_SEEN + "test_a_hiding_that_comes_while_github_is_asked_stands",),
    ),
    Defence(
        "T25",
        "keeps what is published under a name that was given up",
        "bot/service/verifications.py::Verifications.show",
        never("done and name is not None"),
        (_SEEN + "test_t25_renamed_and_then_private",),
    ),
    Defence(
        "T17",
        "counts no work of a reading, slices in a loop among it",
        "bot/shell/world/session.py::Session.spend",
        returns("None"),
        ("tests/shell/test_bounds.py::test_slices_of_an_array_are_counted_by_their_elements",),
    ),
    Defence(
        "T17",
        "reads literals of any depth",
        "bot/evidence/literals.py::_data",
        never("depth > _DEPTH"),
        ("tests/evidence/test_run_config.py::test_a_namespace_of_any_depth_stays_text",),
    ),
    Defence(
        "T20",
        "knows no link of a server of one's own, and commits again and again",
        "bot/table/links.py::read_address",
        becomes("{host: _BLOB, **forms}", "forms"),
        ("tests/review/test_row_link.py::test_apply_comes_to_rest_after_one_commit",),
    ),
    Defence(
        "T20",
        "posts a comment again whose answer was lost with others",
        "bot/github/publish.py::_Posting._take",
        never("not outcomes or any(isinstance(each, GitHubError) for each in written)"),
        (_FAILURES + "test_a_comment_whose_answer_was_lost_is_not_doubled",),
    ),
    Defence(
        "T20",
        "leaves a command done whose reply was never posted",
        "bot/github/command_comment.py::Closing.take_back",
        returns("None"),
        (_ONE_REQUEST + "test_a_command_whose_reply_fails_for_good_is_carried_out_again",),
    ),
    Defence(
        "T20",
        "posts a check run again whose answer was lost",
        "bot/github/checks.py::_check_run",
        becomes("there and there.external_id == external_id", "None"),
        (_FAILURES + "test_a_check_run_whose_answer_was_lost_is_not_doubled",),
    ),
    Defence(
        "T20",
        "asks for a check run with a person's token each time",
        "bot/github/checks.py::publish_check",
        never("client.is_person"),
        (_PUBLISH + "test_a_person_leaves_a_commit_status",),
    ),
    Defence(
        "T26",
        "fails where its output cannot be written",
        "bot/commands/output.py::printing",
        begins("yield\nreturn"),
        (
            "tests/commands/test_process.py::test_output_that_cannot_be_written_is_an_error_of_one_sentence",
        ),
    ),
    Defence(
        "T26",
        "fails where its input is closed",
        "bot/commands/output.py::open_streams",
        returns("None"),
        (
            "tests/commands/test_process.py::test_a_closed_standard_input_is_an_error_of_one_sentence",
        ),
    ),
    Defence(
        "T26",
        "leaves a status waiting for good",
        "bot/github/checks.py::STATES",
        says("error", "pending"),
        (_PUBLISH + "test_a_status_without_a_result_waits_for_nothing",),
    ),
    Defence(
        "T26",
        "advises permissions that nobody can grant",
        "bot/review/commit.py::_remedy",
        never("pull.from_fork"),
        (_APPLY + "test_apply_says_what_helps_against_a_refusal",),
    ),
)
