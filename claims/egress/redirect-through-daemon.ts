import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestBench } from "@fairlead/conformance";
import type { Relay } from "../daemon/service.ts";

/**
 * For a control: has an agent reach its service at a port of the daemon, as it would if the gate were in the daemon.
 * Replaces the URL of the lab in the environment and in the files of the bench.
 */
export async function redirectThroughDaemon(
  bench: TestBench,
  folder: string,
): Promise<{ readonly bench: TestBench; readonly relay: Relay }> {
  const [url = ""] = bench.services ?? [];
  const port = await findFreePort();
  const relayUrl = `http://127.0.0.1:${port}`;
  const replaceUrl = (text: string): string => text.replaceAll(url, relayUrl);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile()) writeFileSync(file, replaceUrl(readFileSync(file, "utf8")));
  }
  const environment = Object.fromEntries(
    Object.entries(bench.environment).map(([name, value]) => [name, replaceUrl(value)]),
  );
  return {
    bench: { ...bench, environment, services: [relayUrl] },
    relay: { port, targetPort: Number(new URL(url).port) },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}
