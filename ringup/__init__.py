"""Ringup brings GPU racks up: from bare, SSH-reachable Linux hosts to a verified ring."""

__version__ = "0.1.0"
