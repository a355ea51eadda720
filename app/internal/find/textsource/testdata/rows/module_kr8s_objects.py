from kr8s.objects import Endpoints
client.get(Endpoints, x)
