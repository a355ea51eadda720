import cdk8s
get("/api/v1/endpoints")
