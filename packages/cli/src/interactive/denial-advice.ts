import { escapeInvisible, type AgentEvent, type EventOf } from "@fairlead/contract";

type DecisionRequested = EventOf<"decision.requested">;
type OfferedGrant = NonNullable<NonNullable<DecisionRequested["reading"]>["grants"]>[number];

/** A person who gets more lines does not copy them. */
const maxGrants = 10;

/** Collects the requests that were denied because nobody could be asked, and says how to allow them next time. */
export class DenialAdvice {
  readonly #requests = new Map<string, DecisionRequested>();
  readonly #grants = new Map<string, OfferedGrant>();
  #needsPerson = false;
  #needsRule = false;

  observe(body: AgentEvent): void {
    if (body.type === "decision.requested" && body.kind === "approval") this.#requests.set(body.decision, body);
    if (body.type !== "decision.resolved") return;
    const request = this.#requests.get(body.decision);
    this.#requests.delete(body.decision);
    if (request === undefined || body.by.kind !== "unattended") return;
    const { grants = [] } = request.reading ?? {};
    for (const grant of grants) this.#grants.set(JSON.stringify(grant), grant);
    if (grants.length > 0) return;
    if (request.reading?.verdict === "ask") this.#needsPerson = true;
    else this.#needsRule = true;
  }

  /** The advice, in lines. Empty if nothing was denied. */
  lines(policyFile: string): string[] {
    const grants = [...this.#grants.values()].slice(0, maxGrants).map(formatGrant);
    const written = `To allow calls that were denied next time, add to ${policyFile}:`;
    const asked = "Some calls can only be allowed when they are asked about: use --detach, then fairlead approve.";
    const rule = `To let calls run unasked, write rules in ${policyFile}, or choose another --mode.`;
    return [
      ...(grants.length === 0 ? [] : [written, "grants:", ...grants]),
      ...(this.#needsPerson ? [asked] : []),
      ...(this.#needsRule ? [rule] : []),
    ];
  }
}

/** Formats a grant as the policy file has it. JSON is YAML, too. */
function formatGrant({ command, categories }: OfferedGrant): string {
  return `  - { command: ${escapeInvisible(JSON.stringify(command))}, categories: [${categories.join(", ")}] }`;
}
