package clean

import "github.com/aws/aws-sdk-go/aws/endpoints"

func aws() string {
	_ = endpoints.Service{}.Endpoints()
	return endpoints.DefaultResolver().EndpointFor("s3", "eu-west-1")
}
