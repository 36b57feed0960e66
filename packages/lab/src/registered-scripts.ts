import type { ScriptStep } from "./script.ts";

/** Scripts for prompts that carry none. A script is found by the text of its prompt, so a person sees only the prompt. */
export class RegisteredScripts {
  readonly #stepsByPrompt = new Map<string, readonly ScriptStep[]>();

  /** Registers the answers to a prompt. Registering the same prompt again replaces them. */
  register(prompt: string, steps: readonly ScriptStep[]): void {
    const text = prompt.trim();
    // Every message contains the empty text, so its script would answer all of them.
    if (text === "") throw new Error("A script cannot be registered for an empty prompt.");
    this.#stepsByPrompt.set(text, steps);
  }

  /**
   * Finds the script of the last registered prompt in a message. Agents add reminders and tags around a prompt, so the
   * message only has to contain it. An agent may also join an interrupted prompt and the next one in one message, so the
   * prompt that ends last is used. Of two that end at the same place, the longer one contains the other.
   */
  find(message: string): readonly ScriptStep[] | undefined {
    let found: { readonly steps: readonly ScriptStep[]; readonly end: number; readonly length: number } | undefined;
    for (const [prompt, steps] of this.#stepsByPrompt) {
      const start = message.lastIndexOf(prompt);
      if (start < 0) continue;
      const [end, { length }] = [start + prompt.length, prompt];
      if (!found || end > found.end || (end === found.end && length > found.length)) found = { steps, end, length };
    }
    return found?.steps;
  }
}
