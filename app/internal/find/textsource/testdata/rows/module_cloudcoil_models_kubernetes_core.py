from cloudcoil.models.kubernetes.core import Endpoints
client.get(Endpoints, x)
