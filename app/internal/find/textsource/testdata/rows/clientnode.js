require("@kubernetes/client-node");
get("/api/v1/endpoints");
