import type { Delta, Draft } from "@fairlead/contract";

/** Approvals that are open. Questions are not among them, for nobody but a person can answer those. */
export class OpenApprovals {
  readonly #open: Set<string>;

  constructor(open: readonly string[] = []) {
    this.#open = new Set(open);
  }

  get all(): readonly string[] {
    return [...this.#open];
  }

  note(told: Draft | Delta): void {
    if (!("body" in told)) return;
    const { body } = told;
    if (body.type === "decision.requested" && body.kind === "approval") this.#open.add(body.decision);
    if (body.type === "decision.resolved") this.#open.delete(body.decision);
  }
}
