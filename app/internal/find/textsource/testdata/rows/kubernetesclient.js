require("kubernetes-client");
get("/api/v1/endpoints");
