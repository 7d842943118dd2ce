"""HTTP: parses requests, calls the service, prints answers. `create_app` in `api.http.app` builds it."""
