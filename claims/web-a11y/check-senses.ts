import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { StoryService } from "../../scripts/web-pictures/story-service.ts";
import { keyStories } from "./key-tasks.ts";

export interface SensesResult {
  /** What a screen reader would read out while a request is answered elsewhere and the service goes away. */
  readonly spoken: readonly string[];
  /** Running animations with reduced motion, and the control without it. */
  readonly moving: number;
  readonly control: number;
}

/** Notes each new text of an element that screen readers read out when it changes. */
const listen = `
  window.spoken = [];
  const regions = "[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]";
  const last = new Map();
  new MutationObserver(() => {
    for (const element of document.querySelectorAll(regions)) {
      const text = element.textContent.trim();
      if (last.get(element) === text) continue;
      last.set(element, text);
      if (text !== "") window.spoken.push(text);
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });`;

const countMoving = `document.getAnimations().filter(({ playState }) => playState === "running").length`;

/** Checks what is read out, and what moves. */
export async function checkSenses(): Promise<SensesResult> {
  await using service = await StoryService.open(keyStories);
  await using browser = await TestBrowser.launch();
  const token = await service.issueToken("read", "drive", "approve", "admin");
  const { page } = await browser.open(service.url, { token });
  const busy = page.getByText("busy-one").first();
  await busy.waitFor();
  const control = await page.evaluate<number>(countMoving);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.reload();
  await busy.waitFor();
  const moving = await page.evaluate<number>(countMoving);

  await page.goto(`${service.url}/inbox`);
  await page.locator("[data-armed=true]").waitFor();
  await page.evaluate(listen);
  const { session, waitingFor } = await service.fairlead.session("ask-edit");
  const deny = { type: "deny", message: "", interrupt: false } as const;
  await service.fairlead.answer(session, waitingFor[0]?.decision ?? "", deny);
  await page.getByText("no longer open").waitFor();
  await service.goAway();
  await page.getByText("The service cannot be reached.").waitFor({ timeout: 60_000 });
  // Long enough for an age that changes each second to be read out again.
  await page.waitForTimeout(3000);
  return { spoken: await page.evaluate<string[]>("window.spoken"), moving, control };
}
