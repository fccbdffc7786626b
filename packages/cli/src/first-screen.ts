/** What `tierwall` alone prints: the first steps, on one screen of 80 columns and 24 lines. */
export const firstScreen = `Tierwall decides and explains connections under Kubernetes network policies.

Usage: tierwall COMMAND [options]

  tierwall tour                        explains three connections
  tierwall serve --example             the same cluster as a web page

Your cluster (the current kubectl context), or a folder (-f FOLDER -R):

  tierwall explain shop/cart payments/api:8443
                                       why is this connection allowed or denied?
  tierwall lookup shop/cart            which rules apply to this pod?
  tierwall matrix                      who can reach whom, on which ports?
  tierwall lint                        what is valid, but probably not meant?

Before a change:

  tierwall validate -f FOLDER -R       errors, with their line
  tierwall preview --apply FILE        what would this allow or deny?
  tierwall test -R FOLDER              assertions about connections, for CI

tierwall --help lists all commands; tierwall COMMAND --help shows examples.`;
