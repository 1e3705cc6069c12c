"""A callback for ansible-playbook: every task's outcome on every host, and the recap, as one JSON document."""

import json
import os
from pathlib import Path

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: conformance_trace
type: notification
short_description: what tasks did, for comparison
description: Writes outcomes and recap to the file that CONFORMANCE_TRACE names.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "conformance_trace"

    def __init__(self):
        super().__init__()
        self.outcomes = []

    def _add(self, result, status):
        values = json.loads(json.dumps(result._result, default=str))
        task = result._task
        self.outcomes.append((result._host.get_name(), task.action.rpartition(".")[2], task.name, status, values))

    def v2_runner_on_ok(self, result):
        self._add(result, "ok")

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._add(result, "ignored" if ignore_errors else "failed")

    def v2_runner_on_skipped(self, result):
        self._add(result, "skipped")

    def v2_runner_on_unreachable(self, result):
        self._add(result, "unreachable")

    def v2_playbook_on_stats(self, stats):
        recap = {host: stats.summarize(host) for host in stats.processed}
        Path(os.environ["CONFORMANCE_TRACE"]).write_text(json.dumps({"outcomes": self.outcomes, "recap": recap}))
