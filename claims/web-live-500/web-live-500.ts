import { setTimeout as delay } from "node:timers/promises";
import { writeHistories } from "@fairlead/testing/runtime/write-histories.ts";
import type { Claim } from "../../measure/claim.ts";
import { TestHome } from "../../measure/test-home.ts";
import { DaemonProcess } from "../daemon/daemon-process.ts";
import { describeMachine } from "../daemon/machine.ts";
import { mapConcurrently } from "../daemon/map-concurrently.ts";
import { readSize } from "../daemon/size.ts";
import { startSessions } from "../daemon/start-many.ts";
import { describeFit, fitAgents, measureBusy } from "./fit-agents.ts";
import { measurePage, type PageFigures } from "./measure-page.ts";

const working = readSize("working", 100);
const idle = readSize("idle", 100);
const ended = readSize("ended", 300);
const clients = 4;
const rate = 10;
const seconds = readSize("seconds", 20);
/** The time limit until all agents are told, in milliseconds. */
const startDelay = 20_000;
/** Until it is known how many agents fit, in seconds. */
const fitTime = 60;
const bounds = { p95: 600, daemonShare: 1.1, page: 0.3 };
const program = new URL("../many-sessions/ticking-agent.pl", import.meta.url).href;

export const webLive500: Claim = {
  id: "web-live-500",
  statement: "The page shows hundreds of sessions while a hundred of them work, and costs the daemon little.",
  bound:
    `${working} sessions at ${rate} events/s, or as many as leave a quarter of the machine to the browser, ${idle} idle, ${ended} ended; one page and ${clients} clients of the overview: ` +
    `from the agent to the screen p95 ≤ ${bounds.p95} ms; CPU of the daemon ≤ +10 % of that without them; page ≤ 30 % of a ` +
    "core; 0 problems in the browser; control: a page that is kept busy for 1 s of each 1.2 s misses the p95",
  async prove() {
    await using testHome = new TestHome();
    const at = Date.UTC(2026, 9, 1);
    const histories = Array.from({ length: ended }, (_, index) => ({
      session: `ended${index}`,
      at: at + index * 1000,
    }));
    await writeHistories(testHome.home, histories);
    const agent = {
      program,
      argument: `${rate * (startDelay / 1000 + fitTime + 8 * seconds)} ${1000 / rate}`,
      runner: "perl",
    };
    await using daemon = await DaemonProcess.startWith(testHome, { agent, hasPage: true });
    if (daemon.page === null) throw new Error("The daemon serves no page.");
    const fairlead = daemon.connect();
    const started = await startSessions(fairlead, testHome, working + idle);
    const beginAt = Date.now() + startDelay;
    const told = started.slice(0, working);
    await mapConcurrently(16, told, async (session) => await fairlead.send(session, `Begin at ${beginAt}`));
    if (Date.now() > beginAt) throw new Error(`Not all agents were told within ${startDelay / 1000} s.`);
    const busyBefore = await measureBusy();
    await delay(beginAt - Date.now() + 2000);
    const fit = await fitAgents(fairlead, told, busyBefore);
    const figures = await measurePage({ daemon, ...daemon.page, clients, beat: 1000 / rate, seconds });
    const share = figures.daemonFollowed / figures.daemonAlone;
    return {
      measured: `${describeFit(fit, working)}; ${describeFigures(figures)}; ${describeMachine()}`,
      holds:
        figures.p95 <= bounds.p95 &&
        figures.busyP95 > bounds.p95 &&
        share <= bounds.daemonShare &&
        figures.page <= bounds.page &&
        figures.problems.length === 0,
    };
  },
};

function describeFigures({ p50, p95, eventCount, rowCount, problems, busyP95, ...cores }: PageFigures): string {
  const { daemonAlone, daemonFollowed, page } = cores;
  const percent = (value: number): string => `${(100 * value).toFixed(0)} %`;
  return (
    `${eventCount} events of ${rowCount} visible rows, from the agent to the screen p50 ${p50.toFixed(0)} ms, p95 ` +
    `${p95.toFixed(0)} ms; of a core: daemon alone ${percent(daemonAlone)}, with page and clients ${percent(daemonFollowed)} ` +
    `(${(daemonFollowed / daemonAlone).toFixed(2)} ×), page ${percent(page)}; control p95 ${busyP95.toFixed(0)} ms; problems: ${problems.join("; ") || "none"}`
  );
}
