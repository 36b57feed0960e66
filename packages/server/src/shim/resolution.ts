import { FairleadError, withSupportedMessage, type Answer, type Capability } from "@fairlead/contract";
import { z } from "zod";
import { optionId, type FoundDecision } from "./events/shim-ids.ts";

/** A resolution of a decision. Clients send the action in one of three fields, or as a plain string. */
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
interface ResolutionFields {
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

/** A parsed resolution: an answer to an approval, or the chosen label of one question. */
export type ShimResolution = Answer | { readonly type: "chosen"; readonly question: string; readonly label: string };

export function parseResolution(
  resolution: ResolveRequest["resolution"],
  { details, index }: FoundDecision,
  capabilities: readonly Capability[],
): ShimResolution {
  const fields: ResolutionFields = resolution;
  const { rationale = "", modifiedArgs, chosenOptionId, chosenOptionIds = [chosenOptionId ?? ""] } = fields;
  const action = fields.action ?? fields.resolutionType ?? fields.type ?? "";
  if (["reject", "rejected", "deny"].includes(action)) {
    const denial: Answer = { type: "deny", message: rationale || "The request was rejected.", interrupt: false };
    return rationale === "" ? withSupportedMessage(denial, capabilities) : denial;
  }
  if (details.kind === "question") {
    const { text: question = "", options = [] } = details.questions[index] ?? {};
    return { type: "chosen", question, label: chosenOptionIds.map((id) => optionLabel(options, id)).join(", ") };
  }
  if (action === "modify" && modifiedArgs === undefined)
    throw invalidResolution("The action modify requires modifiedArgs.");
  if (action === "modify") return { type: "allow", input: modifiedArgs };
  if (["approve", "approved", "allow"].includes(action)) return { type: "allow" };
  throw invalidResolution(`Unknown action "${action}" for a tool call. Use approve, reject or modify.`);
}

/** Finds an option by its id or label. A question without options accepts any text. */
function optionLabel(options: readonly { readonly label: string }[], id: string): string {
  const option = options.find(({ label }, index) => id === optionId(index) || id === label);
  if (option !== undefined) return option.label;
  if (options.length === 0 && id !== "") return id;
  throw invalidResolution(`Unknown option "${id}".`);
}

function invalidResolution(message: string): FairleadError {
  return new FairleadError("invalid-request", message);
}
