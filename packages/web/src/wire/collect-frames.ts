export interface FrameCollector<Item> {
  add(item: Item): void;
}

/** In a tab in the background there are no frames, so that items are delivered when this many wait. */
const maxWaiting = 500;

/** Delivers items once an animation frame, so that a burst costs one update of the page. */
export function collectFrames<Item>(deliver: (items: readonly Item[]) => void): FrameCollector<Item> {
  let waiting: Item[] = [];
  let frame: number | null = null;
  const flush = (): void => {
    if (frame !== null) cancelAnimationFrame(frame);
    frame = null;
    const items = waiting;
    waiting = [];
    if (items.length > 0) deliver(items);
  };
  return {
    add(item) {
      waiting.push(item);
      if (document.hidden && waiting.length >= maxWaiting) flush();
      else frame ??= requestAnimationFrame(flush);
    },
  };
}
