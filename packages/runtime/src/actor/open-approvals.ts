import type { Delta, EventDraft } from "@fairlead/contract";

/** The ids of open approvals. Questions are not included, because only a person can answer them. */
export class OpenApprovals {
  readonly #open: Set<string>;

  constructor(open: readonly string[] = []) {
    this.#open = new Set(open);
  }

  get ids(): readonly string[] {
    return [...this.#open];
  }

  update(output: EventDraft | Delta): void {
    if (!("body" in output)) return;
    const { body } = output;
    if (body.type === "decision.requested" && body.kind === "approval") this.#open.add(body.decision);
    if (body.type === "decision.resolved") this.#open.delete(body.decision);
  }
}
