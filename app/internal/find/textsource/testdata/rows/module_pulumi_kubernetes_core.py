from pulumi_kubernetes.core import Endpoints
client.get(Endpoints, x)
