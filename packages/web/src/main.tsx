import "./app/without-code-generation.ts";
import { createRoot } from "react-dom/client";
import { PageRoot } from "./app/page-root.tsx";
import { Boundary } from "./app/boundary/boundary.tsx";
import { FailedPage } from "./app/boundary/failed-page.tsx";
import { loadSessionViewEarly } from "./app/load-session-view.ts";
import { applyTheme, readTheme } from "./app/theme.ts";
import "./style.css";

loadSessionViewEarly(location.pathname);
applyTheme(readTheme());
const root = document.getElementById("root");
if (root !== null)
  createRoot(root).render(
    <Boundary place="" renderFailure={(error) => <FailedPage error={error} />}>
      <PageRoot />
    </Boundary>,
  );
