import type { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { WatchedPage } from "./watched-page.ts";

/** What the same texts do when they become HTML. */
export interface ControlResults {
  /** With the policy of the page: it is the second line of defense. */
  readonly withPolicy: { readonly findings: number; readonly effects: number; readonly violations: number };
  readonly withoutPolicy: { readonly findings: number; readonly effects: number; readonly hasRun: boolean };
}

export async function tryWithoutProtection(
  browser: TestBrowser,
  base: string,
  token: string,
  texts: readonly string[],
): Promise<ControlResults> {
  const results = [
    await insertTexts(browser, base, token, texts, true),
    await insertTexts(browser, base, token, texts, false),
  ] as const;
  const [{ hasRun: _, ...withPolicy }, { violations: __, ...withoutPolicy }] = results;
  return { withPolicy, withoutPolicy };
}

async function insertTexts(
  browser: TestBrowser,
  base: string,
  token: string,
  texts: readonly string[],
  hasPolicy: boolean,
) {
  const opened = await browser.open(`${base}/agents`, { token, bypassCSP: !hasPolicy });
  await using _ = opened.context;
  const watched = new WatchedPage(opened, base);
  await watched.page.locator("main").getByText(/./).first().waitFor();
  // One by one: a text could contain the others, for example in a comment.
  for (const text of texts.filter((one) => one.includes("<") && !one.includes("http-equiv"))) {
    await watched.page.evaluate(`{
      const box = document.createElement("div");
      document.querySelector("main").append(box);
      box.innerHTML = ${JSON.stringify(text)};
    }`);
  }
  await watched.inspect("control");
  const hasRun = await watched.page.evaluate<boolean>(`"hasRun" in window`);
  const violations = watched.problems.filter((one) => one.startsWith("policy:")).length;
  return { findings: watched.findings.size, effects: watched.effects.length, violations, hasRun };
}
