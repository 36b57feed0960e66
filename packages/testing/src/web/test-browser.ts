import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type BrowserServer,
  chromium,
  type LaunchOptions,
  type Page,
} from "playwright-core";
import { watchPage } from "./watch-page.ts";

/** Keeps Chromium from making requests of its own, which would count as the page's. */
const flags = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--no-first-run",
];

function launchOptions(): LaunchOptions {
  // The sandbox of Chromium does not start as root. The pages are our own.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return { executablePath: "/usr/bin/chromium", args: [...flags, ...sandbox], timeout: 60_000 };
}

/** A page in a browser profile of its own. */
export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong since the page was opened: errors, warnings and violations of the policy. A test expects none. */
  readonly problems: readonly string[];
}

export interface OpenPageOptions extends BrowserContextOptions {
  /** The token that the tab has. Without one, the page is not signed in. */
  readonly token?: string;
}

/** Debian's Chromium, with a new profile for each page. */
export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async launch(): Promise<TestBrowser> {
    return new TestBrowser(await chromium.launch(launchOptions()));
  }

  /** Starts a browser that several processes connect to. */
  static async launchServer(): Promise<BrowserServer> {
    return await chromium.launchServer(launchOptions());
  }

  /** Uses a browser that `launchServer` has started. Disposal closes the pages of this process only. */
  static async connect(endpoint: string): Promise<TestBrowser> {
    return new TestBrowser(await chromium.connect(endpoint));
  }

  /** Opens a page and waits until it is loaded, with its scripts. */
  async open(url: string, { token, ...options }: OpenPageOptions = {}): Promise<OpenedPage> {
    const context = await this.#browser.newContext(options);
    if (token !== undefined) await keepToken(context, new URL(url).origin, token);
    const problems = await watchPage(context);
    const page = await context.newPage();
    await page.goto(url);
    return { page, context, problems };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#browser.close();
  }
}

/** Gives each tab of the context the token, as if the person had signed in there. */
async function keepToken(context: BrowserContext, origin: string, token: string): Promise<void> {
  const keep = `if (location.origin === ${JSON.stringify(origin)} && sessionStorage.getItem("fairlead.token") === null)
    sessionStorage.setItem("fairlead.token", ${JSON.stringify(token)});`;
  await context.addInitScript(keep);
}
