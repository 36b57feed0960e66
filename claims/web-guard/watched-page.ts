import type { Page } from "playwright-core";
import type { OpenedPage } from "@fairlead/testing/web/test-browser.ts";
import { inspectPage } from "./inspect-page.ts";

/** What a text did to a page that must only show it. */
export class WatchedPage {
  readonly page: Page;
  readonly #base: string;
  readonly #opened: OpenedPage;
  readonly #effects: string[] = [];
  /** What each inspection found, with the path. */
  readonly findings = new Set<string>();
  inspections = 0;

  constructor(opened: OpenedPage, base: string) {
    this.#opened = opened;
    this.#base = base;
    this.page = opened.page;
    const { page, context } = opened;
    context.on("request", (request) => {
      if (!request.url().startsWith(`${base}/`)) this.#effects.push(`request: ${request.url().slice(0, 200)}`);
    });
    context.on("page", () => void this.#effects.push("a window was opened"));
    page.on("dialog", (dialog) => {
      this.#effects.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("download", () => void this.#effects.push("a download"));
    page.on("framenavigated", (frame) => {
      if (!frame.url().startsWith(`${base}/`)) this.#effects.push(`navigation: ${frame.url()}`);
    });
  }

  /** Requests that leave the page, dialogs, windows and navigations. */
  get effects(): readonly string[] {
    return this.#effects;
  }

  /** Errors, warnings and violations of the policy. */
  get problems(): readonly string[] {
    // The workspaces of past sessions do not exist, so that their changes cannot be read.
    return this.#opened.problems.filter((one) => !one.includes("the server responded with a status of 422"));
  }

  /** Opens another view without loading the page again. */
  async show(path: string): Promise<void> {
    await this.page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)})`);
  }

  async inspect(where: string): Promise<void> {
    this.inspections += 1;
    const found = await this.page.evaluate<readonly string[]>(`(${inspectPage})(${JSON.stringify(this.#base)})`);
    for (const one of found) this.findings.add(`${where}: ${one}`);
  }
}
