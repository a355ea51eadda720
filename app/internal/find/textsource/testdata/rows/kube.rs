fn a(c: kube::Client) {}
get("/api/v1/endpoints");
