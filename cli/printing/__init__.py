"""What every command prints with: columns and lines, Markdown, values of JSON, problems as sentences."""
