"""Install wheels on the rack: the controller fetches them once, serves them while the task runs, and hosts need no internet."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringup.actions.call import PER_HOST, ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.errors import ConnectionFailed, RingupError, TaskFailed
from ringup.events import TaskProgressed
from ringup.results import Result
from ringup.templating import OMIT
from ringup.wheels.cache import Platform, Wheel, cache_folder, fetch, has_cpu_build, is_kept
from ringup.wheels.serve import WheelServer
from ringup.wheels.uv import unpack_uv

ONCE_PER_BATCH = True
#: uv itself, pinned so that a second run finds the same program
UV_VERSION = "0.13.9"


class Args(Arguments):
    """Install pinned wheels into a virtual environment on every host, fetched once by the controller.

    Arguments are rendered for each host, so that hosts with other hardware get other wheels in the same task.
    """

    virtualenv = option("str", required=True, help="folder of the environment on the hosts")
    requirements = option("list", elements="str", required=True, help="what to install, each pinned with ==")
    python = option("str", required=True, help="Python of the environment, such as 3.11")
    variant = option("str", default="cpu", help="torch variant that is expected: cpu or cuXYZ")
    index_url = option("str", help="index to fetch from instead of pip's own configuration")
    fallback_index_url = option("str", help="index that is asked for the CPU build where pip's own configuration has none")
    find_links = option("list", elements="str", default=[], help="folders or pages to fetch from as well")
    uv = option("str", default="/opt/ringup/bin/uv", help="where the installer is put on the hosts")


@dataclass(frozen=True, slots=True)
class Order:
    """What one host gets."""

    host: str
    given: Mapping[str, Any]
    platform: Platform

    @property
    def key(self) -> tuple[object, ...]:
        """Hosts with equal keys share one fetch."""
        return (tuple(self.given["requirements"]), self.platform, self.given.get("index_url"), tuple(self.given.get("find_links") or ()))

    def install_arguments(self, **more: Any) -> dict[str, Any]:
        return {"virtualenv": self.given["virtualenv"], "python": self.given["python"], "requirements": self.given["requirements"], **more}


def run(call: ActionCall) -> Result:
    """Ask every host what it lacks; fetch, serve and install only that."""
    orders = [_order(call, host) for host in call.fleet.hosts]
    asked = _each(orders, lambda order: _module(call, order, order.install_arguments(probe=True)))
    lacking = [order for order in orders if asked[order.host].get("changed")]
    if lacking and not call.check:
        asked.update(_install(call, lacking))
    return Result({"changed": any(answer.get("changed") for answer in asked.values()), PER_HOST: asked})


def _order(call: ActionCall, host: str) -> Order:
    given = {name: value for name, value in call.fleet.render(host, dict(call.written)).items() if value is not OMIT}
    facts = call.fleet.render(host, "{{ {'machine': ansible_facts.architecture, 'glibc': ansible_facts.glibc} }}")
    return Order(host, given, Platform(str(given["python"]), str(facts["machine"]), str(facts["glibc"])))


def _each(orders: Sequence[Order], work: Callable[[Order], dict[str, Any]]) -> dict[str, dict[str, Any]]:
    with ThreadPoolExecutor(max(len(orders), 1)) as pool:
        return dict(zip((order.host for order in orders), pool.map(work, orders), strict=True))


def _module(call: ActionCall, order: Order, arguments: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return call.fleet.module(order.host, "wheel_environment", arguments)
    except ConnectionFailed as error:
        return {"unreachable": True, "changed": False, "msg": error.message, "hint": error.hint}


def _install(call: ActionCall, orders: Sequence[Order]) -> dict[str, dict[str, Any]]:
    fetched: dict[tuple[object, ...], tuple[Wheel, ...] | RingupError] = {}
    for order in orders:
        if order.key not in fetched:
            fetched[order.key] = _fetched(call, order)
    offered = {wheel.path.name: wheel.path for wheels in fetched.values() if not isinstance(wheels, RingupError) for wheel in wheels}
    programs = {order.platform: _uv(call, order.platform) for order in orders}
    offered |= {f"uv-{platform.machine}": program for platform, program in programs.items()}
    with WheelServer(offered) as server:
        return _each(orders, lambda order: _one(call, order, fetched[order.key], server))


def _fetched(call: ActionCall, order: Order) -> tuple[Wheel, ...] | RingupError:
    options = ["--index-url", str(order.given["index_url"])] if order.given.get("index_url") else []
    options += [word for place in order.given.get("find_links") or () for word in ("--find-links", place)]

    def progress(line: str) -> None:
        call.emit(TaskProgressed(time.time(), call.task_id, order.host, f"controller: {line}"))

    try:
        fallback = order.given.get("fallback_index_url")
        known = is_kept(order.given["requirements"], order.platform, options, cache_folder())
        if fallback and not known and not has_cpu_build(order.given["requirements"], order.platform, options):
            options += ["--extra-index-url", str(fallback)]
        wheels = fetch(order.given["requirements"], order.platform, options, cache_folder(), progress)
        _refuse_other_build(wheels, str(order.given.get("variant") or "cpu"))
    except RingupError as error:
        return error
    return wheels


def _refuse_other_build(wheels: Sequence[Wheel], variant: str) -> None:
    """A CPU wish that pip answers with a CUDA build would put gigabytes on every host.

    Raises:
        TaskFailed: what was fetched is of another kind than the stack asks for.
    """
    heavy = [wheel.name for wheel in wheels if wheel.name.startswith("nvidia-")]
    if variant == "cpu" and heavy:
        hint = "set torch.index_url or torch.find_links to a place that has the CPU build"
        raise TaskFailed(f"pip gave a CUDA build of torch (it brings {heavy[0]}) although the CPU one is asked for", hint=hint)


def _uv(call: ActionCall, platform: Platform) -> Path:
    def progress(line: str) -> None:
        call.emit(TaskProgressed(time.time(), call.task_id, call.host, f"controller: {line}"))

    (wheel,) = fetch([f"uv=={UV_VERSION}"], platform, ["--no-deps"], cache_folder(), progress)
    return unpack_uv(wheel)


def _one(call: ActionCall, order: Order, wheels: tuple[Wheel, ...] | RingupError, server: WheelServer) -> dict[str, Any]:
    if isinstance(wheels, RingupError):
        return {"failed": True, "changed": False, "msg": wheels.message, "hint": wheels.hint}
    address = call.fleet.local_address(order.host)
    if not address:
        message = "the host has no direct way to the controller, which serves the wheels"
        return {"failed": True, "changed": False, "msg": message, "hint": "give it an index of its own: set torch.index_url and use pip"}
    url = server.url(address)
    pins = [wheel.requirement for wheel in wheels]
    return _module(
        call, order, order.install_arguments(url=url, pins=pins, uv=order.given["uv"], uv_url=f"{url}uv-{order.platform.machine}")
    )
