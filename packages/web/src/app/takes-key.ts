/** What decides which keys an element takes. Elements of a page have it. */
export interface KeyedElement {
  readonly localName: string;
  readonly isContentEditable: boolean;
  readonly parentElement: KeyedElement | null;
  getAttribute(name: string): string | null;
}

/** Elements of these types take no text. */
const inputsWithoutText = new Set([
  "range",
  "checkbox",
  "radio",
  "button",
  "submit",
  "reset",
  "color",
  "file",
  "image",
]);
const pressedTags = new Set(["a", "button", "summary"]);
const pressedRoles = new Set(["button", "link", "menuitem", "option", "tab", "switch", "checkbox", "radio"]);
/** Elements of these roles are chosen among others, or moved, by arrows. */
const arrowRoles = new Set(["menuitem", "option", "tab", "radio", "slider"]);
const pressKeys = new Set(["Enter", " "]);
const arrowKeys = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"]);

/**
 * Whether a key without Ctrl is for the element that has the focus, so that the page must not act on it: a letter for a
 * text, Enter for a button, an arrow for a slider. A person who types must not answer a decision.
 */
export function takesKey(key: string, target: KeyedElement): boolean {
  if (target.isContentEditable) return true;
  for (let element: KeyedElement | null = target; element !== null; element = element.parentElement) {
    // A list whose rows are links has keys that move in it and open its selected row, which is not always the focused one.
    if (element.getAttribute("data-page-keys") !== null) return false;
    const role = element.getAttribute("role") ?? "";
    const { localName } = element;
    if (takesText(element, role)) return true;
    const isInput = localName === "input";
    if (isInput || pressedTags.has(localName) || pressedRoles.has(role)) {
      if (pressKeys.has(key)) return true;
    }
    if ((isInput || arrowRoles.has(role)) && arrowKeys.has(key)) return true;
  }
  return false;
}

function takesText(element: KeyedElement, role: string): boolean {
  const { localName } = element;
  if (localName === "textarea" || localName === "select" || role === "textbox") return true;
  if (localName === "input") return !inputsWithoutText.has(element.getAttribute("type") ?? "text");
  return (element.getAttribute("class") ?? "").split(" ").includes("xterm");
}
