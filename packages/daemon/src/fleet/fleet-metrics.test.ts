import { once } from "node:events";
import { mkdtempDisposableSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { openLocalEngine, type Engine } from "@fairlead/engine";
import { Home, projectionVersion } from "@fairlead/runtime";
import { AccessTokens } from "@fairlead/server";
import { expect, test } from "vitest";
import { runGateway } from "./run-gateway.ts";
import { runHost } from "./run-host.ts";

const host = "127.0.0.1";

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function read(url: string, token?: string): Promise<readonly [number, string]> {
  const response = await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  return [response.status, await response.text()];
}

/** Runs a process of a fleet until a function has ended. */
async function whileRunning(
  start: (engine: Engine, folder: string, onReady: (at: string) => void) => Promise<void>,
  use: (engine: Engine, at: string) => Promise<void>,
): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "metrics-"));
  await using engine = await openLocalEngine({
    journalFile: join(folder.path, "journal.db"),
    indexFile: join(folder.path, "index.db"),
    indexContentVersion: projectionVersion,
    tokensFile: join(folder.path, "tokens.json"),
    objectsFolder: join(folder.path, "objects"),
  });
  const ready = Promise.withResolvers<string>();
  const running = start({ ...engine, [Symbol.asyncDispose]: async () => {} }, folder.path, ready.resolve);
  await Promise.race([ready.promise, running]);
  try {
    await use(engine, await ready.promise);
  } finally {
    process.emit("SIGTERM", "SIGTERM");
    await running;
  }
}

test("a host serves metrics and probes on loopback", async () => {
  const port = await findFreePort();
  const at = `http://${host}:${port}`;
  await whileRunning(
    (engine, folder, onReady) =>
      runHost({
        context: {
          home: new Home(join(folder, "h")),
          environment: { ...process.env, FAIRLEAD_HOME: join(folder, "h") },
        },
        openEngine: async () => engine,
        pool: "default",
        loginFiles: [],
        max: 7,
        metricsAddress: { host, port },
        onReady,
      }),
    async () => {
      expect(await read(`${at}/readyz`)).toEqual([200, "ok\n"]);
      const [status, text] = await read(`${at}/v1/metrics`);
      expect(status).toBe(200);
      expect(text).toContain('fairlead_host_places{kind="all"} 7\n');
      expect(text).toMatch(/^fairlead_heartbeat_age_seconds \d/m);
      expect(text).not.toMatch(/^fairlead_(queue_waiting|hosts)\b/m);
    },
  );
  await expect(fetch(`${at}/livez`)).rejects.toThrow();
});

test("a gateway serves metrics at its address with a token only, and on loopback without", async () => {
  const port = await findFreePort();
  await whileRunning(
    (engine, _, onReady) =>
      runGateway({
        environment: {},
        openEngine: async () => engine,
        listen: { host, port: 0 },
        names: [],
        pool: "default",
        metricsAddress: { host, port },
        onReady,
      }),
    async ({ tokens }, url) => {
      const [status, refusal] = await read(`${url}/v1/metrics`, "wrong");
      expect(status).toBe(401);
      expect(refusal).toContain("fairlead token LABEL --scope read --fleet FILE");
      const remote = new RemoteFairlead(nodeTransport({ url, token: "wrong" }));
      await expect(remote.sessions()).rejects.toMatchObject({
        code: "not-allowed",
        message: expect.stringContaining(
          "for a gateway of a fleet with `fairlead token LABEL --scope read drive approve --fleet FILE`",
        ),
      });
      const token = await new AccessTokens(tokens).issue({ label: "prometheus", scopes: ["read"] });
      expect((await read(`${url}/v1/metrics`, token))[1]).toContain("fairlead_appends_total");
      const [, text] = await read(`http://${host}:${port}/v1/metrics`);
      expect(text).toContain('fairlead_hosts{pool="default"} 0\n');
      expect(text).not.toMatch(/^fairlead_(heartbeat_age_seconds|host_places)\b/m);
    },
  );
});
