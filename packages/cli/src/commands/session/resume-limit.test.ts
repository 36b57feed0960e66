import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { expect, test } from "vitest";

const hang = `Wait. SCRIPT:${JSON.stringify([{ text: "Waiting.", hang: true }])}`;

test("a limit is raised without a message and without --detach, and not below what is used", async () => {
  await using cli = new TestCli();
  const started = await cli.run(["run", "scripted", "--limit", "1s", hang]);
  expect(started.code).toBe(3);
  const [{ session }] = (await cli.json("ls")) as [{ session: string }];
  const low = await cli.run(["resume", session, "--limit", "0.5s"]);
  expect(low.code).toBe(3);
  expect(low.err).toMatch(/has used \d+(\.\d+)? of 0\.5 seconds/);
  expect(low.err).toContain(`fairlead resume ${session} --limit`);
  const raised = await cli.run(["resume", session, "--limit", "60s"]);
  expect(raised).toMatchObject({ code: 0, err: "" });
  expect(raised.out).toContain(`Continue with: fairlead resume ${session} "…"`);
  expect(await cli.json("ls")).toMatchObject([{ session, state: "idle" }]);
  // A session that runs, and as JSON.
  expect(await cli.run(["resume", session, "--limit", "70s"])).toMatchObject({ code: 0 });
  const { code, out } = await cli.run(["resume", session, "--limit", "80s", "--json"]);
  expect([code, JSON.parse(out)]).toMatchObject([0, { session, turn: null }]);
  // Without a limit, a message is still needed.
  expect(await cli.run(["resume", session])).toMatchObject({
    code: 2,
    err: expect.stringContaining("prompt is missing"),
  });
}, 120_000);
