import { raceBareWriters } from "@fairlead/testing/nats/race-bare-writers.ts";
import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import { runTakeovers } from "./run-takeovers.ts";

const claimants = 24;
const sessions = 20;
const seconds = 12;
const limitMs = 200;
const rounds = 100;

export const takeoverFenced: Claim = {
  id: "takeover-fenced",
  statement:
    "In a fleet, a claim ends the right of the owner before it at once, while all owners append as fast as they can.",
  bound: `${claimants} claimants of ${sessions} sessions on three servers for ${seconds} s: 0 stale writes, each acknowledged event stored once, claim p99 at most ${limitMs} ms; control: 8 writers with one expected sequence on server 2.9, which is refused at the start of a fleet: several winners in some of ${rounds} rounds`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    const run = await runTakeovers({ claimants, sessions, seconds });
    const several = await raceBareWriters("2.9", rounds);
    const severalOnCurrent = await raceBareWriters("current", rounds);
    return {
      measured:
        `${run.claims} claims, ${run.fenced} owners fenced, ${run.acknowledged} events acknowledged, ${run.stored} stored, ` +
        `${run.lost} lost, ${run.staleWrites} stale writes; claim p50 ${run.claimP50.toFixed(0)} ms, p99 ${run.claimP99.toFixed(0)} ms, ` +
        `longest ${run.claimMax.toFixed(0)} ms; control: several winners in ${several} of ${rounds} rounds on 2.9, ` +
        `in ${severalOnCurrent} on the current server`,
      holds:
        run.staleWrites === 0 &&
        run.lost === 0 &&
        run.stored === run.acknowledged &&
        run.claims > sessions &&
        run.claimP99 <= limitMs &&
        several > 0 &&
        severalOnCurrent === 0,
    };
  },
};
