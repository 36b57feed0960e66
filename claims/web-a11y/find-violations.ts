import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Returns what axe finds wrong by WCAG 2.2 AA in what the page shows now, and whether the page is wider than its window. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const results = await page.evaluate<AxeResults>(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ["violations"] })`,
  );
  const found = results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message.slice(0, 160) ?? ""}`),
  );
  // Text that is enlarged must not need scrolling in two directions (WCAG 1.4.10).
  const excess = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  return excess > 0 ? [...found, `the page is ${excess} px wider than its window`] : found;
}
