"""What a host is: one file per subject, each with `gather(host) -> dict` of facts by Ansible's names, without their `ansible_`.

Facts come from /proc, /sys and files: no driver, no program and no network is needed, and the default set takes milliseconds.
"""
