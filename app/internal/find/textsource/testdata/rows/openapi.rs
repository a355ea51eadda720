use k8s_openapi as k;
get("/api/v1/endpoints");
