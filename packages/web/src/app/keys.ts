import { useEffect } from "react";

/** What a key does. Names are those of `KeyboardEvent.key`, or two of them with a space: `g s`. */
export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const storageKey = "fairlead.single-keys";
const sequenceTimeout = 1000;

/** Whether keys without Ctrl do something. People who dictate or press keys by accident can switch them off (WCAG 2.1.4). */
export function hasSingleKeys(): boolean {
  return localStorage.getItem(storageKey) !== "off";
}

export function setSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, "off");
}

let pending = "";
let pendingSince = 0;

/** Binds keys while the element is shown. The element that was mounted last gets a key first. */
export function useKeys(bindings: KeyBindings): void {
  useEffect(() => {
    stack.push(bindings);
    return () => void stack.splice(stack.lastIndexOf(bindings), 1);
  }, [bindings]);
}

const stack: KeyBindings[] = [];

/** Listens to the keys of the page. Returns a function that ends it. */
export function listenToKeys(): () => void {
  addEventListener("keydown", handleKey);
  return () => removeEventListener("keydown", handleKey);
}

function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const isChord = event.ctrlKey || event.metaKey;
  if (!isChord && (isTyping(event.target) || !hasSingleKeys())) return;
  const key = isChord ? `Ctrl ${event.key.toLowerCase()}` : event.key;
  const isSequence = pending !== "" && event.timeStamp - pendingSince < sequenceTimeout;
  const names = isSequence ? [`${pending} ${key}`, key] : [key];
  pending = "";
  for (const name of names) {
    const action = findAction(name);
    if (action === undefined) continue;
    event.preventDefault();
    return action(event);
  }
  if (isChord || !stack.some((bindings) => Object.keys(bindings).some((name) => name.startsWith(`${key} `)))) return;
  pending = key;
  pendingSince = event.timeStamp;
}

function findAction(name: string): KeyBindings[string] | undefined {
  return stack.findLast((bindings) => Object.hasOwn(bindings, name))?.[name];
}

/** Whether the key is text for an element. A person who types must not answer a decision. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A slider or a box that is checked takes no text.
  if (target instanceof HTMLInputElement && ["range", "checkbox", "radio"].includes(target.type)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, [role=textbox], .xterm") !== null;
}
