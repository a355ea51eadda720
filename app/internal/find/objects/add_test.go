package objects

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAddRefusesWhatIsNotItsBusiness(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "x", Namespace: "n"}
	s := &Snapshot{}
	if err := s.Add(&corev1.Secret{ObjectMeta: meta}, Locators{}); err == nil {
		t.Error("a Secret was added")
	}
	if err := s.Add(&metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Pod"}, ObjectMeta: meta}, Locators{}); err == nil {
		t.Error("a Pod without its spec was added")
	}
	if err := s.Add(&corev1.PodList{}, Locators{}); err == nil {
		t.Error("a list was added")
	}
	if s.Len() != 0 {
		t.Errorf("%d objects", s.Len())
	}
}

func TestLabelsThatSayNothingAboutWhoItIsAreNotKept(t *testing.T) {
	got := kept(map[string]string{
		"app": "a", "team": "t", "example.com/owner": "o\x1b[31m", "app.kubernetes.io/name": "n",
		"other": "x", "example.com/ownership": "x", "empty": "",
	})
	if diff := cmp.Diff(map[string]string{"app": "a", "team": "t", "example.com/owner": "o\uFFFD[31m", "app.kubernetes.io/name": "n"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
