import { Plan, PlanCommand } from "@fairlead/api";
import { parseConfig } from "@fairlead/runtime";
import { z } from "zod";
import { isPlanDuration, parsePlanDuration } from "./plan-duration.ts";

/** The plan as people write it: durations may be texts such as `10m`. */
const PlanFile = Plan.extend({
  setup: z.array(withDuration("timeout", PlanCommand)).default([]),
  acceptance: z.array(withDuration("timeout", PlanCommand)).default([]),
  approval: withDuration("deadline", Plan.shape.approval),
});

/** Parses the text of `foreman.yaml`. Throws an error that names the line and the field of each problem. */
export function parsePlan(text: string): Plan {
  return parseConfig(text, PlanFile);
}

/** Converts the duration in a field of an object before the object is checked. */
function withDuration<Schema extends z.ZodType>(field: string, schema: Schema) {
  return z.preprocess((value, context) => {
    if (typeof value !== "object" || value === null || !(field in value)) return value;
    const duration = (value as Record<string, unknown>)[field];
    if (typeof duration !== "string") return value;
    if (isPlanDuration(duration)) return { ...value, [field]: parsePlanDuration(duration) };
    context.addIssue({ code: "custom", path: [field], message: "Write a duration such as 30s, 10m, 2h or 3d" });
    return z.NEVER;
  }, schema);
}
