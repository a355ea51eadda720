from lightkube.resources.core_v1 import Endpoints
client.get(Endpoints, x)
