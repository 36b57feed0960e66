import { PageDaemon } from "@fairlead/testing/web/page-daemon.ts";
import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { afterAll, beforeAll, expect, test } from "vitest";

let daemon: PageDaemon;
let browser: TestBrowser;
let token: string;

beforeAll(async () => {
  daemon = await PageDaemon.start();
  browser = await TestBrowser.launch();
  token = await daemon.issueToken(["read", "drive", "approve"]);
}, 120_000);
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
});

test("the page loads without a violation of its policy", async () => {
  const { page, context, problems } = await browser.open(daemon.url, { token });
  await using _ = context;
  await page.waitForSelector("#root > *");
  expect(await page.title()).toContain("Fairlead");
  expect(problems).toEqual([]);
});

test("the policy allows a WebSocket to the service of the page", async () => {
  const session = await daemon.startSession("Say hello");
  const { page, context, problems } = await browser.open(daemon.url, { token });
  await using _ = context;
  const frame = await page.evaluate<string>(`new Promise((resolve, reject) => {
    const protocols = ["fairlead.v1", "fairlead.bearer.${token}"];
    const socket = new WebSocket("/v1/sessions/${session}/events", protocols);
    socket.addEventListener("message", ({ data }) => resolve(data));
    socket.addEventListener("close", () => reject(new Error("The socket was closed.")));
  })`);
  expect(frame).toContain(session);
  expect(problems).toEqual([]);
});

test("control: what the policy forbids is blocked, and seen", async () => {
  const { page, context, problems } = await browser.open(daemon.url, { token });
  await using _ = context;
  await page.waitForSelector("#root > *");
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
