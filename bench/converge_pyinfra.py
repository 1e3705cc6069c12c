"""The thirty tasks of converge.yaml in pyinfra's words."""

from pathlib import Path

from pyinfra import host
from pyinfra.operations import files, server

FILES = Path(__file__).parent / "converge_files"

for n in range(6):
    files.directory(name=f"directory {n}", path=f"/opt/bench/d{n}", mode="755")
    files.put(name=f"copy {n}", src=str(FILES / "plain.txt"), dest=f"/opt/bench/d{n}/plain.txt", mode="644")
    files.template(
        name=f"template {n}",
        src=str(FILES / "host.conf.j2"),
        dest=f"/opt/bench/d{n}/host.conf",
        mode="644",
        inventory_hostname=host.name,
        ansible_host=host.name,
    )
    files.line(name=f"line {n}", path=f"/opt/bench/d{n}/lines.txt", line=f"extra={n}")
    server.shell(name=f"command {n}", commands=["true"])
