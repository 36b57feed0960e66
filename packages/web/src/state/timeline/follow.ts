/** Whether the list follows its end, and where it was. */
export interface FollowState {
  readonly isFollowing: boolean;
  readonly offset: number;
}

/** What happened to the list. `intent`: a wheel, a finger or a key upward, before the list has moved. */
export type FollowInput =
  | { readonly type: "intent up" }
  | { readonly type: "scrolled"; readonly offset: number; readonly distance: number; readonly isOurs: boolean }
  | { readonly type: "to end" };

/** So near to its end, in pixels, a list that a person scrolls down begins to follow. */
export const followDistance = 40;

/**
 * Decides whether the list follows. A person who moves up is never pulled back, not even within the 40 pixels: only moving
 * down again into them, or the button, makes the list follow.
 */
export function nextFollowState(state: FollowState, input: FollowInput): FollowState {
  if (input.type === "intent up") return state.isFollowing ? { ...state, isFollowing: false } : state;
  if (input.type === "to end") return state.isFollowing ? state : { ...state, isFollowing: true };
  const { offset, distance, isOurs } = input;
  if (isOurs) return { ...state, offset };
  if (offset < state.offset - 1 && distance > 1) return { isFollowing: false, offset };
  if (offset > state.offset && distance <= followDistance) return { isFollowing: true, offset };
  return { ...state, offset };
}
