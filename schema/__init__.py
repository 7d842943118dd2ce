"""What is true: settings, errors, tables and every SQL statement of palimpsest. Imports nothing of ours."""
