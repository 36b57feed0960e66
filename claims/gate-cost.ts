import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { decide, defaultPolicy } from "@fairlead/runtime";
import type { Claim } from "../measure/claim.ts";
import { median, quantile } from "../measure/quantile.ts";

const corpus = join(import.meta.dirname, "policy-corpus/shell-commands.jsonl");
const rounds = 20;
const maxMilliseconds = 1;
/** How much the cost of a character may grow in a text that is 100 times as long. Quadratic time would be 100 times. */
const maxGrowth = 3;

/** Texts whose length grows with a count, of forms that parsers are slow on. */
const growing: Readonly<Record<string, (count: number) => string>> = {
  list: (count) => "git status && ".repeat(count),
  pipes: (count) => `${"cat a | ".repeat(count)}wc`,
  arguments: (count) => `ls ${"-a ".repeat(count)}`,
  substitutions: (count) => 'echo "$(git log)" '.repeat(count),
  assignments: (count) => Array.from({ length: count }, (_one, at) => `a${at}=1`).join(";"),
  wrappers: (count) => "nohup ls; ".repeat(count),
  "here-document": (count) => `cat <<E\n${"line $(date)\n".repeat(count)}E`,
  sed: (count) => `sed '${"s/a/b/;".repeat(count)}' f`,
  awk: (count) => `awk '${'{print "a"} '.repeat(count)}' f`,
  find: (count) => `find . ${"-exec ls {} \\; ".repeat(count)}`,
};

/** Measures a decision in milliseconds. */
function measure(command: string): number {
  const start = performance.now();
  decide([defaultPolicy], { kind: "run", command, workspace: "/repo" });
  return performance.now() - start;
}

/** Measures the processor time of repeated decisions, per character. The smallest of some runs: other work only adds. */
function measureUse(text: string, times: number): number {
  const runs = Array.from({ length: 7 }, () => {
    const before = process.threadCpuUsage();
    for (let time = 0; time < 3 * times; time += 1) measure(text);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / (times * text.length);
  });
  return Math.min(...runs);
}

export const gateCost: Claim = {
  id: "gate-cost",
  statement:
    "To decide about a command costs less than a millisecond, and its time grows with the length of the command only.",
  bound: `\`decide\` with the parse: p99 of the commands of the corpus ≤ ${maxMilliseconds} ms; per character ≤ ${maxGrowth} times as much at 100 times the length. A call allowed by rule, end to end, is not measured`,
  async prove() {
    const commands = readFileSync(corpus, "utf8")
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { cmd: string }).cmd);
    for (let round = 0; round < rounds; round += 1) for (const command of commands) measure(command);
    const times = commands.map((command) => Array.from({ length: rounds }, () => measure(command)));
    // Other programs interrupt some of the runs of a command, and not its median.
    const medians = times.map(median);
    const growths = Object.entries(growing).map(([form, create]) => {
      // Each time about as many characters, so that other programs interrupt both alike.
      const [short, medium, long] = [20, 200, 2000].map((count) => measureUse(create(count), 2000 / count));
      return { form, growth: Math.max((long ?? 0) / (short ?? 1), (long ?? 0) / (medium ?? 1)) };
    });
    const [worst] = growths.toSorted((one, other) => other.growth - one.growth);
    const p99 = quantile(medians, 0.99);
    return {
      measured:
        `median of ${rounds} runs: p50 ${quantile(medians, 0.5).toFixed(3)} ms, p99 ${p99.toFixed(3)} ms of ${commands.length} commands ` +
        `(all runs: p99 ${quantile(times.flat(), 0.99).toFixed(3)} ms at load ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors); ` +
        `per character at 100 times the length ≤ ${(worst?.growth ?? 0).toFixed(2)} times (${worst?.form ?? "none"}) of ${growths.length} forms`,
      holds: p99 <= maxMilliseconds && growths.every(({ growth }) => growth <= maxGrowth),
    };
  },
};
