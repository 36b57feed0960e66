import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageBench } from "./page-bench.ts";

let bench: PageBench;

beforeAll(async () => void (bench = await PageBench.open()));
afterAll(() => bench?.[Symbol.asyncDispose]());

/** Waits for the words of a part that has failed, and checks that the frame and the tabs are there. */
async function expectFailure(page: Page, words: string | RegExp): Promise<void> {
  await page.getByRole("main").getByRole("alert").getByText(words).waitFor();
  for (const tab of ["Sessions", "Inbox", "Usage", "Agents"])
    expect(await page.getByRole("link", { name: tab }).first().isVisible()).toBe(true);
}

const openTab = (page: Page, name: string): Promise<void> => page.getByRole("link", { name }).first().click();

test("a view that cannot be loaded or shown leaves the rest of the page, and can be tried again", async () => {
  const session = await bench.start("Say hello", [{ text: "Hello." }]);
  const { page } = await bench.openPage(`/s/${session}`);
  const message = page.getByLabel("Message to the agent");
  await message.fill("an unsent draft");

  // The service does not deliver the code.
  await page.route("**/assets/usage-page-*.js", (route) => route.fulfill({ status: 404 }));
  await openTab(page, "Usage");
  await expectFailure(page, "This view cannot be loaded: the service did not deliver its code.");
  await openTab(page, "Inbox");
  await page.getByRole("heading", { name: "Inbox" }).waitFor({ state: "attached" });
  await page.unroute("**/assets/usage-page-*.js");
  // Opened again, it is loaded again without a click.
  await openTab(page, "Usage");
  await page.getByRole("heading", { name: "Usage" }).first().waitFor();

  // The view cannot show what the service answers.
  await page.route("**/v1/agents*", (route) => route.fulfill({ json: [{ agent: "broken" }] }));
  await openTab(page, "Agents");
  await expectFailure(page, /This view has failed: /);
  await page.unroute("**/v1/agents*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Scripted agent").first().waitFor();

  // The search is over the page, and fails alone.
  await page.route("**/assets/palette-*.js", (route) => route.abort());
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByText("The search cannot be loaded").waitFor();
  await page.unroute("**/assets/palette-*.js");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("combobox", { name: "Search sessions and actions" }).waitFor();
  await page.keyboard.press("Escape");

  // The daemon has a newer page, and no longer the code of this one.
  await page.route("**/assets/replay-view-*.js", (route) => route.fulfill({ status: 404 }));
  await page.route(`${bench.shared.url}/`, (route) => route.fulfill({ body: "<script src='/assets/newer.js'>" }));
  await page.goBack();
  await page.evaluate(`history.pushState(null, "", "/s/${session}/replay")`);
  await expectFailure(page, "This view cannot be loaded: the service has a newer page.");
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await page.unroute("**/assets/replay-view-*.js");
  await page.unroute(`${bench.shared.url}/`);
  await page.getByRole("button", { name: "Reload the page" }).click();
  await page.getByRole("heading", { name: /Replay of/ }).waitFor();
  await page.getByRole("main").getByRole("link").first().click();
  await expect.poll(() => message.inputValue()).toBe("an unsent draft");
});
