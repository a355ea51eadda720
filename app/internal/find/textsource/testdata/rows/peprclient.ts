import { K8s, kind } from "kubernetes-fluent-client";
K8s(kind.Endpoints).Get();
