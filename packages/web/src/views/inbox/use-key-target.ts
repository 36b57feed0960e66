import { useEffect, useId, useMemo, useSyncExternalStore } from "react";
import { KeyTarget } from "../../state/inbox/key-target.ts";

const target = new KeyTarget();

/** Whether the keys answer a card. */
export interface CardKeys {
  readonly hasKeys: boolean;
  /** Whether another card is there, so that the cards must show which one has the keys. */
  readonly isShown: boolean;
  /** Whether the card has had the keys long enough. */
  readonly isReady: () => boolean;
  /** Gives the card the keys. */
  readonly choose: () => void;
}

/** Offers a card for the keys that answer, while it can be answered. */
export function useKeyTarget(canAnswer: boolean): CardKeys {
  const id = useId();
  const { card, count } = useSyncExternalStore(target.subscribe, target.getSnapshot);
  useEffect(() => {
    if (!canAnswer) return;
    target.add(id, performance.now());
    return () => target.remove(id, performance.now());
  }, [id, canAnswer]);
  const actions = useMemo(
    () => ({
      isReady: () => target.isReady(id, performance.now()),
      choose: () => target.choose(id, performance.now()),
    }),
    [id],
  );
  const hasKeys = canAnswer && card === id;
  return { hasKeys, isShown: canAnswer && (count > 1 || !hasKeys), ...actions };
}
