import { PageDaemon } from "@fairlead/testing/web/page-daemon.ts";
import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { expect, test } from "vitest";

test("a person finds a text in a session, and reaches its beginning", { timeout: 120_000 }, async () => {
  await using daemon = await PageDaemon.start();
  await using browser = await TestBrowser.launch();
  const token = await daemon.issueToken(["read"]);
  const session = await daemon.startSession("Say hello about the needle");
  const { page, context, problems } = await browser.open(`${daemon.url}/s/${session}`, { token });
  await using _ = context;
  await page.waitForSelector("[data-event]");
  await page.keyboard.press("/");
  await page.keyboard.type("NEEDLE");
  const status = page.locator("search [role=status]");
  await expect.poll(() => status.textContent()).toMatch(/^1 of \d/);
  expect(await status.locator("mark").textContent()).toMatch(/^needle$/i);
  for (let presses = 0; presses < 10; presses += 1) await page.keyboard.press("Enter");
  await expect.poll(() => status.textContent()).toMatch(/, the oldest · #\d+ /);
  await page.fill("search input", "nowhere at all");
  await expect.poll(() => status.textContent()).toBe("Not found, searched to the beginning");
  await page.keyboard.press("Escape");
  expect(await page.locator("search").count()).toBe(0);
  expect(problems).toEqual([]);
});
