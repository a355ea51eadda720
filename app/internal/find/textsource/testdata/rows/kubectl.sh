kubectl get ep a
oc get ep a
k get ep a
kubecolor get ep a
kc get ep a
kctl get ep a
kubectl-1.30 get ep a
kubectl_30 get ep a
kubectl get ep a
kubectl describe ep a
kubectl wait ep a
kubectl delete ep a
kubectl edit ep a
kubectl patch ep a
kubectl label ep a
kubectl annotate ep a
kubectl get endpoints a
kubectl get endpoint a
kubectl get ep a
kubectl get endpoints.v1. a
kubectl get endpoints.v1 a
kubectl get -n value ep a
kubectl get --namespace value ep a
kubectl get -o value ep a
kubectl get --output value ep a
kubectl get -l value ep a
kubectl get --selector value ep a
kubectl get -f value ep a
kubectl get --filename value ep a
kubectl get -k value ep a
kubectl get --kustomize value ep a
kubectl get -L value ep a
kubectl get --label-columns value ep a
kubectl get --context value ep a
kubectl get --cluster value ep a
kubectl get --user value ep a
kubectl get --kubeconfig value ep a
kubectl get --server value ep a
kubectl get -s value ep a
kubectl get --token value ep a
kubectl get --as value ep a
kubectl get --as-group value ep a
kubectl get --as-uid value ep a
kubectl get --request-timeout value ep a
kubectl get --field-selector value ep a
kubectl get --sort-by value ep a
kubectl get --template value ep a
kubectl get --chunk-size value ep a
kubectl get --for value ep a
kubectl get --timeout value ep a
kubectl get --subresource value ep a
kubectl get --certificate-authority value ep a
kubectl get --client-certificate value ep a
kubectl get --client-key value ep a
kubectl get --tls-server-name value ep a
kubectl get --cache-dir value ep a
kubectl get --profile value ep a
kubectl get --profile-output value ep a
kubectl get -v value ep a
kubectl get --v value ep a
kubectl get --vmodule value ep a
kubectl get -p value ep a
kubectl get --patch value ep a
kubectl get --patch-file value ep a
kubectl get --type value ep a
kubectl get --grace-period value ep a
kubectl get --field-manager value ep a
kubectl get --config value ep a
kubectl get --username value ep a
kubectl get --password value ep a
kubectl get --loglevel value ep a
kubectl get --log-flush-frequency value ep a
kubectl get --raw /api/v1/namespaces/a/endpoints
