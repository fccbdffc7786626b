// Package protocol is how the driver talks to a judge: one JSON object per line, a request on standard input and its
// answer on standard output.
package protocol

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// Request is a small cluster and the connections to judge in it.
type Request struct {
	Objects []json.RawMessage `json:"objects"`
	Flows   []Flow            `json:"flows"`
}

// Flow is the opening of a connection. The port is ignored for ICMP, which is an echo request.
type Flow struct {
	From     End    `json:"from"`
	To       End    `json:"to"`
	Protocol string `json:"protocol"`
	Port     uint16 `json:"port"`
	Family   int    `json:"family"`
}

// End is exactly one of a pod, a node and an external address.
type End struct {
	Pod     string `json:"pod,omitempty"`
	Node    string `json:"node,omitempty"`
	Address string `json:"address,omitempty"`
}

type answer struct {
	Verdicts []string `json:"verdicts,omitempty"`
	Rejected string   `json:"rejected,omitempty"`
}

// KindOf reads the kind of an object.
func KindOf(object json.RawMessage) (string, error) {
	var head struct {
		Kind string `json:"kind"`
	}
	err := json.Unmarshal(object, &head)
	return head.Kind, err
}

// Serve answers requests until standard input ends. A judge that returns an error, or panics, rejects the whole cluster.
func Serve(judge func(Request) ([]string, error)) {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		encoded, err := json.Marshal(answered(judge, line))
		if err != nil {
			panic(err)
		}
		os.Stdout.Write(append(encoded, '\n'))
	}
}

func answered(judge func(Request) ([]string, error), line []byte) (result answer) {
	defer func() {
		if trouble := recover(); trouble != nil {
			result = answer{Rejected: fmt.Sprintf("panic: %v", trouble)}
		}
	}()
	var request Request
	if err := json.Unmarshal(line, &request); err != nil {
		return answer{Rejected: err.Error()}
	}
	verdicts, err := judge(request)
	if err != nil {
		return answer{Rejected: err.Error()}
	}
	return answer{Verdicts: verdicts}
}
