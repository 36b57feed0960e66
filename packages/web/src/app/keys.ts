import { useEffect, useRef } from "react";
import { type BoundKeys, type KeyBindings, KeyStack } from "./key-stack.ts";
import { takesKey } from "./takes-key.ts";

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

const stack = new KeyStack();

/** Binds keys while the element is shown. The element that was mounted last gets a key first. */
export function useKeys(bindings: KeyBindings): void {
  const entry = useRef<BoundKeys>({ bindings });
  useEffect(() => void (entry.current.bindings = bindings), [bindings]);
  useEffect(() => stack.add(entry.current), []);
}

/** Listens to the keys of the page. Returns a function that ends it. */
export function listenToKeys(): () => void {
  addEventListener("keydown", handleKey);
  return () => removeEventListener("keydown", handleKey);
}

function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const isChord = event.ctrlKey || event.metaKey;
  if (!isChord && (isForElement(event) || !hasSingleKeys())) return;
  const key = isChord ? `Ctrl ${event.key.toLowerCase()}` : event.key;
  const isSequence = pending !== "" && event.timeStamp - pendingSince < sequenceTimeout;
  const names = isSequence ? [`${pending} ${key}`, key] : [key];
  pending = "";
  for (const name of names) {
    const action = stack.find(name);
    if (action === undefined) continue;
    if (action(event) !== false) event.preventDefault();
    return;
  }
  if (isChord || !stack.isFirst(key)) return;
  pending = key;
  pendingSince = event.timeStamp;
}

function isForElement({ key, target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && takesKey(key, target);
}
