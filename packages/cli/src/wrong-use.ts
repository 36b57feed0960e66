/** A command that was typed wrongly. `next` is what to type instead, where that is known. */
export class WrongUse extends Error {
  readonly next: string | null;

  constructor(message: string, next: string | null = null) {
    super(message);
    this.name = "WrongUse";
    this.next = next;
  }
}
