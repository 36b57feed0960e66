// Two generations of this size are remembered. A caller repeats a call within two seconds.
const generationSize = 16_384;

/**
 * The calls that this bus has begun, each named by the subject for its replies, which no other call has. A caller may send
 * a call again under that subject, and it must not be carried out twice.
 */
export class BegunCalls {
  readonly #underWay = new Set<string>();
  #recent = new Set<string>();
  #older = new Set<string>();

  /** Returns whether the call is new. */
  begin(call: string): boolean {
    if (this.#underWay.has(call) || this.#recent.has(call) || this.#older.has(call)) return false;
    this.#underWay.add(call);
    return true;
  }

  end(call: string): void {
    this.#underWay.delete(call);
    this.#recent.add(call);
    if (this.#recent.size < generationSize) return;
    this.#older = this.#recent;
    this.#recent = new Set();
  }

  isUnderWay(call: string): boolean {
    return this.#underWay.has(call);
  }

  get underWay(): readonly string[] {
    return [...this.#underWay];
  }
}
