import type { EventOf } from "@fairlead/contract";
import { FileTokenStore } from "@fairlead/engine";
import { withScript } from "@fairlead/kit";
import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { serveHttp } from "../serve-http.ts";
import { AccessTokens } from "./access-tokens.ts";

const script = withScript("Write.", [{ tools: [{ name: "write", input: { path: "a.txt", content: "a" } }] }]);

/** Starts sessions that ask for an approval, and answers them in different ways. */
async function serveSessions(testHome: ServiceTestHome) {
  const fairlead = await testHome.open();
  const tokens = new AccessTokens(new FileTokenStore(testHome.home.tokensFile));
  const service = await serveHttp({ fairlead, port: 0, tokens });
  const post = async (label: string, path: string, body: object): Promise<number> => {
    const authorization = `Bearer ${await tokens.issue({ label, scopes: ["drive", "approve"] })}`;
    const headers = { authorization, "content-type": "application/json" };
    return (await fetch(`${service.url}/v1/sessions/${path}`, { method: "POST", headers, body: JSON.stringify(body) }))
      .status;
  };
  const startAndAsk = async (): Promise<{ session: string; decision: string }> => {
    const { session } = await fairlead.start({ workspace: testHome.folder, agent: "scripted", prompt: script });
    const request = (await collectEventsUntil(fairlead, session, "decision.requested")).at(-1)?.body;
    return { session, decision: (request as EventOf<"decision.requested">).decision };
  };
  const readResolution = async (session: string): Promise<EventOf<"decision.resolved">> =>
    (await collectEventsUntil(fairlead, session, "decision.resolved")).at(-1)?.body as EventOf<"decision.resolved">;
  return { fairlead, post, startAndAsk, readResolution, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

test("the journal names the token that answered, denied or interrupted, and the local user without a token", async () => {
  await using testHome = new ServiceTestHome();
  await using served = await serveSessions(testHome);
  const { fairlead, post, startAndAsk, readResolution } = served;
  const allowed = await startAndAsk();
  const answer = { type: "allow" } as const;
  expect(await post("review-bot", `${allowed.session}/answers`, { decision: allowed.decision, answer })).toBe(204);
  expect((await readResolution(allowed.session)).by).toEqual({ kind: "person", label: "review-bot" });

  const interrupted = await startAndAsk();
  expect(await post("night-shift", `${interrupted.session}/interrupt`, {})).toBe(200);
  expect(await readResolution(interrupted.session)).toMatchObject({
    outcome: "canceled",
    by: { kind: "person", label: "night-shift" },
  });

  const local = await startAndAsk();
  await fairlead.answer(local.session, local.decision, answer);
  expect((await readResolution(local.session)).by).toEqual({ kind: "person", label: userInfo().username });

  const unattended = await startAndAsk();
  const denial = { type: "deny", message: "", interrupt: false, unattended: true } as const;
  await post("cron", `${unattended.session}/answers`, { decision: unattended.decision, answer: denial });
  expect((await readResolution(unattended.session)).by).toEqual({ kind: "unattended", label: "cron" });
});

test("no caller can claim to be the mode, the agent or the runtime", async () => {
  await using testHome = new ServiceTestHome();
  await using served = await serveSessions(testHome);
  const { session, decision } = await served.startAndAsk();
  const answer = { type: "allow" };
  for (const body of [
    { decision, answer, by: { kind: "mode" } },
    { decision, answer: { ...answer, unattended: true } },
    { decision, answer: { ...answer, by: { kind: "runtime" } } },
  ])
    expect(await served.post("bot", `${session}/answers`, body)).toBe(400);
});
