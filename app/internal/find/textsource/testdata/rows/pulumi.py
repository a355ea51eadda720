import pulumi_kubernetes
get("/api/v1/endpoints")
