import kubernetes
get("/api/v1/endpoints")
