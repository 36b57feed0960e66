import { lawful, type Event } from "@fairlead/contract";
import type { Claim } from "./claim.ts";
import { carelessPens } from "./disk-full/careless-pens.ts";
import { ordeal, type OrdealOptions, type Outcome } from "./disk-full/ordeal.ts";

const rate = 8000;
const together: OrdealOptions = { held: "home", lines: 60_000, rate, fillings: [5000, 20_000, 40_000] };
// The agent goes on while the journal is full, so it needs more to say.
const apart: OrdealOptions = { held: "journal", lines: 100_000, rate, fillings: [5000, 30_000, 60_000] };
// What is dropped is never shown, so whoever waits for so many to be shown needs more of it.
const longer: OrdealOptions = { ...apart, lines: 200_000 };

export const diskFull: Claim = {
  id: "disk-full",
  says: "On a full disk nothing is shown that is not stored; when there is room again, all goes on, and nothing was lost.",
  bound:
    "three times full, each time at a standstill; 0 lost, 0 doubled, 0 reordered, 0 unlawful; " +
    "and a runtime that drops what cannot be written is caught",
  async prove() {
    const shared = judged(together, await ordeal(together));
    const alone = judged(apart, await ordeal(apart));
    using _ = carelessPens();
    const control = judged(longer, await ordeal(longer));
    return {
      measured:
        `spool and journal on one disk: ${told(shared)}; the journal alone on it: ${told(alone)}; ` +
        `control, dropping what the journal does not take: ${told(control)}`,
      holds: isWell(shared) && isWell(alone) && !isWell(control) && control.lost > 0,
    };
  },
};

interface Verdict {
  readonly standstills: number;
  readonly lines: number;
  readonly lost: number;
  /** Lines in the journal that stand where another should. */
  readonly misplaced: number;
  /** Events that were shown and are not what the journal has in their place. */
  readonly takenBack: number;
  readonly unlawful: number;
  readonly failure: Error | null;
}

function judged({ lines }: OrdealOptions, { standstills, shown, stored, failure }: Outcome): Verdict {
  const said = saidIn(stored);
  return {
    standstills,
    lines: said.length,
    lost: lines - new Set(said).size,
    misplaced: said.filter((text, at) => text !== `line ${at + 1}`).length,
    takenBack: shown.filter(({ id }, at) => stored[at]?.id !== id).length,
    unlawful: lawful(stored, { whole: true }).length,
    failure,
  };
}

function saidIn(events: readonly Event[]): string[] {
  return events.flatMap(({ body }) => (body.type === "text.ended" ? body.text : []));
}

function isWell({ standstills, lost, misplaced, takenBack, unlawful, failure }: Verdict): boolean {
  return standstills === 3 && lost + misplaced + takenBack + unlawful === 0 && failure === null;
}

function told(verdict: Verdict): string {
  const { standstills, lines, lost, misplaced, takenBack, unlawful, failure } = verdict;
  const ending = failure === null ? "" : `, and the watcher was told: ${failure.message}`;
  return (
    `${standstills} standstills, ${lines} lines, ${lost} lost, ${misplaced} out of place, ` +
    `${takenBack} shown but not stored, ${unlawful} unlawful${ending}`
  );
}
