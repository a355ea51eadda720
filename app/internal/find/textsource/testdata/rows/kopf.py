import kopf
get("/api/v1/endpoints")
