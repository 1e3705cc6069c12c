"""Everything the toolkit does, as one Invoke namespace."""

from __future__ import annotations

from invoke.collection import Collection

from ringup.tasks import demo, development, docs, inventory, lab, playbook, provision

namespace = Collection(
    demo.demo,
    provision.provision,
    provision.verify,
    playbook.playbook,
    inventory.inventory,
    development.check,
    development.fmt,
    development.test,
)
namespace.add_collection(lab.namespace, name="lab")
commands = docs.add_to(namespace)
