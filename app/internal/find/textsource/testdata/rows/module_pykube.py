from pykube import Endpoints
client.get(Endpoints, x)
