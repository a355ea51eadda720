from kr8s.asyncio.objects import Endpoints
client.get(Endpoints, x)
