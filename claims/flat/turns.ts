import { acpStream, appServerStream, streamJsonStream, type AgentStream } from "./agent-streams.ts";
import { measureCommands, measureTurn, type CallOrder, type TurnCost } from "./turn-cost.ts";

const few = 500;
const many = 20_000;

/** The cost per event of a long turn relative to a short one, for one agent. */
export interface TurnGrowth {
  readonly label: string;
  readonly short: number;
  readonly long: number;
  readonly ratio: number;
}

/** Measures all agents whose dialects differ, with calls one after another and, where they can, all open at once. */
export function measureTurns(): TurnGrowth[] {
  const streams: (() => AgentStream)[] = [
    () => acpStream("opencode"),
    () => acpStream("openai-api"),
    streamJsonStream,
    appServerStream,
  ];
  const orders: readonly CallOrder[] = ["one after another", "all at once"];
  const turns = streams.flatMap((create) =>
    orders.map((order) => compare(`${create().agent}, ${order}`, (calls) => measureTurn(create(), calls, order))),
  );
  // A shell runs one command per turn, so its turns take the place of calls.
  return [...turns, compare("shell, one turn after another", (turnCount) => measureCommands("shell", turnCount))];
}

/** Measures the same number of calls in short turns and in one long turn, so that nothing but the length differs. */
function compare(label: string, measure: (size: number) => TurnCost): TurnGrowth {
  const inShortTurns = (): number => {
    const costs = Array.from({ length: many / few }, () => measure(few));
    return costs.reduce((sum, { microseconds }) => sum + microseconds, 0) / costs.length;
  };
  inShortTurns(); // compiles the code
  const short = Math.min(inShortTurns(), inShortTurns(), inShortTurns());
  const long = Math.min(...Array.from({ length: 3 }, () => measure(many).microseconds));
  return { label, short, long, ratio: long / short };
}
