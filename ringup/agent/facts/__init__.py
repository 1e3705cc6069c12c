"""What a host is: one file per subject, each with `gather(host) -> dict` of facts by Ansible's names (`ansible_` is added by `setup`)."""
