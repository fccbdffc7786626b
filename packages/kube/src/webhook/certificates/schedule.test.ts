import { describe, expect, it } from "vitest";
import { issue } from "./issue.js";
import { bundleOf, isDue, isGood, servedOf, validityFrom } from "./schedule.js";

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const times = { life: 90 * day, lead: 10 * minute, check: 10_000 };
const start = Date.UTC(2026, 0, 1);
const names = ["webhook.svc", "10.0.0.1"];
const issuedAt = (when: number) => issue({ names, ...validityFrom(when, times) });

const first = issuedAt(start);
const renewal = start + 60 * day;
const second = issuedAt(renewal);

describe("a certificate", () => {
  it.each([
    ["at once", 0, false],
    ["shortly before two thirds of its life", 60 * day - minute, false],
    ["at two thirds", 60 * day, true],
  ])("%s the next one is due or not", (_, later, wanted) => {
    expect(isDue(first, start + later)).toBe(wanted);
  });

  it.each([
    ["for its names, in its time", names, day, true],
    ["also by clocks that are behind", names, -hour / 2, true],
    ["not after its time", names, 91 * day, false],
    ["not for another name", ["other.svc"], day, false],
    ["not for another address", ["10.0.0.2"], day, false],
  ])("is good %s", (_, wanted, later, isSo) => {
    expect(isGood(first, wanted, start + later)).toBe(isSo);
  });
});

describe("two certificates", () => {
  const both = { latest: second, previous: first };
  it.each([
    ["the old one while the new is not known everywhere", both, renewal + 9 * minute, first],
    ["the new one afterwards", both, renewal + 10 * minute, second],
    ["the first one at once: there is no other", { latest: first }, start, first],
    ["the new one at once where the old is over", both, start + 91 * day, second],
  ])("serve %s", (_, certificates, now, wanted) => {
    expect(servedOf(certificates, now, times)).toBe(wanted);
  });

  it("are both trusted until the old one is over", () => {
    expect(bundleOf(both, renewal)).toBe(second.authority + first.authority);
    expect(bundleOf(both, start + 91 * day)).toBe(second.authority);
  });
});
