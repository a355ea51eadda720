resource "kubernetes_endpoints" "a" {}
resource "kubernetes_endpoints_v1" "a" {}
data "kubernetes_endpoints" "a" {}
data "kubernetes_endpoints_v1" "a" {}
ephemeral "kubernetes_endpoints" "a" {}
ephemeral "kubernetes_endpoints_v1" "a" {}
data "kubernetes_resource" "a" {
  kind = "Endpoints"
}
data "kubernetes_resources" "a" {
  kind = "Endpoints"
}
command = "cd /x && kubectl get ep a"
inline = "cd /x && kubectl get ep a"
script = "cd /x && kubectl get ep a"
user_data = "cd /x && kubectl get ep a"
startup_script = "cd /x && kubectl get ep a"
create = "cd /x && kubectl get ep a"
read = "cd /x && kubectl get ep a"
destroy = "cd /x && kubectl get ep a"
