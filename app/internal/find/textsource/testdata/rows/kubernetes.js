require("kubernetes");
client.api.v1.namespaces(a).endpoints.get();
