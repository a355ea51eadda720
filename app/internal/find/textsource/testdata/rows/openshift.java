import io.fabric8.openshift.client.Client;
x.endpoints().list();
