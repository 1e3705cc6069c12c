import io
import json

from stories import secret_run, whole_run

from ringup.display.json_lines import JsonLines
from ringup.events import Event


def lines(events: list[Event]) -> list[dict[str, object]]:
    stream = io.StringIO()
    listener = JsonLines(stream)
    for event in events:
        listener.on(event)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_event_is_one_object_with_its_name() -> None:
    events = whole_run()
    assert [line["event"] for line in lines(events)] == [type(event).__name__ for event in events]


def test_results_are_plain_values_and_the_recap_is_by_host() -> None:
    told = lines(whole_run())
    assert told[-1]["recap"]["node03"]["failed"] == 1  # type: ignore[index]
    ended = next(line for line in told if line["event"] == "TaskEnded")
    assert ended["result"]["changed"] is True  # type: ignore[index]


def test_secrets_leave_in_no_line() -> None:
    assert "hunter2" not in json.dumps(lines(secret_run()))
