// Command np-guard judges connections with np-guard's network policy analyzer. It answers one letter per connection: A is
// allowed, D is denied.
package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/np-guard/netpol-analyzer/pkg/logger"
	"github.com/np-guard/netpol-analyzer/pkg/manifests/parser"
	"github.com/np-guard/netpol-analyzer/pkg/netpol/eval"
	corev1 "k8s.io/api/core/v1"
	netv1 "k8s.io/api/networking/v1"
	policyapi "sigs.k8s.io/network-policy-api/apis/v1alpha1"
	"tierwall.dev/oracles/protocol"
)

func main() { protocol.Serve(judge) }

func judge(asked protocol.Request) ([]string, error) {
	objects := make([]parser.K8sObject, 0, len(asked.Objects))
	for _, raw := range asked.Objects {
		object, err := read(raw)
		if err != nil {
			return nil, err
		}
		if object != nil {
			objects = append(objects, *object)
		}
	}
	engine, err := eval.NewPolicyEngineWithOptionsList(
		eval.WithLogger(logger.NewDefaultLoggerWithVerbosity(logger.LowVerbosity)),
		eval.WithObjectsList(objects),
	)
	if err != nil {
		return nil, err
	}
	verdicts := make([]string, 0, len(asked.Flows))
	for _, flow := range asked.Flows {
		from, to := nameOf(flow.From), nameOf(flow.To)
		if from == "" || to == "" {
			return nil, errors.New("nodes cannot be asked about")
		}
		allowed, err := engine.CheckIfAllowed(from, to, flow.Protocol, fmt.Sprint(flow.Port))
		if err != nil {
			return nil, err
		}
		if allowed {
			verdicts = append(verdicts, "A")
		} else {
			verdicts = append(verdicts, "D")
		}
	}
	return verdicts, nil
}

func nameOf(end protocol.End) string {
	if end.Pod != "" {
		return end.Pod
	}
	return end.Address
}

func read(raw json.RawMessage) (*parser.K8sObject, error) {
	kind, err := protocol.KindOf(raw)
	if err != nil {
		return nil, err
	}
	object := &parser.K8sObject{Kind: kind}
	switch kind {
	case "Namespace":
		object.Namespace = &corev1.Namespace{}
		err = json.Unmarshal(raw, object.Namespace)
		if object.Namespace.Labels == nil {
			object.Namespace.Labels = map[string]string{}
		}
		// The API server sets this label on every namespace.
		object.Namespace.Labels["kubernetes.io/metadata.name"] = object.Namespace.Name
	case "Pod":
		object.Pod = &corev1.Pod{}
		err = json.Unmarshal(raw, object.Pod)
		// It ignores pods whose node is unknown.
		object.Pod.Status.HostIP = "192.0.2.1"
	case "NetworkPolicy":
		object.NetworkPolicy = &netv1.NetworkPolicy{}
		err = json.Unmarshal(raw, object.NetworkPolicy)
	case "AdminNetworkPolicy":
		object.AdminNetworkPolicy = &policyapi.AdminNetworkPolicy{}
		err = json.Unmarshal(raw, object.AdminNetworkPolicy)
	case "BaselineAdminNetworkPolicy":
		object.BaselineAdminNetworkPolicy = &policyapi.BaselineAdminNetworkPolicy{}
		err = json.Unmarshal(raw, object.BaselineAdminNetworkPolicy)
	default:
		return nil, nil
	}
	return object, err
}
