const lengthPrefixBytes = 4;

/** Packs events into one blob. Each has a length prefix, because opaque bytes may contain any separator. */
export function packEvents(events: readonly Uint8Array[]): Uint8Array {
  const size = events.reduce((sum, event) => sum + lengthPrefixBytes + event.byteLength, 0);
  const blob = new Uint8Array(size);
  const view = new DataView(blob.buffer);
  let offset = 0;
  for (const event of events) {
    view.setUint32(offset, event.byteLength);
    blob.set(event, offset + lengthPrefixBytes);
    offset += lengthPrefixBytes + event.byteLength;
  }
  return blob;
}

/** Unpacks events without copying them. Returns undefined when the blob does not contain exactly `count` events. */
export function unpackEvents(blob: Uint8Array, count: number): Uint8Array[] | undefined {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  const events: Uint8Array[] = [];
  let offset = 0;
  while (offset + lengthPrefixBytes <= blob.byteLength) {
    const end = offset + lengthPrefixBytes + view.getUint32(offset);
    if (end > blob.byteLength) return undefined;
    events.push(blob.subarray(offset + lengthPrefixBytes, end));
    offset = end;
  }
  return offset === blob.byteLength && events.length === count ? events : undefined;
}
