import { describe, expect, it } from "vitest";
import { asInvoked } from "./invocation.js";

describe("help of `kubectl tierwall`", () => {
  it.each([
    ["a command", "  tierwall explain -f x", "  kubectl tierwall explain -f x"],
    ["an option", "see tierwall --help", "see kubectl tierwall --help"],
    ["after a pipe", "cat x | tierwall lint -f -", "cat x | kubectl tierwall lint -f -"],
    ["not twice", "kubectl tierwall explain", "kubectl tierwall explain"],
    ["not what npx runs", "npx tierwall explain", "npx tierwall explain"],
    [
      "not a file",
      "./tierwall explain, node bin/tierwall explain",
      "./tierwall explain, node bin/tierwall explain",
    ],
    ["not the product", "what tierwall reads", "what tierwall reads"],
    ["not a configuration", "tierwall.yaml", "tierwall.yaml"],
  ])("%s", (_what, written, read) => {
    expect(asInvoked("kubectl tierwall", written, ["explain", "lint"])).toBe(read);
    expect(asInvoked("tierwall", written, ["explain", "lint"])).toBe(written);
  });
});
