import type { TerminalSize } from "@fairlead/contract";
import { useEffect, useRef, useState, useSyncExternalStore, type RefObject } from "react";
import { useFairleadWithoutRetries } from "../../app/fairlead-context.ts";
import { initialTerminalState, type TerminalState } from "../../state/terminal/terminal-state.ts";
import { TerminalLink } from "../../wire/terminal-link.ts";
import { TerminalScreen } from "./terminal-screen.ts";

export interface ShownTerminal {
  readonly link: TerminalLink;
  readonly screen: TerminalScreen;
}

export interface TerminalEvents {
  /** Called for Ctrl-\\. */
  readonly onLeave: () => void;
  /** Changes what the person typed, for the key Ctrl of a phone. */
  readonly changeInput: (keys: string) => string;
}

interface UsedTerminal {
  /** The element that the terminal fills. */
  readonly element: RefObject<HTMLDivElement | null>;
  /** Null until the element is in the page. */
  readonly shown: ShownTerminal | null;
  readonly state: TerminalState;
}

const noSubscription = (): (() => void) => () => {};

/** Shows the terminal of a session in an element while the component is in the page. */
export function useTerminal(session: string, role: "lead" | "watch", events: TerminalEvents): UsedTerminal {
  const fairlead = useFairleadWithoutRetries();
  const element = useRef<HTMLDivElement>(null);
  // The newest functions, so that the terminal is not opened again for each of them.
  const current = useRef(events);
  useEffect(() => void (current.current = events));
  const [shown, setShown] = useState<ShownTerminal | null>(null);
  useEffect(() => {
    if (element.current === null) return;
    const leaving = new AbortController();
    const screen: TerminalScreen = new TerminalScreen({
      element: element.current,
      ...(role === "lead" && {
        onInput: (keys: string) => link.send(current.current.changeInput(keys)),
        onResize: (size: TerminalSize) => link.resize(size),
      }),
      onLeave: () => current.current.onLeave(),
    });
    const link = new TerminalLink({
      fairlead,
      session,
      role,
      size: () => screen.size,
      write: (text) => screen.write(text),
      onSize: (size) => screen.resize(size),
    });
    setShown({ link, screen });
    void link.follow(leaving.signal);
    if (role === "lead") screen.focus();
    return () => {
      leaving.abort();
      screen[Symbol.dispose]();
      setShown(null);
    };
  }, [fairlead, session, role]);
  const state = useSyncExternalStore(
    shown?.link.subscribe ?? noSubscription,
    shown?.link.getSnapshot ?? (() => initialTerminalState),
  );
  return { element, shown, state };
}
