/**
 * Proves the public claims: `npm run claims` proves all, `npm run claims -- ID…` some, `npm run claims -- --list` lists them.
 * `npm run claims -- --status` writes docs/status/claims.md from the results for the commit that is checked out. Exit code 1
 * if a claim does not hold.
 */
import { eventLatency } from "../bench/event-latency.ts";
import { memoryPerSession } from "../bench/memory-per-session.ts";
import { startOverhead } from "../bench/start-overhead.ts";
import { throughput } from "../bench/throughput.ts";
import { acpFace } from "../claims/acp-face/acp-face.ts";
import { approvalOnce } from "../claims/approval-once/approval-once.ts";
import { attackClosed } from "../claims/attack-closed/attack-closed.ts";
import { adapterIsSmall } from "../claims/adapter-is-small.ts";
import { easyToFind } from "../claims/easy-to-find.ts";
import { embedLight } from "../claims/embed-light.ts";
import { flat } from "../claims/flat/flat.ts";
import { folderSize } from "../claims/folder-size.ts";
import { createNothingBroken } from "../claims/nothing-broken.ts";
import { plainWords } from "../claims/plain-words.ts";
import { smallSteps } from "../claims/small-steps.ts";
import { apiGuard } from "../claims/api-guard.ts";
import { boundaryCost } from "../claims/boundary-cost.ts";
import { capabilityEnforced } from "../claims/capability-enforced/capability-enforced.ts";
import type { Claim, Proof } from "../measure/claim.ts";
import { cleanInstall } from "../claims/clean-install.ts";
import { crashLossless } from "../claims/crash-lossless/crash-lossless.ts";
import { daemonRestart } from "../claims/daemon-restart.ts";
import { diskFull } from "../claims/disk-full/disk-full.ts";
import { execOracle } from "../claims/exec-oracle/exec-oracle.ts";
import { exportWhole } from "../claims/export-whole/export-whole.ts";
import { mcpServers } from "../claims/mcp-servers/mcp-servers.ts";
import { toolsOnce } from "../claims/tools-once/tools-once.ts";
import { delegationBounded } from "../claims/delegation-bounded/delegation-bounded.ts";
import { foremanTwoVendors } from "../claims/foreman-two-vendors/foreman-two-vendors.ts";
import { foremanCrash } from "../claims/foreman-crash/foreman-crash.ts";
import { verdictBound } from "../claims/verdict-bound/verdict-bound.ts";
import { reviewerCannotWrite } from "../claims/reviewer-cannot-write/reviewer-cannot-write.ts";
import { acceptanceNotBelieved } from "../claims/acceptance-not-believed/acceptance-not-believed.ts";
import { humanNextDay } from "../claims/human-next-day/human-next-day.ts";
import { conflictJoined } from "../claims/conflict-joined/conflict-joined.ts";
import { alwaysAllow } from "../claims/always-allow/always-allow.ts";
import { riskyActions } from "../claims/risky-actions.ts";
import { gateCost } from "../claims/gate-cost.ts";
import { policyCorpus } from "../claims/policy-corpus/policy-corpus.ts";
import { filesSeen } from "../claims/files-seen/files-seen.ts";
import { firstFiveMinutes } from "../claims/first-five-minutes.ts";
import { firstMinuteClaim } from "../claims/first-minute.ts";
import { fuzz } from "../claims/fuzz/fuzz.ts";
import { hostileOutput } from "../claims/hostile-output/hostile-output.ts";
import { idempotent } from "../claims/idempotent/idempotent.ts";
import { inputExactlyOnce } from "../claims/input-exactly-once/input-exactly-once.ts";
import { cliUpgrades } from "../claims/cli-upgrades.ts";
import { conformanceClaims } from "../claims/conformance-claims.ts";
import { docsComplete } from "../claims/docs-complete.ts";
import { docsTrue } from "../claims/docs-true.ts";
import { driftSeen } from "../claims/drift-seen/drift-seen.ts";
import { manySessions } from "../claims/many-sessions/many-sessions.ts";
import { webLive500 } from "../claims/web-live-500/web-live-500.ts";
import { noOrphans } from "../claims/no-orphans/no-orphans.ts";
import { noTraces } from "../claims/no-traces/no-traces.ts";
import { oneBadSession } from "../claims/one-bad-session/one-bad-session.ts";
import { packagesLoad } from "../claims/packages-load.ts";
import { pictures } from "../claims/pictures.ts";
import { queueKept } from "../claims/queue-kept/queue-kept.ts";
import { realClaudeConforms } from "../claims/real-claude-conforms.ts";
import { reconnect } from "../claims/reconnect.ts";
import { sameSkeleton } from "../claims/same-skeleton/same-skeleton.ts";
import { sandboxEscape } from "../claims/sandbox-escape/sandbox-escape.ts";
import { secretsAbsent } from "../claims/secrets-absent/secrets-absent.ts";
import { shimWire } from "../claims/shim-wire/shim-wire.ts";
import { deadlines, resumeVerified, usageExact } from "../claims/situations.ts";
import { slowConsumer } from "../claims/slow-consumer/slow-consumer.ts";
import { replay } from "../claims/replay/replay.ts";
import { seams } from "../claims/seams/seams.ts";
import { aloneNeverFenced } from "../claims/alone-never-fenced/alone-never-fenced.ts";
import { fleetLatency } from "../claims/fleet-latency/fleet-latency.ts";
import { drainClean } from "../claims/drain-clean/drain-clean.ts";
import { hostDeath } from "../claims/host-death/host-death.ts";
import { hostPartition } from "../claims/host-partition/host-partition.ts";
import { gatewayAny } from "../claims/gateway-any/gateway-any.ts";
import { fleetThroughput } from "../claims/fleet-throughput/fleet-throughput.ts";
import { journalNats } from "../claims/journal-nats/journal-nats.ts";
import { takeoverFenced } from "../claims/takeover-fenced/takeover-fenced.ts";
import { restateSame } from "../claims/restate-same/restate-same.ts";
import { takeOver } from "../claims/take-over/take-over.ts";
import { web100k } from "../claims/web-100k/web-100k.ts";
import { webDiff } from "../claims/web-diff/web-diff.ts";
import { webApprove } from "../claims/web-approve/web-approve.ts";
import { webGuard } from "../claims/web-guard/web-guard.ts";
import { webTruth } from "../claims/web-truth/web-truth.ts";
import { fleetLossless } from "../claims/fleet-lossless/fleet-lossless.ts";
import { refusesUnsafe } from "../claims/refuses-unsafe/refuses-unsafe.ts";
import { sessions100k } from "../claims/sessions-100k/sessions-100k.ts";
import { slope } from "../claims/slope/slope.ts";
import { tenantsApart } from "../claims/tenants-apart/tenants-apart.ts";
import { egress } from "../claims/egress/egress.ts";
import { keyWithheld } from "../claims/key-withheld/key-withheld.ts";
import { briefUpdate } from "../claims/brief-update/brief-update.ts";
import { limitHeld } from "../claims/limit-held/limit-held.ts";
import { mcpServer } from "../claims/mcp-server/mcp-server.ts";
import { sandboxConforms } from "../claims/sandbox-conforms.ts";
import { takeoverRecorded } from "../claims/takeover-recorded/takeover-recorded.ts";
import { webTakeover } from "../claims/web-takeover/web-takeover.ts";
import { tornJournal } from "../claims/torn-journal/torn-journal.ts";
import { webA11y } from "../claims/web-a11y/web-a11y.ts";
import { webFirstPaint } from "../claims/web-first-paint/web-first-paint.ts";
import { readCleanCommit, saveResult, writeStatusPage } from "./claim-status.ts";

const provableClaims: readonly Claim[] = [
  plainWords,
  easyToFind,
  smallSteps,
  folderSize,
  adapterIsSmall,
  embedLight,
  realClaudeConforms,
  crashLossless,
  inputExactlyOnce,
  queueKept,
  capabilityEnforced,
  noOrphans,
  hostileOutput,
  fuzz,
  oneBadSession,
  tornJournal,
  diskFull,
  replay,
  startOverhead,
  eventLatency,
  throughput,
  flat,
  memoryPerSession,
  ...conformanceClaims,
  sameSkeleton,
  usageExact,
  limitHeld,
  deadlines,
  resumeVerified,
  driftSeen,
  cliUpgrades,
  apiGuard,
  attackClosed,
  sandboxEscape,
  idempotent,
  daemonRestart,
  reconnect,
  slowConsumer,
  manySessions,
  webLive500,
  firstMinuteClaim,
  firstFiveMinutes,
  docsTrue,
  docsComplete,
  packagesLoad,
  pictures,
  cleanInstall,
  acpFace,
  mcpServer,
  shimWire,
  briefUpdate,
  takeOver,
  takeoverRecorded,
  webTakeover,
  noTraces,
  boundaryCost,
  sandboxConforms,
  keyWithheld,
  egress,
  secretsAbsent,
  policyCorpus,
  execOracle,
  gateCost,
  riskyActions,
  alwaysAllow,
  toolsOnce,
  delegationBounded,
  foremanTwoVendors,
  foremanCrash,
  verdictBound,
  reviewerCannotWrite,
  acceptanceNotBelieved,
  humanNextDay,
  conflictJoined,
  mcpServers,
  approvalOnce,
  webApprove,
  web100k,
  webDiff,
  webGuard,
  webTruth,
  filesSeen,
  exportWhole,
  restateSame,
  refusesUnsafe,
  fleetLossless,
  seams,
  journalNats,
  aloneNeverFenced,
  takeoverFenced,
  fleetThroughput,
  gatewayAny,
  fleetLatency,
  hostDeath,
  hostPartition,
  drainClean,
  sessions100k,
  tenantsApart,
  slope,
  webA11y,
  webFirstPaint,
];
const claims: readonly Claim[] = [...provableClaims, createNothingBroken(provableClaims)];

const requestedIds = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const options = new Set(process.argv.slice(2).filter((argument) => argument.startsWith("--")));
const unknownIds = requestedIds.filter((id) => !claims.some((claim) => claim.id === id));
if (unknownIds.length > 0) {
  console.error(`There is no claim ${unknownIds.join(", ")}. Known: ${claims.map(({ id }) => id).join(", ")}.`);
  process.exit(2);
}

if (options.has("--list")) {
  for (const { id, statement, bound } of claims) console.log(`${id} · ${statement} · ${bound}`);
} else if (options.has("--status")) writeStatus();
else await proveAll(claims.filter(({ id }) => requestedIds.length === 0 || requestedIds.includes(id)));

async function proveAll(requested: readonly Claim[]): Promise<void> {
  const lines: string[] = [];
  for (const claim of requested) {
    const startedAt = performance.now();
    const commit = readCleanCommit();
    const { measured, holds } = await proveOne(claim);
    const seconds = (performance.now() - startedAt) / 1000;
    // A result counts for a commit only if nothing else changed while the claim ran.
    if (commit !== null && commit === readCleanCommit()) {
      saveResult(commit, { id: claim.id, measured, holds, seconds, at: new Date().toISOString() });
    }
    const line = `${claim.id} · ${measured} · ${claim.bound} · ${holds ? "holds" : "DOES NOT HOLD"}`;
    console.log(`${line} · ${seconds.toFixed(0)} s`);
    lines.push(line);
    if (!holds) process.exitCode = 1;
  }
  console.log(["", "claim · measured · bound · holds", ...lines].join("\n"));
}

/** A claim whose proof throws does not hold. The other claims still run. */
async function proveOne(claim: Claim): Promise<Proof> {
  try {
    return await claim.prove();
  } catch (error) {
    console.error(error);
    return {
      measured: `failed: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`,
      holds: false,
    };
  }
}

function writeStatus(): void {
  const commit = readCleanCommit();
  if (commit === null) {
    console.error("The working tree differs from its commit. Commit or stash the changes, then run the claims again.");
    process.exit(1);
  }
  writeStatusPage(commit, claims);
}
