/** A keeper will not do what a frame asks. Nothing was recorded, so its id is still free. */
export class FrameRefused extends Error {
  readonly id: string | null;
  /** Whether it may be taken later, as when the disk is full now. */
  readonly passing: boolean;

  constructor(id: string | null, message: string, passing = false) {
    super(message);
    this.name = "FrameRefused";
    this.id = id;
    this.passing = passing;
  }
}
