/**
 * Writes pictures of every view of the web page into reports/web/, in two sizes and two themes, with no sessions, with
 * sessions in every state, and with what can fail: `npm run pictures -- web`. With words as arguments, only of views whose
 * names contain one of them.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scope } from "@fairlead/api";
import type { Page } from "playwright-core";
import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { root } from "./run.ts";
import { busyViews, emptyViews, type PageView, usageViews } from "./web-pictures/page-views.ts";
import type { Story } from "./web-pictures/story.ts";
import { stories } from "./web-pictures/stories.ts";
import { webPictures } from "./web-pictures/web-pictures.ts";
import { StoryService } from "./web-pictures/story-service.ts";
import { muchUsage, type UsageShape, usualUsage, writeUsage } from "./web-pictures/usage-histories.ts";

const folder = join(root, "reports/web");
const words = process.argv.slice(2);

const devices = {
  desk: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 393, height: 760 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
} as const;
const themes = ["dark", "light"] as const;

const allScopes: readonly Scope[] = ["read", "drive", "approve", "admin"];

/** A service whose views are pictured, with what it has. */
interface PicturedService {
  readonly told?: readonly Story[];
  readonly usage?: UsageShape;
  readonly views: readonly PageView[];
}

const isWanted = (name: string): boolean => words.length === 0 || words.some((word) => name.includes(word));

/** The names of all pictures of some views. */
function namePictures(views: readonly PageView[]): string[] {
  const devicesAndThemes = Object.keys(devices).flatMap((device) => themes.map((theme) => `${device}-${theme}`));
  return views.flatMap(({ name }) => devicesAndThemes.map((rest) => `${name}-${rest}`));
}

async function takePictures(
  service: StoryService,
  views: readonly PageView[],
  scopes: readonly Scope[] = allScopes,
): Promise<void> {
  await using browser = await TestBrowser.launch();
  for (const [device, options] of Object.entries(devices)) {
    for (const theme of themes) {
      const wanted = views.filter(({ name }) => isWanted(`${name}-${device}-${theme}`));
      if (wanted.length === 0) continue;
      const token = await service.issueToken(...scopes);
      const opened = await browser.open(service.url, { ...options, token, colorScheme: theme });
      for (const view of wanted) {
        if (view.maxWidth !== undefined && options.viewport.width > view.maxWidth) continue;
        await service.show(opened.page, view).catch((error: unknown) => console.log(`${view.name}: ${String(error)}`));
        const picture = `${view.name}-${device}-${theme}`;
        await opened.page.screenshot({ path: join(folder, `${picture}.png`) });
        if (picture in webPictures) await writeForDocs(opened.page, webPictures[picture as keyof typeof webPictures]);
      }
      for (const problem of opened.problems) console.log(`${device} ${theme}: ${problem}`);
      await opened.context.close();
    }
  }
}

/** Writes a picture for the docs, which is small because its format is. */
async function writeForDocs(page: Page, name: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  writeFileSync(join(root, "docs/pictures", `${name}.webp`), Buffer.from(data, "base64"));
  await devtools.detach();
}

if (words.length === 0) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const services: readonly PicturedService[] = [
  { views: emptyViews },
  { told: stories, views: busyViews },
  { usage: usualUsage, views: usageViews("usage") },
  { usage: muchUsage, views: usageViews("usage-much") },
];
for (const { told = [], usage, views } of services) {
  if (!namePictures(views).some(isWanted)) continue;
  await using service = await StoryService.open(told, async (home) => {
    if (usage !== undefined) await writeUsage(home, usage);
  });
  await takePictures(service, views);
}
