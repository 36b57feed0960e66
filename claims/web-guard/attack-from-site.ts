/** Attacks a service from pages of another site in a real browser, and prints what happened as JSON. */
import type { BrowserContext, Page } from "playwright-core";
import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { findAsset, GuardedPage } from "./guarded-page.ts";
import { HostileSite } from "./hostile-site.ts";
import { attackFunctions, siteAttacks } from "./site-attacks.ts";
import { UnguardedProxy } from "./unguarded-proxy.ts";
import { tryWindowAttacks, type WindowResults } from "./window-attacks.ts";

export interface SiteResults {
  readonly tried: number;
  /** The names of the attacks that got something. */
  readonly succeeded: readonly string[];
  /** Calls of the interface that they caused. */
  readonly calls: number;
}

export interface SiteReport {
  /** From another port of the same address, and from another name of it. */
  readonly guarded: readonly SiteResults[];
  /** The same on a service whose guard and headers are off. */
  readonly control: SiteResults;
  readonly windows: WindowResults;
  readonly windowControl: WindowResults;
}

if (import.meta.main) {
  await using page = await GuardedPage.open();
  await using site = await HostileSite.open();
  await using browser = await TestBrowser.launch();
  await using proxy = await UnguardedProxy.open(page.port, page.target.tokens.owner);
  const attack = async (host: string, port: number): Promise<SiteResults> => {
    const before = page.calls;
    const succeeded = await attackFrom(browser, `http://${host}:${site.port}/`, port, page.target.session);
    return { tried: siteAttacks.length, succeeded, calls: page.calls - before };
  };
  const report: SiteReport = {
    guarded: [await attack("127.0.0.1", page.port), await attack("localhost", page.port)],
    windows: await tryWindowAttacks(browser, site, page.port, page.target.tokens.owner),
    windowControl: await tryWindowAttacks(browser, site, proxy.port, page.target.tokens.owner),
    // Last: one of its attacks asks the service to stop.
    control: await attack("127.0.0.1", proxy.port),
  };
  console.log(JSON.stringify(report));
}

async function attackFrom(browser: TestBrowser, from: string, port: number, session: string): Promise<string[]> {
  const { page, context } = await browser.open(from);
  await using _ = context;
  const base = `http://127.0.0.1:${port}`;
  await exposeObservations(page, context, base);
  const variables = {
    base,
    session,
    asset: findAsset(".js"),
    style: findAsset(".css"),
    icon: findAsset(".svg"),
  };
  const attacks = siteAttacks.map(({ name, code }) => `${JSON.stringify(name)}: () => ${code}`).join(",");
  return await page.evaluate<string[]>(`(async () => {
    ${attackFunctions(variables)}
    const attacks = { ${attacks} };
    const results = await Promise.all(Object.entries(attacks).map(async ([name, attack]) => {
      try { return (await attack()) ? name : null; } catch { return null; }
    }));
    return results.filter((name) => name !== null);
  })()`);
}

/** Lets the hostile page ask what it cannot see: whether a frame has the page, and whether a request was answered. */
async function exposeObservations(page: Page, context: BrowserContext, base: string): Promise<void> {
  const answered = new Set<string>();
  context.on("response", (response) => {
    // A refused request has a status of 400 or more. A command with a wrong body was refused by the interface, not the guard.
    if (![401, 403, 405, 415, 421].includes(response.status())) answered.add(response.url());
  });
  await page.exposeFunction("isAnswered", (path: string) => answered.has(base + path));
  await page.exposeFunction("isFramed", async (url: string) => {
    const frame = page.frames().find((one) => one.url() === url);
    // A refusal is shown in the frame as text.
    return (await frame?.evaluate<boolean>(`document.getElementById("root") !== null`)) ?? false;
  });
}
