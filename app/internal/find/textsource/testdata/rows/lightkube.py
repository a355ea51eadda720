import lightkube
get("/api/v1/endpoints")
