from imports.k8s import Endpoints
client.get(Endpoints, x)
