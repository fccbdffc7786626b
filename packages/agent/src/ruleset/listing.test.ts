import { expect, test } from "vitest";
import { parseListing } from "./listing.js";

const listed = `table inet tierwall {
	flags dormant

	counter r_web {
	}

	quota q {
		over 25 mbytes
	}

	map ident6 {
		type ipv6_addr : classid
		size 1024
		elements = { fd00::1 : 1:a,
			     fd00::2 : ffff:b }
	}

	map cidr4 {
		type ipv4_addr : classid
		flags interval
		elements = { 0.0.0.0/1 : 2:1, 128.0.0.0-128.0.0.2 : 2:2 }
	}

	set names {
		type ipv4_addr . ipv4_addr
		flags dynamic,timeout
		elements = { 10.0.0.1 . 1.2.3.4 timeout 60s }
	}

	set loose {
		type inet_service
		auto-merge
		elements = { 1, 2 }
	}

	chain t_web {
		counter name "r_web"
		limit rate 10/second burst 20 packets log prefix "tw:web" group 3
		accept
	}

	chain empty {
	}

	chain egress {
		type filter hook forward priority -10; policy accept;
		ct state { 0x2, 0x4 } accept
	}
}
`;

test("reads what nft lists", () => {
  expect(parseListing(listed)).toEqual({
    table: "tierwall",
    ruleset: {
      counters: new Set(["r_web"]),
      sets: new Map([
        [
          "ident6",
          {
            kind: "map",
            type: "ipv6_addr : classid",
            flags: [],
            size: 1024,
            elements: new Map([
              ["fd00::1", "1:a"],
              ["fd00::2", "ffff:b"],
            ]),
          },
        ],
        [
          "cidr4",
          {
            kind: "map",
            type: "ipv4_addr : classid",
            flags: ["interval"],
            elements: new Map([
              ["0.0.0.0/1", "2:1"],
              ["128.0.0.0-128.0.0.2", "2:2"],
            ]),
          },
        ],
        [
          "names",
          { kind: "set", type: "ipv4_addr . ipv4_addr", flags: ["dynamic", "timeout"], elements: "learned" },
        ],
        [
          "loose",
          {
            kind: "set",
            type: "inet_service",
            flags: [],
            elements: new Map([
              ["1", ""],
              ["2", ""],
            ]),
          },
        ],
      ]),
      chains: new Map([
        [
          "t_web",
          {
            rules: [
              'counter name "r_web"',
              'limit rate 10/second burst 20 packets log prefix "tw:web" group 3',
              "accept",
            ],
          },
        ],
        ["empty", { rules: [] }],
        [
          "egress",
          {
            hook: "type filter hook forward priority -10; policy accept;",
            rules: ["ct state { 0x2, 0x4 } accept"],
          },
        ],
      ]),
    },
    strange: ["flags dormant", "quota q {", "over 25 mbytes", "}", "set loose: auto-merge"],
  });
});

test("a text that is no listing holds no table", () => {
  expect(parseListing("")).toEqual({
    table: "",
    ruleset: { chains: new Map(), sets: new Map(), counters: new Set() },
    strange: [],
  });
});
