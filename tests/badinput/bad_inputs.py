"""What operators get wrong, and what they must be told: one row each.

A row is a folder of files with one mistake. `where` begins the place that the answer must name (file:line:column, or a host),
`says` and `hint` are parts of the answer, `exit_code` is the program's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

HOSTS = "all:\n  children:\n    gpu-rack:\n      hosts:\n        node[01:04]:\n          ansible_connection: local\n"
TASKS = "- hosts: all\n  gather_facts: false\n  tasks:\n"


@dataclass(frozen=True, slots=True)
class BadInput:
    """One mistake.

    Attributes:
        files: name -> content; `site.yaml` is the playbook and `hosts.yaml` the inventory, a good one if it is not given.
        arguments: more words on the command line.
    """

    name: str
    files: Mapping[str, str | bytes]
    where: str
    says: str
    hint: str
    exit_code: int = 4
    arguments: tuple[str, ...] = ()
    all_files: Mapping[str, str | bytes] = field(init=False)

    def __post_init__(self) -> None:
        good = {"hosts.yaml": HOSTS, "site.yaml": "- hosts: all\n"}
        object.__setattr__(self, "all_files", {**good, **self.files})


def playbook(name: str, text: str | bytes, where: str, says: str, hint: str, **files: str | bytes) -> BadInput:
    """A mistake in site.yaml; further files by name, `__` for a slash."""
    others = {path.replace("__", "/") + ".yaml": content for path, content in files.items()}
    return BadInput(name, {"site.yaml": text, **others}, where, says, hint)


def task(name: str, text: str, where: str, says: str, hint: str, **files: str | bytes) -> BadInput:
    """A mistake in the first task of a play, which begins in line 4 of site.yaml; `where` is line:column."""
    indented = "".join(f"      {line}\n" for line in text.splitlines()).replace("      ", "    - ", 1)
    return playbook(name, TASKS + indented, f"site.yaml:{where}" if where[0].isdigit() else where, says, hint, **files)


def inventory(name: str, text: str, where: str, says: str, hint: str) -> BadInput:
    return BadInput(name, {"hosts.yaml": text}, where, says, hint)


#: Found before any host is touched.
AT_LOAD = (
    # a playbook that is no playbook
    BadInput(
        "missing playbook", {"site.yaml": "- import_playbook: sight.yaml\n"}, "site.yaml:1:20", "no playbook 'sight.yaml'", "site.yaml"
    ),
    playbook("empty playbook", "", "site.yaml:1", "the playbook is empty", "hosts:"),
    playbook("a mapping for a playbook", "hosts: all\ntasks: []\n", "site.yaml:1:1", "a list of plays is expected", "'- '"),
    playbook("a text for a playbook", "hello\n", "site.yaml:1", "a list of plays is expected", "'- '"),
    playbook("a play that is a text", "- hosts: all\n- hello\n", "site.yaml:2:3", "a play is a mapping", "- hosts"),
    playbook("a play without hosts", "- name: x\n  tasks: []\n", "site.yaml:1:3", "a play without hosts", "add 'hosts:'"),
    playbook("empty hosts", "- hosts:\n  tasks: []\n", "site.yaml:1:3", "a play without hosts", "add 'hosts:'"),
    playbook("not UTF-8", b"- hosts: all\n  name: caf\xe9\n", "site.yaml:2:12", "not UTF-8", "save the file as UTF-8"),
    playbook("two documents", "- hosts: all\n---\n- hosts: all\n", "site.yaml:2", "a second document", "---"),
    # YAML
    playbook("a tab", "- hosts: all\n\ttasks: []\n", "site.yaml:2", "tab", "spaces"),
    playbook("an open quote", '- hosts: "all\n  tasks: []\n', "site.yaml:1", "quote", "quote"),
    playbook("a colon in a value", TASKS + "    - name: a: b\n      debug:\n", "site.yaml:4", "':'", "quote"),
    playbook("a key twice", "- hosts: all\n  become: true\n  become: false\n", "site.yaml:3:3", "'become' is given twice", "line 2"),
    playbook(
        "crooked indentation",
        "- hosts: all\n  tasks:\n    - debug:\n   - debug:\n",
        "site.yaml:4",
        "the indentation does not fit",
        "align it",
    ),
    playbook("an unknown anchor", "- hosts: *rack\n", "site.yaml:1", "anchor", "quote"),
    playbook("an unknown tag", "- hosts: !rack all\n", "site.yaml:1:10", "the tag '!rack' is not known", "!vault"),
    playbook(
        "a template without quotes",
        TASKS + "    - debug:\n        msg: {{ x }}\n",
        "site.yaml:5",
        "a value begins with '{{' and is not quoted",
        "quote",
    ),
    # keywords
    playbook(
        "a misspelt keyword of a play", "- hosts: all\n  taks: []\n", "site.yaml:2:3", "unknown keyword 'taks'", "did you mean 'tasks'?"
    ),
    playbook("a keyword of tasks in a play", "- hosts: all\n  when: x\n", "site.yaml:2:3", "'when' is no keyword of a play", "a task"),
    task("a misspelt keyword of a task", "debug:\nwen: x", "5:7", "unknown keyword 'wen'", "did you mean 'when'?"),
    task("a keyword that is not supported", "debug:\ndebugger: always", "5:7", "'debugger' is not supported", "--step"),
    task("a task that is not waited for", "command: sleep 60\nasync: 60\npoll: 0", "5:7", "'async' is not supported", "timeout"),
    task("rescue without a block", "debug:\nrescue: []", "5:7", "'rescue' without a 'block'", "block"),
    task("a boolean that is none", "debug:\nbecome: maybe", "5:15", "true or false is needed here, not 'maybe'", "true or false"),
    task("a number that is none", "debug:\nretries: often", "5:16", "a whole number is needed here, not 'often'", "digits"),
    task("tags that are a mapping", "debug:\ntags: {a: b}", "5:13", "a tag (a text) is needed here, not a mapping", "[a, b]"),
    task("a register that is no name", "debug:\nregister: my-result", "5:17", "the name of a variable is needed", "letters"),
    task("a variable with a dash", "debug:\nvars: {my-port: 80}", "5:14", "'my-port' cannot be the name of a variable", "letters"),
    playbook("serial by a word", "- hosts: all\n  serial: few\n", "site.yaml:2:11", "a number of hosts or a percentage is needed", "30%"),
    playbook("a strategy that is not there", "- hosts: all\n  strategy: debug\n", "site.yaml:2:13", "the strategy 'debug'", "linear"),
    playbook(
        "an order that is not there", "- hosts: all\n  order: random\n", "site.yaml:2:10", "another word is needed", "known are inventory"
    ),
    playbook("tasks that are a mapping", "- hosts: all\n  tasks: {debug: }\n", "site.yaml:2:10", "'tasks' needs a list of tasks", "'- '"),
    task("a task that is a text", "reboot", "4:7", "a task is a mapping", "- reboot:"),
    # modules and options
    task("a misspelt module", "comand: uptime", "4:7", "no module or keyword 'comand'", "did you mean 'command'?"),
    task("a module of another collection", "community.docker.docker_container: {name: x}", "4:7", "community.docker", "command"),
    task("two modules", "debug:\ncommand: uptime", "5:7", "two modules in one task", "second task"),
    task("no module", "name: nothing", "4:7", "a task without a module", "command: uptime"),
    task("a misspelt option", "copy: {src: a, dest: /b, onwer: me}", "4:39", "unknown option 'onwer'", "did you mean 'owner'?"),
    task("a missing option", "copy: {src: a}", "4:7", "missing option 'dest'", "where it must be on the host"),
    task("options that exclude each other", "copy: {src: a, content: b, dest: /c}", "4:7", "exclude each other", "keep one"),
    task("a value that is no choice", "file: {path: /a, state: presnt}", "4:31", "cannot be 'presnt'", "one of: absent, directory"),
    task("a mode that is none", "file: {path: /a, mode: rwxr}", "4:30", "rwxr", "quote octal modes"),
    task("free text for a module that takes none", "copy: everything", "4:13", "'everything' is not key=value", "options:"),
    task("become on an include", "include_tasks: a.yaml\nbecome: true", "5:7", "'become' cannot be used here", "apply"),
    # templates and conditions
    task("an open template", "debug: {msg: '{{ x'}", "4:20", "no template", "close {{"),
    task("an unknown filter", "debug: {msg: '{{ x | uper }}'}", "4:20", "the filter 'uper' is not known", "did you mean 'upper'?"),
    task("an unknown test", "debug:\nwhen: x is definde", "5:13", "the test 'definde' is not known", "did you mean 'defined'?"),
    task(
        "an unknown lookup", "debug: {msg: \"{{ lookup('fil', 'x') }}\"}", "4:20", "the lookup 'fil' is not known", "did you mean 'file'?"
    ),
    task("a condition that is none", "debug:\nwhen: x ==", "5:13", "no template", "check quotes"),
    task("a condition with braces inside", "debug:\nwhen: x == {{ y }}", "5:13", "x == {{ y }}", "without {{ }}"),
    # loops
    task("a loop over a text", "debug:\nloop: packages", "5:13", "'loop' needs a list", "{{ packages }}"),
    task("a loop over a mapping", "debug:\nloop: {a: 1}", "5:13", "'loop' needs a list, not a mapping", "dict2items"),
    task("two loops", "debug:\nloop: [1]\nwith_items: [2]", "6:7", "two loops in one task", "product"),
    task("an unknown loop", "debug:\nwith_itmes: [1]", "5:7", "unknown loop 'with_itmes'", "with_items"),
    # roles, imports
    playbook(
        "a role that is not there",
        "- hosts: all\n  roles: [bse]\n",
        "site.yaml:2:11",
        "no role 'bse'",
        "'base'",
        roles__base__tasks__main="",
    ),
    playbook(
        "roles in a ring",
        "- hosts: all\n  roles: [a]\n",
        "roles/b/meta/main.yaml:1:16",
        "role a -> role b -> role a",
        "remove one",
        roles__a__meta__main="dependencies: [b]\n",
        roles__b__meta__main="dependencies: [a]\n",
    ),
    playbook(
        "a role with a loop",
        "- hosts: all\n  roles: [{role: a, loop: [1]}]\n",
        "site.yaml:2:21",
        "'loop' is no keyword of a role",
        "include_role",
    ),
    playbook(
        "a mistake in a role",
        "- hosts: all\n  roles: [a]\n",
        "roles/a/tasks/main.yaml:2:3",
        "unknown keyword 'wen'",
        "did you mean 'when'?",
        roles__a__tasks__main="- debug:\n  wen: x\n",
    ),
    playbook(
        "defaults that are a list",
        "- hosts: all\n  roles: [a]\n",
        "roles/a/defaults/main.yaml:1:1",
        "a mapping (name: value)",
        "without '- '",
        roles__a__defaults__main="- x\n",
    ),
    task(
        "an import that is not there", "import_tasks: setup.yml", "4:7", "no file of tasks 'setup.yml'", "'setup.yaml'", setup="- debug:\n"
    ),
    task(
        "imports in a ring",
        "import_tasks: a.yaml",
        "b.yaml:1:3",
        "a.yaml -> b.yaml -> a.yaml",
        "remove one",
        a="- import_tasks: b.yaml\n",
        b="- import_tasks: a.yaml\n",
    ),
    playbook(
        "playbooks in a ring",
        "- import_playbook: other.yaml\n",
        "other.yaml:1:20",
        "site.yaml -> other.yaml -> site.yaml",
        "remove one",
        other="- import_playbook: site.yaml\n",
    ),
    task("an import by a host's variable", "import_tasks: '{{ ansible_os_family }}.yaml'", "4:7", "cannot be rendered", "include_*"),
    task("an import with a loop", "import_tasks: a.yaml\nloop: [1]", "5:7", "'loop' cannot be used here", "include_*", a="- debug:\n"),
    playbook(
        "a block as a handler", "- hosts: all\n  handlers:\n    - block: []\n", "site.yaml:3:7", "a block cannot be a handler", "listen"
    ),
    # inventory
    inventory("an inventory that is a list", "- node01\n", "hosts.yaml:1", "an inventory is a mapping of groups", "'all:'"),
    inventory("a range without an end", "all:\n  hosts:\n    node[01:: \n", "hosts.yaml:3", "brackets", "node[01:64]"),
    inventory("a range that runs backwards", "all:\n  hosts:\n    node[9:1]:\n", "hosts.yaml:3", "ends before it begins", "[1:9]"),
    inventory("a misspelt key of a group", "all:\n  host:\n    node01:\n", "hosts.yaml:2", "host", "hosts"),
    inventory(
        "groups in a ring", "a:\n  children:\n    b:\n      children:\n        a:\n", "hosts.yaml:5:9", "a -> b -> a", "take 'a' out of 'b'"
    ),
    BadInput("a group that is not there", {}, "--limit", "'gpu-rak'", "did you mean 'gpu-rack'?", arguments=("--limit", "gpu-rak")),
    BadInput("a format that is not there", {}, "--format", "no format 'xml'", "json", 3, ("--format", "xml")),
    BadInput("extra variables that are none", {}, "-e", "'hello' is not name=value", "-e name=value", 3, ("-e", "hello")),
    BadInput("an inventory that is not there", {}, "nowhere.yaml", "no such inventory", "-i", 4, ("-i", "nowhere.yaml")),
    BadInput("a pattern that is none", {"site.yaml": "- hosts: 'gpu-rack:&'\n"}, "site.yaml:1", "'&'", "without a space"),
)


#: Found when a host's turn comes; the answer names the host.
AT_RUN = (
    task(
        "an undefined variable",
        "debug: {msg: '{{ rack_nmae }}'}\nvars: {rack_name: r1}",
        "site.yaml:4",
        "rack_nmae",
        "did you mean 'rack_name'?",
    ),
    task("a condition that is a text", "debug:\nwhen: answer\nvars: {answer: 'yes'}", "site.yaml:4", "must be true or false", "| bool"),
    task(
        "a loop that is no list", "debug:\nloop: '{{ answer }}'\nvars: {answer: {a: 1}}", "site.yaml:4", "loop must be a list", "dict2items"
    ),
    task("a template that is not there", "template: {src: nope.j2, dest: /nowhere/x}", "node01", "could not find 'nope.j2'", "looked in"),
    task("an include that is not there", "include_tasks: nope.yaml", "node01", "no file of tasks 'nope.yaml'", "looked in"),
    task("a role to include that is not there", "include_role: {name: nope}", "node01", "there is no role 'nope'", "looked in"),
    task(
        "an option that is wrong on the host",
        "file: {path: /x, state: '{{ s }}'}\nvars: {s: presnt}",
        "node01",
        "cannot be 'presnt'",
        "one of",
    ),
    task("a command that is not there", "command: no-such-program", "node01", "no-such-program", "install it"),
    task(
        "a folder that is not there", "copy: {content: x, dest: /nowhere/at/all}", "node01", "/nowhere/at does not exist", "create it first"
    ),
    task(
        "variables that refer to themselves",
        "debug: {msg: '{{ a }}'}\nvars: {a: '{{ b }}', b: '{{ a }}'}",
        "site.yaml:4",
        "a -> b -> a",
        "",
    ),
    task("a filter on the wrong kind", "debug: {msg: '{{ [1] | regex_replace(1) }}'}", "site.yaml:4", "the regular expression 1", "escape"),
)
