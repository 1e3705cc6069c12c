"""One self-contained HTML page a run: hosts, stack, ring, what changed, where the time went. No script, nothing fetched."""
