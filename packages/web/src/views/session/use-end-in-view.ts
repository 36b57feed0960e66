import { type RefObject, useEffect, useRef } from "react";

/**
 * Keeps the end of a list in view while it follows and its height changes: the field below it grows with what a person types,
 * and lines above it come and go. The list's own code only looks at rows.
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
    return () => observer.disconnect();
  }, [scroller]);
}
