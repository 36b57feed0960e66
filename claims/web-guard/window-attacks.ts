import type { Page } from "playwright-core";
import type { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import type { HostileSite } from "./hostile-site.ts";

/** What a page of another site got from a window with the page, in which a person is signed in. */
export interface WindowResults {
  readonly tried: number;
  readonly succeeded: readonly string[];
}

/** Expressions that say whether the attack on the window `victim` got something. */
const attacks: Readonly<Record<string, string>> = {
  "keep a handle to the window": `!victim.closed`,
  "read its document": `victim.document.title !== ""`,
  "read its address": `victim.location.href !== "about:blank"`,
  "read its storage": `victim.sessionStorage.length > 0`,
  "count its frames": `victim.length > 0`,
  "run a script in it": `(victim.location = "javascript:opener.postMessage(1, '*')", false)`,
  "send it a message": `(victim.postMessage({ code: "flc_x", token: "fl_x", type: "answer" }, "*"), false)`,
  "read its history": `victim.history.length > 0`,
};

/**
 * Opens the page from another site while a person is signed in, and attacks its window. Then replaces the address of that
 * window, and of the window that opened the attacker.
 */
export async function tryWindowAttacks(
  browser: TestBrowser,
  site: HostileSite,
  port: number,
  token: string,
): Promise<WindowResults> {
  const base = `http://127.0.0.1:${port}`;
  const succeeded: string[] = [];
  const { page: signedIn, context } = await browser.open(base, { token });
  await using _ = context;
  await signedIn.getByText("Fairlead", { exact: true }).waitFor();
  const hostile = await context.newPage();
  await hostile.goto(`http://localhost:${site.port}/`);
  const [victim] = await Promise.all([
    context.waitForEvent("page"),
    hostile.evaluate(`window.victim = window.open(${JSON.stringify(`${base}/inbox?opened`)}, "a name")`),
  ]);
  await victim.waitForLoadState();
  await victim.getByText("Fairlead", { exact: true }).waitFor();
  for (const [name, code] of Object.entries(attacks)) {
    const hasGained = await hostile.evaluate<boolean>(`(() => { try { return ${code}; } catch { return false; } })()`);
    if (hasGained) succeeded.push(name);
  }
  const check = async (name: string, hasGained: boolean | Promise<boolean>): Promise<void> => {
    if (await hasGained) succeeded.push(name);
  };
  await check("be its opener", victim.evaluate<boolean>("window.opener !== null"));
  await check("give it a name", victim.evaluate<boolean>(`window.name !== ""`));
  await hostile.evaluate(`try { victim.location = "/replaced"; } catch {}`);
  await check("replace its address", isReplaced(victim));
  await hostile.evaluate(`try { victim.close(); } catch {}`);
  await check("close it", isClosed(victim));
  return { tried: Object.keys(attacks).length + 4, succeeded };
}

/** Waits as long as a navigation on this machine takes at most. */
async function isReplaced(page: Page): Promise<boolean> {
  return await page.waitForURL(/replaced/, { timeout: 2000 }).then(
    () => true,
    () => false,
  );
}

async function isClosed(page: Page): Promise<boolean> {
  if (page.isClosed()) return true;
  return await page.waitForEvent("close", { timeout: 1000 }).then(
    () => true,
    () => false,
  );
}
