/** Reduces a share of the mutated recordings and prints the report: `node recordings-worker.ts OPTIONS`. */
import { removeEventCheck, removeFence, withUncheckedReads } from "./faulty-adapter.ts";
import { fuzzRecordings } from "./fuzz-recordings.ts";

export interface RecordingsWorkerOptions {
  readonly seed: number;
  readonly first: number;
  readonly count: number;
  /** For a control: adapters that check nothing, and a reducer without its defenses. */
  readonly control?: boolean;
}

const { control = false, ...options } = JSON.parse(process.argv[2] ?? "") as RecordingsWorkerOptions;
if (control) {
  removeFence();
  removeEventCheck();
}
const maxPrinted = 20;
let printed = 0;
const onProblem = (problem: string): void => {
  if ((printed += 1) <= maxPrinted) console.error(`FAIRLEAD_SEED=${options.seed} ${problem}`);
};
const report = fuzzRecordings({ ...options, ...(control ? { wrapAdapter: withUncheckedReads } : { onProblem }) });
console.log(JSON.stringify(report));
