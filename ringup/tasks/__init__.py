"""Invoke's tasks: options in, one call, events out. No logic lives here."""
