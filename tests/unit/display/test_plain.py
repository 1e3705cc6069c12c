import io

from rich.console import Console
from stories import secret_run, whole_run

from ringup.display.diff import LINES_SHOWN, diff_lines
from ringup.display.live import LiveView
from ringup.display.plain import Plain
from ringup.display.recap import duration, recap_lines
from ringup.events import Event, HostRecap, HostStopped, ItemEnded, RetryStarted, WarningIssued
from ringup.results import Result


def shown(events: list[Event], **options: bool) -> str:
    stream = io.StringIO()
    plain = Plain(stream, **options)
    for event in events:
        plain.on(event)
    return stream.getvalue()


def test_hosts_that_did_the_same_are_folded_into_one_line() -> None:
    assert "node[01-02]: hi" in shown(whole_run())


def test_a_failure_tells_what_happened_what_the_program_said_and_what_to_do() -> None:
    text = shown(whole_run())
    assert "FAILED node03: no space left" in text
    assert "stderr: write error" in text
    assert "hint: free some" in text


def test_a_diff_is_shown_only_when_it_is_asked_for() -> None:
    assert "+<b>hello</b>" in shown(whole_run(), show_diff=True)
    assert "<b>hello</b>" not in shown(whole_run())


def test_the_recap_is_grepped_as_ansibles_is() -> None:
    assert "node01 : ok=2    changed=1    unreachable=0    failed=0" in shown(whole_run())


def test_secrets_reach_no_line() -> None:
    assert "hunter2" not in shown(secret_run(), show_diff=True)


def test_hosts_that_others_stopped_say_so_in_the_recap() -> None:
    (line,) = recap_lines({"a": HostRecap(ok=1)}, {"a": "any_errors_fatal: a host has failed"})
    assert line.endswith("stopped: any_errors_fatal: a host has failed")


def test_items_retries_warnings_and_stops_have_their_lines() -> None:
    events: list[Event] = [
        ItemEnded(1.0, 5, "node01", "b", Result({"failed": True, "msg": "no such user"})),
        RetryStarted(1.0, 5, "node02", 1, 3),
        WarningIssued(1.0, "old driver", None, "node02"),
        HostStopped(1.0, "node03", "run_once"),
    ]
    text = shown(events)
    assert "failed node01 (b): no such user" in text
    assert "node02: not yet; try 2 of 4" in text
    assert "warning: node02: old driver" in text
    assert "stopped node03: run_once" in text


def test_a_long_diff_is_cut_and_says_how_much_is_left() -> None:
    lines = diff_lines({"before": "", "after": "".join(f"{number}\n" for number in range(1000))})
    assert len(lines) == LINES_SHOWN + 1
    assert lines[-1] == "... 803 more lines"


def test_spans_are_said_as_people_say_them() -> None:
    assert [duration(seconds) for seconds in (0.44, 12.3, 185, 3725)] == ["0.4 s", "12 s", "3 min 05 s", "1 h 02 min"]


def test_the_live_view_keeps_what_is_worth_keeping_and_survives_a_tiny_terminal() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=40, height=8)
    view = LiveView(console)
    for event in whole_run():
        view.on(event)
    text = stream.getvalue()
    assert "no space left" in text
    assert "RECAP" in text
