"""The placed picture as files: SVG, PNG."""
