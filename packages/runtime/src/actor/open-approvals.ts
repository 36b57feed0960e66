import type { Delta, EventDraft } from "@fairlead/contract";

/** An open approval, and the id of the note that answers it. */
export type OpenApproval = readonly [decision: string, noteId: string];

/** The id of a note that denies an approval, because its input contains the mask of a withheld key. */
const withheldPrefix = "withheld-";
export const isWithheldNote = (noteId: string): boolean => noteId.startsWith(withheldPrefix);

/**
 * The open approvals of calls and connections. Questions are not included, because only a person can answer them. The note
 * that answers one is named for the event that requested it: an agent may use the id of a decision again, and its length
 * is not limited.
 */
export class OpenApprovals {
  readonly #open: Map<string, string>;
  readonly #unsent: Set<string>;

  /** Snapshots of older versions have the decisions only. */
  constructor(open: readonly (OpenApproval | string)[] = [], upToSeq = 0) {
    this.#open = new Map(
      open.map((one, index) => (typeof one === "string" ? [one, `mode-${upToSeq}-${index}`] : [one[0], one[1]])),
    );
    this.#unsent = new Set(this.#open.keys());
  }

  get pending(): readonly OpenApproval[] {
    return [...this.#open];
  }

  update(output: EventDraft | Delta, isWithheld: (text: string) => boolean = () => false): void {
    if (!("body" in output)) return;
    const { body, id } = output;
    if (body.type === "decision.requested" && body.kind !== "question") {
      const prefix = isWithheld(JSON.stringify(body.input ?? null)) ? withheldPrefix : "mode-";
      this.#open.set(body.decision, `${prefix}${id.slice(id.lastIndexOf("/") + 1)}`);
      this.#unsent.add(body.decision);
    }
    if (body.type !== "decision.resolved") return;
    this.#open.delete(body.decision);
    this.#unsent.delete(body.decision);
  }

  /** Yields the approvals that were not answered over this keeper, and marks each as answered. */
  *takeUnsent(): Generator<OpenApproval> {
    for (const decision of this.#unsent) {
      this.#unsent.delete(decision);
      const noteId = this.#open.get(decision);
      if (noteId !== undefined) yield [decision, noteId];
    }
  }

  /** Marks all approvals as unanswered. A new keeper knows only the notes that are in the spool. */
  resendAll(): void {
    for (const decision of this.#open.keys()) this.#unsent.add(decision);
  }
}
