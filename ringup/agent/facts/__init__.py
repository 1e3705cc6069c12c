"""What a host is: one file per subject, facts by Ansible's names without their `ansible_`.

Facts come from /proc, /sys, netlink and files: no driver, no program and no network is needed, and all of them take milliseconds.
"""
