"""Reports for papers and tickets: one self-contained HTML file, or Markdown with its pictures beside it."""
