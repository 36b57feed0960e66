import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageBench, scripted } from "./page-bench.ts";

let bench: PageBench;

beforeAll(async () => void (bench = await PageBench.open()));
afterAll(() => bench?.[Symbol.asyncDispose]());

interface Place {
  readonly top: number;
  /** How far the end is below the screen. */
  readonly distance: number;
  /** The first row on the screen, and where it is. */
  readonly event: number;
  readonly y: number;
  /** The number of the newest row in the document. */
  readonly newest: number;
}

/** Where the timeline is. A row of it that is partly above the screen counts as the first one. */
function readPlace(page: Page): Promise<Place> {
  return page.evaluate<Place>(`(() => {
    const list = document.querySelector("[role=log]");
    const { top } = list.getBoundingClientRect();
    const rows = [...list.querySelectorAll("[data-event]")];
    const first = rows.find((row) => row.getBoundingClientRect().bottom > top + 1);
    return {
      top: list.scrollTop,
      distance: list.scrollHeight - list.clientHeight - list.scrollTop,
      event: Number(first?.dataset.event ?? 0),
      y: Math.round((first?.getBoundingClientRect().top ?? 0) - top),
      newest: Math.max(0, ...rows.map((row) => Number(row.dataset.event))),
    };
  })()`);
}

/** Resolves when the list is where it was in the frame before, and the one before that. */
async function untilAtRest(page: Page): Promise<Place> {
  let place = await readPlace(page);
  for (let still = 0; still < 3;) {
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    const next = await readPlace(page);
    still = next.top === place.top && next.newest === place.newest ? still + 1 : 0;
    place = next;
  }
  return place;
}

async function wheel(page: Page, deltaY: number): Promise<void> {
  const box = await page.getByRole("log", { name: "Timeline" }).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 100);
  await page.mouse.wheel(0, deltaY);
}

/** Sends a message, and returns the number of the event that ends its turn. */
async function runTurn(session: string, message: string, steps: readonly object[]): Promise<number> {
  const { last } = await bench.fairlead.session(session);
  await bench.fairlead.send(session, scripted(message, steps));
  return await bench.until(session, "turn.ended", last);
}

test("a person reads a long session while it continues", async () => {
  const session = await bench.start("First", [{ flood: { lines: 600 } }, { text: "The needle is here." }]);
  await bench.until(session, "turn.ended");
  for (const name of ["Second", "Third"]) await runTurn(session, name, [{ flood: { lines: 40 } }]);
  const { page, problems } = await bench.openPage(`/s/${session}`, { viewport: { width: 1400, height: 800 } });
  await page.waitForSelector("[data-event]");

  // It opens at its end, and follows.
  const opened = await untilAtRest(page);
  expect(opened.distance).toBeLessThanOrEqual(1);
  const next = await runTurn(session, "Fourth", [{ flood: { lines: 10 } }]);
  await expect.poll(async () => (await readPlace(page)).newest).toBeGreaterThan(next - 6);
  expect((await untilAtRest(page)).distance).toBeLessThanOrEqual(1);

  // A little up, within 40 pixels of the end: what is read does not move, whatever arrives.
  await wheel(page, -30);
  await expect.poll(async () => (await readPlace(page)).distance).toBeGreaterThan(1);
  const near = await untilAtRest(page);
  expect(near.distance).toBeLessThan(40);
  await runTurn(session, "Fifth", [{ flood: { lines: 10 } }]);
  await page.getByRole("button", { name: /^\d+ new/ }).waitFor();
  const stayed = await untilAtRest(page);
  expect([stayed.event, stayed.y]).toEqual([near.event, near.y]);

  // Far up, in history that is loaded on the way, while events stream in.
  await wheel(page, -3_000);
  await expect.poll(async () => (await readPlace(page)).top).toBeLessThan(stayed.top - 500);
  const far = await untilAtRest(page);
  await runTurn(session, "Sixth", [{ flood: { lines: 60, rate: 100 } }]);
  const after = await untilAtRest(page);
  expect([after.event, after.y]).toEqual([far.event, far.y]);

  // Back to the end, by hand: more than 40 pixels above it the list does not follow, within them it does.
  await page.getByRole("button", { name: /^\d+ new/ }).click();
  await expect.poll(async () => (await readPlace(page)).distance).toBeLessThanOrEqual(1);
  await wheel(page, -400);
  await expect.poll(async () => (await readPlace(page)).distance).toBeGreaterThan(100);
  const left = await untilAtRest(page);
  await wheel(page, left.distance - 70);
  await expect.poll(async () => (await readPlace(page)).top).toBeGreaterThan(left.top);
  const outside = await untilAtRest(page);
  expect(outside.distance).toBeGreaterThan(40);
  await runTurn(session, "Seventh", [{ text: "Outside." }]);
  await page.getByRole("button", { name: /^\d+ new/ }).waitFor();
  expect((await untilAtRest(page)).top).toBe(outside.top);
  await wheel(page, (await readPlace(page)).distance - 20);
  await expect.poll(async () => await page.getByRole("button", { name: /new|To the end/ }).count()).toBe(0);
  await runTurn(session, "Eighth", [{ text: "Inside." }]);
  await page.getByText("Inside.").last().waitFor();
  expect((await untilAtRest(page)).distance).toBeLessThanOrEqual(1);

  // The outline jumps, and shows where the person is.
  const turns = page.getByRole("navigation", { name: "Turns" });
  await turns.getByRole("button", { name: /Second/ }).click();
  await expect.poll(async () => await turns.locator("[aria-current]").textContent()).toContain("Second");
  await page
    .getByText(/^Second SCRIPT/)
    .first()
    .waitFor();

  // A number in the address, as in a link of a chat.
  await page.evaluate(`location.hash = "#5"`);
  await expect.poll(async () => (await readPlace(page)).event).toBeLessThanOrEqual(5);

  // A text, found from the newest match to the oldest.
  await page.getByRole("log", { name: "Timeline" }).focus();
  await page.keyboard.press("/");
  await page.keyboard.type("NEEDLE is");
  const status = page.locator("search [role=status]");
  await expect.poll(() => status.textContent()).toMatch(/^1 of \d/);
  expect(await status.locator("mark").textContent()).toMatch(/^needle is$/i);
  const countMarks = () => page.evaluate<number>(`CSS.highlights.get("found")?.size ?? 0`);
  await expect.poll(countMarks).toBeGreaterThan(0);
  for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press("Enter");
  await expect.poll(() => status.textContent()).toMatch(/, the oldest · #\d+ /);
  await page.fill("search input", "nowhere at all");
  await expect.poll(() => status.textContent()).toBe("Not found, searched to the beginning");
  await page.keyboard.press("Escape");
  expect(await page.locator("search").count()).toBe(0);
  await expect.poll(countMarks).toBe(0);
  expect(problems).toEqual([]);

  // Reads that fail alone are said and repeated, at the beginning and later. The overview works meanwhile.
  const pages = (url: URL): boolean => url.pathname.endsWith("/events") && url.searchParams.has("limit");
  const detail = "The disk of the service is away.";
  const json = { type: "about:blank", title: "No", status: 500, detail, code: "corrupt" };
  const alert = page.getByRole("alert");
  const failUntilTried = async (act: () => Promise<unknown>): Promise<void> => {
    await page.route(pages, (route) => route.fulfill({ status: 500, json }));
    await act();
    await alert.getByText(`${detail} (corrupt)`).waitFor();
    await alert.getByText("fairlead doctor").waitFor();
    await page.unroute(pages);
    await alert.getByRole("button", { name: "Try now" }).click();
    await expect.poll(() => alert.count()).toBe(0);
  };
  await failUntilTried(() => page.reload());
  await expect.poll(async () => (await readPlace(page)).event).toBeLessThanOrEqual(5);
  await failUntilTried(() => turns.getByRole("button", { name: /Eighth/ }).click());
  await page.getByText("Inside.").last().waitFor();

  // Another person forgets it while it is shown.
  await page.getByLabel("Message to the agent").fill("a draft that is too late");
  await bench.fairlead.stop(session);
  await bench.until(session, "session.ended");
  await bench.fairlead.forget(session);
  await alert.getByText("(session-not-found)").waitFor();
  await alert.getByText("fairlead ls --all").waitFor();
  const message = page.getByLabel("Message to the agent");
  await expect.poll(() => message.isDisabled()).toBe(true);
  expect(await message.inputValue()).toBe("a draft that is too late");
  await page.getByText("Inside.").last().waitFor();
});
