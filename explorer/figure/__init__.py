"""The placed picture as a plotly figure."""
