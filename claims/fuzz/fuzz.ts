import { availableParallelism } from "node:os";
import { ChildProgram } from "../../measure/child-program.ts";
import type { Claim } from "../../measure/claim.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { TestHome } from "../../measure/test-home.ts";
import { DaemonProcess } from "../daemon/daemon-process.ts";
import { readSize } from "../daemon/size.ts";
import { fuzzApi, type ApiFuzzReport } from "./fuzz-api.ts";
import { addFuzzReports, emptyFuzzReport, type FuzzReport } from "./fuzz-report.ts";
import type { RecordingsWorkerOptions } from "./recordings-worker.ts";
import { serveFaulty } from "./serve-faulty.ts";

const required = { recordings: 200_000, calls: 40_000 };
const control = { recordings: 4000, calls: 400 };
const batch = 2000;

/**
 * `FAIRLEAD_SEED` repeats a run. `FAIRLEAD_SIZE=first=N,recordings=1,calls=0` repeats one recording of it, and
 * `first=N,recordings=0,calls=1` one call.
 */
export const fuzz: Claim = {
  id: "fuzz",
  statement: "No output of an agent and no call of the API makes the reducer, the journal or the server fail.",
  bound: `${required.recordings.toLocaleString("en")} mutated recordings over all dialects: 0 exceptions, also none that the reducer catches, and 0 events that break their schema; ${required.calls.toLocaleString("en")} calls made from the API's schemas: 0 answers of 5xx, 0 without an answer; control: without fence and check, and with a method that throws, all are counted`,
  async prove() {
    const { seed } = SeededRandom.fromEnvironment();
    console.log(`FAIRLEAD_SEED=${seed}`);
    const first = readSize("first", 0);
    const recordings = await fuzzAll({ seed, first, count: readSize("recordings", required.recordings) });
    const calls = await callDaemon(seed, first, readSize("calls", required.calls));
    const unfenced = await fuzzAll({ seed, first: 0, count: control.recordings, control: true });
    const faulty = await callFaulty(seed);
    const isClean =
      recordings.exceptions + recordings.fenced + recordings.invalidEvents + recordings.caughtEvents === 0 &&
      recordings.invalidEffects + recordings.invalidStates === 0;
    const isAnswered =
      calls.serverErrors + calls.unanswered + calls.invalidAnswers + calls.notStopped === 0 &&
      (calls.byClass["2xx"] ?? 0) > calls.calls / 10;
    return {
      measured: `seed ${seed}; ${describeRecordings(recordings)}; ${describeCalls(calls)}; control: ${describeRecordings(unfenced)}; ${describeCalls(faulty)}`,
      holds:
        isClean &&
        isAnswered &&
        recordings.recordings >= required.recordings &&
        calls.calls >= required.calls &&
        unfenced.exceptions > 0 &&
        unfenced.invalidEvents > 0 &&
        faulty.serverErrors > 0,
    };
  },
};

/** Reduces recordings on all cores. */
async function fuzzAll({ seed, first, count, ...options }: RecordingsWorkerOptions): Promise<FuzzReport> {
  const starts = Array.from({ length: Math.ceil(count / batch) }, (_, index) => first + index * batch).values();
  let report = emptyFuzzReport;
  const runLane = async (): Promise<void> => {
    for (const start of starts) {
      const work = { seed, first: start, count: Math.min(batch, first + count - start), ...options };
      await using worker = new ChildProgram(new URL("recordings-worker.ts", import.meta.url), work);
      const share = await worker.readJson<FuzzReport>();
      report = addFuzzReports(report, share);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runLane));
  return report;
}

async function callDaemon(seed: number, first: number, count: number): Promise<ApiFuzzReport> {
  await using testHome = new TestHome();
  await using daemon = await DaemonProcess.start(testHome);
  const problems = readProblems(daemon);
  const onProblem = (problem: string): void => console.error(`FAIRLEAD_SEED=${seed} ${problem}`);
  const report = await fuzzApi({
    socket: daemon.socket,
    workspace: testHome.workspace(),
    seed,
    first,
    count,
    onProblem,
  });
  await daemon.connect().shutdown();
  await problems;
  return report;
}

/** Prints the errors that the daemon logs, until it ends. */
async function readProblems(daemon: DaemonProcess): Promise<void> {
  try {
    for (;;) {
      const line = await daemon.nextLog();
      if (line["level"] === "error") console.error(JSON.stringify(line));
    }
  } catch {
    // The daemon has ended.
  }
}

/** A service with a method that throws for some arguments. */
async function callFaulty(seed: number): Promise<ApiFuzzReport> {
  await using testHome = new TestHome();
  await using service = await serveFaulty(testHome, (fairlead) => ({
    async inject(session, text, options) {
      if (text.length > 10) throw new TypeError("The text is long.");
      await fairlead.inject(session, text, options);
    },
  }));
  return await fuzzApi({
    socket: service.socket,
    workspace: testHome.workspace(),
    seed,
    first: 0,
    count: control.calls,
  });
}

function describeRecordings(report: FuzzReport): string {
  const count = (value: number): string => value.toLocaleString("en");
  return (
    `${count(report.recordings)} recordings with ${count(report.records)} records and ${count(report.events)} events: ` +
    `${report.exceptions} exceptions, ${report.fenced} caught, ${report.invalidEvents} events that break their schema, ` +
    `${report.caughtEvents} caught, ${report.invalidEffects} invalid effects, ${report.invalidStates} invalid states, ` +
    `slowest record ${report.slowest.toFixed(0)} ms`
  );
}

function describeCalls(report: ApiFuzzReport): string {
  const classes = Object.entries(report.byClass).toSorted(([one], [other]) => one.localeCompare(other));
  return (
    `${report.calls.toLocaleString("en")} calls (${classes.map(([name, count]) => `${count} ${name}`).join(", ")}): ` +
    `${report.serverErrors} answers of 5xx, ${report.unanswered} without an answer, ${report.invalidAnswers} that break ` +
    `their schema, ${report.notStopped} sessions not stopped`
  );
}
