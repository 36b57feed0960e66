const prefix = 4;

/** Events as one blob: each with its length before it, since opaque bytes leave no room for a separator. */
export function pack(events: readonly Uint8Array[]): Uint8Array {
  const size = events.reduce((sum, event) => sum + prefix + event.byteLength, 0);
  const blob = new Uint8Array(size);
  const view = new DataView(blob.buffer);
  let at = 0;
  for (const event of events) {
    view.setUint32(at, event.byteLength);
    blob.set(event, at + prefix);
    at += prefix + event.byteLength;
  }
  return blob;
}

/** The events of a blob, without copying them; nothing when it is not what `pack` makes of `count` events. */
export function unpack(blob: Uint8Array, count: number): Uint8Array[] | undefined {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  const events: Uint8Array[] = [];
  let at = 0;
  while (at + prefix <= blob.byteLength) {
    const end = at + prefix + view.getUint32(at);
    if (end > blob.byteLength) return undefined;
    events.push(blob.subarray(at + prefix, end));
    at = end;
  }
  return at === blob.byteLength && events.length === count ? events : undefined;
}
