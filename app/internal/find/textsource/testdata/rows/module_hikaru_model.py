from hikaru.model import Endpoints
client.get(Endpoints, x)
