"""How a host is reached: one Fabric connection per host, one agent per host and user on it, and a limit on every wait.

settings.py     Ansible's connection variables -> ConnectionSettings    ssh_config.py   what ~/.ssh/config says
route.py        both -> the hops on the way                             jumps.py        one connection per jump host for all behind it
opening.py      one hop: limits, errors in plain words                  host_keys.py    its key against those on record
login.py        keys and passwords, in order                            keys.py         private keys, read once a process; the SSH agent
connection.py   HostConnection: open, agents, lost and found again      known_hosts.py  only the lines that name a host
start.py        interpreter and first stage in one round trip           become.py       sudo and su
link.py         AgentLink: frames, limits                               raw.py          a command without an agent
streams.py      an SSH channel or a local process as one kind of thing
"""
