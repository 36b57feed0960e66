import { expect, test } from "vitest";
import { makeId } from "./make-id.ts";

test("no identifier can be mistaken for one that names an HTTP status", () => {
  for (let round = 0; round < 200; round += 1) expect(makeId("req_")).toMatch(/^req_[a-p]{24}$/);
});
