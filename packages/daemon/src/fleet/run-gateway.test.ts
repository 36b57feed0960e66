import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLocalEngine } from "@fairlead/engine";
import { projectionVersion } from "@fairlead/runtime";
import { expect, test } from "vitest";
import { runGateway } from "./run-gateway.ts";

test("says that another process uses the address", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-"));
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const openEngine = (): ReturnType<typeof openLocalEngine> =>
    openLocalEngine({
      journalFile: join(folder, "journal.db"),
      indexFile: join(folder, "index.db"),
      indexContentVersion: projectionVersion,
      tokensFile: join(folder, "tokens.json"),
      objectsFolder: join(folder, "objects"),
    });
  const listen = { host: "127.0.0.1", port };
  await expect(
    runGateway({ environment: {}, openEngine, listen, names: [], pool: "default", onReady: () => {} }),
  ).rejects.toMatchObject({
    code: "invalid-settings",
    message: `Another process uses the address 127.0.0.1:${port}. Stop it, or choose another port with --listen.`,
  });
  other.close();
  rmSync(folder, { recursive: true });
});
