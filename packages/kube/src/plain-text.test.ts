import { expect, it } from "vitest";
import { plainText } from "./plain-text.js";

it.each([
  ["a name", 10, "a name"],
  ["two\nlines", 20, "two lines"],
  ["\u001b[32m✓ ALLOWED\u001b[0m", 30, " [32m✓ ALLOWED [0m"],
  ["a\r\n\u0000\u0085b", 10, "a b"],
  ["a\u2028b\u2029c", 10, "a b c"],
  ["evil\u202egnp.yaml", 20, "evil gnp.yaml"],
  ["0123456789", 10, "0123456789"],
  ["01234567890", 10, "012345678…"],
  ["01234567😀0", 10, "01234567…"],
  ["x".repeat(1_000_000), 10, "xxxxxxxxx…"],
])("%.20j in %d characters is %j", (text, most, shown) => expect(plainText(text, most)).toBe(shown));
