import { createServer, type AddressInfo } from "node:net";
import { chromium, type Browser, type Page } from "playwright-core";
import { runQuietly } from "../../scripts/run.ts";

const main = new URL("../../packages/cli/src/main.ts", import.meta.url).pathname;
/** Milliseconds. The screen of a large program on a busy machine. */
const waitLimitMs = 180_000;

/** A daemon with the page, a browser, and the agent's terminal of one session in it. */
export class TerminalPage implements AsyncDisposable {
  readonly page: Page;
  readonly origin: string;
  readonly token: string;
  readonly #browser: Browser;
  readonly #run: (...words: string[]) => Promise<string>;

  private constructor(
    browser: Browser,
    page: Page,
    run: (...words: string[]) => Promise<string>,
    origin: string,
    token: string,
  ) {
    this.#browser = browser;
    this.page = page;
    this.#run = run;
    this.origin = origin;
    this.token = token;
  }

  /** Violations of the page's policy, and errors of its code. */
  readonly problems: string[] = [];

  static async open(workspace: string, environment: NodeJS.ProcessEnv): Promise<TerminalPage> {
    const run = async (...words: string[]): Promise<string> => {
      const { code, output } = await runQuietly(process.execPath, [main, ...words], {
        cwd: workspace,
        env: environment,
      });
      if (code !== 0) throw new Error(`fairlead ${words.join(" ")} exited with ${code}: ${output}`);
      return output;
    };
    const origin = `http://127.0.0.1:${await findFreePort()}`;
    await run("up", "--listen", origin.slice("http://".length));
    const printed = await run("token", "page", "--scope", "read", "drive", "approve", "admin", "--json");
    const { token } = JSON.parse(printed.split("\n").find((line) => line.startsWith("{")) ?? "") as { token: string };
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
    const page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
    await page.addInitScript((text: string) => sessionStorage.setItem("fairlead.token", text), token);
    const opened = new TerminalPage(browser, page, run, origin, token);
    page.on("pageerror", (error) => opened.problems.push(error.message));
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) opened.problems.push(message.text().slice(0, 120));
    });
    return opened;
  }

  run(...words: string[]): Promise<string> {
    return this.#run(...words);
  }

  async takeOver(session: string): Promise<void> {
    await this.page.goto(`${this.origin}/s/${session}/terminal`);
    await this.page.getByRole("button", { name: "Take over", exact: true }).click();
    await this.waitUntilOpen();
  }

  async waitUntilOpen(): Promise<void> {
    await this.page.getByText("you lead").waitFor({ timeout: waitLimitMs });
  }

  async handBack(): Promise<void> {
    await this.page.getByRole("button", { name: /^Hand back/ }).click();
    await this.page.getByText("The agent leads again").waitFor({ timeout: waitLimitMs });
  }

  /** What the terminal shows, line by line. */
  readScreen(): Promise<string> {
    const rows = 'Array.from(document.querySelectorAll(".xterm-rows > div"), (row) => row.textContent.trimEnd())';
    return this.page.evaluate<string>(`${rows}.join("\\n")`);
  }

  /** Waits until the terminal shows a text. Lines that the program wrapped are joined. */
  async waitFor(expected: RegExp, limitMs = waitLimitMs): Promise<void> {
    for (const deadline = Date.now() + limitMs; ; await this.page.waitForTimeout(50)) {
      const screen = await this.readScreen();
      if (expected.test(screen.replaceAll("\n", "")) || expected.test(screen)) return;
      if (Date.now() > deadline) throw new Error(`${expected} did not appear. The terminal shows:\n${screen}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.#run("down", "--stop-sessions");
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
