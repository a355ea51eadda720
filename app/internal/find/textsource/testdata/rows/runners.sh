sh "kubectl get ep a"
bash "kubectl get ep a"
ash "kubectl get ep a"
dash "kubectl get ep a"
zsh "kubectl get ep a"
ksh "kubectl get ep a"
eval "kubectl get ep a"
ssh "kubectl get ep a"
su "kubectl get ep a"
watch "kubectl get ep a"
trap "kubectl get ep a"
xargs "kubectl get ep a"
parallel "kubectl get ep a"
script "kubectl get ep a"
nsenter "kubectl get ep a"
chroot "kubectl get ep a"
docker "kubectl get ep a"
podman "kubectl get ep a"
kubectl "kubectl get ep a"
oc "kubectl get ep a"
timeout "kubectl get ep a"
retry "kubectl get ep a"
runuser "kubectl get ep a"
sudo "kubectl get ep a"
env "kubectl get ep a"
vagrant "kubectl get ep a"
multipass "kubectl get ep a"
lxc "kubectl get ep a"
until_true "kubectl get ep a"
wait_for "kubectl get ep a"
pwsh "kubectl get ep a"
cmd "kubectl get ep a"
frobnicate k get ep a
frobnicate oc get ep a
frobnicate kc get ep a
curl -X POST https://kubernetes.default/api/v1/namespaces/a/endpoints
curl -X PUT https://kubernetes.default/api/v1/namespaces/a/endpoints
curl -X PATCH https://kubernetes.default/api/v1/namespaces/a/endpoints
curl -X DELETE https://kubernetes.default/api/v1/namespaces/a/endpoints
