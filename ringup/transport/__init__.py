"""How a host is reached: one Fabric connection per host, one agent per host and user on it, and a limit on every wait.

settings.py      Ansible's connection variables and ~/.ssh/config -> ConnectionSettings
known_hosts.py   only the lines that name a host        keys.py     private keys, read once a process
connection.py    HostConnection: open, raw, agents      start.py    the first stage, become, what noise came before
link.py          AgentLink: frames, deadlines           streams.py  an SSH channel or a local process as one kind of thing
"""
