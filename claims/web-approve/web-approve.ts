import type { Claim } from "../../measure/claim.ts";
import { quantile } from "../../measure/quantile.ts";
import { runQuietly } from "../../scripts/run.ts";
import type { AgentAnswers, FingerTaps, TwoPhones } from "./tap-answers.ts";

const agents: readonly string[] = ["claude-code", "codex"];
const agentRounds = 10;
const raceRounds = 200;
const fingerRounds = 100;
const controlRounds = 20;

export const webApprove: Claim = {
  id: "web-approve",
  statement: "On a phone, one tap answers exactly the request that was on screen, and nothing else does.",
  bound: `393x760 with touch and a token for read and approve; real claude-code and codex, ${agentRounds} requests each: card at most 1 s after the request, one tap, the action ran if and only if it was allowed; two phones that answer differently at once, ${raceRounds} times: one answer, both told by whom; a card that arrives under a tapping finger, ${fingerRounds} times: 0 answered; control without the half second: all of ${controlRounds} answered`,
  async prove() {
    for (const [program, args] of [
      ["npm", ["run", "agents"]],
      ["npx", ["vite", "build", "packages/web"]],
    ] as const) {
      const prepared = await runQuietly(program, [...args]);
      if (prepared.code !== 0) throw new Error(prepared.output);
    }
    const answers: AgentAnswers[] = [];
    for (const agent of agents) answers.push(await runPart<AgentAnswers>(agent, agentRounds));
    const race = await runPart<TwoPhones>("two-phones", raceRounds);
    const finger = await runPart<FingerTaps>("finger", fingerRounds);
    const control = await runPart<FingerTaps>("hasty-finger", controlRounds);
    const problems = [...answers, race, finger].flatMap((part) => part.problems);
    return {
      measured: [
        ...answers.map(
          ({ part, rounds, right, cardMs, floorMs }) =>
            `${part}: ${right} of ${rounds} right, card after p50 ${quantile(cardMs, 0.5)} ms, at most ${Math.max(...cardMs)} ms (a reader in the service's process: at most ${Math.max(...floorMs)} ms)`,
        ),
        `two phones: ${race.answeredOnce} of ${race.rounds} answered once, ${race.toldByWhom} told by whom on both, ${race.wonByFirst} won by the first`,
        `finger: ${finger.answered} of ${finger.rounds} cards answered by ${finger.taps} taps`,
        `control: ${control.answered} of ${control.rounds} answered`,
        `${problems.length} errors or violations of the policy in the pages`,
      ].join("; "),
      holds:
        answers.every(({ rounds, right, cardMs }) => right === rounds && Math.max(...cardMs) <= 1000) &&
        race.answeredOnce === raceRounds &&
        race.toldByWhom === raceRounds &&
        finger.rounds === fingerRounds &&
        finger.answered === 0 &&
        control.rounds === controlRounds &&
        control.answered === controlRounds &&
        problems.length === 0,
    };
  },
};

async function runPart<Result>(part: string, rounds: number): Promise<Result> {
  const { code, output } = await runQuietly("scripts/offline", [
    "node",
    "claims/web-approve/tap-answers.ts",
    part,
    String(rounds),
  ]);
  const line = output.split("\n").find((one) => one.startsWith("{"));
  if (code !== 0 || line === undefined) throw new Error(output);
  return JSON.parse(line) as Result;
}
