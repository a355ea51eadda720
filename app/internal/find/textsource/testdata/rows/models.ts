import { Endpoints } from "kubernetes-models/v1";
new Endpoints({});
