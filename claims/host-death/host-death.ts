import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import { ensureBuilt } from "../daemon/built.ts";
import { describeMachine } from "../daemon/machine.ts";
import { readSize } from "../daemon/size.ts";
import { formatRun, isUnharmed } from "../fleet-machines/judge-run.ts";
import { runProgram } from "../fleet-machines/run-program.ts";
import type { SeparationResult } from "../host-partition/separate-hosts.ts";
import type { KillResult } from "./kill-hosts.ts";
import type { RealMove } from "./move-real-agents.ts";

const sessions = readSize("sessions", 20);
const kills = readSize("kills", 10);
const clones = Math.ceil(sessions / 5);
const longestSeconds = 40;
const realAgents = ["claude-code", "codex"];

export const hostDeath: Claim = {
  id: "host-death",
  statement: "The sessions of a machine that dies continue on another one, with the agents' memory and files.",
  bound:
    `all processes of a machine killed and its disk lost × ${kills}, ${sessions} sessions at work, ${clones} of them in clones: all answer again on the other machine ≤ ${longestSeconds} s after the kill, ` +
    `all \`native\`; 0 outputs of an old agent after the new one's first, 0 commands executed twice, 0 accepted ones lost; the files equal the last snapshot; ` +
    `real ${realAgents.join(" and ")} \`native\`, remembering; control: a host's process killed alone, whose keepers do not end unattended agents: old agents work beside the new ones`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    await ensureBuilt();
    const real: RealMove[] = [];
    for (const agent of realAgents) real.push(await runProgram<RealMove>("host-death/move-real-agents.ts", { agent }));
    const control = await runProgram<SeparationResult>("host-partition/separate-hosts.ts", {
      sessions: 2,
      seconds: 30,
      faults: ["killed"],
      isFreezing: false,
    });
    const run = await runProgram<KillResult>("host-death/kill-hosts.ts", { sessions, clones, kills });
    for (const line of run.differingTrees) console.log(line);
    const moved = real.map(
      ({ agent, outcome, remembers, seconds }) =>
        `${agent} ${outcome}, ${remembers ? "remembers" : "DOES NOT REMEMBER"}, ${seconds.toFixed(0)} s`,
    );
    return {
      measured:
        `seed ${run.seed}; seconds until all answered: ${run.answered.map((seconds) => seconds.toFixed(1)).join(", ")}; ${formatRun(run)}; ` +
        `${run.trees} trees compared, ${run.differingTrees.length} differed; ${moved.join("; ")}; ` +
        `control: ${control.overlaps.length} overlaps of 2 sessions; ${describeMachine()}`,
      holds:
        run.answered.length === kills &&
        Math.max(...run.answered) <= longestSeconds &&
        isUnharmed(run) &&
        run.overlaps.length === 0 &&
        (run.log.moves["native"] ?? 0) === kills * sessions &&
        run.trees === kills * clones &&
        run.differingTrees.length === 0 &&
        real.every(({ outcome, remembers, isAnswered }) => outcome === "native" && remembers && isAnswered) &&
        control.overlaps.length > 0,
    };
  },
};
