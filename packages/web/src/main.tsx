import { loadSessionViewEarly } from "./app/load-session-view.ts";
import { applyTheme, readTheme } from "./app/theme.ts";
import "./style.css";
import { connectEarly } from "./wire/early-clients.ts";

// The service answers while the larger part of the code is loaded: its preload is in the page (see `vite.config.ts`).
connectEarly();
applyTheme(readTheme());
loadSessionViewEarly(location.pathname);
// Without `await`, which would wait for a module that waits for this one.
import("./start.tsx").then(
  ({ start }) => start(),
  () => (document.body.textContent = "Fairlead could not load this page. Reload it."),
);
