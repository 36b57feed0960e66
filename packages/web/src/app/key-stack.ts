/**
 * What a key does. Names are those of `KeyboardEvent.key`, or two of them with a space: `g s`. An action that returns false
 * leaves the key to the browser.
 */
export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => unknown>>;

/** The keys of one element while it is shown. */
export interface BoundKeys {
  bindings: KeyBindings;
}

/** The keys of all elements that are shown. An element keeps its place when its bindings change, as each render does. */
export class KeyStack {
  readonly #entries: BoundKeys[] = [];

  /** Adds the keys of an element. Returns a function that removes them. */
  add(entry: BoundKeys): () => void {
    this.#entries.push(entry);
    return () => void this.#entries.splice(this.#entries.indexOf(entry), 1);
  }

  /** Returns the action of the element that was added last. */
  find(name: string): KeyBindings[string] | undefined {
    return this.#entries.findLast(({ bindings }) => Object.hasOwn(bindings, name))?.bindings[name];
  }

  /** Whether a key is the first one of two. */
  isFirst(key: string): boolean {
    return this.#entries.some(({ bindings }) => Object.keys(bindings).some((name) => name.startsWith(`${key} `)));
  }
}
