import type { BrowserContext } from "playwright-core";

/** Reports each violation of the page's policy with what was blocked. The browser's message alone may lack it. */
const reportViolations = `document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) =>
  reportViolation(violatedDirective + " blocked " + blockedURI + " in " + sourceFile));`;

/** Collects what goes wrong in all pages of a context: errors, warnings of the console and violations of the policy. */
export async function watchPage(context: BrowserContext): Promise<readonly string[]> {
  const problems: string[] = [];
  await context.exposeFunction("reportViolation", (text: string) => void problems.push(`policy: ${text}`));
  await context.addInitScript(reportViolations);
  context.on("weberror", (error) => void problems.push(`error: ${String(error.error())}`));
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  return problems;
}
