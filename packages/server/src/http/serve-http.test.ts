import { once } from "node:events";
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { TestServer } from "@fairlead/testing/server/test-server.ts";
import { AccessTokens } from "./access/access-tokens.ts";

/** Returns the status of a response over the socket. */
async function statusOf(
  socketPath: string,
  headers: Record<string, string> = {},
  path = "/v1/health",
): Promise<number> {
  const clientRequest = request({ socketPath, path, headers: { host: "localhost", ...headers }, agent: false });
  clientRequest.end();
  const [response] = await once(clientRequest, "response");
  (response as NodeJS.ReadableStream).resume();
  return (response as { statusCode: number }).statusCode;
}

describe("the socket", () => {
  test("accepts its owner without a token, checks a token that is sent, and rejects browsers", async () => {
    await using server = await TestServer.open();
    await server.serve({ socket: server.socket });
    expect(statSync(dirname(server.socket)).mode & 0o777).toBe(0o700);
    expect(statSync(server.socket).mode & 0o777).toBe(0o600);
    const approver = await server.tokens.issue({ label: "approver", scopes: ["approve"] });
    expect(await statusOf(server.socket)).toBe(200);
    expect(await statusOf(server.socket, { host: "fairlead" })).toBe(200);
    expect(await statusOf(server.socket, { host: "evil.example" })).toBe(421);
    expect(await statusOf(server.socket, { origin: "http://localhost" })).toBe(403);
    expect(await statusOf(server.socket, { authorization: `Bearer ${approver}` })).toBe(403);
    expect(await statusOf(server.socket, { authorization: "Bearer unknown" })).toBe(401);
  });

  test("replaces the socket of a killed process, but not that of a running one", async () => {
    await using server = await TestServer.open();
    mkdirSync(dirname(server.socket), { mode: 0o700 });
    writeFileSync(server.socket, ""); // left by a killed process
    const service = await server.serve({ socket: server.socket });
    await expect(server.serve({ socket: server.socket })).rejects.toMatchObject({ code: "unavailable" });
    expect(await statusOf(server.socket)).toBe(200);
    await service[Symbol.asyncDispose]();
    await server.serve({ socket: server.socket });
    expect(await statusOf(server.socket)).toBe(200);
  });

  test("is not opened in a folder that other users can enter", async () => {
    await using server = await TestServer.open();
    mkdirSync(dirname(server.socket));
    chmodSync(dirname(server.socket), 0o755);
    await expect(server.serve({ socket: server.socket })).rejects.toMatchObject({ code: "not-allowed" });
  });
});

test("a liveness probe needs no token and calls nothing, but the other checks apply", async () => {
  await using server = await TestServer.open();
  const { url } = await server.serve({ port: 0, version: "1.2.3" });
  const response = await fetch(`${url}/healthz`);
  expect([response.status, await response.json()]).toEqual([200, { status: "ok", version: "1.2.3" }]);
  expect((await fetch(`${url}/v1/health`)).status).toBe(401);
  expect((await fetch(`${url}/healthz`, { headers: { origin: "http://evil.example" } })).status).toBe(403);
  expect(server.calls).toBe(0);
});

describe("a request body", () => {
  test.each([
    ["too long", `{"text":"${"x".repeat(2000)}"}`, 413],
    ["not JSON", "{", 400],
    ["without a required field", "{}", 400],
    ["with an unknown field", `{"text":"a","more":1}`, 400],
    ["with a prototype key", `{"text":"a","__proto__":{"polluted":1}}`, 400],
    ["with brackets only in a string", `{"text":"${"[".repeat(100)}\\""}`, 200],
  ])("%s is answered with the right status", async (_, body, status) => {
    await using server = await TestServer.open();
    const { url } = await server.serve({ port: 0, limits: { body: 1000 } });
    const token = await server.tokens.issue({ label: "driver", scopes: ["drive"] });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${url}/v1/sessions/${server.session}/messages`, { method: "POST", headers, body });
    expect(response.status).toBe(status);
    if (status !== 200) expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

test("a body that is nested too deeply is rejected, also in a field that accepts any value", async () => {
  await using server = await TestServer.open();
  const { url } = await server.serve({ port: 0 });
  const token = await server.tokens.issue({ label: "driver", scopes: ["drive"] });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = `{"workspace":"/","settings":{"deep":${"[".repeat(1000)}${"]".repeat(1000)}}}`;
  const response = await fetch(`${url}/v1/sessions`, { method: "POST", headers, body });
  expect(response.status).toBe(400);
  expect(server.calls).toBe(0);
});

test("connections above the limit are closed, and existing ones stay open", async () => {
  await using server = await TestServer.open();
  await server.serve({ socket: server.socket, limits: { connections: 3, unauthorizedConnections: 3 } });
  const sockets = await Promise.all(
    [1, 2].map(async () => {
      const socket = connect(server.socket);
      await once(socket, "connect");
      return socket;
    }),
  );
  expect(await statusOf(server.socket)).toBe(200);
  const third = connect(server.socket);
  await once(third, "connect");
  const fourth = connect(server.socket);
  await once(fourth.resume(), "close");
  for (const socket of [...sockets, third]) socket.destroy();
});

test("closing the service ends its streams immediately", async () => {
  await using server = await TestServer.open();
  await server.appendEvents(1);
  const service = await server.serve({ port: 0 });
  const token = await server.tokens.issue({ label: "reader", scopes: ["read"] });
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const response = await fetch(`${service.url}/v1/sessions/${server.session}/events`, { headers });
  const before = Date.now();
  await Promise.all([service[Symbol.asyncDispose](), response.text()]);
  expect(Date.now() - before).toBeLessThan(1500);
});

describe("connections that stay silent", () => {
  test("do not keep callers with a token out, and do not close their connections", async () => {
    await using server = await TestServer.open();
    await server.appendEvents(1);
    const { url } = await server.serve({ port: 0, limits: { connections: 20, unauthorizedConnections: 5 } });
    const { port } = new URL(url ?? "");
    const token = await server.tokens.issue({ label: "reader", scopes: ["read"] });
    const headers = { authorization: `Bearer ${token}` };
    const stream = await fetch(`${url}/v1/sessions/${server.session}/events`, {
      headers: { ...headers, accept: "text/event-stream" },
    });
    const reader = stream.body!.getReader();
    await reader.read();
    const silent = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const socket = connect(Number(port), "127.0.0.1");
        socket.on("error", () => {});
        await once(socket, "connect");
        return socket;
      }),
    );
    expect((await fetch(`${url}/v1/health`, { headers: { ...headers, connection: "close" } })).status).toBe(200);
    await server.appendEvents(1);
    expect((await reader.read()).done).toBe(false); // the stream is still open
    await reader.cancel();
    for (const socket of silent) socket.destroy();
  });
});

test("a token file that cannot be read tells callers at the port nothing about it", async () => {
  await using server = await TestServer.open();
  const errors: unknown[] = [];
  const { url } = await server.serve({ port: 0, onError: (error) => errors.push(error) });
  await server.tokens.issue({ label: "reader", scopes: ["read"] });
  writeFileSync(join(server.folder, "tokens.json"), '[{"bad":1}]');
  const response = await fetch(`${url}/v1/health`, { headers: { authorization: "Bearer anything" } });
  const text = await response.text();
  expect(response.status).toBe(503);
  expect(text).not.toContain("tokens.json");
  expect(text).not.toContain(server.folder);
  expect(errors).toMatchObject([
    { code: "corrupt", message: expect.stringContaining(join(server.folder, "tokens.json")) },
  ]);
});

test("says that the servers of a fleet are away, and not where they are", async () => {
  await using server = await TestServer.open();
  const list = (): never => {
    throw new FairleadError("unavailable", "The bucket on NATS cannot be read.");
  };
  const tokens = new AccessTokens({ list, version: () => "", add: async () => {}, remove: async () => 0 });
  const { url } = await server.serve({ port: 0, tokens });
  const response = await fetch(`${url}/v1/health`, { headers: { authorization: "Bearer anything" } });
  expect(await response.json()).toMatchObject({
    status: 503,
    detail:
      "Tokens cannot be checked now, because the servers of the fleet cannot be reached from this gateway. Try again in a moment.",
  });
});
