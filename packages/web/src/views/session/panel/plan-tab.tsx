import type { ReactNode } from "react";
import { PlanSteps } from "../../../components/plan-steps.tsx";
import type { EventWindow } from "../../../state/timeline/event-window.ts";
import { newestPlan } from "../../../state/timeline/newest-plan.ts";

/** The newest plan in the part of the session that is loaded. */
export function PlanTab({ window }: { readonly window: EventWindow }): ReactNode {
  const plan = newestPlan(window);
  if (plan === null) return <p className="p-3 text-quiet">The agent made no plan in the part that is loaded.</p>;
  return (
    <div className="h-full overflow-y-auto px-3 py-2">
      <PlanSteps steps={plan.steps} />
    </div>
  );
}
