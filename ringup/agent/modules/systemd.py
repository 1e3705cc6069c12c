"""systemd_service by its older name."""

from .systemd_service import Args, apply, check

__all__ = ["Args", "apply", "check"]
