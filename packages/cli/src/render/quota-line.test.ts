import { expect, it } from "vitest";
import { quotaLine } from "./quota-line.ts";

it("shows a quota of which most is used, and its reset", () => {
  const quota = { type: "quota.reported", window: "five\u001B[31m_hour", usedPercent: 83 } as const;
  expect(quotaLine({ ...quota, status: "available" })).toBeNull();
  expect(quotaLine({ ...quota, status: "exhausted", resetsAt: "2026-11-17T17:00:00.000Z" })).toBe(
    "· The vendor's quota five_hour is exhausted (83 % used), resets at 2026-11-17T17:00:00.000Z",
  );
  expect(quotaLine({ type: "quota.reported", status: "warning" })).toBe("· The vendor's quota is nearly exhausted");
});
