module tierwall.dev/oracles/protocol

go 1.24.0
