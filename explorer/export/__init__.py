"""The placed picture as files: SVG, PNG, PDF, HTML; the graph as DOT and GraphML."""
