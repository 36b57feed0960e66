import { Suspense, useMemo, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { Modal } from "../components/modal.tsx";
import { useActions } from "./actions.ts";
import { Boundary } from "./boundary/boundary.tsx";
import { FailedPart } from "./boundary/failed-part.tsx";
import { lazyPart } from "./boundary/lazy-part.ts";
import { useScope } from "./fairlead-context.ts";
import { useKeys } from "./keys.ts";
import { applyTheme } from "./theme.ts";

const Palette = lazyPart(async () => (await import("./palette/palette.tsx")).Palette);
const KeyHelp = lazyPart(async () => (await import("./palette/key-help.tsx")).KeyHelp);

/** The button that opens the palette, the palette, and the list of keys. */
export function Overlays({ button }: { readonly button: (open: () => void) => ReactNode }): ReactNode {
  const [, navigate] = useLocation();
  const [shown, setShown] = useState<"palette" | "keys" | null>(null);
  const mayStart = useScope("drive");
  const close = (): void => setShown(null);
  useKeys(
    useMemo(
      () => ({
        "Ctrl k": () => setShown("palette"),
        "?": () => setShown("keys"),
        "g s": () => navigate("/"),
        "g i": () => navigate("/inbox"),
        "g u": () => navigate("/usage"),
        "g a": () => navigate("/agents"),
      }),
      [navigate],
    ),
  );
  useActions(
    useMemo(
      () => [
        { label: "Go to sessions", hint: "g s", run: () => navigate("/") },
        { label: "Go to inbox", hint: "g i", run: () => navigate("/inbox") },
        { label: "Go to usage", hint: "g u", run: () => navigate("/usage") },
        { label: "Go to agents", hint: "g a", run: () => navigate("/agents") },
        ...(mayStart ? [{ label: "Start a session", run: () => navigate("/start") }] : []),
        { label: "Use the dark theme", run: () => applyTheme("dark") },
        { label: "Use the light theme", run: () => applyTheme("light") },
        { label: "Use the theme of the system", run: () => applyTheme("system") },
        { label: "Show the keys", hint: "?", run: () => setShown("keys") },
      ],
      [navigate, mayStart],
    ),
  );
  return (
    <>
      {button(() => setShown("palette"))}
      <Boundary
        place={shown ?? ""}
        renderFailure={(error, onRetry) => (
          <Modal label="Not loaded" onClose={close}>
            <FailedPart name={shown === "keys" ? "The list of keys" : "The search"} error={error} onRetry={onRetry} />
          </Modal>
        )}
      >
        <Suspense fallback={null}>
          {shown === "palette" && <Palette onClose={close} />}
          {shown === "keys" && <KeyHelp onClose={close} />}
        </Suspense>
      </Boundary>
    </>
  );
}
