/** How long a control must have been on screen, unmoved and unchanged, before it can be used, in milliseconds. */
export const armDelay = 500;

/** Where a control is, in pixels of the window; null if a part of it is not on screen. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What a control was when it was last looked at. */
export interface Arming {
  readonly place: Place | null;
  /** What the control would answer: the digests of the request and of what is shown. */
  readonly content: string;
  /** Since when both are the same, in milliseconds. */
  readonly since: number;
}

export interface Sighting {
  readonly place: Place | null;
  readonly content: string;
}

/** A control moves by parts of a pixel when the browser zooms. */
const tolerance = 1;

/** Notes how a control looks now. The time counts again from now if it moved or changed. */
export function observeControl(before: Arming | null, sighting: Sighting, now: number): Arming {
  const isSame = before !== null && before.content === sighting.content && isSamePlace(before.place, sighting.place);
  // The first place is kept: a control that creeps by less than the tolerance each time would never count as moved.
  return isSame ? before : { ...sighting, since: now };
}

/** Reports whether a control may be used: a person had time to see what it answers. */
export function isArmed({ place, since }: Arming, now: number): boolean {
  return place !== null && now - since >= armDelay;
}

function isSamePlace(one: Place | null, other: Place | null): boolean {
  if (one === null || other === null) return one === other;
  return (["x", "y", "width", "height"] as const).every((side) => Math.abs(one[side] - other[side]) <= tolerance);
}
