/** What `tierwall` alone prints: the first steps, on one screen of 80 columns and 24 lines. */
export const firstScreen = `Tierwall explains which connections Kubernetes network policies allow, and why.

Usage: tierwall COMMAND [options]

  tierwall tour                        explains three connections in an example
  tierwall serve --example             the same cluster as a web page

Your cluster (the current kubectl context), or a folder (-f FOLDER -R):

  tierwall explain shop/cart shop/db   why is this connection allowed or denied?
  tierwall lookup shop/cart            which rules apply to this pod?
  tierwall matrix                      who can reach whom, on which ports?
  tierwall lint                        what is valid, but probably a mistake?
  tierwall init                        writes a first test, and a CI job

Before a change:

  tierwall validate -f FOLDER -R       is every manifest valid?
  tierwall preview --apply FILE        what would this allow or deny?
  tierwall test FILE                   do my assertions still hold?
  tierwall prove FILE                  does this hold in every possible cluster?

tierwall --help lists all commands; tierwall COMMAND --help shows examples.`;
