import type { SessionView } from "@fairlead/api";
import { FileTokenStore } from "@fairlead/engine";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { serveHttp } from "../serve-http.ts";
import { AccessTokens } from "./access-tokens.ts";

/** The fields of all replies; a test reads those that it expects. */
type CommandReply = SessionView & { readonly turn: string };

/** Serves real sessions on loopback, and sends commands with one idempotency key for all of them. */
async function serveHome(testHome: ServiceTestHome) {
  const fairlead = await testHome.open();
  const tokens = new AccessTokens(new FileTokenStore(testHome.home.tokensFile));
  const service = await serveHttp({ fairlead, port: 0, tokens });
  const post = async (token: string, path: string, body: object): Promise<{ status: number; reply: CommandReply }> => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": "the-key",
    };
    const reply = await fetch(`${service.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: reply.status, reply: (await reply.json()) as CommandReply };
  };
  return { fairlead, tokens, post, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

test("a token cannot decide the outcome of a command of another token by sending its key first", async () => {
  await using testHome = new ServiceTestHome();
  await using served = await serveHome(testHome);
  const { fairlead, tokens, post } = served;
  const driver = await tokens.issue({ label: "same", scopes: ["drive"] });
  const owner = await tokens.issue({ label: "same", scopes: ["drive", "approve"] });
  const request = { workspace: testHome.folder, agent: "scripted", mode: "full-auto" };

  // The refusal of one token is the outcome of no other token's command, nor of its own later command.
  expect((await post(driver, "/v1/sessions", request)).status).toBe(403);
  const started = await post(owner, "/v1/sessions", request);
  expect(started.status).toBe(200);
  const other = await post(driver, "/v1/sessions", { ...request, mode: "default" });
  expect(other.status).toBe(200);
  // The ids of sessions and messages are derived from the key, so they must differ, too.
  expect(other.reply.session).not.toBe(started.reply.session);
  expect((await post(owner, "/v1/sessions", request)).reply.session).toBe(started.reply.session);
  expect((await fairlead.sessions()).sessions).toHaveLength(2);
});

test("two tokens with the same key both send their message", async () => {
  await using testHome = new ServiceTestHome();
  await using served = await serveHome(testHome);
  const { fairlead, tokens, post } = served;
  const { session } = await fairlead.start({ workspace: testHome.folder, agent: "scripted" });
  const texts = ["first", "second"].map((text) => withScript(text, [{ text: "Done." }]));
  const turns: string[] = [];
  for (const text of texts) {
    const token = await tokens.issue({ label: "bot", scopes: ["drive"] });
    const { last } = await fairlead.session(session);
    const send = () => post(token, `/v1/sessions/${session}/messages`, { text });
    turns.push((await send()).reply.turn);
    expect((await send()).reply.turn).toBe(turns.at(-1));
    await collectEventsUntil(fairlead, session, "turn.ended", last);
  }
  expect(new Set(turns).size).toBe(2);
  const events = await Array.fromAsync(fairlead.events(session));
  const prompts = events.flatMap((event) =>
    "body" in event && event.body.type === "turn.started" ? [event.body.input] : [],
  );
  expect(prompts).toEqual(texts);
});
