import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeCodes, type Frame } from "@fairlead/api";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { Ground } from "./ground-for-test.ts";
import type { ServeOptions } from "./serve.ts";

/** Within a second, they are gone; twice that, for a machine that is busy. In milliseconds. */
const soon = 2000;
const tokensModule = new URL("./tokens.ts", import.meta.url).href;

/** Takes a token back as the command line does: in a process of its own, which the service does not hear of. */
async function revokeElsewhere(ground: Ground, label: string): Promise<void> {
  const file = JSON.stringify(join(ground.folder, "tokens.json"));
  const code = `import { Tokens } from "${tokensModule}"; new Tokens(${file}).revoke("${label}");`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], { stdio: "inherit" });
  expect(await once(child, "exit")).toEqual([0, null]);
}

async function opened(ground: Ground, label: string, options: Partial<ServeOptions> = {}) {
  const { url } = await ground.serve({ port: 0, ...options });
  const token = ground.tokens.issue({ label, scopes: ["read"] });
  return { url: `${url}/v1/sessions/${ground.session}/events`, headers: { authorization: `Bearer ${token}` } };
}

test("a WebSocket ends soon after its token is taken back, and says why; another goes on", async () => {
  await using ground = await Ground.open();
  const bad = await opened(ground, "bad");
  const good = await opened(ground, "good");
  const [ended, going] = [bad, good].map(({ url, headers }) => new WebSocket(url.replace("http", "ws"), { headers }));
  await Promise.all([once(ended!, "message"), once(going!, "message")]);
  const last = once(ended!, "message");
  const closed = once(ended!, "close");
  await revokeElsewhere(ground, "bad");
  const since = Date.now();
  expect((await closed)[0]).toBe(closeCodes.problem);
  expect(Date.now() - since).toBeLessThan(soon);
  const frame = JSON.parse(String((await last)[0])) as Frame;
  expect(frame).toMatchObject({ problem: { code: "not-allowed", detail: "The token was taken back." } });
  const next = once(going!, "message");
  await ground.write(1);
  expect(JSON.parse(String((await next)[0]))).toMatchObject({ event: { sequence: 1 } });
  expect(ground.readers).toBe(1);
  going!.terminate();
});

test("one that does not read is cut all the same", async () => {
  await using ground = await Ground.open();
  let followers = 0;
  const following = (): Disposable => {
    followers += 1;
    return { [Symbol.dispose]: () => (followers -= 1) };
  };
  const { url, headers } = await opened(ground, "stalled", { watch: { answered: () => {}, following } });
  for (let round = 0; round < 20; round += 1) await ground.write(10, 100_000);
  const socket = new WebSocket(url.replace("http", "ws"), { headers });
  await once(socket, "message");
  socket.pause();
  expect(followers).toBe(1);
  ground.tokens.revoke("stalled");
  await expect.poll(() => followers, { timeout: soon }).toBe(0);
  const closed = once(socket, "close");
  socket.resume();
  expect((await closed)[0]).toBe(1006); // in the middle of what lay there
});

test("server-sent events end with the reason, soon after", async () => {
  await using ground = await Ground.open();
  const { url, headers } = await opened(ground, "page");
  await ground.write(1);
  const response = await fetch(url, { headers: { ...headers, accept: "text/event-stream" } });
  let text = "";
  let since = 0;
  for await (const part of response.body!) {
    text += new TextDecoder().decode(part);
    if (since > 0 || !text.includes("caughtUp")) continue;
    await revokeElsewhere(ground, "page");
    since = Date.now();
  }
  expect(Date.now() - since).toBeLessThan(soon);
  expect(text).toContain("The token was taken back.");
  expect((await fetch(url, { headers })).status).toBe(401);
});

test("a file that cannot be read ends them too", async () => {
  await using ground = await Ground.open();
  const { url, headers } = await opened(ground, "any");
  const socket = new WebSocket(url.replace("http", "ws"), { headers });
  await once(socket, "message");
  const closed = once(socket, "close");
  writeFileSync(join(ground.folder, "tokens.json"), "[{}]");
  expect((await closed)[0]).toBe(closeCodes.problem);
});
