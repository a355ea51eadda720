import io.kubernetes.client.Client;
get("/api/v1/endpoints");
