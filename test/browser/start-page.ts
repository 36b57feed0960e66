import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { PageDaemon } from "@fairlead/testing/web/page-daemon.ts";
import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import type { TestProject } from "vitest/node";

/** The daemon and the browser that the tests of the page share. */
export interface SharedPage {
  readonly url: string;
  /** A port of this machine that the daemon accepts in addresses, too: for a network that can be cut. */
  readonly proxyPort: number;
  readonly workspace: string;
  /** Tokens of the daemon, named for their scopes. */
  readonly reader: string;
  readonly driver: string;
  readonly admin: string;
  /** Where Chromium accepts connections. */
  readonly browser: string;
}

declare module "vitest" {
  interface ProvidedContext {
    readonly page: SharedPage;
  }
}

/** Starts them before the first test, and returns what ends them after the last one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using resources = new AsyncDisposableStack();
  const proxyPort = await findFreePort();
  const cache = fileURLToPath(new URL("../../.cache/compiled", import.meta.url));
  const [daemon, server] = await Promise.all([
    PageDaemon.start({ NODE_COMPILE_CACHE: cache }, "--origin", `http://127.0.0.1:${proxyPort}`),
    TestBrowser.launchServer(),
  ]);
  resources.use(daemon);
  resources.defer(() => server.close());
  project.provide("page", {
    url: daemon.url,
    proxyPort,
    workspace: daemon.cli.workspace,
    reader: await daemon.issueToken(["read"]),
    driver: await daemon.issueToken(["read", "drive", "approve"]),
    admin: await daemon.issueToken(["read", "drive", "approve", "admin"]),
    browser: server.wsEndpoint(),
  });
  const owned = resources.move();
  return () => owned.disposeAsync();
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
