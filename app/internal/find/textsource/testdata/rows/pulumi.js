require("@pulumi/kubernetes");
get("/api/v1/endpoints");
