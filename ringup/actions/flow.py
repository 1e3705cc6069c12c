"""What steers the run itself: declared here for validation, help and docs; done by the engine (and, for `import_*`, by the loader)."""

from __future__ import annotations

from ringup.agent.arguments import Arguments, option

META = (
    "flush_handlers",
    "refresh_inventory",
    "noop",
    "clear_facts",
    "clear_host_errors",
    "end_host",
    "end_batch",
    "end_play",
    "end_role",
    "reset_connection",
)


class Meta(Arguments):
    """Steer the run: flush handlers, end a host, batch, play or role, drop a connection."""

    free_form = "free_form"
    free_form_ = option("str", required=True, choices=META, help="what to do")


class IncludeTasks(Arguments):
    """Include a file of tasks while the play runs."""

    free_form = "file"
    file = option("str", required=True, help="the file, beside the including one or in the role's tasks folder")
    apply = option("dict", help="keywords for the included tasks themselves: tags, become, vars ...")


class ImportTasks(Arguments):
    """Import a file of tasks when the playbook is read."""

    free_form = "file"
    file = option("str", required=True, help="the file, beside the importing one or in the role's tasks folder")


class ImportRole(Arguments):
    """Import a role when the playbook is read."""

    name = option("str", required=True, aliases=("role",), help="the role")
    tasks_from = option("str", default="main", help="file of its tasks folder")
    vars_from = option("str", default="main", help="file of its vars folder")
    defaults_from = option("str", default="main", help="file of its defaults folder")
    handlers_from = option("str", default="main", help="file of its handlers folder")
    allow_duplicates = option("bool", default=True, help="run it again although it has run")
    rolespec_validate = option("bool", default=True, help="hold the given variables against the role's argument_specs")
    public = option("bool", default=True, help="its variables are visible to the rest of the play")


class IncludeRole(ImportRole):
    """Include a role while the play runs."""

    apply = option("dict", help="keywords for the role's tasks themselves: tags, become, vars ...")
    public = option("bool", default=False, help="its variables are visible to the rest of the play")


FLOW: dict[str, type[Arguments]] = {
    "meta": Meta,
    "include_tasks": IncludeTasks,
    "import_tasks": ImportTasks,
    "include_role": IncludeRole,
    "import_role": ImportRole,
}
