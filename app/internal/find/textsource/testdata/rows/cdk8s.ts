import { App } from "cdk8s";
new KubeEndpoints(a);
