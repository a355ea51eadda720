using KubernetesClient;
client.Get<V1Endpoints>();
