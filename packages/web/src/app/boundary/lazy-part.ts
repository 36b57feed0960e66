import { createElement, lazy, type ComponentType, type ReactNode } from "react";
import { onBeforeRetry } from "./before-retry.ts";

/** The code of a part of the page could not be loaded. */
export class CodeNotLoaded extends Error {
  override readonly name = "CodeNotLoaded";
}

/**
 * Returns an element whose code is loaded when it is first shown. React keeps a failure for the life of the page, so that
 * an element that was not loaded is replaced before it is tried again.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => ReactNode {
  let hasFailed = false;
  const create = (): ComponentType<Props> =>
    lazy(async () => {
      try {
        return { default: await load() };
      } catch (error) {
        hasFailed = true;
        throw new CodeNotLoaded("The code of this part of the page could not be loaded.", { cause: error });
      }
    });
  let part = create();
  onBeforeRetry(() => {
    if (hasFailed) part = create();
    hasFailed = false;
  });
  return (props) => createElement(part, props);
}
