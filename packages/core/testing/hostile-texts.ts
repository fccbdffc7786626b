import fc from "fast-check";

/** What an attacker writes instead of a name, for various formats of output. */
export const hostileTexts: readonly string[] = [
  // A line as in Tierwall's reports, in colour.
  "x\n\n\u001b[32m✓ ALLOWED\u001b[39m  shop/cart → payments/api",
  "x\r✓ ALLOWED",
  "\u009b2J\u009b1;1H✓ ALLOWED",
  "\u001b]0;title\u0007\u001b[2K\u001b[1A",
  "\u202eDEWOLLA ✓\u202c\u2066\u2069",
  "a\u200b\u200d\ufeff\u00ad\u2060b",
  "line\u2028paragraph\u2029end\u0085next",
  "nul\0del\u007fbell\u0007",
  "lone \ud800 surrogate \udc00",
  // Spreadsheets.
  '=HYPERLINK("http://evil.example","x")',
  "+1+cmd|' /C calc'!A0",
  "-2+3",
  "@SUM(1)",
  "\t=1+1",
  "\r=1+1",
  'quote","=1',
  // Markdown.
  "| cell | cell |\n|---|---|",
  "`code` ``two``",
  "[link](javascript:alert(1)) ![image](http://evil.example/x.png)",
  "<img src=x onerror=alert(1)> <!-- -->",
  "@everyone #1 owner/repo#2 https://evil.example www.evil.example",
  'GH-1 !1 $1 %1 %"x" ~1 &1 0123456789abcdef0123456789abcdef01234567 0123abc :rocket: :+1:',
  "~~gone~~ **bold** __bold__ ***",
  "\n# heading\n- item\n> quote",
  // HTML, SVG, XML.
  "</script><script>alert(1)</script>",
  "</text></svg><script>alert(1)</script>",
  "\"><svg onload=alert(1)>' onclick='",
  "]]><x/>&amp;&#x0;&#10;",
  "\ufffe\uffff\u000b\u000c",
  // DOT.
  '"]; evil [label="x',
  "\\",
  'a\\"; b\\N\\G\\l',
  // Workflow commands.
  "%0A::error file=x::y",
  "\n::set-output name=x::y",
  "::stop-commands::x",
  "##[error]x",
  "a ##[add-mask]b ###[group]c##vso[task.setvariable variable=x]y##VSO[z]",
  // nftables, shells, names of JavaScript objects.
  '" accept comment "',
  "$(reboot) `reboot`; reboot",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "%s%d%n {0} ${x}",
  "x".repeat(300),
];

/** One of these, several of them, or anything at all. */
export const anyHostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.array(fc.constantFrom(...hostileTexts), { minLength: 2, maxLength: 3 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
);
