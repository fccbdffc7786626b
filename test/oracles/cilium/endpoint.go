package main

import (
	"github.com/cilium/cilium/pkg/endpoint/regeneration"
	"github.com/cilium/cilium/pkg/policy"
	"github.com/cilium/cilium/pkg/u8proto"
)

// endpoint is the pod whose policy is computed.
type endpoint struct{ pod *pod }

func (e *endpoint) GetID() uint64 { return uint64(e.pod.identity.ID) }

func (e *endpoint) GetIngressNamedPort(name string, proto u8proto.U8proto) uint16 {
	port, err := e.pod.ports.GetNamedPort(name, proto)
	if err != nil {
		return 0
	}
	return port
}

func (e *endpoint) PolicyDebug(string, ...any) {}

func (e *endpoint) IsHost() bool { return false }

func (e *endpoint) PreviousMapStateSizes() policy.MapStateSizes { return policy.MapStateSizes{} }

func (e *endpoint) RegenerateIfAlive(*regeneration.ExternalRegenerationMetadata) <-chan bool {
	done := make(chan bool)
	close(done)
	return done
}
