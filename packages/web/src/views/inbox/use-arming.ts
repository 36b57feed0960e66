import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { type Arming, isArmed, observeControl, type Place } from "../../state/inbox/arming.ts";

/** How often the place of the controls is looked at, in milliseconds. Each use looks again, so this is only for the eye. */
const lookInterval = 100;

export interface ArmedControls {
  /** The element that has the controls. */
  readonly controls: RefObject<HTMLDivElement | null>;
  /** The element that says what is answered. It must have been on screen, too. */
  readonly subject: RefObject<HTMLDivElement | null>;
  readonly isReady: boolean;
  /** Whether the beginning of what is answered has not been on screen yet, although the controls are. */
  readonly isUnread: boolean;
  /** Handlers for a control that answers. */
  readonly guard: (action: () => void) => GuardedHandlers;
  /** Runs an action of a key, if the controls are armed. */
  readonly runByKey: (event: KeyboardEvent, action: () => void) => void;
}

interface GuardedHandlers {
  readonly onPointerDown: () => void;
  readonly onKeyDown: (event: { readonly repeat: boolean; readonly preventDefault: () => void }) => void;
  readonly onClick: (event: { readonly detail: number }) => void;
  readonly "aria-disabled": boolean;
}

/**
 * Lets controls answer only what was on screen, unmoved and unchanged, for half a second: by pointer, touch and keys.
 * `content` is what they would answer. Without controls, as on a closed card, nothing is looked at.
 */
export function useArming(content: string, hasControls: boolean): ArmedControls {
  const controls = useRef<HTMLDivElement>(null);
  const subject = useRef<HTMLDivElement>(null);
  const arming = useRef<Arming | null>(null);
  const seen = useRef<string | null>(null);
  const pressed = useRef<Arming | null>(null);
  const [isReady, setIsReady] = useState(false);
  const [isUnread, setIsUnread] = useState(false);

  const look = useCallback((): boolean => {
    const now = performance.now();
    if (isOnScreen(subject.current)) seen.current = content;
    const place = seen.current === content ? placeOf(controls.current) : null;
    arming.current = observeControl(arming.current, { place, content }, now);
    const ready = isArmed(arming.current, now);
    setIsReady(ready);
    setIsUnread(seen.current !== content && isAbove(subject.current, controls.current));
    return ready;
  }, [content]);

  useEffect(() => {
    if (!hasControls) return;
    look();
    const timer = setInterval(look, lookInterval);
    document.addEventListener("visibilitychange", look);
    addEventListener("blur", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
      removeEventListener("blur", look);
    };
  }, [look, hasControls]);

  const guard = (action: () => void): GuardedHandlers => ({
    // A finger that went down before the controls were armed answers nothing, however long it stays.
    onPointerDown: () => void (pressed.current = look() ? arming.current : null),
    onKeyDown: (event) => {
      if (event.repeat) event.preventDefault();
    },
    onClick: ({ detail }) => {
      const isPressedNow = detail === 0 || pressed.current === arming.current;
      if (look() && isPressedNow) action();
    },
    "aria-disabled": !isReady,
  });

  const runByKey = useCallback(
    (event: KeyboardEvent, action: () => void): void => {
      if (!event.repeat && look()) action();
    },
    [look],
  );
  return { controls, subject, isReady, isUnread, guard, runByKey };
}

/**
 * Whether the window is the one that a person uses. Another site can put its own window over this one and close it between
 * the two presses of a double click. This window gets its focus only then, and the half second begins.
 */
function isInUse(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}

/** Whether an element begins above another one. */
function isAbove(element: HTMLElement | null, other: HTMLElement | null): boolean {
  if (element === null || other === null) return false;
  return element.getBoundingClientRect().y < other.getBoundingClientRect().y;
}

/** Where an element is; null if a part of it is outside of the window or under another element. */
function placeOf(element: HTMLElement | null): Place | null {
  if (element === null || !isInUse()) return null;
  const { x, y, width, height } = element.getBoundingClientRect();
  const isInside = x >= 0 && y >= 0 && x + width <= innerWidth + 1 && y + height <= innerHeight + 1;
  if (!isInside || width === 0 || height === 0) return null;
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  return top !== null && element.contains(top) ? { x, y, width, height } : null;
}

/** Whether the first lines of an element can be read: they are in the window and in the region that scrolls. */
function isOnScreen(element: HTMLElement | null): boolean {
  if (element === null || document.visibilityState !== "visible") return false;
  const { x, y, width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return false;
  const top = document.elementFromPoint(x + Math.min(8, width / 2), y + Math.min(8, height / 2));
  return top !== null && (element.contains(top) || top.contains(element));
}
