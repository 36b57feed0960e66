import { inboxPath } from "../../packages/web/src/state/inbox/inbox-path.ts";
import type { HostileQuestions } from "./hostile-questions.ts";
import type { WatchedPage } from "./watched-page.ts";

/** Looks at the lists: the sessions, their previews, usage and agents. */
export async function visitLists(
  watched: WatchedPage,
  sessions: readonly { readonly session: string }[],
): Promise<void> {
  const { page } = watched;
  await page.locator("[data-session]").first().waitFor();
  await page.keyboard.press("j");
  for (const _ of sessions) {
    await page.locator("[data-session][aria-current]").waitFor();
    await watched.inspect("sessions");
    await page.keyboard.press("j");
  }
  for (const path of ["/usage", "/agents", "/start"]) {
    await watched.show(path);
    await page.locator("main").getByText(/./).first().waitFor();
    await watched.inspect(path);
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search sessions and actions" }).fill("text");
  await watched.inspect("palette");
  await page.keyboard.press("Escape");
}

/** Looks at one session: its timeline with all rows open, and each tab beside it. */
export async function visitSession(watched: WatchedPage, session: string): Promise<void> {
  const { page } = watched;
  await watched.show(`/s/${session}`);
  await page.getByText("The agent's process died without a report").waitFor();
  for (const label of ["Turns", "Changes", "Files", "Plan", "Raw"]) {
    const tab = page.getByRole("navigation", { name: "Parts of the session" }).getByRole("button", { name: label });
    if ((await tab.count()) === 0) continue;
    await tab.click();
    await watched.inspect(label.toLowerCase());
  }
  await openAll(watched);
  await watched.inspect("timeline");
  await page.getByText("Session started").or(page.locator("main")).first().hover();
  await page.mouse.wheel(0, -100_000);
  await openAll(watched);
  await watched.inspect("timeline");
}

/** Opens what is folded on the screen. */
async function openAll({ page }: WatchedPage): Promise<void> {
  await page.evaluate(`(async () => {
    for (let round = 0; round < 3; round += 1) {
      for (const button of document.querySelectorAll("main button[aria-expanded=false]:not([aria-haspopup])")) button.click();
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)));
    }
  })()`);
}

/** Looks at the inbox and at the card of each request, whole. */
export async function visitDecisions(watched: WatchedPage, { session, decisions }: HostileQuestions): Promise<void> {
  const { page } = watched;
  await watched.show("/inbox");
  await page.locator("[data-armed]").first().waitFor();
  await watched.inspect("inbox");
  for (const decision of decisions) {
    await watched.show(inboxPath(decision));
    await page.locator(`[data-armed]`).waitFor();
    await watched.inspect("card");
    const all = page.getByRole("button", { name: "Show all" });
    if ((await all.count()) > 0) await all.click();
    const scope = page.getByRole("button", { name: "Allow for…" });
    if ((await scope.count()) > 0) await scope.click();
    await watched.inspect("card");
  }
  await watched.show(`/s/${session}`);
  for (const label of ["Changes", "Files"]) {
    await page.getByRole("navigation", { name: "Parts of the session" }).getByRole("button", { name: label }).click();
    if (label === "Changes") await page.getByRole("button", { name: "Open all" }).click();
    await page.getByRole("region", { name: "Changed files" }).or(page.locator("main li")).first().waitFor();
    await openAll(watched);
    await watched.inspect(`live ${label.toLowerCase()}`);
  }
}
