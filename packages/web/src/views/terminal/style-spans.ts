/**
 * Lets a terminal color its text beyond its palette, until it is disposed. The terminal writes such colors into style
 * attributes of spans, which the policy of the page refuses: an agent that uses them would be shown without color. The same
 * styles that are set as properties are allowed. The terminal takes its spans from the document and from nowhere else.
 */
export function styleSpans(): Disposable {
  const createElement = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
    const element = createElement(name, options);
    if (element instanceof HTMLSpanElement) element.setAttribute = setAttribute;
    return element;
  };
  return { [Symbol.dispose]: () => void Reflect.deleteProperty(document, "createElement") };
}

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === "style") this.style.cssText = value;
  else HTMLElement.prototype.setAttribute.call(this, name, value);
}
