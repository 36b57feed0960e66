import { type RefObject, useEffect, useRef, useState } from "react";
import { type FollowInput, nextFollowState } from "../../state/timeline/follow.ts";

/** So long after a wheel or a key, in milliseconds, a movement of the list is the person's. A finger's lasts longer. */
const wheelTime = 400;
const touchTime = 2_000;

const scrollKeys: readonly string[] = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " ", "Tab"];

/** Whether a press is for a control in a row: the row may shrink after it, which moves the list without the person. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("button, a, input, textarea, select, label, summary") !== null;
}

export interface Follow {
  readonly isFollowing: boolean;
  /** The same before React has rendered: what is added in this frame must not pull the list back. */
  readonly current: () => boolean;
  readonly toEnd: () => void;
  /** The page moves the list to a row, which it then does not leave for the end. */
  readonly toRow: () => void;
}

export interface FollowListener {
  /** Called when a person moves up, before the list has moved, so that a movement that is under way can be canceled. */
  readonly onDetach: () => void;
  /** Called when a person begins to move the list in any direction. */
  readonly onPerson: () => void;
}

/** Decides whether the list follows its end. */
export function useFollow(scroller: RefObject<HTMLElement | null>, listener: FollowListener): Follow {
  const [isFollowing, setIsFollowing] = useState(true);
  const state = useRef({ isFollowing: true, offset: 0 });
  const listening = useRef(listener);
  listening.current = listener;
  const apply = useRef((input: FollowInput): void => {
    const before = state.current;
    state.current = nextFollowState(before, input);
    if (before.isFollowing && !state.current.isFollowing) listening.current.onDetach();
    setIsFollowing(state.current.isFollowing);
  }).current;
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const leaving = new AbortController();
    const options = { passive: true, signal: leaving.signal };
    let personUntil = 0;
    let touchY = 0;
    const byPerson = (time: number): void => {
      personUntil = performance.now() + time;
      listening.current.onPerson();
    };
    const intentUp = (): void => apply({ type: "intent up" });
    element.addEventListener(
      "wheel",
      ({ deltaY, ctrlKey }) => {
        if (ctrlKey) return;
        byPerson(wheelTime);
        if (deltaY < 0 && element.scrollTop > 0) intentUp();
      },
      options,
    );
    element.addEventListener(
      "touchstart",
      ({ touches, target }) => {
        if (!isControl(target)) byPerson(touchTime);
        touchY = touches[0]?.clientY ?? 0;
      },
      options,
    );
    element.addEventListener(
      "touchmove",
      ({ touches }) => {
        byPerson(touchTime);
        const y = touches[0]?.clientY ?? touchY;
        if (y > touchY && element.scrollTop > 0) intentUp();
        touchY = y;
      },
      options,
    );
    element.addEventListener(
      "keydown",
      ({ key, target }) => {
        if (!scrollKeys.includes(key) || isControl(target)) return;
        byPerson(wheelTime);
        if (key === "ArrowUp" || key === "PageUp" || key === "Home") intentUp();
      },
      options,
    );
    // A pointer that holds the scroll bar moves the list without a wheel.
    element.addEventListener(
      "pointerdown",
      ({ target, pointerType }) => {
        if (pointerType !== "touch" && !isControl(target)) byPerson(Infinity);
      },
      options,
    );
    addEventListener(
      "pointerup",
      () => {
        if (personUntil === Infinity) byPerson(wheelTime);
      },
      options,
    );
    element.addEventListener(
      "scroll",
      () => {
        const distance = element.scrollHeight - element.clientHeight - element.scrollTop;
        apply({ type: "scrolled", offset: element.scrollTop, distance, isOurs: performance.now() > personUntil });
      },
      options,
    );
    return () => leaving.abort();
  }, [scroller, apply]);
  return {
    isFollowing,
    current: () => state.current.isFollowing,
    toEnd: () => apply({ type: "to end" }),
    toRow: () => apply({ type: "intent up" }),
  };
}
