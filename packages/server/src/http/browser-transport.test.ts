import { FairleadError } from "@fairlead/contract";
import { TestServer } from "@fairlead/testing/server/test-server.ts";
import { expect, test } from "vitest";
import { browserTransport, RemoteFairlead } from "@fairlead/client";

/** An outage is retried for 15 s. */
const atOnce = 5000;

async function followOnce(url: string, token: string, session: string, retryTimeoutMs?: number): Promise<unknown> {
  const options = retryTimeoutMs === undefined ? {} : { retryTimeoutMs };
  const fairlead = new RemoteFairlead(browserTransport(url, token), options);
  for await (const event of fairlead.events(session, { follow: true })) return event;
  return null;
}

test("a refused token ends the stream at once, with the reason", async () => {
  await using server = await TestServer.open();
  const { url } = await server.serve({ port: 0 });
  const startedAt = performance.now();
  await expect(followOnce(url!, "fl_wrong", server.session)).rejects.toMatchObject({
    code: "not-allowed",
    message: expect.stringContaining("A valid token is required.") as string,
  });
  expect(performance.now() - startedAt).toBeLessThan(atOnce);
});

test("a token that expires ends an open stream, and is not tried again", async () => {
  await using server = await TestServer.open();
  await server.appendEvents(1);
  const { url } = await server.serve({ port: 0 });
  const token = await server.tokens.issue({ label: "page", scopes: ["read"], expiresInMs: 1000 });
  const fairlead = new RemoteFairlead(browserTransport(url!, token));
  const follow = async (): Promise<void> => {
    for await (const _ of fairlead.events(server.session, { follow: true })) continue;
  };
  const startedAt = performance.now();
  await expect(follow()).rejects.toMatchObject({ code: "not-allowed" });
  expect(performance.now() - startedAt).toBeLessThan(1000 + atOnce);
});

test("a service that is gone is tried again, and is no refused token", async () => {
  await using server = await TestServer.open();
  const service = await server.serve({ port: 0 });
  const url = service.url!;
  const token = await server.tokens.issue({ label: "page", scopes: ["read"] });
  await service[Symbol.asyncDispose]();
  await expect(followOnce(url, token, server.session, 300)).rejects.toMatchObject({ code: "unavailable" });
  await server.appendEvents(1);
  const following = followOnce(url, token, server.session);
  await server.serve({ port: Number(new URL(url).port) });
  expect(await following).toMatchObject({ sequence: 1 });
});

test("tokens that cannot be checked are no refusal", async () => {
  await using server = await TestServer.open();
  const { url } = await server.serve({ port: 0, onError: () => {} });
  const token = await server.tokens.issue({ label: "page", scopes: ["read"] });
  const find = server.tokens.find.bind(server.tokens);
  server.tokens.find = () => {
    throw new FairleadError("unavailable", "The tokens are away.");
  };
  await expect(followOnce(url!, token, server.session, 300)).rejects.toMatchObject({ code: "unavailable" });
  server.tokens.find = find;
  await server.appendEvents(1);
  expect(await followOnce(url!, token, server.session)).toMatchObject({ sequence: 1 });
});

test("a client says what its token permits", async () => {
  await using server = await TestServer.open();
  const { url } = await server.serve({ port: 0 });
  const token = await server.tokens.issue({ label: "page", scopes: ["read", "approve"] });
  expect(await new RemoteFairlead(browserTransport(url!, token)).grant()).toEqual({
    label: "page",
    scopes: ["read", "approve"],
    expiresAt: null,
  });
});
