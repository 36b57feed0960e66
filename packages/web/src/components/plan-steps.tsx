import { sanitizeText } from "@fairlead/api";
import type { EventOf } from "@fairlead/contract";
import type { ReactNode } from "react";

const signs = {
  pending: ["○", "text-quiet", "pending"],
  active: ["●", "text-accent", "active"],
  done: ["✓", "text-good", "done"],
} as const;

const maxSteps = 100;

/** The steps of an agent's plan. */
export function PlanSteps({ steps }: { readonly steps: EventOf<"plan.updated">["steps"] }): ReactNode {
  return (
    <ol className="flex flex-col gap-1 py-1">
      {steps.slice(0, maxSteps).map(({ text, state }, index) => {
        const [sign, color, word] = signs[state];
        return (
          <li key={index} className={`flex gap-2 ${state === "done" ? "text-quiet" : ""}`}>
            <span className={`w-3 shrink-0 text-center ${color}`} aria-hidden="true">
              {sign}
            </span>
            <span className="min-w-0 [overflow-wrap:anywhere]">{sanitizeText(text)}</span>
            <span className="sr-only">{word}</span>
          </li>
        );
      })}
      {steps.length > maxSteps && <li className="text-quiet">… {steps.length - maxSteps} more steps</li>}
    </ol>
  );
}
