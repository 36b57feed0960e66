import { afterAll, beforeAll, expect, test } from "vitest";
import { PageBench } from "./page-bench.ts";

let bench: PageBench;

beforeAll(async () => void (bench = await PageBench.open()));
afterAll(() => bench?.[Symbol.asyncDispose]());

test("the policy allows what the page does, and a WebSocket to its service", async () => {
  const session = await bench.start("Say hello", [{ text: "Hello." }]);
  const { page, problems } = await bench.openPage("/");
  await page.waitForSelector("#root > *");
  expect(await page.title()).toContain("Fairlead");
  const frame = await page.evaluate<string>(`new Promise((resolve, reject) => {
    const protocols = ["fairlead.v1", "fairlead.bearer.${bench.shared.reader}"];
    const socket = new WebSocket("/v1/sessions/${session}/events", protocols);
    socket.addEventListener("message", ({ data }) => resolve(data));
    socket.addEventListener("close", () => reject(new Error("The socket was closed.")));
  })`);
  expect(frame).toContain(session);
  expect(problems).toEqual([]);

  // Control: what the policy forbids is blocked, and seen.
  await page.evaluate(`{
    const style = document.createElement("style");
    style.textContent = "body { color: red }";
    const image = document.createElement("img");
    image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
    const script = document.createElement("script");
    script.textContent = "window.hasRun = true";
    document.body.append(style, image, script);
  }`);
  const countViolations = (): number => problems.filter((problem) => problem.startsWith("policy:")).length;
  await expect.poll(countViolations).toBe(3);
  expect(await page.evaluate(`"hasRun" in window`)).toBe(false);
});
