import { K8s, kind } from "pepr";
K8s(kind.Endpoints).Get();
K8s(kind.Endpoints).Watch();
K8s(kind.Endpoints).Create();
K8s(kind.Endpoints).Apply();
K8s(kind.Endpoints).Patch();
K8s(kind.Endpoints).Delete();
