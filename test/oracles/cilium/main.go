// Command cilium judges connections with Cilium's own policy repository. It answers two letters per connection, for egress
// and for ingress: A is allowed, D is denied, and - means that no policy is enforced at that endpoint.
package main

import (
	"log/slog"

	"tierwall.dev/oracles/protocol"
)

func main() {
	logger := slog.New(slog.DiscardHandler)
	configure(logger)
	protocol.Serve(func(asked protocol.Request) ([]string, error) {
		cluster, err := newCluster(logger, asked.Objects)
		if err != nil {
			return nil, err
		}
		return cluster.verdicts(asked.Flows)
	})
}
