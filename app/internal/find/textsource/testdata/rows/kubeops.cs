using KubeOps;
client.Get<V1Endpoints>();
