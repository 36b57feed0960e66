import { toOneLine } from "@fairlead/api";
import type { ReactNode } from "react";
import { PlanSteps } from "../../../components/plan-steps.tsx";
import type { PlanRow as Row } from "../../../state/timeline/timeline-row.ts";
import { useDisclosure } from "../disclosures.ts";

/** The agent's plan in one line: how far it is, and what it does now. */
export function PlanRow({ row: { steps, key } }: { readonly row: Row }): ReactNode {
  const [isOpen, setIsOpen] = useDisclosure(key);
  const done = steps.filter(({ state }) => state === "done").length;
  const active = steps.find(({ state }) => state === "active");
  return (
    <div className="px-4 py-0.5">
      <button
        type="button"
        aria-expanded={isOpen === true}
        className="flex min-h-6 w-full items-center gap-2 text-left text-quiet hover:bg-raised hover:text-ink max-sm:min-h-11"
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className="w-3 text-center" aria-hidden="true">
          {isOpen ? "▾" : "▸"}
        </span>
        <span className="shrink-0">
          Plan {done} of {steps.length}
        </span>
        <span className="truncate">{toOneLine(active?.text ?? "")}</span>
      </button>
      {isOpen && (
        <div className="pl-5">
          <PlanSteps steps={steps} />
        </div>
      )}
    </div>
  );
}
