import { type RefObject, useEffect } from "react";
import { findOffsets } from "./find-offsets.ts";

/** The name in the style sheet. */
const highlightName = "found";
const maxRanges = 500;

/** Marks a text in the rows on the screen, also in those that come later. The rows themselves do not change. */
export function useMarkedText(container: RefObject<HTMLElement | null>, text: string): void {
  useEffect(() => {
    const element = container.current;
    // Older browsers show the row of a match without a mark.
    if (element === null || text === "" || !("highlights" in CSS)) return;
    const mark = (): void => void CSS.highlights.set(highlightName, new Highlight(...findRanges(element, text)));
    mark();
    const observer = new MutationObserver(mark);
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete(highlightName);
    };
  }, [container, text]);
}

function findRanges(element: HTMLElement, text: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < maxRanges; node = walker.nextNode()) {
    for (const offset of findOffsets(node.nodeValue ?? "", text, maxRanges - ranges.length)) {
      const range = document.createRange();
      range.setStart(node, offset);
      range.setEnd(node, offset + text.length);
      ranges.push(range);
    }
  }
  return ranges;
}
