import { once } from "node:events";
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { Ground } from "./ground-for-test.ts";

/** The status of an answer over the socket. */
async function statusOf(
  socketPath: string,
  headers: Record<string, string> = {},
  path = "/v1/health",
): Promise<number> {
  const sent = request({ socketPath, path, headers: { host: "localhost", ...headers }, agent: false });
  sent.end();
  const [response] = await once(sent, "response");
  (response as NodeJS.ReadableStream).resume();
  return (response as { statusCode: number }).statusCode;
}

describe("the socket", () => {
  test("is the owner's alone, without a token; one that is shown counts, and no page gets in", async () => {
    await using ground = await Ground.open();
    await ground.serve({ socket: ground.socket });
    expect(statSync(dirname(ground.socket)).mode & 0o777).toBe(0o700);
    expect(statSync(ground.socket).mode & 0o777).toBe(0o600);
    const agent = ground.tokens.issue({ label: "agent", scopes: ["report"], session: "s" });
    expect(await statusOf(ground.socket)).toBe(200);
    expect(await statusOf(ground.socket, { host: "fairlead" })).toBe(200);
    expect(await statusOf(ground.socket, { host: "evil.example" })).toBe(421);
    expect(await statusOf(ground.socket, { origin: "http://localhost" })).toBe(403);
    expect(await statusOf(ground.socket, { authorization: `Bearer ${agent}` })).toBe(403);
    expect(await statusOf(ground.socket, { authorization: "Bearer unknown" })).toBe(401);
  });

  test("is taken from one who was killed, but not from one who lives", async () => {
    await using ground = await Ground.open();
    mkdirSync(dirname(ground.socket), { mode: 0o700 });
    writeFileSync(ground.socket, ""); // what is left behind
    const service = await ground.serve({ socket: ground.socket });
    await expect(ground.serve({ socket: ground.socket })).rejects.toMatchObject({ code: "unavailable" });
    expect(await statusOf(ground.socket)).toBe(200);
    await service[Symbol.asyncDispose]();
    await ground.serve({ socket: ground.socket });
    expect(await statusOf(ground.socket)).toBe(200);
  });

  test("is not opened in a folder that others can enter", async () => {
    await using ground = await Ground.open();
    mkdirSync(dirname(ground.socket));
    chmodSync(dirname(ground.socket), 0o755);
    await expect(ground.serve({ socket: ground.socket })).rejects.toMatchObject({ code: "not-allowed" });
  });
});

describe("a body", () => {
  test.each([
    ["too long", `{"text":"${"x".repeat(2000)}"}`, 413],
    ["not JSON", "{", 400],
    ["without what is needed", "{}", 400],
    ["with what nobody asked for", `{"text":"a","more":1}`, 400],
    ["that means our prototypes", `{"text":"a","__proto__":{"polluted":1}}`, 400],
    ["with brackets in its text only", `{"text":"${"[".repeat(100)}\\""}`, 200],
  ])("%s", async (_, body, status) => {
    await using ground = await Ground.open();
    const { url } = await ground.serve({ port: 0, limits: { body: 1000 } });
    const token = ground.tokens.issue({ label: "driver", scopes: ["drive"] });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${url}/v1/sessions/ground/messages`, { method: "POST", headers, body });
    expect(response.status).toBe(status);
    if (status !== 200) expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

test("a body that is nested without end is refused, also where anything may stand", async () => {
  await using ground = await Ground.open();
  const { url } = await ground.serve({ port: 0 });
  const token = ground.tokens.issue({ label: "driver", scopes: ["drive"] });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = `{"workspace":"/","settings":{"deep":${"[".repeat(1000)}${"]".repeat(1000)}}}`;
  const response = await fetch(`${url}/v1/sessions`, { method: "POST", headers, body });
  expect(response.status).toBe(400);
  expect(ground.calls).toBe(0);
});

test("more connections than allowed are turned away, and those that are there go on", async () => {
  await using ground = await Ground.open();
  await ground.serve({ socket: ground.socket, limits: { connections: 3 } });
  const held = await Promise.all(
    [1, 2].map(async () => {
      const socket = connect(ground.socket);
      await once(socket, "connect");
      return socket;
    }),
  );
  expect(await statusOf(ground.socket)).toBe(200);
  const third = connect(ground.socket);
  await once(third, "connect");
  const fourth = connect(ground.socket);
  await once(fourth.resume(), "close");
  for (const socket of [...held, third]) socket.destroy();
});

test("a service that ends ends its streams, at once", async () => {
  await using ground = await Ground.open();
  await ground.write(1);
  const service = await ground.serve({ port: 0 });
  const token = ground.tokens.issue({ label: "reader", scopes: ["read"] });
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const response = await fetch(`${service.url}/v1/sessions/ground/events`, { headers });
  const before = Date.now();
  await Promise.all([service[Symbol.asyncDispose](), response.text()]);
  expect(Date.now() - before).toBeLessThan(1500);
});
