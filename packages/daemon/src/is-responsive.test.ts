import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isResponsive } from "./is-responsive.ts";

test("a daemon that answers liveness probes is responsive, also while it does not answer queries", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fl-"));
  const socket = join(folder, "socket");
  let answersProbes = true;
  const server = createServer(({ url }, response) => {
    if (url === "/healthz" && answersProbes) response.end("{}");
  });
  server.listen(socket);
  await once(server, "listening");
  expect(await isResponsive(socket, 2000)).toBe(true);
  answersProbes = false;
  expect(await isResponsive(socket, 100)).toBe(false);
  server.closeAllConnections();
  server.close();
  await once(server, "close");
  expect(await isResponsive(socket, 100)).toBe(true); // it has exited
  rmSync(folder, { recursive: true });
});
