import { statSync } from "node:fs";
import { join } from "node:path";
import type { SessionView } from "@fairlead/api";
import { FileTokenStore } from "@fairlead/engine";
import { AccessTokens, serveHttp } from "@fairlead/server";
import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { pageFolder } from "@fairlead/web/page-folder";
import type { Claim } from "../../measure/claim.ts";
import { median } from "../../measure/quantile.ts";
import { runQuietly } from "../../scripts/run.ts";
import { describeMachine } from "../daemon/machine.ts";
import { readSize } from "../daemon/size.ts";
import { BarePage } from "./bare-page.ts";
import { HeavyPage } from "./heavy-page.ts";
import { ListService } from "./list-service.ts";
import { type Conditions, loadPage, type PageLoad } from "./load-page.ts";

const sessionCount = 150;
const rounds = readSize("rounds", 9);
const controlRounds = 3;
const desk: Conditions = { name: "desk", viewport: { width: 1280, height: 800 }, slowdown: 1, network: null };
const phone: Conditions = {
  name: "slow phone",
  viewport: { width: 393, height: 760 },
  slowdown: 4,
  network: { bitsPerSecond: 1_600_000, latencyMs: 150 },
};
const bounds = { scripts: 150_000, desk: 1000, phone: 3500, ratio: 2.5 };

export const webFirstPaint: Claim = {
  id: "web-first-paint",
  statement: "The web page shows the sessions quickly, also on a slow phone, and does not move them.",
  bound: `median of ${rounds} cold loads with ${sessionCount} sessions: list shown ≤ ${bounds.desk} ms at the desk and ≤ ${bounds.phone} ms with a 4 × slower processor, 1.6 Mbit/s and 150 ms, each ≤ ${bounds.ratio} × a bare page that prints the same list; initial JavaScript ≤ ${bounds.scripts / 1000} kB gzip; layout shift 0; control: with 600 kB more code and a moved list, all three fail`,
  async prove() {
    const built = await runQuietly("npx", ["vite", "build", "packages/web"]);
    if (built.code !== 0) throw new Error(built.output);
    await using service = await ListService.start(sessionCount);
    const { sessions } = await service.fairlead.sessions({ limit: sessionCount });
    await using bare = await BarePage.serve(sessions satisfies readonly SessionView[]);
    const { url, token } = service;
    const atDesk = await compare({ url, token, bareUrl: bare.url }, desk, rounds);
    const onPhone = await compare({ url, token, bareUrl: bare.url }, phone, rounds);
    const control = await measureControl(service);
    const all = [...atDesk.loads, ...onPhone.loads];
    const scripts = Math.max(...all.map(({ scripts }) => sizeOf(pageFolder, scripts)));
    const shift = Math.max(...all.map((load) => load.shift));
    for (const moved of new Set(all.flatMap((load) => load.moved))) console.log(`moved: ${moved}`);
    const problems = all.flatMap((load) => load.problems);
    return {
      measured: [
        `${sessions.length} sessions; ${describe(atDesk)}; ${describe(onPhone)}`,
        `initial JavaScript ${(scripts / 1000).toFixed(1)} kB gzip; largest layout shift ${shift.toFixed(4)}`,
        `control: ${control.list.toFixed(0)} ms on the slow phone, ${(control.scripts / 1000).toFixed(0)} kB, layout shift ${control.shift.toFixed(4)}`,
        `${problems.length} errors or violations of the policy in the pages; ${describeMachine()}`,
      ].join("; "),
      holds:
        sessions.length === sessionCount &&
        scripts <= bounds.scripts &&
        shift === 0 &&
        atDesk.list <= Math.min(bounds.desk, bounds.ratio * atDesk.bare) &&
        onPhone.list <= Math.min(bounds.phone, bounds.ratio * onPhone.bare) &&
        problems.length === 0 &&
        control.list > bounds.phone &&
        control.scripts > bounds.scripts &&
        control.shift > 0,
    };
  },
};

interface Comparison {
  readonly name: string;
  readonly loads: readonly PageLoad[];
  readonly list: number;
  readonly bare: number;
}

interface Pages {
  readonly url: string;
  readonly token: string;
  readonly bareUrl: string;
}

/** Loads the page and the bare page in turn, because the load of a shared machine varies. */
async function compare({ url, token, bareUrl }: Pages, conditions: Conditions, count: number): Promise<Comparison> {
  await using browser = await TestBrowser.launch();
  const loads: PageLoad[] = [];
  const bareTimes: number[] = [];
  for (let round = 0; round < count; round += 1) {
    bareTimes.push((await loadPage(browser, bareUrl, token, conditions)).listAt);
    loads.push(await loadPage(browser, url, token, conditions));
  }
  return { name: conditions.name, loads, list: median(loads.map(({ listAt }) => listAt)), bare: median(bareTimes) };
}

async function measureControl(service: ListService): Promise<{ list: number; scripts: number; shift: number }> {
  using heavy = new HeavyPage(pageFolder);
  const tokens = new AccessTokens(new FileTokenStore(join(heavy.folder, "tokens.json")));
  const token = await tokens.issue({ label: "control", scopes: ["read", "drive", "approve"] });
  await using http = await serveHttp({ fairlead: service.fairlead, tokens, port: 0, pageFolder: heavy.folder });
  await using browser = await TestBrowser.launch();
  const loads: PageLoad[] = [];
  for (let round = 0; round < controlRounds; round += 1)
    loads.push(await loadPage(browser, http.url ?? "", token, phone));
  return {
    list: median(loads.map(({ listAt }) => listAt)),
    scripts: Math.max(...loads.map(({ scripts }) => sizeOf(heavy.folder, scripts))),
    shift: Math.max(...loads.map(({ shift }) => shift)),
  };
}

function sizeOf(folder: string, scripts: readonly string[]): number {
  return scripts.reduce((sum, path) => sum + statSync(join(folder, `${path}.gz`)).size, 0);
}

/** Names the parts of the time, so that a miss says what costs it. */
function describe({ name, loads, list, bare }: Comparison): string {
  const part = (read: (load: PageLoad) => number): string => median(loads.map(read)).toFixed(0);
  return `${name}: list after ${list.toFixed(0)} ms (scripts loaded ${part(({ scriptsAt }) => scriptsAt)} ms, first text ${part(({ firstTextAt }) => firstTextAt)} ms, socket open ${part(({ socketAt }) => socketAt)} ms, its ${part(({ dataLength }) => dataLength / 1000)} kB there ${part(({ dataAt }) => dataAt)} ms), bare page ${bare.toFixed(0)} ms, ${(list / bare).toFixed(2)} ×`;
}
