import type { Claim } from "../../measure/claim.ts";
import { median, quantile } from "../../measure/quantile.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { TestHome } from "../../measure/test-home.ts";
import { TestBrowser } from "../../packages/testing/src/web/test-browser.ts";
import { DaemonProcess } from "../daemon/daemon-process.ts";
import { describeMachine } from "../daemon/machine.ts";
import { readSize } from "../daemon/size.ts";
import {
  describeScroll,
  measureLoad,
  measureScroll,
  type PatchLoad,
  type PatchScroll,
  prepareContext,
  showAllFiles,
} from "./measure-patch.ts";
import { PatchWorkspace } from "./patch-workspace.ts";
import { compareTurnDiffs, type TurnDiffs } from "./turn-diffs.ts";

const files = readSize("files", 300);
const rounds = readSize("rounds", 5);
const turns = readSize("turns", 100);
const steps = 150;
/** A page that is slow must not keep the claim for minutes. */
const maxScrollMs = 60_000;
const bounds = { first: 800, frame: 20, bytes: 1_000_000 };

export const webDiff: Claim = {
  id: "web-diff",
  statement:
    "The page shows a patch of 1 MiB in 300 files at once and scrolls through it, and the changes of a turn are those of that turn alone.",
  bound:
    `${files} files, median of ${rounds} loads: ≤ ${bounds.first} ms from the request to the first file, frames of the wheel p95 ≤ ${bounds.frame} ms; ` +
    `floor: git alone, and a bare page that asks the same service and prints the same patch; control: all files stay on the page, frames above the bound; ` +
    `${turns} turns with a person who edits before and after each: every patch equals that of git between the states of the folder; ` +
    `control: patches from the end of the turn before, wrong wherever the person edited`,
  async prove() {
    const random = SeededRandom.fromEnvironment();
    await using testHome = new TestHome();
    await using daemon = await DaemonProcess.startWith(testHome, { hasPage: true });
    const { page } = daemon;
    if (page === null) throw new Error("The daemon serves no page.");
    const fairlead = daemon.connect();
    const found = await compareTurnDiffs({ fairlead, page, folder: testHome.workspace("turns"), turns, random });
    const patch = await measurePatch(daemon, testHome, page);
    return {
      measured: [...describePatch(patch), ...describeTurns(found), `seed ${random.seed}`, describeMachine()].join("; "),
      holds:
        patch.bytes >= bounds.bytes &&
        !patch.truncated &&
        median(patch.loads.map(({ first }) => first)) <= bounds.first &&
        quantile(patch.scroll.frames, 0.95) <= bounds.frame &&
        patch.scroll.steps === steps &&
        quantile(patch.control.frames, 0.95) > bounds.frame &&
        patch.control.nodes > 10 * patch.scroll.nodes &&
        found.wrong.length === 0 &&
        found.edited === turns - 1 &&
        found.wrongWithoutStart > turns / 2,
    };
  },
};

interface MeasuredPatch {
  readonly bytes: number;
  readonly truncated: boolean;
  readonly git: number;
  readonly loads: readonly PatchLoad[];
  readonly bareLoads: readonly PatchLoad[];
  readonly scroll: PatchScroll;
  readonly bareScroll: PatchScroll;
  readonly control: PatchScroll;
}

async function measurePatch(
  daemon: DaemonProcess,
  testHome: TestHome,
  page: { readonly url: string; readonly token: string },
): Promise<MeasuredPatch> {
  const workspace = new PatchWorkspace(testHome.workspace("patch"), files);
  const fairlead = daemon.connect();
  const { session } = await fairlead.start({ agent: "scripted", workspace: workspace.folder });
  workspace.change();
  const { patch, truncated } = await fairlead.diff(session);
  await using browser = await TestBrowser.launch();
  const url = `${page.url}/s/${session}`;
  const open = async (): Promise<Awaited<ReturnType<TestBrowser["open"]>>> => {
    const opened = await browser.open("about:blank", { viewport: { width: 1440, height: 820 } });
    await prepareContext(opened.context, page.url, `/v1/sessions/${session}/diff`, page.token);
    return opened;
  };
  const shown = await open();
  const bare = await open();
  const loads: PatchLoad[] = [];
  const bareLoads: PatchLoad[] = [];
  await measureLoad(shown.page, url); // fills the cache of the browser
  for (let round = 0; round < rounds; round++) {
    bareLoads.push(await measureLoad(bare.page, `${page.url}/bare`));
    loads.push(await measureLoad(shown.page, url));
  }
  const bareScroll = await measureScroll(bare.page, steps, maxScrollMs);
  const scroll = await measureScroll(shown.page, steps, maxScrollMs);
  await Promise.all([shown.context.close(), bare.context.close()]);
  const whole = await open();
  const countLists = await showAllFiles(whole.context);
  await measureLoad(whole.page, url);
  if (countLists() !== 1) throw new Error(`The scripts of the page have ${countLists()} lists of files.`);
  const control = await measureScroll(whole.page, steps, maxScrollMs);
  return {
    bytes: Buffer.byteLength(patch),
    truncated,
    git: median(Array.from({ length: rounds }, () => workspace.measureGit())),
    loads,
    bareLoads,
    scroll,
    bareScroll,
    control,
  };
}

function describePatch({ bytes, git, loads, bareLoads, scroll, bareScroll, control }: MeasuredPatch): string[] {
  const describe = (measured: readonly PatchLoad[]): string =>
    `${median(measured.map(({ first }) => first)).toFixed(0)} ms, ${median(measured.map(({ answer }) => answer)).toFixed(0)} of them until the service has answered`;
  return [
    `patch of ${(bytes / 1024).toFixed(0)} KiB: first file after ${describe(loads)}; bare page ${describe(bareLoads)}; git alone ${git.toFixed(0)} ms`,
    `page: ${describeScroll(scroll)}`,
    `bare page: ${describeScroll(bareScroll)}`,
    `control: ${describeScroll(control)}`,
  ];
}

function describeTurns({ turns: count, wrong, edited, wrongWithoutStart, emptyTurns }: TurnDiffs): string[] {
  return [
    `${count} turns, ${edited} of them after a person's edits, ${emptyTurns} without changes: ${wrong.length} patches differ from git's`,
    `control: ${wrongWithoutStart} of ${count} wrong`,
    ...wrong.slice(0, 10),
  ];
}
