"""What Debian's package system says: what is installed, who holds its locks, what a command would change."""
