use kube as k;
get("/api/v1/endpoints");
