import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import { ensureBuilt } from "../daemon/built.ts";
import { describeMachine } from "../daemon/machine.ts";
import { readSize } from "../daemon/size.ts";
import { formatRun, isUnharmed } from "../fleet-machines/judge-run.ts";
import { runProgram } from "../fleet-machines/run-program.ts";
import type { Separation, SeparationResult } from "./separate-hosts.ts";

const sessions = readSize("sessions", 10);
const seconds = readSize("seconds", 60);
const faults: readonly Separation[] = ["cut", "killed", "paused"];

export const hostPartition: Claim = {
  id: "host-partition",
  statement: "A host that is separated from its fleet stops its agents before another host starts them.",
  bound:
    `${sessions} sessions at work; a machine cut off for ${seconds} s, the process of a host killed alone, a machine paused for ${seconds} s: ` +
    `0 stale writes in the log, 0 commands executed twice; two agents of one session at work at the same time never, except when the pause ends, where it is printed; ` +
    `control: without the end of unattended agents, two agents of a session work at the same time`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    await ensureBuilt();
    const control = await runProgram<SeparationResult>("host-partition/separate-hosts.ts", {
      sessions: 2,
      seconds: 40,
      faults: ["cut"],
      isFreezing: false,
    });
    const program = "host-partition/separate-hosts.ts";
    const run = await runProgram<SeparationResult>(program, { sessions, seconds, faults, isFreezing: true });
    const overlapsOf = (fault: Separation): SeparationResult["overlaps"] =>
      run.overlaps.filter(({ older }) => run.separated[fault]?.includes(older));
    const other = run.overlaps.filter((overlap) => !overlapsOf("paused").includes(overlap));
    for (const { session, older, newer, beats } of other)
      console.log(`${session}: ${older} worked after the start of ${newer}, ${beats} beats.`);
    const longest = Math.max(0, ...overlapsOf("paused").map((overlap) => overlap.seconds));
    return {
      measured:
        `seed ${run.seed}; seconds until all answered: ${faults.map((fault) => `${fault} ${run.answered[fault]?.toFixed(1)}`).join(", ")}; ${formatRun(run)}; ` +
        `${faults.map((fault) => `${overlapsOf(fault).length} overlaps after ${fault}`).join(", ")}, of those after the pause at most ${longest.toFixed(2)} s; ` +
        `control: ${control.overlaps.length} overlaps of 2 sessions, up to ${Math.max(0, ...control.overlaps.map((overlap) => overlap.seconds)).toFixed(0)} s; ${describeMachine()}`,
      holds:
        faults.every((fault) => run.answered[fault] !== undefined && (run.separated[fault]?.length ?? 0) >= sessions) &&
        isUnharmed(run) &&
        other.length === 0 &&
        control.overlaps.length > 0,
    };
  },
};
