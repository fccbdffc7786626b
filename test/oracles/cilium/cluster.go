package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"regexp"
	"slices"
	"sync"

	envoypolicy "github.com/cilium/cilium/pkg/envoy/policy"
	"github.com/cilium/cilium/pkg/identity"
	"github.com/cilium/cilium/pkg/identity/identitymanager"
	ipcachetypes "github.com/cilium/cilium/pkg/ipcache/types"
	"github.com/cilium/cilium/pkg/k8s"
	ciliumv2 "github.com/cilium/cilium/pkg/k8s/apis/cilium.io/v2"
	slimcore "github.com/cilium/cilium/pkg/k8s/slim/k8s/api/core/v1"
	slimnet "github.com/cilium/cilium/pkg/k8s/slim/k8s/api/networking/v1"
	"github.com/cilium/cilium/pkg/labels"
	"github.com/cilium/cilium/pkg/labelsfilter"
	"github.com/cilium/cilium/pkg/option"
	"github.com/cilium/cilium/pkg/policy"
	"github.com/cilium/cilium/pkg/policy/api"
	"github.com/cilium/cilium/pkg/policy/types"
	"github.com/cilium/cilium/pkg/policy/utils"
	testcertificates "github.com/cilium/cilium/pkg/testutils/certificatemanager"
	testidentity "github.com/cilium/cilium/pkg/testutils/identity"
	testpolicy "github.com/cilium/cilium/pkg/testutils/policy"
	ciliumtypes "github.com/cilium/cilium/pkg/types"
	"github.com/cilium/cilium/pkg/u8proto"
	policyapi "sigs.k8s.io/network-policy-api/apis/v1alpha2"
	"tierwall.dev/oracles/protocol"
)

const clusterName = "default"

// configure sets the options that an agent has by default, plus those that the policies under test need.
func configure(logger *slog.Logger) {
	option.Config.EnableIPv4 = true
	option.Config.EnableIPv6 = true
	option.Config.EnableL7Proxy = true
	option.Config.EnableICMPRules = true
	option.Config.ClusterName = clusterName
	option.Config.UnsafeDaemonConfigOption.AllowLocalhost = option.AllowLocalhostAlways
	policy.SetPolicyEnabled(option.DefaultEnforcement)
	api.InitEntities(clusterName)
	if err := labelsfilter.ParseLabelPrefixCfg(logger, nil, nil, ""); err != nil {
		panic(err)
	}
}

// cluster is what Cilium knows about one small cluster: an identity per pod, node and external address.
type cluster struct {
	logger     *slog.Logger
	namespaces map[string]*slimcore.Namespace
	nodes      map[string]map[string]string
	pods       map[string]*pod
	policies   []types.PolicyEntries
}

type pod struct {
	node        string
	hostNetwork bool
	identity    *identity.Identity
	ports       ciliumtypes.NamedPortMap
}

type namedPorts struct{ ciliumtypes.NamedPortMultiMap }

func (ports namedPorts) GetNamedPorts() ciliumtypes.NamedPortMultiMap { return ports.NamedPortMultiMap }

// selectsNodes finds the fields that need --enable-node-selector-labels.
var selectsNodes = regexp.MustCompile(`"(nodes|fromNodes|toNodes)":`)

func newCluster(logger *slog.Logger, objects []json.RawMessage) (*cluster, error) {
	// The option changes the identities of nodes, so it is on only where a policy needs it.
	option.Config.EnableNodeSelectorLabels = slices.ContainsFunc(objects, func(raw json.RawMessage) bool {
		return selectsNodes.Match(raw)
	})
	made := &cluster{
		logger:     logger,
		namespaces: map[string]*slimcore.Namespace{},
		nodes:      map[string]map[string]string{},
		pods:       map[string]*pod{},
	}
	// Namespaces first: the labels of a pod's identity include those of its namespace.
	for _, wanted := range []string{"Namespace", "Node", "Pod", ""} {
		for _, raw := range objects {
			kind, err := protocol.KindOf(raw)
			if err != nil {
				return nil, err
			}
			isFirst := kind == "Namespace" || kind == "Node" || kind == "Pod"
			if kind == wanted || (wanted == "" && !isFirst) {
				if err := made.add(kind, raw); err != nil {
					return nil, fmt.Errorf("%s: %w", kind, err)
				}
			}
		}
	}
	return made, nil
}

func (c *cluster) add(kind string, raw json.RawMessage) error {
	switch kind {
	case "Namespace":
		namespace := &slimcore.Namespace{}
		if err := json.Unmarshal(raw, namespace); err != nil {
			return err
		}
		if namespace.Labels == nil {
			namespace.Labels = map[string]string{}
		}
		// The API server sets this label on every namespace.
		namespace.Labels["kubernetes.io/metadata.name"] = namespace.Name
		c.namespaces[namespace.Name] = namespace
	case "Node":
		node := &slimcore.Node{}
		if err := json.Unmarshal(raw, node); err != nil {
			return err
		}
		c.nodes[node.Name] = node.Labels
	case "Pod":
		return c.addPod(raw)
	default:
		return c.addPolicy(kind, raw)
	}
	return nil
}

func (c *cluster) addPod(raw json.RawMessage) error {
	read := &slimcore.Pod{}
	if err := json.Unmarshal(raw, read); err != nil {
		return err
	}
	namespace := c.namespaces[read.Namespace]
	if namespace == nil {
		return fmt.Errorf("the namespace of %s/%s is missing", read.Namespace, read.Name)
	}
	ports, text := k8s.GetPodMetadata(c.logger, namespace, read)
	identityLabels, _ := labelsfilter.Filter(labels.Map2Labels(text, labels.LabelSourceK8s))
	number := identity.NumericIdentity(1000 + len(c.pods))
	// The generated label is how Cilium tells identities with different named ports apart.
	for _, label := range k8s.NamedPortsIdentityLabels(ports) {
		identityLabels[label.Key] = label
	}
	c.pods[read.Namespace+"/"+read.Name] = &pod{
		node:        read.Spec.NodeName,
		hostNetwork: read.Spec.HostNetwork,
		identity:    identity.NewIdentity(number, identityLabels),
		ports:       ports,
	}
	return nil
}

func (c *cluster) addPolicy(kind string, raw json.RawMessage) error {
	entries, err := c.parse(kind, raw)
	if err != nil {
		return err
	}
	c.policies = append(c.policies, entries)
	return nil
}

func (c *cluster) parse(kind string, raw json.RawMessage) (types.PolicyEntries, error) {
	switch kind {
	case "NetworkPolicy":
		read := &slimnet.NetworkPolicy{}
		if err := json.Unmarshal(raw, read); err != nil {
			return nil, err
		}
		return k8s.ParseNetworkPolicy(c.logger, clusterName, read)
	case "ClusterNetworkPolicy":
		read := &policyapi.ClusterNetworkPolicy{}
		if err := json.Unmarshal(raw, read); err != nil {
			return nil, err
		}
		return k8s.ParseClusterNetworkPolicy(c.logger, clusterName, read)
	case "CiliumNetworkPolicy":
		read := &ciliumv2.CiliumNetworkPolicy{}
		if err := json.Unmarshal(raw, read); err != nil {
			return nil, err
		}
		rules, err := read.Parse(c.logger, clusterName)
		return utils.RulesToPolicyEntries(rules), err
	case "CiliumClusterwideNetworkPolicy":
		read := &ciliumv2.CiliumClusterwideNetworkPolicy{}
		if err := json.Unmarshal(raw, read); err != nil {
			return nil, err
		}
		rules, err := read.Parse(c.logger, clusterName)
		return utils.RulesToPolicyEntries(rules), err
	default:
		return nil, fmt.Errorf("unknown kind %s", kind)
	}
}

// view is what the node of one pod knows: the identity of every possible peer, and the policy of the pod.
type view struct {
	identities identity.IdentityMap
	numbers    map[protocol.End]identity.NumericIdentity
	policy     *policy.EndpointPolicy
}

// verdicts judges both directions of each connection. Each direction is judged on the node of its own pod.
func (c *cluster) verdicts(flows []protocol.Flow) ([]string, error) {
	views := map[*pod]*view{}
	result := make([]string, 0, len(flows))
	for _, asked := range flows {
		egress, err := c.direction(views, flows, asked.From, asked.To, asked, policy.EgressKey())
		if err != nil {
			return nil, err
		}
		ingress, err := c.direction(views, flows, asked.To, asked.From, asked, policy.IngressKey())
		if err != nil {
			return nil, err
		}
		result = append(result, egress+ingress)
	}
	return result, nil
}

func (c *cluster) direction(
	views map[*pod]*view, flows []protocol.Flow, local, other protocol.End, asked protocol.Flow, key policy.Key,
) (string, error) {
	subject := c.pods[local.Pod]
	if subject == nil || subject.hostNetwork {
		return "-", nil
	}
	seen := views[subject]
	if seen == nil {
		made, err := c.viewOf(subject, flows)
		if err != nil {
			return "", err
		}
		seen, views[subject] = made, made
	}
	number, known := seen.numbers[c.standsFor(other)]
	if !known {
		return "", fmt.Errorf("unknown endpoint %+v", other)
	}
	proto, port := protocolOf(asked)
	entry, _, _ := seen.policy.Lookup(key.WithIdentity(number).WithPortProto(proto, port))
	if entry.IsDeny() {
		return "D", nil
	}
	return "A", nil
}

// standsFor is the endpoint that Cilium sees: a host-network pod is its node.
func (c *cluster) standsFor(end protocol.End) protocol.End {
	if pod := c.pods[end.Pod]; pod != nil && pod.hostNetwork {
		return protocol.End{Node: pod.node}
	}
	return end
}

// viewOf computes the policy of a pod against the identities that its node knows.
func (c *cluster) viewOf(subject *pod, flows []protocol.Flow) (*view, error) {
	made := &view{identities: identity.IdentityMap{}, numbers: map[protocol.End]identity.NumericIdentity{}}
	for name, pod := range c.pods {
		made.add(protocol.End{Pod: name}, pod.identity)
	}
	for name, own := range c.nodes {
		made.add(protocol.End{Node: name}, nodeIdentity(name, own, subject.node, len(made.identities)))
	}
	for _, asked := range flows {
		for _, end := range []protocol.End{asked.From, asked.To} {
			if _, known := made.numbers[end]; known || end.Address == "" {
				continue
			}
			address, err := netip.ParseAddr(end.Address)
			if err != nil {
				return nil, err
			}
			number := identity.IdentityScopeLocal + identity.NumericIdentity(len(made.identities))
			lbls := labels.GetCIDRLabels(netip.PrefixFrom(address, address.BitLen()))
			made.add(end, identity.NewIdentity(number, lbls))
		}
	}
	repository := c.repository(made.identities)
	selected, _, err := repository.ComputeSelectorPolicy(subject.identity)
	if err != nil {
		return nil, err
	}
	redirects := map[string]uint16{policy.FallbackRedirectID: 65535}
	made.policy = selected.DistillPolicy(c.logger, &endpoint{pod: subject}, redirects)
	made.policy.Ready()
	made.policy.Detach(c.logger)
	selected.Supersede()
	return made, nil
}

// repository holds all policies and these identities. The same number stands for different nodes on different nodes, so
// that each view needs its own.
func (c *cluster) repository(identities identity.IdentityMap) *policy.Repository {
	manager := identitymanager.NewIDManager(c.logger)
	made := policy.NewPolicyRepository(c.logger, nil, &testcertificates.Fake{},
		envoypolicy.NewEnvoyL7RulesTranslator(c.logger, nil), manager, testpolicy.NewPolicyMetricsNoop())
	made.GetSelectorCache().SetLocalIdentityNotifier(testidentity.NewDummyIdentityNotifier())
	ports := ciliumtypes.NewNamedPortMultiMap()
	for _, pod := range c.pods {
		ports.Update(pod.identity.ID, nil, pod.ports)
	}
	made.SetNamedPortsGetter(namedPorts{ports})
	var done sync.WaitGroup
	made.GetSelectorCache().UpdateIdentities(identities, nil, &done)
	done.Wait()
	made.UpdateIdentities(identities, nil)
	for i, entries := range c.policies {
		resource := ipcachetypes.NewResourceID(ipcachetypes.ResourceKindNetpol, "", fmt.Sprint(i))
		made.ReplaceByResource(entries, resource)
	}
	return made
}

func (v *view) add(end protocol.End, known *identity.Identity) {
	v.identities[known.ID] = known.LabelArray
	v.numbers[end] = known.ID
}

// nodeIdentity is what a node is to a pod: its host, or a remote node.
func nodeIdentity(name string, own map[string]string, localNode string, position int) *identity.Identity {
	lbls := labels.Labels{}
	add := func(key, value, source string) { lbls[key] = labels.NewLabel(key, value, source) }
	if option.Config.EnableNodeSelectorLabels {
		lbls = labels.Map2Labels(own, labels.LabelSourceNode)
		add("io.cilium.k8s.policy.cluster", clusterName, labels.LabelSourceK8s)
	}
	if name == localNode {
		add(labels.IDNameHost, "", labels.LabelSourceReserved)
		return identity.NewIdentity(identity.ReservedIdentityHost, lbls)
	}
	add(labels.IDNameRemoteNode, "", labels.LabelSourceReserved)
	return identity.NewIdentity(identity.IdentityScopeRemoteNode+identity.NumericIdentity(position), lbls)
}

// protocolOf is how Cilium keys the opening of a connection: an echo request has its type where others have a port.
func protocolOf(asked protocol.Flow) (u8proto.U8proto, uint16) {
	switch asked.Protocol {
	case "UDP":
		return u8proto.UDP, asked.Port
	case "SCTP":
		return u8proto.SCTP, asked.Port
	case "ICMP":
		if asked.Family == 6 {
			return u8proto.ICMPv6, 128
		}
		return u8proto.ICMP, 8
	default:
		return u8proto.TCP, asked.Port
	}
}
