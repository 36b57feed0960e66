import { once } from "node:events";
import { createServer } from "node:net";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { FileTokenStore } from "@fairlead/engine";
import { AccessTokens } from "@fairlead/server";
import { type OpenedPage, TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { ChildProgram } from "../../measure/child-program.ts";
import { TestHome } from "../../measure/test-home.ts";
import { daemonNodeFlags } from "../../packages/daemon/src/daemon-command.ts";
import { OutageProxy } from "@fairlead/testing/web/outage-proxy.ts";
import { freezeProbe } from "./freeze-pages.ts";
import { freshnessProbe } from "./read-pages.ts";

const program = new URL("../../packages/cli/dist/src/main.js", import.meta.url);

/** The daemon that users have, which can be killed, and pages that reach it over a network that can be cut. */
export class TruthBench implements AsyncDisposable {
  readonly testHome = new TestHome();
  readonly proxy: OutageProxy;
  /** Reaches the daemon without the network. */
  readonly fairlead: RemoteFairlead;
  readonly url: string;
  readonly #browser: TestBrowser;
  readonly #port: number;
  #daemon: ChildProgram | null = null;
  #token = "";

  private constructor(proxy: OutageProxy, browser: TestBrowser, port: number) {
    this.proxy = proxy;
    this.#browser = browser;
    this.#port = port;
    this.url = `http://127.0.0.1:${proxy.port}`;
    this.fairlead = new RemoteFairlead(nodeTransport({ socket: this.testHome.home.daemonSocket }), {
      retryTimeoutMs: 60_000,
    });
  }

  static async open(): Promise<TruthBench> {
    const port = await findFreePort();
    const bench = new TruthBench(await OutageProxy.start(port), await TestBrowser.launch(), port);
    await bench.startDaemon();
    const tokens = new AccessTokens(new FileTokenStore(bench.testHome.home.tokensFile));
    bench.#token = await tokens.issue({ label: "page", scopes: ["read", "drive", "approve"] });
    return bench;
  }

  async startDaemon(): Promise<void> {
    const env = { ...this.testHome.environment, FAIRLEAD_HOME: this.testHome.home.folder };
    const address = ["--listen", `127.0.0.1:${this.#port}`, "--origin", this.url];
    const args = ["up", "--foreground", ...address];
    const nodeFlags = [...daemonNodeFlags, "--conditions=built"];
    const daemon = new ChildProgram(program, null, { env, nodeFlags, args });
    this.#daemon = daemon;
    for (;;) if ((await daemon.readJson<{ msg: string }>()).msg === "daemon started") break;
    void drain(daemon);
  }

  async killDaemon(): Promise<void> {
    await this.#daemon?.kill();
  }

  /** Resolves when the service answers over the network of the pages, and returns when that was. */
  async untilAnswered(): Promise<number> {
    for (;;) {
      try {
        const signal = AbortSignal.timeout(200);
        const response = await fetch(`${this.url}/v1/grant`, {
          headers: { authorization: `Bearer ${this.#token}` },
          signal,
        });
        await response.arrayBuffer();
        if (response.ok) return performance.now();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  }

  async openPage(path: string): Promise<OpenedPage> {
    const opened = await this.#browser.open(`${this.url}/`, {
      token: this.#token,
      viewport: { width: 1280, height: 1800 },
    });
    await opened.context.addInitScript(`${freshnessProbe}${freezeProbe}`);
    await opened.page.goto(`${this.url}${path}`);
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
    await this.#daemon?.kill();
    await this.testHome[Symbol.asyncDispose]();
  }
}

/** A daemon whose log is not read blocks when the pipe is full. */
async function drain(daemon: ChildProgram): Promise<void> {
  try {
    for (;;) await daemon.readLine();
  } catch {
    // it was killed
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
