"""Use cases, shared by every front end. A front end parses and prints; what happens, happens here."""
