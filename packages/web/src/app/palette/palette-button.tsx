import type { ReactNode } from "react";
import { KeyHint } from "../../components/key-hint.tsx";
import { Overlays } from "../overlays.tsx";

/** Opens the search of sessions and actions. */
export function PaletteButton(): ReactNode {
  return (
    <Overlays
      button={(open) => (
        <button
          type="button"
          onClick={open}
          className="flex items-center gap-2 rounded-md px-2 py-1 text-quiet hover:text-ink max-sm:min-h-11"
        >
          Search <KeyHint keys="Ctrl K" />
        </button>
      )}
    />
  );
}
