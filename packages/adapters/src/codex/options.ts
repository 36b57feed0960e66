import type { DecisionOption } from "@fairlead/contract";
import { z } from "zod";
import type { CodexServerRequest } from "./wire.ts";

const Amendment = z.object({
  acceptWithExecpolicyAmendment: z.object({ execpolicy_amendment: z.array(z.string()).min(1) }),
});

interface CodexOptions {
  readonly options: DecisionOption[];
  /** Codex's own decisions, by the ids of their options. */
  readonly decisions: Readonly<Record<string, unknown>>;
}

/** Lists Codex's own ways to allow that it remembers. Others are not understood. */
export function listCodexOptions({ availableDecisions }: CodexServerRequest): CodexOptions {
  const known = (availableDecisions ?? []).flatMap((decision): { option: DecisionOption; decision: unknown }[] => {
    const amendment = Amendment.safeParse(decision).data?.acceptWithExecpolicyAmendment.execpolicy_amendment;
    if (decision === "acceptForSession")
      return [{ option: { id: decision, label: "Allow it for the session", scope: "session" }, decision }];
    if (amendment === undefined) return [];
    const label = `Always allow ${amendment.join(" ")} …`;
    return [{ option: { id: "acceptWithExecpolicyAmendment", label, scope: "always" }, decision }];
  });
  return {
    options: known.map(({ option }) => option),
    decisions: Object.fromEntries(known.map(({ option, decision }) => [option.id, decision])),
  };
}
