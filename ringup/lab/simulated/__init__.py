"""Programs that the lab's driver packages install on hosts, in the words of the real ones. Each is one file that stands alone."""
