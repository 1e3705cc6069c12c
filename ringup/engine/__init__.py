"""Runs plays over hosts and emits what happens as events.

request.py    what is asked, and what came of it      runner.py     a run: playbooks, plays, the end
play.py       a play: batches, sections, blocks       execute.py    one task on one host: loop, when, run, changed, failed, until
tasks.py      one task over many hosts                variables.py  which value a name has, for a host and a task
includes.py   tasks that come while the play runs     handlers.py   who was notified, what runs at a flush
reach.py      connections, modules, what actions see  hosts.py      what is known of a host during a run
loops.py      items and their variables               interrupt.py  Ctrl-C
batches.py, recap.py, options.py                      pure: serial, limits; counting; -e
additions.py  what add_host and group_by add          truth.py      keywords that are true or false once rendered
"""

from ringup.engine.request import Outcome, PlaybookRequest
from ringup.engine.runner import run_playbooks

__all__ = ["Outcome", "PlaybookRequest", "run_playbooks"]
