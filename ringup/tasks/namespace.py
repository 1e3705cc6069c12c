"""Everything the toolkit does, as one Invoke namespace."""

from __future__ import annotations

from invoke.collection import Collection

from ringup.tasks import inventory, lab, playbook, provision

namespace = Collection(provision.provision, provision.verify, playbook.playbook, inventory.inventory)
namespace.add_collection(lab.namespace if hasattr(lab, "namespace") else Collection.from_module(lab), name="lab")
