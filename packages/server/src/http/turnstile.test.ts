import type { Diff, Problem } from "@fairlead/api";
import { expect, test } from "vitest";
import { Ground } from "./ground-for-test.ts";

test("few compare a workspace at once, some wait, and the others are told to come back", async () => {
  await using ground = await Ground.open();
  const asked: PromiseWithResolvers<Diff>[] = [];
  ground.fairlead.diff = () => {
    const one = Promise.withResolvers<Diff>();
    asked.push(one);
    return one.promise;
  };
  const { url } = await ground.serve({ port: 0, limits: { diffs: { atOnce: 1, waiting: 1 } } });
  const token = ground.tokens.issue({ label: "reader", scopes: ["read"] });
  const ask = () => fetch(`${url}/v1/sessions/ground/diff`, { headers: { authorization: `Bearer ${token}` } });

  const answers = [ask(), ask(), ask()];
  // Which of them comes last nobody knows; it is the one that is answered while the first is still at it.
  const refused = await Promise.race(answers);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect((await refused.json()) as Problem).toMatchObject({ code: "unavailable", status: 429 });
  expect(asked).toHaveLength(1);

  asked[0]!.reject(new Error("It failed, and still its place is free."));
  await expect.poll(() => asked.length).toBe(2);
  asked[1]!.resolve({ base: null, patch: "", truncated: false });
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429, 500]));
});
