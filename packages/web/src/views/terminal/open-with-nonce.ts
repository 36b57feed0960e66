/**
 * Calls a function whose style elements get the nonce of the page. The policy of the page refuses the styles of other ones,
 * and a terminal without its styles draws black on black.
 */
export function openWithNonce(open: () => void): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
  if (nonce === undefined || nonce === "") return open();
  const createElement = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
    const element = createElement(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
  try {
    open();
  } finally {
    Reflect.deleteProperty(document, "createElement");
  }
}
