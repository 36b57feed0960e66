/** Shows hostile texts in every field of the page, in a real browser, and prints what they did as JSON. */
import { FileTokenStore } from "@fairlead/engine";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { Home } from "@fairlead/runtime";
import { AccessTokens, serveHttp } from "@fairlead/server";
import { LocalFairlead } from "@fairlead/service";
import { writeHistories } from "@fairlead/testing/runtime/write-histories.ts";
import { TestBrowser } from "@fairlead/testing/web/test-browser.ts";
import { pageFolder } from "./guarded-page.ts";
import { hostileBodies } from "./hostile-bodies.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { askHostileQuestions } from "./hostile-questions.ts";
import { tryWithoutProtection, type ControlResults } from "./text-control.ts";
import { visitDecisions, visitLists, visitSession } from "./visit-views.ts";
import { WatchedPage } from "./watched-page.ts";

export interface TextReport {
  readonly texts: number;
  /** Fields of a history, and requests of a live agent. */
  readonly events: number;
  readonly requests: number;
  readonly inspections: number;
  readonly findings: readonly string[];
  readonly effects: readonly string[];
  readonly problems: readonly string[];
  readonly control: ControlResults;
}

if (import.meta.main) {
  // A part of the texts can be tried alone.
  const [from = 0, to] = process.argv.slice(2).map(Number);
  console.log(JSON.stringify(await showTexts(hostileTexts.slice(from, to))));
}

async function showTexts(texts: readonly string[]): Promise<TextReport> {
  await using resources = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "texts-"));
  resources.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const home = new Home(join(folder, "h"));
  const histories = texts.map((text, at) => ({
    session: `hostile-${at}`,
    name: `text-${at}`,
    workspace: `/w/${text.slice(0, 200)}`,
    bodies: hostileBodies(text),
  }));
  await writeHistories(home, histories);
  const environment = { ...process.env, XDG_STATE_HOME: join(folder, "state") };
  const fairlead = resources.use(await LocalFairlead.open({ home, adapters, environment, fallback: "scripted" }));
  const tokens = new AccessTokens(new FileTokenStore(join(folder, "tokens.json")));
  const service = resources.use(await serveHttp({ fairlead, tokens, port: 0, pageFolder }));
  const base = service.url ?? "";
  const token = await tokens.issue({ label: "owner", scopes: ["read", "drive", "approve", "admin"] });
  const workspace = join(folder, "w");
  mkdirSync(workspace);
  const asked = await askHostileQuestions(fairlead, workspace, texts);
  const browser = resources.use(await TestBrowser.launch());
  const opened = await browser.open(`${base}/`, { token, viewport: { width: 1500, height: 900 } });
  const watched = new WatchedPage(opened, base);
  await visitLists(watched, histories);
  for (const { session } of histories) await visitSession(watched, session);
  await visitDecisions(watched, asked);
  await fairlead.stop(asked.session);
  const control = await tryWithoutProtection(browser, base, token, texts);
  const { inspections, findings, effects, problems } = watched;
  const events = histories.reduce((sum, { bodies }) => sum + bodies.length, 0);
  const requests = asked.decisions.length;
  const report = { texts: texts.length, events, requests, inspections, findings: [...findings], effects, problems };
  return { ...report, control };
}
