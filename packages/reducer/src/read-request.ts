import { policyRequestDigest, type EventOf, type Opening, type PolicyGrant } from "@fairlead/contract";

type DecisionRequest = EventOf<"decision.requested">;

/**
 * Reads what a request asks for, by the policy of the session and by what a person has allowed in it. Pure, and it does not
 * throw. The runtime supplies it, because the reducer does not know how to judge a call.
 */
export type RequestReader = (
  request: DecisionRequest,
  opening: Opening,
  grants: readonly PolicyGrant[],
) => Pick<DecisionRequest, "category" | "reading" | "options">;

export interface RequestContext {
  readonly opening: Opening | null;
  readonly grants: readonly PolicyGrant[];
  /** Formats the time of the record, in milliseconds after it. */
  readonly timeAfter: (milliseconds: number) => string;
  readonly reader: RequestReader | undefined;
}

/**
 * Adds to a request what Fairlead found in it, its deadline and its digest. Only in a session with a policy: what an older
 * version recorded, and what the adapters' recordings contain, does not depend on the rules.
 */
export function readRequest(request: DecisionRequest, context: RequestContext): DecisionRequest {
  const { opening, grants, timeAfter, reader } = context;
  if (opening?.policy === undefined) return request;
  const { policy, workspace } = opening;
  const found = request.kind === "question" ? {} : (reader?.(request, opening, grants) ?? {});
  const { deadlineSeconds } = policy;
  const { options: offered, ...others } = request;
  const { options = offered, ...reading } = found;
  const shown = { ...others, ...reading, ...(options !== undefined && options.length > 0 && { options }) };
  return {
    ...shown,
    ...(deadlineSeconds !== undefined && { deadline: timeAfter(deadlineSeconds * 1000) }),
    digest: policyRequestDigest(shown, workspace, policy),
  };
}
