"""The child side: a host process, its fork server, and the work done in a fresh process per exploration."""
