import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { decide, defaultPolicy } from "@fairlead/runtime";
import type { Claim } from "../measure/claim.ts";
import { median, quantile } from "../measure/quantile.ts";
import { measureAnswers, type AnsweredBy } from "./gate-cost/measure-answers.ts";

const corpus = join(import.meta.dirname, "policy-corpus/shell-commands.jsonl");
const rounds = 20;
const maxMilliseconds = 1;
/** How much the cost of a character may grow in a text that is 100 times as long. Quadratic time would be 100 times. */
const maxGrowth = 3;

/** Of a request in a session, from the agent's output to its input. */
const maxAnswerMilliseconds = 5;
/** How much longer an answer by rule may take than one by the mode, without a policy. */
const maxAnswerRatio = 1.3;
const answerRounds = 3;
const answersPerRound = 120;

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

/** Measures the answers in sessions, in turns, because the load of a shared machine varies. Returns the medians. */
async function measureSessions(): Promise<Record<AnsweredBy, number>> {
  const asked = { command: "npm test 2>&1 | tail -5", count: answersPerRound };
  const times: Record<"rule" | "mode", number[]> = { rule: [], mode: [] };
  for (let round = 0; round < answerRounds; round += 1)
    for (const by of ["rule", "mode"] as const) times[by].push(...(await measureAnswers(by, asked)));
  const [late = 0] = await measureAnswers("deadline", { ...asked, count: 1 });
  return { rule: quantile(times.rule, 0.5), mode: quantile(times.mode, 0.5), deadline: late };
}

/** Measures what a write that survives a loss of power costs on this disk. An answer needs several. */
function measureSync(): number {
  const folder = mkdtempSync(join(tmpdir(), "sync-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  const fd = openSync(join(folder, "file"), "a");
  const times = Array.from({ length: 100 }, () => {
    writeSync(fd, "x".repeat(500));
    const start = performance.now();
    fsyncSync(fd);
    return performance.now() - start;
  });
  closeSync(fd);
  return quantile(times, 0.5);
}

export const gateCost: Claim = {
  id: "gate-cost",
  statement:
    "To decide about a command costs less than a millisecond, its time grows with the length of the command only, and an agent waits milliseconds for an answer by rule.",
  bound: `\`decide\` with the parse: p99 of the commands of the corpus ≤ ${maxMilliseconds} ms; per character ≤ ${maxGrowth} times as much at 100 times the length. A call allowed by rule, from the agent's request to the answer in its input, through keeper, spool and journal: p50 ≤ ${maxAnswerMilliseconds} ms, and ≤ ${maxAnswerRatio} times an answer by \`full-auto\` without a policy. Control: an answer by a deadline of 1 s breaks the bound`,
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
    const sync = measureSync();
    const { rule, mode, deadline } = await measureSessions();
    return {
      measured:
        `median of ${rounds} runs: p50 ${quantile(medians, 0.5).toFixed(3)} ms, p99 ${p99.toFixed(3)} ms of ${commands.length} commands ` +
        `(all runs: p99 ${quantile(times.flat(), 0.99).toFixed(3)} ms at load ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors); ` +
        `per character at 100 times the length ≤ ${(worst?.growth ?? 0).toFixed(2)} times (${worst?.form ?? "none"}) of ${growths.length} forms; ` +
        `answered by rule: p50 ${rule.toFixed(2)} ms of ${answerRounds * answersPerRound} requests (bare ${mode.toFixed(2)} ms by the mode without a policy, ${(rule / mode).toFixed(2)} ×; ` +
        `one write that survives a loss of power ${sync.toFixed(2)} ms); control: ${deadline.toFixed(0)} ms by the deadline`,
      holds:
        p99 <= maxMilliseconds &&
        growths.every(({ growth }) => growth <= maxGrowth) &&
        rule <= maxAnswerMilliseconds &&
        rule / mode <= maxAnswerRatio &&
        deadline > maxAnswerMilliseconds,
    };
  },
};
