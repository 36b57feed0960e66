import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Claim } from "../../measure/claim.ts";
import { TestHome } from "../../measure/test-home.ts";
import { TestBrowser } from "../../packages/testing/src/web/test-browser.ts";
import { DaemonProcess } from "../daemon/daemon-process.ts";
import { describeMachine } from "../daemon/machine.ts";
import { readSize } from "../daemon/size.ts";
import { percentile, probeScript, type ProbeReport } from "../web-100k/page-probe.ts";

const files = readSize("files", 300);
const patchBytes = 1_048_576;
const bounds = { first: 800, frame: 20 };

export const webDiff: Claim = {
  id: "web-diff",
  statement: "The page shows a patch of 1 MiB in 300 files at once, and scrolls through it.",
  bound: `${files} files: ≤ ${bounds.first} ms to the first file, frames of the wheel p95 ≤ ${bounds.frame} ms; control: all files on the page, more of both`,
  async prove() {
    await using testHome = new TestHome();
    const workspace = testHome.workspace();
    commitFiles(workspace);
    await using daemon = await DaemonProcess.startWith(testHome, { hasPage: true });
    if (daemon.page === null) throw new Error("The daemon serves no page.");
    const fairlead = daemon.connect();
    const { session } = await fairlead.start({ agent: "scripted", workspace });
    changeFiles(workspace);
    const { patch } = await fairlead.diff(session);
    await using browser = await TestBrowser.launch();
    const { page, context } = await browser.open("about:blank", { viewport: { width: 1440, height: 820 } });
    await context.addInitScript(
      `if (location.protocol === "http:") sessionStorage.setItem("fairlead.token", "${daemon.page.token}")`,
    );
    await context.addInitScript(probeScript);
    const url = `${daemon.page.url}/s/${session}`;
    await measure(page, url); // The first one fills the browser's cache.
    const shown = await measure(page, url);
    // So tall that no file is left out.
    await page.setViewportSize({ width: 1440, height: 40_000 });
    const control = await measure(page, url);
    return {
      measured: `patch of ${(patch.length / 1024).toFixed(0)} KiB: ${describe(shown)}; control: ${describe(control)}; ${describeMachine()}`,
      holds:
        patch.length > patchBytes / 2 &&
        shown.first <= bounds.first &&
        percentile(shown.frames, 0.95) <= bounds.frame &&
        control.nodes > 2 * shown.nodes,
    };
  },
};

interface Shown extends ProbeReport {
  /** Milliseconds from the patch's arrival to the first changed line on the page. */
  readonly first: number;
}

async function measure(page: Page, url: string): Promise<Shown> {
  await page.goto("about:blank");
  const arrived = page.waitForResponse(/\/diff/).then(() => performance.now());
  await page.goto(url, { waitUntil: "commit" });
  await page.locator(".diff-code-insert").first().waitFor();
  const first = performance.now() - (await arrived);
  await page.getByRole("button", { name: "Open all" }).click();
  const box = await page.getByRole("region", { name: "Changed files" }).boundingBox();
  if (box === null) throw new Error("The page shows no patch.");
  await page.mouse.move(box.x + 50, box.y + 100);
  await page.evaluate("takeReport()");
  for (let step = 0; step < 150; step++) {
    await page.mouse.wheel(0, 400);
    await page.evaluate("settled().then(() => null)");
  }
  return { ...(await page.evaluate<ProbeReport>("takeReport()")), first };
}

function describe({ first, frames, nodes }: Shown): string {
  return `first file after ${first.toFixed(0)} ms, frames p95 ${percentile(frames, 0.95).toFixed(1)} ms, ${nodes} elements`;
}

const linesPerFile = Math.ceil(patchBytes / files / 60 / 2);
const line = (file: number, number: number, word: string): string =>
  `const ${word}${number} = computeBudget(${file}, "${word}", ${number});`;

function writeFiles(workspace: string, word: string): void {
  for (let file = 0; file < files; file++) {
    const folder = join(workspace, `src/part${file % 20}`);
    mkdirSync(folder, { recursive: true });
    const lines = Array.from({ length: linesPerFile }, (_, number) => line(file, number, word));
    writeFileSync(join(folder, `file${file}.ts`), `${lines.join("\n")}\n`);
  }
}

function commitFiles(workspace: string): void {
  writeFiles(workspace, "before");
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd: workspace });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "before");
}

function changeFiles(workspace: string): void {
  writeFiles(workspace, "after");
}
