"""YAML as operators write it, with the place of every key and item kept.

    load_yaml(Path("inventory/hosts.yaml")) -> SourcedMap({"all": ...}), whose .key_source("all") is inventory/hosts.yaml:1:1

The rules are YAML 1.1 as PyYAML and Ansible read it. What Ansible lets pass with a warning (a key given twice) is an error here.
"""

from ringup.yamlfile.file import VAULT_HEADER, Decrypt, load_yaml, load_yaml_text, read_text, shown_path
from ringup.yamlfile.values import SourcedList, SourcedMap, UnsafeText, VaultedText

__all__ = [
    "VAULT_HEADER",
    "Decrypt",
    "SourcedList",
    "SourcedMap",
    "UnsafeText",
    "VaultedText",
    "load_yaml",
    "load_yaml_text",
    "read_text",
    "shown_path",
]
