import io.fabric8.kubernetes.Client;
get("/api/v1/endpoints");
