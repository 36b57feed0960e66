/** Proves the public claims: `npm run claims` proves all, `npm run claims -- ID…` some; exit code 1 if one does not hold. */
import { eventLatency } from "../bench/event-latency.ts";
import { memoryPerSession } from "../bench/memory-per-session.ts";
import { startOverhead } from "../bench/start-overhead.ts";
import { throughput } from "../bench/throughput.ts";
import { acpFace } from "./acp-face.ts";
import { adapterIsSmall } from "./adapter-is-small.ts";
import { apiGuard } from "./api-guard.ts";
import type { Claim } from "./claim.ts";
import { cleanInstall } from "./clean-install.ts";
import { crashLossless } from "./crash-lossless.ts";
import { daemonRestart } from "./daemon-restart.ts";
import { diskFull } from "./disk-full.ts";
import { firstMinuteClaim } from "./first-minute.ts";
import { hostileOutput } from "./hostile-output.ts";
import { idempotent } from "./idempotent.ts";
import { inputExactlyOnce } from "./input-exactly-once.ts";
import { cliUpgrades } from "./cli-upgrades.ts";
import { conforms } from "./conforms.ts";
import { driftSeen } from "./drift-seen.ts";
import { manySessions } from "./many-sessions.ts";
import { noOrphans } from "./no-orphans.ts";
import { realClaudeConforms } from "./real-claude-conforms.ts";
import { reconnect } from "./reconnect.ts";
import { sameSkeleton } from "./same-skeleton.ts";
import { shimWire } from "./shim-wire.ts";
import { deadlines, resumeVerified, usageExact } from "./situations.ts";
import { slowConsumer } from "./slow-consumer.ts";
import { replay } from "./replay.ts";
import { takeOver } from "./take-over.ts";
import { tornJournal } from "./torn-journal.ts";

const claims: readonly Claim[] = [
  adapterIsSmall,
  realClaudeConforms,
  crashLossless,
  inputExactlyOnce,
  noOrphans,
  hostileOutput,
  tornJournal,
  diskFull,
  replay,
  startOverhead,
  eventLatency,
  throughput,
  memoryPerSession,
  ...conforms,
  sameSkeleton,
  usageExact,
  deadlines,
  resumeVerified,
  driftSeen,
  cliUpgrades,
  apiGuard,
  idempotent,
  daemonRestart,
  reconnect,
  slowConsumer,
  manySessions,
  firstMinuteClaim,
  cleanInstall,
  acpFace,
  shimWire,
  takeOver,
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((id) => !claims.some((claim) => claim.id === id));
if (unknown.length > 0) {
  console.error(`There is no claim ${unknown.join(", ")}. Known: ${claims.map(({ id }) => id).join(", ")}.`);
  process.exit(2);
}

const lines: string[] = [];
for (const claim of claims.filter(({ id }) => wanted.length === 0 || wanted.includes(id))) {
  const { measured, holds } = await claim.prove();
  lines.push(`${claim.id} · ${measured} · ${claim.bound} · ${holds ? "holds" : "DOES NOT HOLD"}`);
  if (!holds) process.exitCode = 1;
}
console.log(["", "claim · measured · bound · holds", ...lines].join("\n"));
