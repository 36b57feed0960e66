import { type RefObject, useEffect, useRef } from "react";

/**
 * Keeps the end of a list in view while it follows and its height or that of its rows changes: the field below it grows with
 * what a person types, lines above it come and go, and rows are measured late.
 */
export function useEndInView(scroller: RefObject<HTMLElement | null>, isAtEnd: () => boolean): void {
  const newest = useRef(isAtEnd);
  useEffect(() => void (newest.current = isAtEnd));
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      if (newest.current()) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    // Rows are measured after the list has moved to its end, which is then further down.
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, [scroller]);
}
