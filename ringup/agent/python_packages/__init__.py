"""Python distributions on the host: what is installed, whether it is what was asked for, and who installs (uv or pip)."""
