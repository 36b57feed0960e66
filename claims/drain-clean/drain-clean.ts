import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import { ensureBuilt } from "../daemon/built.ts";
import { describeMachine } from "../daemon/machine.ts";
import { readSize } from "../daemon/size.ts";
import { formatRun, isUnharmed } from "../fleet-machines/judge-run.ts";
import { runProgram } from "../fleet-machines/run-program.ts";
import type { ReplaceResult } from "./replace-parts.ts";

const sessions = readSize("sessions", 20);
const hosts = 2;

export const drainClean: Claim = {
  id: "drain-clean",
  statement: "All parts of a fleet are replaced while its sessions work, and the sessions do not notice.",
  bound:
    `${sessions} sessions at work; three servers, two gateways and ${hosts} hosts replaced in turn, hosts by a drain and in place: ` +
    `0 events lost, 0 turns cut, each command executed once; in place, 0 agents replaced`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    await ensureBuilt();
    const run = await runProgram<ReplaceResult>("drain-clean/replace-parts.ts", { sessions });
    for (const line of [...run.cut, ...run.left]) console.log(line);
    return {
      measured:
        `seed ${run.seed}; ${run.brokers} servers and ${run.gateways} gateways replaced, ${run.inPlace} hosts in place: ${run.agentsAfter} of ${run.agentsBefore} agents continued; ` +
        `${run.moved} sessions moved by drains, ${run.left.length} stayed; ${run.cut.length} turns cut; ${formatRun(run)}; ${describeMachine()}`,
      holds:
        run.inPlace === hosts &&
        run.agentsAfter === sessions &&
        run.agentsBefore === sessions &&
        run.moved === hosts * sessions &&
        run.left.length === 0 &&
        run.cut.length === 0 &&
        run.completed === run.messages &&
        run.effects === run.messages &&
        run.overlaps.length === 0 &&
        isUnharmed(run),
    };
  },
};
