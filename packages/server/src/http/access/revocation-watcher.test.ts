import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeCodes, type Frame } from "@fairlead/api";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { TestServer } from "@fairlead/testing/server/test-server.ts";
import type { ServeHttpOptions } from "../serve-http.ts";

/** Streams end within a second; a busy machine gets twice that. In milliseconds. */
const revocationDeadline = 2000;
const tokensModule = new URL("./access-tokens.ts", import.meta.url).href;

/** Revokes a token as the CLI does: in another process, without a message to the service. */
async function revokeInOtherProcess(server: TestServer, label: string): Promise<void> {
  const file = JSON.stringify(join(server.folder, "tokens.json"));
  const code = `import { FileTokenStore } from "@fairlead/engine";
    import { AccessTokens } from "${tokensModule}";
    await new AccessTokens(new FileTokenStore(${file})).revoke("${label}");`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: "inherit",
    cwd: import.meta.dirname, // so that the package resolves
  });
  expect(await once(child, "exit")).toEqual([0, null]);
}

async function openReader(server: TestServer, label: string, options: Partial<ServeHttpOptions> = {}) {
  const { url } = await server.serve({ port: 0, ...options });
  const token = await server.tokens.issue({ label, scopes: ["read"] });
  return { url: `${url}/v1/sessions/${server.session}/events`, headers: { authorization: `Bearer ${token}` } };
}

test("a WebSocket ends with the reason soon after its token is revoked; other WebSockets stay open", async () => {
  await using server = await TestServer.open();
  const revokedReader = await openReader(server, "revoked");
  const validReader = await openReader(server, "valid");
  const [revokedSocket, validSocket] = [revokedReader, validReader].map(
    ({ url, headers }) => new WebSocket(url.replace("http", "ws"), { headers }),
  );
  await Promise.all([once(revokedSocket!, "message"), once(validSocket!, "message")]);
  const last = once(revokedSocket!, "message");
  const closed = once(revokedSocket!, "close");
  await revokeInOtherProcess(server, "revoked");
  const revokedAt = Date.now();
  expect((await closed)[0]).toBe(closeCodes.problem);
  expect(Date.now() - revokedAt).toBeLessThan(revocationDeadline);
  const frame = JSON.parse(String((await last)[0])) as Frame;
  expect(frame).toMatchObject({ problem: { code: "not-allowed", detail: "The token was revoked or has expired." } });
  const next = once(validSocket!, "message");
  await server.appendEvents(1);
  expect(JSON.parse(String((await next)[0]))).toMatchObject({ event: { sequence: 1 } });
  expect(server.activeReaders).toBe(1);
  validSocket!.terminate();
});

test("a client that does not read is disconnected too", async () => {
  await using server = await TestServer.open();
  let followers = 0;
  const onFollow = (): Disposable => {
    followers += 1;
    return { [Symbol.dispose]: () => (followers -= 1) };
  };
  const { url, headers } = await openReader(server, "stalled", { httpObserver: { onResponse: () => {}, onFollow } });
  for (let round = 0; round < 20; round += 1) await server.appendEvents(10, 100_000);
  const socket = new WebSocket(url.replace("http", "ws"), { headers });
  await once(socket, "message");
  socket.pause();
  expect(followers).toBe(1);
  await server.tokens.revoke("stalled");
  await expect.poll(() => followers, { timeout: revocationDeadline }).toBe(0);
  const closed = once(socket, "close");
  socket.resume();
  expect((await closed)[0]).toBe(1006); // terminated in the middle of the unsent data
});

test("server-sent events end with the reason soon after the token is revoked", async () => {
  await using server = await TestServer.open();
  const { url, headers } = await openReader(server, "page");
  await server.appendEvents(1);
  const response = await fetch(url, { headers: { ...headers, accept: "text/event-stream" } });
  let text = "";
  let revokedAt = 0;
  for await (const part of response.body!) {
    text += new TextDecoder().decode(part);
    if (revokedAt > 0 || !text.includes("caughtUp")) continue;
    await revokeInOtherProcess(server, "page");
    revokedAt = Date.now();
  }
  expect(Date.now() - revokedAt).toBeLessThan(revocationDeadline);
  expect(text).toContain("The token was revoked or has expired.");
  expect((await fetch(url, { headers })).status).toBe(401);
});

test("streams end without a revocation if the token file cannot be read, and begin again when it can", async () => {
  await using server = await TestServer.open();
  const { url, headers } = await openReader(server, "any");
  const socket = new WebSocket(url.replace("http", "ws"), { headers });
  await once(socket, "message");
  const last = once(socket, "message");
  const closed = once(socket, "close");
  const file = join(server.folder, "tokens.json");
  const tokens = readFileSync(file);
  writeFileSync(file, "[{}]");
  expect((await closed)[0]).toBe(closeCodes.problem);
  // Clients give up after `not-allowed`, and connect again after this.
  const frame = JSON.parse(String((await last)[0])) as Frame;
  expect(frame).toMatchObject({ problem: { code: "unavailable", status: 503 } });
  expect((await fetch(url, { headers })).status).toBe(503);
  writeFileSync(file, tokens);
  expect((await fetch(url, { headers })).status).toBe(200);
});

test("a stream ends at the end of its token, and no other one", async () => {
  await using server = await TestServer.open();
  const { url } = await server.serve({ port: 0 });
  const open = async (label: string, expiresInMs: number): Promise<WebSocket> => {
    const token = await server.tokens.issue({ label, scopes: ["read"], expiresInMs });
    const address = `${url!.replace("http", "ws")}/v1/sessions/${server.session}/events`;
    return new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
  };
  const later = await open("later", 3_600_000);
  await once(later, "message");
  const soon = await open("soon", 700);
  const startedAt = Date.now();
  await once(soon, "message");
  const last = once(soon, "message");
  expect((await once(soon, "close"))[0]).toBe(closeCodes.problem);
  expect(Date.now() - startedAt).toBeLessThan(700 + revocationDeadline);
  const frame = JSON.parse(String((await last)[0])) as Frame;
  expect(frame).toMatchObject({ problem: { code: "not-allowed", detail: "The token was revoked or has expired." } });
  // The second one of two must end, too: the watcher looks for the next end after each.
  const second = await open("second", 700);
  expect((await once(second, "close"))[0]).toBe(closeCodes.problem);
  expect(later.readyState).toBe(WebSocket.OPEN);
  later.terminate();
});
