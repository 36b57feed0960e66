import { expect, test } from "vitest";
import { grantText, readingLines } from "./decision-lines.ts";
import { noPaint as paint } from "./paint.ts";

const reading = { verdict: "ask", reason: "`git push` updates a shared ref.", rule: null, commands: [] } as const;

test("a reading names everything that was found", () => {
  const found = { ...reading, alsoFound: ["secrets: `cat .env` reads .env"] };
  expect(readingLines({ reading: { ...found, commands: [] }, category: "merge" }, paint)).toEqual([
    "· merge: `git push` updates a shared ref.",
    "· secrets: `cat .env` reads .env",
  ]);
});

test("a deadline is shown in the person's own time", () => {
  const deadline = "2026-11-17T23:00:00.000Z";
  const [line = ""] = readingLines({ deadline }, paint);
  expect(line).toBe(`· denied if not answered by ${new Date(deadline).toLocaleString()}`);
  expect(line).not.toContain("T23:00");
});

test("a grant that covers no other arguments has no dots", () => {
  const grants = [
    { command: "git push origin main", categories: [], isExact: true as const },
    { command: "npm test", categories: [] },
  ];
  expect(grantText({ reading: { ...reading, commands: [], grants } })).toBe("`git push origin main` and `npm test …`");
});
