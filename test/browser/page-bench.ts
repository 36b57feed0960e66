import { browserTransport, RemoteFairlead } from "@fairlead/client";
import { OutageProxy } from "@fairlead/testing/web/outage-proxy.ts";
import { type OpenedPage, type OpenPageOptions, TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { inject } from "vitest";
import type { SharedPage } from "./start-page.ts";

/** Whose token a page has. */
export type PageUser = "reader" | "driver" | "admin";

/** The shared daemon and browser, as one test file uses them. Disposal closes its pages. */
export class PageBench implements AsyncDisposable {
  readonly shared: SharedPage;
  /** Does on the daemon what another person or program does. */
  readonly fairlead: RemoteFairlead;
  readonly #browser: TestBrowser;
  readonly #resources = new AsyncDisposableStack();

  private constructor(shared: SharedPage, browser: TestBrowser) {
    this.shared = shared;
    this.fairlead = new RemoteFairlead(browserTransport(shared.url, shared.admin));
    this.#browser = browser;
    this.#resources.use(browser);
  }

  static async open(): Promise<PageBench> {
    const shared = inject("page");
    return new PageBench(shared, await TestBrowser.connect(shared.browser));
  }

  /** Opens a path of the page with the token of a user. `at`: another address of the daemon. */
  async openPage(
    path: string,
    { user = "driver", at = this.shared.url, ...options }: OpenPageOptions & { user?: PageUser; at?: string } = {},
  ): Promise<OpenedPage> {
    const opened = await this.#browser.open(`${at}${path}`, { token: this.shared[user], ...options });
    this.#resources.use(opened.context);
    // As long as the polls of this project, for a busy machine.
    opened.page.setDefaultTimeout(60_000);
    return opened;
  }

  /** Starts the network to the daemon that can be cut, and returns the daemon's address in it. Only one file may. */
  async openNetwork(): Promise<{ readonly proxy: OutageProxy; readonly at: string }> {
    const { url, proxyPort } = this.shared;
    const proxy = this.#resources.use(await OutageProxy.start(Number(new URL(url).port), proxyPort));
    return { proxy, at: `http://127.0.0.1:${proxyPort}` };
  }

  /** Starts a session of the scripted agent with steps, and returns its id. */
  async start(message: string, steps: readonly object[], fields: { readonly name?: string } = {}): Promise<string> {
    const { workspace } = this.shared;
    const prompt = scripted(message, steps);
    const { session } = await this.fairlead.start({ agent: "scripted", workspace, prompt, ...fields });
    return session;
  }

  /** Waits for an event of a type after a number, and returns its number. */
  async until(session: string, type: string, after = 0): Promise<number> {
    for await (const event of this.fairlead.events(session, { after, follow: true }))
      if ("body" in event && event.body.type === type) return event.sequence;
    throw new Error(`Session ${session} has ended without ${type}.`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

/** A message that makes the scripted agent follow steps. */
export function scripted(message: string, steps: readonly object[]): string {
  return `${message} SCRIPT:${JSON.stringify(steps)}`;
}
