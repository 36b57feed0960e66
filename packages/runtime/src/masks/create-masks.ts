import { createHmac } from "node:crypto";
import type { Mask } from "@fairlead/keeper";
import { encodeSecret } from "./encode-secret.ts";

/** Without X, so that the end of a mask shows where it begins. Encoders leave these characters as they are. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnopqrstuvwxyz0123456789";
const tagLength = 6;

/**
 * Creates the masks of secrets: one for each encoding of each. A mask depends only on the text and the key, so the masks of
 * an earlier process can be turned back. Without the key, a mask does not help to guess a secret.
 */
export class MaskFactory {
  readonly #key: string;
  /** Encoding a secret takes longer than a start may, and most sessions have the same ones. */
  readonly #texts = new Map<string, readonly string[]>();
  readonly #maskByText = new Map<string, string>();
  readonly #textByMask = new Map<string, string>();

  constructor(key: string) {
    this.#key = key;
  }

  /** Masks of `withheld` are never turned back. */
  create(secrets: Iterable<string>, withheld: Iterable<string>): readonly Mask[] {
    const masks = new Map<string, Mask>();
    const add = (secret: string, restores: boolean): void => {
      for (const text of this.#encode(secret)) masks.set(text, { text, mask: this.#maskFor(text), restores });
    };
    for (const secret of secrets) add(secret, true);
    for (const secret of withheld) add(secret, false);
    return [...masks.values()];
  }

  #encode(secret: string): readonly string[] {
    const texts = this.#texts.get(secret) ?? encodeSecret(secret);
    this.#texts.set(secret, texts);
    return texts;
  }

  #maskFor(text: string): string {
    const known = this.#maskByText.get(text);
    if (known !== undefined) return known;
    for (let attempt = 0; ; attempt++) {
      const digest = createHmac("sha256", this.#key).update(`${attempt}/${text}`).digest();
      const tag = Array.from(digest.subarray(0, tagLength), (byte) => alphabet[byte % alphabet.length]).join("");
      const mask = tag.padStart(Buffer.byteLength(text), "X");
      if (this.#textByMask.has(mask)) continue;
      this.#textByMask.set(mask, text);
      this.#maskByText.set(text, mask);
      return mask;
    }
  }
}
