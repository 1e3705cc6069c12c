"""Jinja2 as Ansible uses it: values with templates in them, conditions, whole files, lookups, vault.

    templar = Templar(variables_of_the_host, search_path=[role / "templates", playbook_folder])
    templar.render("{{ rack.leaf | default('leaf01') }}")      any type
    templar.evaluate("ansible_facts.os_family == 'Debian'")    a boolean or an error
    templar.render_text(text, trim_blocks=False)               a file's text

Where versions of Ansible differ, the meaning is that of ansible-core 2.19. Variables are rendered when they are used, with the
variables of the host that uses them. Strings that hosts sent are never rendered (`mark_unsafe`).
"""

from ringup.templating.lookups import LOOKUPS
from ringup.templating.omit import OMIT, Omit
from ringup.templating.syntax import check_expression, check_template, has_template
from ringup.templating.templar import RenderedVariables, Templar
from ringup.templating.unsafe import UnsafeList, UnsafeMap, mark_unsafe
from ringup.templating.vault import VaultKeys, decrypt, encrypt, password_files

__all__ = [
    "LOOKUPS",
    "OMIT",
    "Omit",
    "RenderedVariables",
    "Templar",
    "UnsafeList",
    "UnsafeMap",
    "VaultKeys",
    "check_expression",
    "check_template",
    "decrypt",
    "encrypt",
    "has_template",
    "mark_unsafe",
    "password_files",
]
