import type { Diff, Problem } from "@fairlead/api";
import { expect, test } from "vitest";
import { TestServer } from "@fairlead/testing/server/test-server.ts";

test("limits concurrent diffs, queues some more, and answers the rest with 429", async () => {
  await using server = await TestServer.open();
  const pendingDiffs: PromiseWithResolvers<Diff>[] = [];
  server.fairlead.diff = () => {
    const pending = Promise.withResolvers<Diff>();
    pendingDiffs.push(pending);
    return pending.promise;
  };
  const { url } = await server.serve({ port: 0, limits: { diffs: { maxConcurrent: 1, maxQueued: 1 } } });
  const token = await server.tokens.issue({ label: "reader", scopes: ["read"] });
  const requestDiff = () =>
    fetch(`${url}/v1/sessions/${server.session}/diff`, { headers: { authorization: `Bearer ${token}` } });

  const responses = [requestDiff(), requestDiff(), requestDiff()];
  // The order in which the server receives them is not known. The rejected one is answered while the first is running.
  const rejected = await Promise.race(responses);
  expect(rejected.status).toBe(429);
  expect(rejected.headers.get("retry-after")).toBe("1");
  expect((await rejected.json()) as Problem).toMatchObject({ code: "unavailable", status: 429 });
  expect(pendingDiffs).toHaveLength(1);

  pendingDiffs[0]!.reject(new Error("A failed diff releases its slot."));
  await expect.poll(() => pendingDiffs.length).toBe(2);
  pendingDiffs[1]!.resolve({ base: null, patch: "", truncated: false });
  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429, 500]));
});
