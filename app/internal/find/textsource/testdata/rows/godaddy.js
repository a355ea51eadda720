require("godaddy");
client.api.v1.namespaces(a).endpoints.get();
