import kr8s
get("/api/v1/endpoints")
