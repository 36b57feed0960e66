/** A keeper will not do what a frame asks. Nothing was recorded, so its id is still free. */
export class FrameRefused extends Error {
  readonly id: string | null;

  constructor(id: string | null, message: string) {
    super(message);
    this.name = "FrameRefused";
    this.id = id;
  }
}
