import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { adapters } from "@fairlead/adapters";
import type { AgentEvent } from "@fairlead/contract";
import { FileTokenStore } from "@fairlead/engine";
import { Home } from "@fairlead/runtime";
import { AccessTokens, serveHttp } from "@fairlead/server";
import { LocalFairlead } from "@fairlead/service";
import { type OpenedPage, TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { Phone } from "./phone.ts";

const pageFolder = fileURLToPath(new URL("../../packages/web/dist/page", import.meta.url));

/** A service with the built page, and phones that show it. */
export class PhoneBench implements AsyncDisposable {
  readonly fairlead: LocalFairlead;
  readonly workspace: string;
  readonly #url: string;
  readonly #tokens: AccessTokens;
  readonly #browser: TestBrowser;
  readonly #pages: OpenedPage[] = [];
  readonly #resources: AsyncDisposableStack;

  private constructor(
    fairlead: LocalFairlead,
    workspace: string,
    url: string,
    tokens: AccessTokens,
    browser: TestBrowser,
    resources: AsyncDisposableStack,
  ) {
    this.fairlead = fairlead;
    this.workspace = workspace;
    this.#url = url;
    this.#tokens = tokens;
    this.#browser = browser;
    this.#resources = resources;
  }

  static async open(environment: NodeJS.ProcessEnv = process.env): Promise<PhoneBench> {
    await using resources = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "phone-"));
    resources.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    const workspace = join(folder, "w");
    mkdirSync(workspace);
    const fairlead = resources.use(
      await LocalFairlead.open({ home: new Home(join(folder, "h")), adapters, environment, observeFiles: false }),
    );
    const tokens = new AccessTokens(new FileTokenStore(join(folder, "tokens.json")));
    const { url } = resources.use(await serveHttp({ fairlead, tokens, port: 0, pageFolder }));
    const browser = resources.use(await TestBrowser.launch());
    return new PhoneBench(fairlead, workspace, url ?? "", tokens, browser, resources.move());
  }

  /** Opens the inbox on a phone whose token may read and approve. `isHasty`: without the half second. */
  async openPhone(label: string, isHasty = false): Promise<Phone> {
    const token = await this.#tokens.issue({ label, scopes: ["read", "approve"] });
    const viewport = { width: 393, height: 760 };
    const touch = { viewport, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
    const opened = await this.#browser.open(`${this.#url}/`, { token, ...touch });
    this.#pages.push(opened);
    const phone = new Phone(opened.page);
    await phone.prepare(isHasty);
    await opened.page.goto(`${this.#url}/inbox`);
    await opened.page.getByText("Nothing waits for you.").waitFor();
    return phone;
  }

  /** Errors of all pages, and violations of their policy. A refused second answer is no error. */
  get problems(): readonly string[] {
    return this.#pages.flatMap(({ problems }) => problems).filter((one) => !one.includes("status of 409"));
  }

  /** Sends a message and returns when the agent asks, with the time that the request has in the journal. */
  async ask(session: string, message: string): Promise<Asked> {
    const { last } = await this.fairlead.session(session);
    await this.fairlead.send(session, message);
    for await (const event of this.fairlead.events(session, { after: last, follow: true })) {
      if (!("body" in event)) continue;
      const { body, occurredAt } = event;
      if (body.type === "decision.requested")
        return { decision: body.decision, after: last, at: Date.parse(occurredAt), heardAt: Date.now() };
      if (body.type === "turn.ended" || body.type === "session.ended") break;
    }
    throw new Error("The agent did not ask.");
  }

  /** Waits for the end of the turn, and returns its events. */
  async finishTurn(session: string, after: number): Promise<AgentEvent[]> {
    const bodies: AgentEvent[] = [];
    for await (const event of this.fairlead.events(session, { after, follow: true })) {
      if (!("body" in event)) continue;
      bodies.push(event.body);
      if (event.body.type === "turn.ended" || event.body.type === "session.ended") break;
    }
    return bodies;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}

export interface Asked {
  readonly decision: string;
  /** The newest event before the message. */
  readonly after: number;
  readonly at: number;
  /** When a reader of the journal in the same process got it: the floor of what a page can do. */
  readonly heardAt: number;
}
