import type { LaunchCommand, Sandbox } from "@fairlead/contract";
import { BytePatterns } from "./byte-patterns.ts";

/** A secret text, and the text of the same length that stands for it in the spool. */
export interface Mask {
  readonly text: string;
  readonly mask: string;
  /** Whether an agent gets the secret text where its input has the mask. */
  readonly restores: boolean;
}

/** The limits of a masked text in bytes. A shorter one is there by chance; a longer one would hold back too much output. */
const minMaskBytes = 8;
const maxMaskBytes = 1024;

/** Whether the keeper can apply a mask. */
export function isValidMask({ text, mask }: Pick<Mask, "text" | "mask">): boolean {
  const length = Buffer.byteLength(text);
  return (
    length >= minMaskBytes &&
    length <= maxMaskBytes &&
    Buffer.byteLength(mask) === length &&
    !text.includes("\n") &&
    !mask.includes("\n")
  );
}

/** The masks of a session. */
export class Masks {
  readonly #masks = new Map<string, Mask>();
  #masking: BytePatterns | undefined;
  #restoring: BytePatterns | undefined;

  /** Adds masks. A new mask of a text replaces the earlier one. */
  add(masks: readonly Mask[]): void {
    for (const mask of masks) this.#masks.set(mask.text, mask);
    this.#masking = undefined;
    this.#restoring = undefined;
  }

  get isEmpty(): boolean {
    return this.#masks.size === 0;
  }

  /** Finds the secret texts. */
  get patterns(): BytePatterns {
    return (this.#masking ??= new BytePatterns(
      [...this.#masks.values()].map(({ text, mask }) => ({ text: Buffer.from(text), replacement: Buffer.from(mask) })),
    ));
  }

  mask(bytes: Buffer): Buffer {
    return this.isEmpty ? bytes : this.patterns.replaceAll(bytes);
  }

  /** Replaces masks by the secret texts. */
  restore(text: string): string {
    if (this.isEmpty) return text;
    this.#restoring ??= new BytePatterns(
      [...this.#masks.values()]
        .filter(({ restores }) => restores)
        .map((one) => ({ text: Buffer.from(one.mask), replacement: Buffer.from(one.text) })),
    );
    const bytes = Buffer.from(text);
    const restored = this.#restoring.replaceAll(bytes);
    return restored === bytes ? text : restored.toString();
  }

  /** Replaces masks in the arguments and the environment: an agent may get a message there. */
  restoreCommand(command: LaunchCommand): LaunchCommand {
    if (this.isEmpty) return command;
    const env = Object.entries(command.env).map(([name, value]) => [name, this.restore(value)]);
    return { ...command, args: command.args.map((one) => this.restore(one)), env: Object.fromEntries(env) };
  }

  /** Replaces masks in a sandbox, which the runtime read from the spool: a URL or a path there can have a secret part. */
  restoreSandbox(sandbox: Sandbox): Sandbox {
    return this.isEmpty ? sandbox : (JSON.parse(this.restore(JSON.stringify(sandbox))) as Sandbox);
  }
}
