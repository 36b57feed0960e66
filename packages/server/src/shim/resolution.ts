import { FairleadError, type Answer } from "@fairlead/contract";
import { z } from "zod";
import { optionId, type FoundDecision } from "./question-ids.ts";

/** How a decision was decided. The word for it may stand under any of three names, or be all there is. */
const Resolution = z.union([
  z.string().transform((action) => ({ action })),
  z.looseObject({
    action: z.string().optional(),
    resolutionType: z.string().optional(),
    type: z.string().optional(),
    modifiedArgs: z.record(z.string(), z.unknown()).optional(),
    chosenOptionId: z.string().optional(),
    chosenOptionIds: z.array(z.string()).optional(),
    rationale: z.string().optional(),
  }),
]);
interface Spelt {
  readonly action?: string | undefined;
  readonly resolutionType?: string | undefined;
  readonly type?: string | undefined;
  readonly modifiedArgs?: Readonly<Record<string, unknown>> | undefined;
  readonly chosenOptionId?: string | undefined;
  readonly chosenOptionIds?: readonly string[] | undefined;
  readonly rationale?: string | undefined;
}

export const ResolveRequest = z.looseObject({ decisionId: z.string(), resolution: Resolution });
export type ResolveRequest = z.infer<typeof ResolveRequest>;

/** What was decided: let it be, refuse it, or one question's answer in the agent's own words. */
export type Decided = Answer | { readonly type: "chosen"; readonly question: string; readonly label: string };

export function decidedOf(resolution: ResolveRequest["resolution"], { asked, index }: FoundDecision): Decided {
  const said: Spelt = resolution;
  const { rationale = "", modifiedArgs, chosenOptionId, chosenOptionIds = [chosenOptionId ?? ""] } = said;
  const word = said.action ?? said.resolutionType ?? said.type ?? "";
  if (["reject", "rejected", "deny"].includes(word)) {
    return { type: "deny", message: rationale || "This was rejected.", interrupt: false };
  }
  if (asked.kind === "question") {
    const { text: question = "", options = [] } = asked.questions[index] ?? {};
    return { type: "chosen", question, label: chosenOptionIds.map((id) => labelOf(options, id)).join(", ") };
  }
  if (word === "modify" && modifiedArgs === undefined) throw unclear("To modify it, modifiedArgs are needed.");
  if (word === "modify") return { type: "allow", input: modifiedArgs };
  if (["approve", "approved", "allow"].includes(word)) return { type: "allow" };
  throw unclear(`A tool call is approved, rejected or modified, and not "${word}".`);
}

/** An option by its id or its label; where there are none to choose from, any words will do. */
function labelOf(options: readonly { readonly label: string }[], id: string): string {
  const option = options.find(({ label }, index) => id === optionId(index) || id === label);
  if (option !== undefined) return option.label;
  if (options.length === 0 && id !== "") return id;
  throw unclear(`There is no option "${id}" to choose.`);
}

function unclear(message: string): FairleadError {
  return new FairleadError("invalid-request", message);
}
