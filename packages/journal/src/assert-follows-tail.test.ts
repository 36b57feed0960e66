import { expect, test } from "vitest";
import { assertFollowsTail } from "./assert-follows-tail.ts";

test("the error of a writer that lost its session names no owner, because people read it", () => {
  const owner = JSON.stringify({ host: "h", pid: 1 });
  const batch = { session: "s", epoch: 5, first: 36, events: [new Uint8Array()], owner };
  const append = (): void => assertFollowsTail({ epoch: 6, last: 35, fence: 1n, owner }, batch, 1n);
  expect(append).toThrow("Event 36 cannot be appended to session s: the batch has epoch 5, the log is at epoch 6.");
});
