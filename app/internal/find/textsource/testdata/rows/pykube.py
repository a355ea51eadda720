import pykube
get("/api/v1/endpoints")
