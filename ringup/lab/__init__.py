"""A rehearsal rack on this machine: real sshd, systemd, sudo and apt in network namespaces, simulated GPUs on the PCI bus.

Start reading at `ringup.lab.rack`: `up`, `down`, `load`, `reboot`. `ringup.lab.plan` says what a rack consists of before
any of it exists; each other file makes one kind of those things.
"""
