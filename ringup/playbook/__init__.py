"""Playbooks as values. All that can be judged before a host is touched is judged here, with file, line and the nearest name.

values.py      what a playbook becomes                 loading.py   the ways in
vocabulary.py  what the loader is told                 plays.py, roles.py, steps.py, action.py, loops.py   one subject each
keywords.py    every keyword, kinds.py its values      tags.py      which tasks a run selects
"""

from ringup.playbook.finding import find_tasks_file
from ringup.playbook.loading import load_playbook, load_role, load_tasks
from ringup.playbook.scope import Included
from ringup.playbook.tags import selected
from ringup.playbook.vocabulary import Spec, Vocabulary

__all__ = ["Included", "Spec", "Vocabulary", "find_tasks_file", "load_playbook", "load_role", "load_tasks", "selected"]
