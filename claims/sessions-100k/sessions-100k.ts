import { readFileSync } from "node:fs";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import { measureBareReads } from "./measure-bare-reads.ts";
import { measureIndex } from "./measure-index.ts";
import { measureSubjects } from "./measure-subjects.ts";

const sessions = 100_000;
const putsPerSecond = 200;
const seconds = 15;
const limits = { serverMegabytes: 600, tailMs: 20, loadSeconds: 5, gatewayMegabytes: 300, pageMs: 50 };

export const sessions100k: Claim = {
  id: "sessions-100k",
  statement: "A fleet has 100,000 sessions, and its servers and gateways stay small and quick.",
  bound:
    `three servers that sync each write, ${sessions.toLocaleString("en-US")} sessions with a row each: a server has at most ` +
    `${limits.serverMegabytes} MB of memory; the end of a session is read in at most ${limits.tailMs} ms (p99); a gateway has the ` +
    `index after at most ${limits.loadSeconds} s with ${limits.gatewayMegabytes} MB; a page takes at most ${limits.pageMs} ms (p99) while rows change; ` +
    `control: a page from a gateway without the index in memory takes longer`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    await using bench = await NatsLogBench.start(3);
    const namespace = await bench.createNamespace(16);
    const bare = await measureBareReads(bench);
    const subjects = await measureSubjects(bench, namespace, sessions);
    const index = await measureIndex({ bench, sessions, putsPerSecond, seconds });
    const serverMegabytes = Math.max(subjects.rssMegabytes, ...bench.cluster.pids.map(readRssMegabytes));
    const { load, reads } = index;
    // Without the index in memory, each page would read it.
    const controlMs = load.seconds * 1_000;
    const holds =
      load.rows === sessions &&
      serverMegabytes <= limits.serverMegabytes &&
      subjects.tailP99 <= limits.tailMs &&
      load.seconds <= limits.loadSeconds &&
      Math.max(load.rssMegabytes, reads.rssMegabytes) <= limits.gatewayMegabytes &&
      reads.page.p99 <= limits.pageMs &&
      controlMs > limits.pageMs;
    return {
      measured:
        `a server ${serverMegabytes.toFixed(0)} MB (${subjects.emptyMegabytes.toFixed(0)} when empty); created ` +
        `${subjects.claimsPerSecond.toFixed(0)} sessions/s; end of a session p50 ${subjects.tailP50.toFixed(1)} ms, p99 ` +
        `${subjects.tailP99.toFixed(1)} (bare read of the only message of a stream ${bare.p50.toFixed(1)} and ${bare.p99.toFixed(1)}); ` +
        `a gateway has ${load.rows} rows of ${index.bytesPerContent.toFixed(0)} bytes in ${load.seconds.toFixed(1)} s ` +
        `(${load.cpuSeconds.toFixed(1)} s of processors) with ${load.rssMegabytes} MB; ${reads.pages} pages while ` +
        `${index.putsPerSecond.toFixed(0)} rows/s changed: median ${reads.page.median} ms, p99 ${reads.page.p99} ` +
        `(${reads.page.cpuP99} of processors), ${reads.rssMegabytes} MB; control: a page without the index in memory ` +
        `${controlMs.toFixed(0)} ms`,
      holds,
    };
  },
};

function readRssMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
}
