import type { BrowserContext, Page, Route } from "playwright-core";
import { percentile, type ProbeReport, probeScript } from "../web-100k/page-probe.ts";

/** One load of a page with a patch, in milliseconds. */
export interface PatchLoad {
  /** From the request for the patch to the frame that shows its first changed line. */
  readonly first: number;
  /** Of it, the time in which the service answered. */
  readonly answer: number;
}

/** The frames from the moment at which all files were opened to the last turn of the wheel. */
export interface PatchScroll extends Pick<ProbeReport, "frames" | "nodes"> {
  readonly steps: number;
}

/** Runs in the page before its scripts. The page shows its first changed line in an element of this class. */
const firstLineProbe = `
  window.firstLineAt = new Promise((resolve) => {
    const look = () => {
      const isThere = document.querySelector(".diff-code-insert") !== null;
      requestAnimationFrame(isThere ? () => resolve(performance.now()) : look);
    };
    look();
  });`;

/** The least that a page can do: asks for the same patch, and prints it without any of its structure. */
const barePage = (path: string, token: string): string => `<!doctype html><meta charset="utf-8"><title>Bare</title>
<style>body{margin:0;font:12px/18px monospace}pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}</style>
<script type="module">
const answer = await fetch(${JSON.stringify(path)}, { headers: { authorization: ${JSON.stringify(`Bearer ${token}`)} } });
const { patch } = await answer.json();
document.body.append(...patch.split(/^(?=diff --git )/m).map((file) => {
  const part = document.createElement("pre");
  part.className = "diff-code-insert";
  part.textContent = file;
  return part;
}));</script>`;

/** Installs the probes and the bare page, which has the origin of the page so that it may ask its service. */
export async function prepareContext(context: BrowserContext, url: string, path: string, token: string): Promise<void> {
  const keepToken = `if (location.protocol === "http:") sessionStorage.setItem("fairlead.token", ${JSON.stringify(token)});`;
  await context.addInitScript(`${keepToken}${probeScript};${firstLineProbe}`);
  await context.route(`${url}/bare`, (route) =>
    route.fulfill({ contentType: "text/html", body: barePage(path, token) }),
  );
}

/** Makes the list of files keep all of them on the page. Returns how many such lists its scripts had when they were loaded. */
export async function showAllFiles(context: BrowserContext): Promise<() => number> {
  let lists = 0;
  // The build names the file after one of its modules. The default of the library is in the file of the first view.
  await context.route(/\/assets\/session-[^/]*\.js$/, async (route: Route) => {
    const answer = await route.fetch();
    const parts = (await answer.text()).split(/overscan:1(?!\d)/);
    lists += parts.length - 1;
    await route.fulfill({ contentType: "text/javascript", body: parts.join("overscan:1e4") });
  });
  return () => lists;
}

export async function measureLoad(page: Page, url: string): Promise<PatchLoad> {
  await page.goto("about:blank");
  await page.goto(url, { waitUntil: "commit" });
  return await page.evaluate<PatchLoad>(`(async () => {
    const shownAt = await firstLineAt;
    const asked = performance.getEntriesByType("resource").find(({ name }) => /\\/diff(\\?|$)/.test(name));
    return { first: shownAt - asked.startTime, answer: asked.responseEnd - asked.startTime };
  })()`);
}

/** Turns the wheel over the patch for a number of steps, and ends earlier if the time is over. */
export async function measureScroll(page: Page, steps: number, maxMs: number): Promise<PatchScroll> {
  const end = performance.now() + maxMs;
  const open = page.getByRole("button", { name: "Open all" });
  await page.evaluate("takeReport() && null");
  if ((await open.count()) > 0) await open.click();
  const region = page.getByRole("region", { name: "Changed files" });
  const box = (await region.count()) > 0 ? await region.boundingBox() : { x: 0, y: 0 };
  if (box === null) throw new Error("The page shows no patch.");
  await page.mouse.move(box.x + 50, box.y + 100);
  let step = 0;
  for (; step < steps && performance.now() < end; step++) {
    await page.mouse.wheel(0, 400);
    await page.evaluate("settled().then(() => null)");
  }
  const { frames, nodes } = await page.evaluate<ProbeReport>("takeReport()");
  return { frames, nodes, steps: step };
}

export function describeScroll({ frames, nodes, steps }: PatchScroll): string {
  return `${steps} turns of the wheel with frames p95 ${percentile(frames, 0.95).toFixed(1)} ms, ${nodes} elements`;
}
